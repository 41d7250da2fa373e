/** Lists the files that a patch changes. */

import type { FileChange } from "../history/records.ts";
import { diffCounts } from "./diff_lines.ts";
import { countText } from "./quantity_text.ts";

/** A change of one file. */
export interface EditedFile {
  /** The path of the file. */
  readonly path: string;
  /** The kind of change. */
  readonly change: "add" | "delete" | "update";
  /** The new path of a moved file; otherwise empty. */
  readonly movedTo: string;
  /** The number of lines added; `null` if the input has no diff. */
  readonly added: number | null;
  /** The number of lines removed; `null` if the input has no diff. */
  readonly removed: number | null;
  /** The change as a diff; empty if the input has none. */
  readonly diff: string;
}

/** Lists the change of each file in a patch, with every text redacted. */
export function editedFiles(
  changes: { readonly [path: string]: FileChange },
  redact: (text: string) => string,
): EditedFile[] {
  return Object.entries(changes).map(([path, change]) => {
    const diff = diffOf(change);
    const movedTo = change.type === "update" ? change.move_path ?? "" : "";
    // A file that was only moved has no diff.
    const counts = diff === ""
      ? { added: null, removed: null }
      : diffCounts(diff);
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
  }
}

function withSign(sign: string, content: string): string {
  if (content === "") return "";
  return content.replace(/\n$/, "").split("\n").map((line) => sign + line)
    .join("\n");
}

/** Returns the path relative to the folder, or the whole path if it is not below it. */
export function pathBelow(path: string, folder: string | null): string {
  if (folder === null || folder === "") return path;
  const start = folder.replace(/[/\\]$/, "");
  const rest = path.startsWith(start) ? path.slice(start.length) : "";
  return /^[/\\][^]/.test(rest) ? rest.slice(1) : path;
}

/**
 * Returns what to say of a change: the verb (`add`, `delete` or `edit`), the paths of the file, the
 * new one last, relative to a folder if they are below it, and the line counts, as in `+3 −1`.
 */
export function editTitle(
  { change, added, removed, path, movedTo }: EditedFile,
  folder: string | null,
): {
  readonly verb: string;
  readonly names: string[];
  readonly counts: string;
} {
  const counts = [
    added === null || change === "delete" ? "" : `+${countText(added)}`,
    removed === null || change === "add" ? "" : `−${countText(removed)}`,
  ];
  return {
    verb: change === "update" ? "edit" : change,
    names: [path, movedTo].filter((name) => name !== "")
      .map((name) => pathBelow(name, folder)),
    counts: counts.filter((count) => count !== "").join(" "),
  };
}
