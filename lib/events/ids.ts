/** Separates ids of the input from ids that readers make up where a release wrote none. */

import { idOf } from "../json/fields.ts";

const MADE_UP_REGEXP = /^synthetic-(?:thread|turn)-\d+$/;
const MIGRATED_REGEXP = /^rollout-\d+$/;
const MIGRATED_ITEM_REGEXP = /^item-\d+$/;

/** Returns an id of the input; one that was made up is unique in one input only. */
export function realId(value: unknown): string | undefined {
  const id = idOf(value);
  const isReal = id !== undefined && !MADE_UP_REGEXP.test(id) &&
    !isMigratedTurn(id);
  return isReal ? id : undefined;
}

/** Whether `codex migrate-rollouts` made up a turn, for a prompt before turns were in files. */
export function isMigratedTurn(id: string | null | undefined): boolean {
  return MIGRATED_REGEXP.test(id ?? "");
}

/** Whether `codex migrate-rollouts` made an item of a message. */
export function isMigratedItem(id: unknown): boolean {
  return MIGRATED_ITEM_REGEXP.test(idOf(id) ?? "");
}
