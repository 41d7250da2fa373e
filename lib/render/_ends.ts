/** Says which entries are shown, and how work and turns ended, for all renderers. */

import type {
  CommandView,
  EditView,
  EntryView,
  ToolView,
} from "./entry_view.ts";
import type { EntryPart, TurnEndedPart, TurnStatus } from "./parts.ts";
import { durationText } from "./quantity_text.ts";
import type { RenderOptions } from "./render_options.ts";

const WORK: ReadonlySet<EntryView["kind"]> = new Set(
  ["command", "diff", "edit", "explore", "tool", "unknown"] as const,
);

/** Returns whether an entry is work, such as a command, an edit or a tool call. */
export function isWork({ kind }: EntryView): boolean {
  return WORK.has(kind);
}

/** Returns whether an entry is shown: neither left out by the options, nor without a text. */
export function isShown(
  view: EntryView,
  { reasoning, tools }: Pick<RenderOptions, "reasoning" | "tools">,
): boolean {
  switch (view.kind) {
    case "message":
      // Codex 0.169 completes several messages for one request, and some of them are empty.
      return view.text.trim() !== "";
    case "reasoning":
      return view.text.trim() !== "" && reasoning !== "omit";
    default:
      return tools !== "none" || !isWork(view);
  }
}

/** The sign of work by its state. */
export const WORK_SIGNS: Record<EditView["status"], string> = {
  success: "✓",
  failed: "✗",
  running: "…",
  proposed: "?",
};

/** Says how long an entry took, and whether it went on after its turn. */
export function timeNotes({ durationMs, phase }: EntryPart): string[] {
  const isTimed = durationMs !== null && durationMs > 0;
  return [
    ...(isTimed ? [durationText(durationMs)] : []),
    ...(phase === "late" ? ["went on"] : []),
  ];
}

/** Describes the end of work, as in `exit 1 · 3.2s`; empty if nothing is known but success. */
export function endText(
  { note }: CommandView | ToolView,
  part: EntryPart,
): string {
  return [note, ...timeNotes(part)].filter((each) => each !== "").join(" · ");
}

/** The sign, the words and the class of the style sheet for the status of a turn. */
export const TURN_ENDS: Record<
  TurnStatus,
  readonly [sign: string, words: string, look: "ok" | "bad" | "warn" | ""]
> = {
  completed: ["✓", "done", "ok"],
  failed: ["✗", "failed", "bad"],
  aborted: ["✗", "interrupted", "bad"],
  open: ["…", "no end of the turn", "warn"],
  unknown: ["", "", ""],
};

/** Returns why a turn ended, unless an entry or the words for its status say the same. */
export function endReason(
  { status, error, isErrorShown }: TurnEndedPart,
): string {
  const reason = isErrorShown ? "" : error?.trim() ?? "";
  return reason === TURN_ENDS[status][1] ? "" : reason;
}
