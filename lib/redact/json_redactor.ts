/**
 * Secrets out of the strings of JSON.
 *
 * @module
 */

import {
  maskedValue,
  type Redactors,
  redactRecordText,
} from "./_record_text.ts";
import { Redactor, type RedactorOptions } from "./redactor.ts";

/**
 * Masks the secrets in JSON texts, one value each, as {@linkcode JsonlRedactor} does in lines.
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
  readonly #redactors: Redactors;

  /**
   * Constructs a new instance.
   *
   * @param options What else is a secret.
   * @throws {TypeError} If the patterns are no list of regular expressions.
   */
  constructor(options: RedactorOptions = {}) {
    this.#redactors = {
      redactor: new Redactor(options),
      scout: new Redactor(options),
    };
  }

  /** How many secrets were masked so far, by kind, in the order of their first ones. */
  get counts(): ReadonlyMap<string, number> {
    return this.#redactors.redactor.counts;
  }

  /**
   * Gives away the counts, and begins anew with none.
   *
   * @returns What {@linkcode JsonRedactor.counts} was.
   */
  takeCounts(): Map<string, number> {
    return this.#redactors.redactor.takeCounts();
  }

  /**
   * Masks the secrets in a JSON text.
   *
   * @param text One JSON value.
   * @returns The text without the secrets; the same one if there are none.
   */
  redact(text: string): string {
    return redactRecordText(text, this.#redactors);
  }

  /**
   * Masks the secrets in what a string of a JSON text means.
   *
   * @param value A string that has no name that says more of it.
   * @returns The string without the secrets; the same one if there are none.
   */
  redactString(value: string): string {
    return maskedValue(undefined, value, this.#redactors);
  }
}
