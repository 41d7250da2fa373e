/**
 * Changes of files, and why they failed (B.8).
 *
 * @module
 */

import { type Fields, fieldsOf, listOf, textOf } from "../../json/fields.ts";
import { keptText } from "../../json/utf8.ts";
import type {
  FileChange,
  HistoryRecord,
  PatchEvent,
  PatchFailure,
} from "../records.ts";
import type { CallIds, FoldContext } from "./fold_context.ts";

interface FileChanges {
  readonly [path: string]: FileChange;
}

const NO_REASON = "Patch application failed";
const MAX_EXCERPT_LINES = 20;
const MAX_EXCERPT_BYTES = 2000;
const ENCODER = new TextEncoder();

/**
 * Reads the changes of an item: a list of paths and kinds, or one path with its diff.
 *
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
  const content = keptText(textOf(fields.content) ?? "");
  // A diff is worth more than the word that says what it does.
  if (!hasDiff && (kind === "add" || kind === "delete")) {
    return { type: kind, content };
  }
  return {
    type: "update",
    unified_diff: keptText(textOf(fields.unified_diff) ?? ""),
    move_path: typeof fields.move_path === "string"
      ? keptText(fields.move_path)
      : null,
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
    message: keptText(message ?? NO_REASON),
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
  if (read === excerpt.length) return keptText(excerpt);
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

// Patches: how they are proposed, applied and fail (B.8).

/** What is known of a patch now. */
interface PatchUpdate {
  /** How far it is; absent if that has not changed. */
  readonly event?: PatchEvent;
  /** What it does; empty if that is not said. */
  readonly changes: FileChanges;
  /** Whether it needed no approval; absent if that is not said. */
  readonly autoApproved?: boolean | undefined;
  /** Why it failed. */
  readonly failure?: PatchFailure;
}

interface PatchEnd {
  readonly isSuccess: boolean;
  /** What it does; empty if that is not said. */
  readonly changes: FileChanges;
  /** Whether it needed no approval; absent if that is not said. */
  readonly autoApproved?: boolean | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** What may be a patch, or turn out to be one: commands that apply it, and calls of a tool. */
const PATCH_TYPES: ReadonlySet<string> = new Set([
  "exec",
  "patch",
  "running_tool",
  "tool_call",
]);

export function showPatch(
  context: FoldContext,
  call: CallIds,
  update: PatchUpdate,
): void {
  const record = context.recordOf(call);
  const known = record?.type === "patch" ? record.payload : undefined;
  // What is told late of the beginning takes nothing back of the end.
  const end = isEnd(update.event) || !isEnd(known?.event) ? undefined : known;
  const payload = {
    event: end?.event ?? update.event ?? known?.event ?? "apply_begin",
    auto_approved: update.autoApproved ?? known?.auto_approved ?? null,
    changes: firstChanges(end?.changes, update.changes, known?.changes),
    failure: update.failure ?? end?.failure ?? null,
  };
  if (record !== undefined) context.memory.working.delete(record.id);
  context.showCall(call, { type: "patch", payload }, PATCH_TYPES, record);
}

function isEnd(event: PatchEvent | undefined): boolean {
  return event === "apply_success" || event === "apply_failure";
}

/** Gives the first changes that are not empty. */
function firstChanges(
  ...changes: readonly (FileChanges | undefined)[]
): FileChanges {
  return changes.find((each) => Object.keys(each ?? {}).length > 0) ?? {};
}

export function finishPatch(
  context: FoldContext,
  call: CallIds,
  { isSuccess, changes, stdout, stderr, autoApproved }: PatchEnd,
): void {
  showPatch(context, call, {
    event: isSuccess ? "apply_success" : "apply_failure",
    changes,
    autoApproved,
    ...(isSuccess ? {} : { failure: patchFailure(stdout, stderr) }),
  });
}

export function isOpenPatch(record: HistoryRecord | undefined): boolean {
  return record?.type === "patch" && !isEnd(record.payload.event);
}
