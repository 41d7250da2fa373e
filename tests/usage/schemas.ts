/**
 * Asks schemas: what the tests of usage share.
 *
 * @module
 */

import * as v from "valibot";

/** What a schema has against a value. */
export function complaintsOf(
  schema: v.GenericSchema<unknown, unknown>,
  value: unknown,
): string[] {
  return v.safeParse(schema, value).issues?.map(({ message }) => message) ?? [];
}
