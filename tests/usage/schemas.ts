/**
 * Validates values with schemas.
 *
 * @module
 */

import * as v from "valibot";

/** Returns the messages of the issues that a schema finds in a value. */
export function complaintsOf(
  schema: v.GenericSchema<unknown, unknown>,
  value: unknown,
): string[] {
  return v.safeParse(schema, value).issues?.map(({ message }) => message) ?? [];
}
