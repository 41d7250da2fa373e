/** Separates ids of the input from ids that readers make up where a release wrote none. */

import { idOf } from "../json/fields.ts";

const MADE_UP_REGEXP = /^synthetic-(?:thread|turn)-\d+$/;

/** Returns an id of the input; one that a reader made up is unique in one input only. */
export function realId(value: unknown): string | undefined {
  const id = idOf(value);
  return id === undefined || MADE_UP_REGEXP.test(id) ? undefined : id;
}
