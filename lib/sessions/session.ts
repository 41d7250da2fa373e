/** A session of a list. */

import type { SessionFile } from "./session_files.ts";
import type { SessionHead } from "./session_head.ts";

/** A session of a list. */
export interface Session {
  /** The file of the session; the last one of a session in several files. */
  readonly file: SessionFile;
  /** All files of the session, the oldest first: taking turns back continues it in another file. */
  readonly files: readonly SessionFile[];
  /** The head of the session, from the first lines of the file. */
  readonly head: SessionHead;
  /** The name given to the session; `undefined` if it has none. */
  readonly name: string | undefined;
  /**
   * The title of the session, on one line: its name; else the first line of the first message that
   * a person wrote, for a fork without one in its history, at most 80 characters of it; else a
   * description in parentheses.
   */
  readonly title: string;
}

/** The longest title made of a message, in characters. */
const MAX_TITLE = 80;

/** Returns the title of a session, on one line; `name` is the one given to the session. */
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
    const agent = head.agent ?? head.source?.split(":").at(-1);
    return agent === undefined
      ? "(sub-agent)"
      : `(sub-agent ${oneLine(agent)})`;
  }
  return "(no message)";
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
