/**
 * The text that the model gives to `apply_patch`.
 *
 * @module
 */

import type { FileChange } from "../records.ts";
import { splitLines } from "./text_lines.ts";

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
 * @returns The changes by path, in order; none if the text is no envelope.
 */
export function readPatchEnvelope(envelope: string): Map<string, FileChange> {
  const changes = new Map<string, FileChange>();
  let section: Section | undefined;
  const close = (): void => {
    if (section !== undefined) changes.set(section.path, changeOf(section));
    section = undefined;
  };
  const lines = splitLines(envelope);
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
  return changes;
}

function changeOf({ verb, movePath, lines }: Section): FileChange {
  if (verb === "Delete") return { type: "delete", content: "" };
  const added = verb === "Add";
  const content = lines
    .map((line) => `${added && line.startsWith("+") ? line.slice(1) : line}\n`)
    .join("");
  return added
    ? { type: "add", content }
    : { type: "update", unified_diff: content, move_path: movePath };
}
