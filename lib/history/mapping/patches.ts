/**
 * Patches: how they are proposed, applied and fail (B.8).
 *
 * @module
 */

import type { PatchEvent, PatchFailure } from "../records.ts";
import { type FileChanges, patchFailure, readChanges } from "./file_changes.ts";
import { booleanOf, type Fields, isFailedWord, textOf } from "./json_fields.ts";
import type { MappingContext } from "./mapping_context.ts";

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
  /** What was printed. */
  readonly stdout: string;
  /** What was printed as errors. */
  readonly stderr: string;
}

/** Shows what is known of a patch, in its place or at the end. */
export function showPatch(
  context: MappingContext,
  callId: string | null,
  update: PatchUpdate,
): void {
  const { links, working } = context.memory;
  const link = callId === null ? undefined : links.get("patch", callId);
  const record = context.get(link?.id);
  const shown = record?.type === "patch" ? record.payload : undefined;
  const known = context.replaces ? undefined : shown;
  // What is told late of the beginning takes nothing back of the end.
  const end = isEnd(update.event) || !isEnd(known?.event) ? undefined : known;
  const payload = {
    event: end?.event ?? update.event ?? known?.event ?? "apply_begin",
    auto_approved: update.autoApproved ?? known?.auto_approved ?? null,
    changes: firstChanges(end?.changes, update.changes, known?.changes),
    failure: update.failure ?? end?.failure ?? null,
  };
  if (link !== undefined && shown !== undefined) {
    context.replace(link.id, { type: "patch", payload });
    return;
  }
  const commandId = callId === null ? undefined : commandOf(context, callId);
  if (commandId !== undefined) {
    working.delete(commandId);
    context.replace(commandId, { type: "patch", payload });
  }
  const id = commandId ?? context.push({ type: "patch", payload });
  if (callId !== null) links.set("patch", callId, id);
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

/** Finds the running command that turns out to be a patch: some patch in a shell. */
function commandOf(
  context: MappingContext,
  callId: string,
): number | undefined {
  const record = context.at(context.indexOfExec(callId));
  return record?.type === "exec" && record.payload.status === "running"
    ? record.id
    : undefined;
}

/** Shows how a patch ended. */
export function finishPatch(
  context: MappingContext,
  callId: string | null,
  { isSuccess, changes, stdout, stderr }: PatchEnd,
): void {
  showPatch(context, callId, {
    event: isSuccess ? "apply_success" : "apply_failure",
    changes,
    ...(isSuccess ? {} : { failure: patchFailure(stdout, stderr) }),
  });
}

/** Tells whether a patch has begun and not ended. */
export function isOpenPatch(context: MappingContext, callId: string): boolean {
  const link = context.memory.links.get("patch", callId);
  const record = context.get(link?.id);
  return record?.type === "patch" &&
    (record.payload.event === "apply_begin" ||
      record.payload.event === "proposed");
}

/** Shows how a patch ended: by a `patch_apply_end`, or a `FileChange` item. */
export function finishEventPatch(
  context: MappingContext,
  callId: string | null,
  event: Fields,
): void {
  finishPatch(context, callId, {
    isSuccess: booleanOf(event.success) ?? !isFailedWord(event.status),
    changes: readChanges(event.changes),
    stdout: textOf(event.stdout) ?? "",
    stderr: textOf(event.stderr) ?? "",
  });
}
