/** Ids of sessions. */

const ID_REGEXP = /^\w[\w.-]{0,127}$/;
/** How much is shown of what is no id, in UTF-16 code units. */
const MAX_SHOWN = 80;

/**
 * Tells whether a text can be the id of a session: at most 128 letters, digits, dots, dashes and
 * underscores, the first of which is no dot and no dash.
 *
 * Ids come from files that anybody may have written. One that passes is one word to a shell and
 * no option of a command, is no path to another folder, and means nothing to HTML, SQL or a URL.
 * Whatever is put into one of these passes here first.
 *
 * @param text The text.
 * @returns Whether it can be one.
 *
 * @example An id, and an option of the command that would be told it
 * ```ts
 * import { isSessionId } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(isSessionId("01a1f99d-5874-7011-9c38-b543d19d65ba"), true);
 * assertEquals(isSessionId("--dangerously-bypass-approvals-and-sandbox"), false);
 * ```
 */
export function isSessionId(text: string): boolean {
  return ID_REGEXP.test(text);
}

/** Writes what stands where an id should, for people: what is none in quotes, and not all of it. */
export function idText(text: string): string {
  return isSessionId(text)
    ? text
    : JSON.stringify(text.slice(0, MAX_SHOWN).toWellFormed());
}
