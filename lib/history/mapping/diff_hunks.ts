/**
 * Unified diffs.
 *
 * @module
 */

import type { DiffHunk, DiffLine } from "../records.ts";

/**
 * Splits a unified diff into hunks.
 *
 * A line that begins with `@@` starts one; what stands before the first is one without a
 * header. The names of files, `---` and `+++`, are context.
 *
 * @param diff The diff.
 * @returns The hunks.
 */
export function diffHunks(diff: string): DiffHunk[] {
  const lines = diff.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const hunks: { header: string; lines: DiffLine[] }[] = [];
  for (const line of lines) {
    if (line.startsWith("@@")) hunks.push({ header: line, lines: [] });
    else {
      let hunk = hunks.at(-1);
      if (hunk === undefined) hunks.push(hunk = { header: "", lines: [] });
      hunk.lines.push(lineOf(line));
    }
  }
  return hunks;
}

function lineOf(line: string): DiffLine {
  if (line.startsWith("+++") || line.startsWith("---")) {
    return { kind: "context", text: line };
  }
  if (line.startsWith("+")) return { kind: "added", text: line.slice(1) };
  if (line.startsWith("-")) return { kind: "removed", text: line.slice(1) };
  return {
    kind: "context",
    text: line.startsWith(" ") ? line.slice(1) : line,
  };
}
