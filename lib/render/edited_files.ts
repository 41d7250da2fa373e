/**
 * What a patch does to files.
 *
 * @module
 */

import type { FileChange } from "../history/records.ts";
import { countText } from "./quantity_text.ts";

/** A change of a file. */
export interface EditedFile {
  /** Its path. */
  readonly path: string;
  /** What happens to it. */
  readonly change: "add" | "delete" | "update";
  /** Where it moves; empty if it stays. */
  readonly movedTo: string;
  /** How many lines come in; `null` if the input does not say what changed. */
  readonly added: number | null;
  /** How many lines go; `null` if the input does not say what changed. */
  readonly removed: number | null;
  /** The change as a diff; empty if the input does not say what changed. */
  readonly diff: string;
}

/** Lists what a patch does to each file, with every text redacted. */
export function editedFiles(
  changes: { readonly [path: string]: FileChange },
  redact: (text: string) => string,
): EditedFile[] {
  return Object.entries(changes).map(([path, change]) => {
    const diff = diffOf(change);
    const movedTo = change.type === "update" ? change.move_path ?? "" : "";
    // A file that only moves has no diff.
    const counts = diff === "" ? { added: null, removed: null } : counted(diff);
    return {
      path: redact(path),
      change: change.type,
      movedTo: redact(movedTo),
      ...counts,
      diff: redact(diff),
    };
  });
}

function diffOf(change: FileChange): string {
  switch (change.type) {
    case "add":
      return withSign("+", change.content);
    case "delete":
      return withSign("-", change.content);
    case "update":
      return change.unified_diff.replace(/\n$/, "");
    default:
      change satisfies never;
      return "";
  }
}

function withSign(sign: string, content: string): string {
  if (content === "") return "";
  return content.replace(/\n$/, "").split("\n").map((line) => sign + line)
    .join("\n");
}

/** Counts the lines of a diff. The names of the files stand before its first hunk. */
function counted(diff: string): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  let isInHunk = !/^(?:---|diff) /.test(diff);
  for (const line of diff.split("\n")) {
    if (line.startsWith("@@")) isInHunk = true;
    else if (line.startsWith("diff --git ")) isInHunk = false;
    else if (!isInHunk) continue;
    else if (line.startsWith("+")) added += 1;
    else if (line.startsWith("-")) removed += 1;
  }
  return { added, removed };
}

/**
 * Gives a path as it is seen from a folder.
 *
 * @param folder The folder; `null` if it is not known.
 * @returns The path without the folder, if it is below it.
 */
export function pathBelow(path: string, folder: string | null): string {
  if (folder === null || folder === "") return path;
  const last = folder.at(-1);
  const isEnded = last === "/" || last === "\\";
  const starts = isEnded ? [folder] : [`${folder}/`, `${folder}\\`];
  const start = starts.find((each) => path.startsWith(each));
  const rest = start === undefined ? "" : path.slice(start.length);
  return rest === "" ? path : rest;
}

export function editWords(
  { change, added, removed }: Pick<EditedFile, "change" | "added" | "removed">,
): readonly [verb: string, counts: string] {
  const counts = [
    added === null || change === "delete" ? "" : `+${countText(added)}`,
    removed === null || change === "add" ? "" : `−${countText(removed)}`,
  ].filter((count) => count !== "").join(" ");
  return [change === "update" ? "edit" : change, counts];
}
