/**
 * Patches: how they are proposed, applied and fail (B.8).
 *
 * @module
 */

import type { HistoryRecord, PatchEvent, PatchFailure } from "../records.ts";
import { type FileChanges, patchFailure } from "./file_changes.ts";
import type { CallIds, FoldContext } from "./fold_context.ts";

/** What is known of a patch now. */
export interface PatchUpdate {
  /** How far it is; absent if that has not changed. */
  readonly event?: PatchEvent;
  /** What it does; empty if nobody says. */
  readonly changes: FileChanges;
  /** Whether nobody had to approve it; absent if that is not said. */
  readonly autoApproved?: boolean | undefined;
  /** Why it failed. */
  readonly failure?: PatchFailure;
}

/** How a patch ended. */
export interface PatchEnd {
  /** Whether it was applied. */
  readonly isSuccess: boolean;
  /** What it does; empty if nobody says. */
  readonly changes: FileChanges;
  /** Whether nobody had to approve it; absent if that is not said. */
  readonly autoApproved?: boolean | undefined;
  /** What was printed. */
  readonly stdout: string;
  /** What was printed as errors. */
  readonly stderr: string;
}

/** What may be a patch, or turn out to be one: commands that apply it, and calls of a tool. */
const PATCH_TYPES: ReadonlySet<string> = new Set([
  "exec",
  "patch",
  "running_tool",
  "tool_call",
]);

/** Shows what is known of a patch, in its place or at the end. */
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

/** Shows how a patch ended. */
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

/** Tells whether a patch has begun and not ended. */
export function isOpenPatch(record: HistoryRecord | undefined): boolean {
  return record?.type === "patch" && !isEnd(record.payload.event);
}
