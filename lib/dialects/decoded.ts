/** The result of decoding one record. */

import type { FailureReason, Issue } from "../errors.ts";

/**
 * The result of decoding one record: the typed value, or the reason of the failure.
 *
 * @typeParam T The type of the value.
 */
export type Decoded<T> = DecodedValue<T> | Undecoded;

/**
 * A record that was decoded.
 *
 * @typeParam T The type of the value.
 */
export interface DecodedValue<T> {
  /** Always `true`. */
  readonly ok: true;
  /** The record itself, now typed. */
  readonly value: T;
}

/** A record that could not be decoded. */
export interface Undecoded {
  /** Always `false`. */
  readonly ok: false;
  /** The reason. */
  readonly error: FailureReason;
}

/** Parses the text of a record; any other value is returned as it is. */
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
 * Makes the failure of a record that does not match its type, with the issues found, at least one.
 * The message describes the problem by `state`, or else by the first issue.
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
