/** Ids of sessions. */

const ID_REGEXP = /^\w[\w.-]{0,127}$/;
/** How much of an invalid id is shown, in UTF-16 code units. */
const MAX_SHOWN = 80;

/**
 * Whether a text can be the id of a session: at most 128 letters, digits, dots, dashes and
 * underscores, the first of which is no dot and no dash.
 *
 * Ids come from files of unknown authors. A valid one is a single word to a shell and no option of
 * a command, is no path to another folder, and has no special characters of HTML, SQL or a URL.
 * Every id is checked here before it is put into one of these.
 *
 * @param text The text.
 * @returns Whether the text can be an id.
 *
 * @example An id, and an option of a command in the place of one
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

/** Formats an id for people: an invalid one in quotes, and truncated. */
export function idText(text: string): string {
  return isSessionId(text)
    ? text
    : JSON.stringify(text.slice(0, MAX_SHOWN).toWellFormed());
}
