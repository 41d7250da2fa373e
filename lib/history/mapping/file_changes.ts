/** Records of patches: file changes, their state and their failure (B.8). */

import {
  booleanOf,
  type Fields,
  fieldsOf,
  isFailedWord,
  listOf,
  textOf,
  wholeOf,
} from "../../json/fields.ts";
import { keptText } from "../../json/utf8.ts";
import { byteLength, placeOfByte } from "../../json/utf8_length.ts";
import type {
  FileChange,
  HistoryRecord,
  PatchEvent,
  PatchFailure,
  PatchPayload,
} from "../records.ts";
import type { FoldContext, ItemState } from "./fold_context.ts";

const NO_REASON = "Patch application failed";
const MAX_EXCERPT_LINES = 20;
const MAX_EXCERPT_BYTES = 2000;

/**
 * Reads the changes of an item: a list of paths and kinds, or one path with its diff. Contents that
 * the item lacks are empty.
 */
export function readItemChanges(content: Fields): PatchPayload["changes"] {
  const path = textOf(content.path);
  const entries = listOf(content.changes).map(fieldsOf);
  if (path !== undefined) {
    entries.push({ path, kind: content.change, diff: content.diff });
  }
  return Object.fromEntries(
    entries.filter((entry) => typeof entry.path === "string")
      .map((entry) => [entry.path, changeOf(entry)]),
  );
}

function changeOf(entry: Fields): FileChange {
  const { content, diff, unified_diff, move_path } = entry;
  // App-servers write an object, whose `type` is the kind.
  const kind = fieldsOf(entry.kind).type ?? entry.kind;
  // A diff holds more than the kind does, so it becomes an update.
  if (typeof diff !== "string" && (kind === "add" || kind === "delete")) {
    return { type: kind, content: keptText(textOf(content) ?? "") };
  }
  return {
    type: "update",
    unified_diff: keptText(textOf(diff ?? unified_diff) ?? ""),
    move_path: typeof move_path === "string" ? keptText(move_path) : null,
  };
}

/**
 * Describes the failure of a patch: the first line of stderr that is not blank, and the beginnings
 * of both outputs.
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
  if (byteLength(excerpt) <= MAX_EXCERPT_BYTES) return keptText(excerpt);
  // The ellipsis has three bytes.
  const { units } = placeOfByte(excerpt, MAX_EXCERPT_BYTES - 3, "down");
  return `${excerpt.slice(0, units)}…`;
}

/** Shows the state of a patch, in the record of its call or at the end. */
export function showFileChange(context: FoldContext, item: ItemState): void {
  const { content } = item;
  const event = patchEvent(item);
  const record = context.recordOf(item);
  const known = record?.type === "patch" ? record.payload : undefined;
  // An ended patch stays as it is.
  if (isEnd(known?.event) && !isEnd(event)) return;
  const changes = readItemChanges(content);
  const payload = {
    event,
    auto_approved: booleanOf(content.auto_approved) ?? known?.auto_approved ??
      null,
    changes: Object.keys(changes).length > 0 ? changes : known?.changes ?? {},
    failure: event === "apply_failure"
      ? patchFailure(textOf(content.stdout) ?? "", textOf(content.stderr) ?? "")
      : null,
  };
  if (record !== undefined) context.memory.working.delete(record.id);
  context.showCall(item, { type: "patch", payload }, record);
}

function patchEvent({ phase, content, event }: ItemState): PatchEvent {
  if (phase !== "completed") {
    return event.status === "proposed" ? "proposed" : "apply_begin";
  }
  const isFailed = (wholeOf(content.exit_code) ?? 0) !== 0 ||
    isFailedWord(event.status);
  return isFailed ? "apply_failure" : "apply_success";
}

function isEnd(event: PatchEvent | undefined): boolean {
  return event === "apply_success" || event === "apply_failure";
}

export function isOpenPatch(record: HistoryRecord | undefined): boolean {
  return record?.type === "patch" && !isEnd(record.payload.event);
}
