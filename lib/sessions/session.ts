/** A session, as lists show it. */

import type { SessionFile } from "./session_files.ts";
import type { SessionHead } from "./session_head.ts";

/** A session, as lists show it. */
export interface Session {
  /** Its file. */
  readonly file: SessionFile;
  /** What the first lines of the file tell. */
  readonly head: SessionHead;
  /** The name that it was given; `undefined` if it was given none. */
  readonly name: string | undefined;
  /** What it is called: see {@linkcode titleOf}. */
  readonly title: string;
}

/** The longest title that is made of a message, in characters. */
const MAX_TITLE = 80;

/**
 * Says what to call a session: its name; else the first line of the first message that a
 * person wrote, at most 80 characters of it; else, in parentheses, what it is.
 *
 * @param head The head of the session.
 * @param name The name that it was given.
 * @returns The title, on one line.
 *
 * @example The first line of a message
 * ```ts
 * import { readSessionHead, sessionFileAt, titleOf } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const head = await readSessionHead(await sessionFileAt("deno.json", "."));
 *
 * assertEquals(titleOf(head), "(cannot be read)");
 * assertEquals(titleOf({ ...head, firstMessage: "Fix it\nplease" }), "Fix it");
 * assertEquals(titleOf(head, "My session"), "My session");
 * ```
 */
export function titleOf(head: SessionHead, name?: string): string {
  if (name !== undefined) return oneLine(name);
  if (head.firstMessage !== undefined) {
    const line = head.firstMessage.split(/[\r\n]/).map(oneLine)
      .find((text) => text !== "") ?? "";
    const characters = [...line];
    return characters.length <= MAX_TITLE
      ? line
      : `${characters.slice(0, MAX_TITLE - 1).join("").trimEnd()}…`;
  }
  if (!head.hasHeader) return "(cannot be read)";
  if (head.kind === "subagent") {
    const what = head.agent ?? head.source?.split(":").at(-1);
    return what === undefined ? "(sub-agent)" : `(sub-agent ${oneLine(what)})`;
  }
  return "(no message)";
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
