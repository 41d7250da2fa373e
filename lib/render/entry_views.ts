/**
 * What a reader sees of entries, whatever they are written in.
 *
 * @module
 */

import type { PlanStep } from "../history/records.ts";
import type { EditedFile } from "./edited_files.ts";

/** A message of the user, of Codex, or of an agent. */
export interface MessageView {
  /** Always `message`. */
  readonly kind: "message";
  /** Who says it. */
  readonly role: "user" | "assistant";
  /** The name of the agent that says it, if it is not the one of the session. */
  readonly author: string | null;
  /** To whom, if that is said. */
  readonly recipient: string | null;
  /** What is said. Assistants write Markdown, users whatever they like. */
  readonly text: string;
}

/** What the model thought. */
export interface ReasoningView {
  /** Always `reasoning`. */
  readonly kind: "reasoning";
  /** The text, as Markdown. */
  readonly text: string;
}

/** How far work is. `running` also stands for work whose end is not in the input. */
export type WorkStatus = "running" | "success" | "failed";

/** A command and its output. */
export interface CommandView {
  /** Always `command`. */
  readonly kind: "command";
  /** The command line, without the shell that was started for it. */
  readonly command: string;
  /** How far it is. */
  readonly status: WorkStatus;
  /** Its exit code, if it is known. */
  readonly exitCode: number | null;
  /** What it wrote to stdout, or to both where they were not told apart. */
  readonly stdout: string;
  /** What it wrote to stderr, where that was told apart. */
  readonly stderr: string;
  /** How many bytes of the output are missing, most of the time from its beginning. */
  readonly lostBytes: number;
}

/** Files that were changed. */
export interface EditView {
  /** Always `edit`. */
  readonly kind: "edit";
  /** How far it is. */
  readonly status: WorkStatus | "proposed";
  /** The files. */
  readonly files: readonly EditedFile[];
  /** Why it failed: the reason, and what was printed; empty if it did not. */
  readonly failure: string;
}

/** An argument of a tool. */
export interface ArgumentView {
  /** Its name. */
  readonly name: string;
  /** Its value: the text, or indented JSON. */
  readonly text: string;
}

/** A call of a tool. */
export interface ToolView {
  /** Always `tool`. */
  readonly kind: "tool";
  /** Which tool, such as `server.tool` or `web_search`. */
  readonly title: string;
  /** How far it is. */
  readonly status: WorkStatus;
  /** What it was called with. */
  readonly arguments: readonly ArgumentView[];
  /** What it answered, cut by the history to a few lines; empty if that is nothing. */
  readonly result: string;
  /** Whether the history has cut the answer. */
  readonly isResultCut: boolean;
  /** Why it failed; empty if it did not, or the log does not say. */
  readonly error: string;
}

/** A plan. */
export interface PlanView {
  /** Always `plan`. */
  readonly kind: "plan";
  /** Its name. */
  readonly name: string;
  /** Its steps. */
  readonly steps: readonly PlanStep[];
}

/** What changed in the files during a turn. */
export interface DiffView {
  /** Always `diff`. */
  readonly kind: "diff";
  /** The diff. */
  readonly diff: string;
}

/** An image. Its bytes are not in a history. */
export interface ImageView {
  /** Always `image`. */
  readonly kind: "image";
  /** Where it is; empty if that is not known. */
  readonly path: string;
  /** What is said about it; empty if nothing is. */
  readonly caption: string;
}

/** A command that only looked at something. */
export interface LookView {
  /** The command line. */
  readonly command: string;
  /** How far it is. */
  readonly status: WorkStatus;
  /** What else is to say, such as `nothing found` or `exit 2`; empty if nothing is. */
  readonly note: string;
  /** What it printed; empty if that is nothing, or not in the input. */
  readonly output: string;
}

/** Commands that only looked at something. */
export interface ExploreView {
  /** Always `explore`. */
  readonly kind: "explore";
  /** The commands. */
  readonly looks: readonly LookView[];
}

/** Something that a reader should know. */
export interface NoticeView {
  /** Always `notice`. */
  readonly kind: "notice";
  /** How bad it is. */
  readonly level: "error" | "warning" | "info";
  /** What it is about; empty if that is not said. */
  readonly title: string;
  /** What is said. */
  readonly text: string;
}

/** A record that is not known here. */
export interface UnknownView {
  /** Always `unknown`. */
  readonly kind: "unknown";
  /** The type of the record. */
  readonly type: string;
  /** Its payload, as indented JSON. */
  readonly json: string;
}

/** What a reader sees of an entry; `switch` on `kind`. This list may expand over time. */
export type EntryView =
  | MessageView
  | ReasoningView
  | CommandView
  | EditView
  | ToolView
  | PlanView
  | DiffView
  | ImageView
  | ExploreView
  | NoticeView
  | UnknownView;
