/**
 * The text that the model gives to `apply_patch`.
 *
 * @module
 */

import type { SessionFileChange } from "./session_items.ts";

const SECTION_REGEXP = /^\*\*\* (Add|Delete|Update) File: (.*)$/;
const MOVE_REGEXP = /^\*\*\* Move to: (.*)$/;
const END_REGEXP = /^\*\*\* (?:End Patch|End of File)\s*$/;
const END_OF_PATCH_REGEXP = /^\*\*\* End Patch\s*$/;

/** One file of an envelope, while it is read. */
interface Section {
  readonly verb: string;
  readonly path: string;
  movePath: string | null;
  readonly lines: string[];
}

/**
 * Reads the file changes out of a patch envelope.
 *
 * An update keeps its hunk lines as they are; the contents of a deleted file are unknown.
 * A second section for a path replaces the first one.
 *
 * @param envelope The text from `*** Begin Patch` to `*** End Patch`.
 * @returns The changes, in order; none if the text is no envelope.
 */
export function readPatchEnvelope(envelope: string): SessionFileChange[] {
  const changes = new Map<string, SessionFileChange>();
  let section: Section | undefined;
  const close = (): void => {
    if (section !== undefined) changes.set(section.path, changeOf(section));
    section = undefined;
  };
  const lines = envelope.split(/\r?\n/);
  // What the last line ends with begins no other one.
  if (lines.at(-1) === "") lines.pop();
  for (const line of lines) {
    const start = SECTION_REGEXP.exec(line);
    if (start !== null) {
      close();
      const [, verb = "", path = ""] = start;
      section = { verb, path: path.trim(), movePath: null, lines: [] };
      continue;
    }
    if (END_REGEXP.test(line)) {
      if (END_OF_PATCH_REGEXP.test(line)) close();
      continue;
    }
    if (section === undefined) continue;
    const move = section.lines.length === 0 ? MOVE_REGEXP.exec(line) : null;
    if (move !== null) section.movePath = (move[1] ?? "").trim();
    else section.lines.push(line);
  }
  close();
  return [...changes.values()];
}

function changeOf(
  { verb, path, movePath, lines }: Section,
): SessionFileChange {
  if (verb === "Delete") return { path, kind: "delete" };
  const added = verb === "Add";
  const content = lines
    .map((line) => `${added && line.startsWith("+") ? line.slice(1) : line}\n`)
    .join("");
  if (added) return { path, kind: "add", content };
  return {
    path,
    kind: "update",
    unified_diff: content,
    ...(movePath === null ? {} : { move_path: movePath }),
  };
}
