/**
 * Changes of files, and why they failed (B.8).
 *
 * @module
 */

import type { FileChange, PatchFailure } from "../records.ts";
import { type Fields, fieldsOf, listOf, textOf } from "../../json/fields.ts";

/** What a patch does, by path. */
export interface FileChanges {
  readonly [path: string]: FileChange;
}

const NO_REASON = "Patch application failed";
const MAX_EXCERPT_LINES = 20;
const MAX_EXCERPT_BYTES = 2000;
const ENCODER = new TextEncoder();

/**
 * Reads the changes of an item: a list of paths and kinds, or one path with its diff.
 *
 * @param content The content of the item.
 * @returns The changes; contents that the item does not tell are empty.
 */
export function readItemChanges(content: Fields): FileChanges {
  const path = textOf(content.path);
  const entries = listOf(content.changes).map(fieldsOf);
  if (path !== undefined) {
    entries.push({ path, kind: content.change, diff: content.diff });
  }
  return Object.fromEntries(
    entries.filter((entry) => typeof entry.path === "string").map((entry) => [
      textOf(entry.path) ?? "",
      changeOfKind(entry.kind, {
        ...entry,
        unified_diff: entry.diff ?? entry.unified_diff,
      }, typeof entry.diff === "string"),
    ]),
  );
}

function changeOfKind(
  kind: unknown,
  fields: Fields,
  hasDiff = false,
): FileChange {
  const content = textOf(fields.content) ?? "";
  // A diff is worth more than the word that says what it does.
  if (!hasDiff && (kind === "add" || kind === "delete")) {
    return { type: kind, content };
  }
  return {
    type: "update",
    unified_diff: textOf(fields.unified_diff) ?? "",
    move_path: textOf(fields.move_path) ?? null,
  };
}

/**
 * Says why a patch failed.
 *
 * @param stdout What was printed.
 * @param stderr What was printed as errors.
 * @returns The first line of the errors, and the beginning of both.
 */
export function patchFailure(stdout: string, stderr: string): PatchFailure {
  const message = stderr.split("\n").map((line) => line.trim())
    .find((line) => line !== "");
  return {
    message: message ?? NO_REASON,
    stdout_excerpt: excerptOf(stdout),
    stderr_excerpt: excerptOf(stderr),
  };
}

function excerptOf(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  const lines = trimmed.split("\n", MAX_EXCERPT_LINES);
  const excerpt = lines.join("\n");
  const cut = new Uint8Array(MAX_EXCERPT_BYTES);
  const { read, written } = ENCODER.encodeInto(excerpt, cut);
  if (read === excerpt.length) return excerpt;
  // The mark takes three bytes.
  const kept = written <= MAX_EXCERPT_BYTES - 3
    ? excerpt.slice(0, read)
    : headOf(excerpt, MAX_EXCERPT_BYTES - 3);
  return `${kept}…`;
}

/** Gives as much of a text as fits into so many bytes. */
function headOf(text: string, bytes: number): string {
  const { read } = ENCODER.encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
}
