/**
 * Masks secrets in the strings of JSON texts.
 *
 * @module
 */

import { maskedValue, redactRecordText } from "./_record_text.ts";
import { Redactor, type RedactorOptions } from "./redactor.ts";

/**
 * Masks the secrets in JSON texts of one value each, as {@linkcode JsonlRedactor} does in lines.
 *
 * @example A value of which only a string changes
 * ```ts
 * import { JsonRedactor } from "@codexpipe/codexpipe/redact";
 * import { assertEquals } from "@std/assert";
 *
 * const redactor = new JsonRedactor();
 *
 * assertEquals(
 *   redactor.redact('{"n":1.0,"password":"swordfish"}'),
 *   '{"n":1.0,"password":"[redacted:password]"}',
 * );
 * assertEquals(redactor.counts.get("password"), 1);
 * ```
 */
export class JsonRedactor {
  readonly #redactor: Redactor;

  /**
   * Constructs a new instance.
   *
   * @param options Patterns of further secrets.
   * @throws {TypeError} If `patterns` is not a list of regular expressions.
   */
  constructor(options: RedactorOptions = {}) {
    this.#redactor = new Redactor(options);
  }

  /** The number of secrets masked so far, by kind, in the order of their first occurrence. */
  get counts(): ReadonlyMap<string, number> {
    return this.#redactor.counts;
  }

  /**
   * Returns the counts and resets them.
   *
   * @returns The former value of {@linkcode JsonRedactor.counts}.
   */
  takeCounts(): Map<string, number> {
    return this.#redactor.takeCounts();
  }

  /**
   * Masks the secrets in a JSON text.
   *
   * @param text One JSON value.
   * @returns The text with its secrets masked; unchanged if there are none.
   */
  redact(text: string): string {
    return redactRecordText(text, this.#redactor);
  }

  /**
   * Masks the secrets in a string value of a JSON text.
   *
   * @param value The string without quotes and escapes. It is treated as a value without a key.
   * @returns The string with its secrets masked; unchanged if there are none.
   */
  redactString(value: string): string {
    return maskedValue(undefined, value, this.#redactor);
  }
}
