/**
 * What decoding one record gives.
 *
 * @module
 */

import type { FailureReason, Issue } from "../errors.ts";

/**
 * What decoding one record gives: the typed value, or why there is none.
 *
 * @typeParam T The type of the value.
 */
export type Decoded<T> = DecodedValue<T> | Undecoded;

/**
 * A record that could be decoded.
 *
 * @typeParam T The type of the value.
 */
export interface DecodedValue<T> {
  /** Always `true`. */
  readonly ok: true;
  /** The record itself, which is of that type. */
  readonly value: T;
}

/** A record that could not be decoded. */
export interface Undecoded {
  /** Always `false`. */
  readonly ok: false;
  /** Why. */
  readonly error: FailureReason;
}

/** Parses the text of a record; what is no string is a record already. */
export function parseRecord(record: unknown): Decoded<unknown> {
  if (typeof record !== "string") return { ok: true, value: record };
  try {
    const value: unknown = JSON.parse(record);
    return { ok: true, value };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `Cannot parse the record as JSON: ${why}`;
    return { ok: false, error: { kind: "json", message } };
  }
}

/**
 * Makes the failure of a record that is not what its type says.
 *
 * @param record What the record is, as messages say it.
 * @param issues What is wrong with it; at least one.
 * @param state What is wrong, in words; made of the first issue unless given.
 */
export function undecodable(
  record: string,
  issues: readonly Issue[],
  state?: string,
): Undecoded {
  const { path = "", message = "" } = issues[0] ?? {};
  const words = state ?? `${path === "" ? "it" : path} is ${message}`;
  return {
    ok: false,
    error: {
      kind: "typed",
      message: `Cannot decode ${record}: ${words}`,
      field: path,
      issues,
    },
  };
}
