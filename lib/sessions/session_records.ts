/** What the commands about sessions print as JSON, and its words. */

import type { CodexIndexState, HiddenReason } from "./codex_index.ts";
import type { SessionKind } from "./session_head.ts";
import type { SessionRun } from "./session_run.ts";

/**
 * Whose a text is, or what it is about.
 *
 * - `user`: what the person wrote.
 * - `assistant`: what the model answered.
 * - `reasoning`: what the model thought, as far as it is shown.
 * - `command`: a command and its output.
 * - `patch`: what was changed in files.
 * - `tool`: a call of another tool and what it gave, or an image.
 * - `plan`: a plan.
 * - `notice`: what the program said: warnings, reviews, compactions.
 * - `error`: an error.
 */
export type MessageRole = typeof MESSAGE_ROLES[number];

/** The roles, in the order of the help. */
export const MESSAGE_ROLES = [
  "user",
  "assistant",
  "reasoning",
  "command",
  "patch",
  "tool",
  "plan",
  "notice",
  "error",
] as const;

/**
 * A session, as `codexpipe sessions list` prints it; null is what is not known.
 *
 * This list may expand over time.
 */
export interface SessionRecord {
  /** The id. */
  readonly id: string | null;
  /** When it began. */
  readonly started: string | null;
  /** When its file was last written to. */
  readonly updated: string;
  /** What it is called: see `titleOf`. */
  readonly title: string;
  /** The name that it was given. */
  readonly name: string | null;
  /** The beginning of the first message that a person wrote. */
  readonly first_message: string | null;
  /** The folder that it ran in. */
  readonly cwd: string | null;
  /** The branch of the repository. */
  readonly git_branch: string | null;
  /** The commit of the repository. */
  readonly git_commit: string | null;
  /** The URL of its remote. */
  readonly git_url: string | null;
  /** The version of Codex that began it. */
  readonly cli_version: string | null;
  /** What started it, such as `cli`, `exec`, `subagent:review`. */
  readonly source: string | null;
  /** The program that started it, such as `codex_exec`. */
  readonly originator: string | null;
  /** The model of the first turn. */
  readonly model: string | null;
  /** The provider of the model. */
  readonly model_provider: string | null;
  /** What it is to others. */
  readonly kind: SessionKind;
  /** The session that it was forked from. */
  readonly forked_from: string | null;
  /** The session that spawned it. */
  readonly parent_id: string | null;
  /** What a sub-agent is called. */
  readonly agent: string | null;
  /** How its file is written: `legacy` or `paginated`; null is `legacy`. */
  readonly history_mode: string | null;
  /** Whether it is archived. */
  readonly archived: boolean;
  /** How its file is packed: `none`, `zstd` or `gzip`. */
  readonly compression: string;
  /** What its file takes on the disk, in bytes. */
  readonly size: number;
  /** The Codex home. */
  readonly home: string;
  /** The file. */
  readonly path: string;
  /** Other files of the same session. */
  readonly copies: readonly string[];
  /** Why its file could not be read, or not as a session. */
  readonly problem: string | null;
  /** Why Codex itself does not show it; only in lists. */
  readonly hidden?: HiddenReason | null;
  /** How its last turn ended, as `codexpipe check` says; only in lists. */
  readonly outcome?: SessionRun["outcome"];
  /** The tokens that its file says it used; only in lists. */
  readonly total_tokens?: number | null;
  /** How long its turns took, in milliseconds; only in lists. */
  readonly duration_ms?: number | null;
}

/** A file or folder that could not be looked at. */
export interface SessionProblemRecord {
  /** Its path. */
  readonly path: string;
  /** The code of the error, such as `EACCES`; null if it has none. */
  readonly code: string | null;
  /** Why. */
  readonly message: string;
}

/** Sessions, as `codexpipe sessions list --json` prints them. */
export interface SessionListReport {
  /** The sessions, newest first. */
  readonly sessions: readonly SessionRecord[];
  /** What `--cursor` takes to go on; null if no more follow. */
  readonly next_cursor: string | null;
  /** How many sessions there are, whatever was asked for. */
  readonly total: number;
  /** What could not be looked at. */
  readonly problems: readonly SessionProblemRecord[];
  /** What became of Codex's own index in each home. */
  readonly codex_indexes: readonly CodexIndexState[];
}

/** What sessions can be summed up by. */
export const SIZE_KEYS = ["content", "kind", "age", "project"] as const;

/** What sessions can be summed up by. */
export type SizeKey = typeof SIZE_KEYS[number];

/** What one session file takes, as `codexpipe sessions du` prints it. */
export interface SessionSizeRecord {
  /** The id of its session; null if nothing says it. */
  readonly id: string | null;
  /** What it is called. */
  readonly title: string;
  /** The folder that it ran in; null if that is not said. */
  readonly project: string | null;
  /** `main`, `fork`, `subagent`, or `copy`: another file of a session. */
  readonly kind: string;
  /** Whether it is archived. */
  readonly archived: boolean;
  /** How it is packed: `none`, `zstd` or `gzip`. */
  readonly compression: string;
  /** When it was last written to. */
  readonly updated: string;
  /** Its size, unpacked. */
  readonly bytes: number;
  /** What it takes on the disk. */
  readonly disk_bytes: number;
  /** What its bytes are of; together they are `bytes`. */
  readonly parts: Readonly<Record<string, number>>;
  /** The file. */
  readonly path: string;
  /** Why it could not be read to its end; null if it could. */
  readonly problem: string | null;
}

/** What some sessions take, or a part of all. */
export interface SessionSizeGroup {
  /** What it was made by. */
  readonly by: string;
  /** Its name; null is a project that is not said. */
  readonly name: string | null;
  /** How many files there are with some of it. */
  readonly files: number;
  /** Its size, unpacked. */
  readonly bytes: number;
  /** What it takes on the disk; null of a part of files, which may be packed. */
  readonly disk_bytes: number | null;
  /** How much of all it is, from 0 to 1: of what is on the disk, or else unpacked. */
  readonly share: number;
}

/** A session that could go, as `codexpipe sessions du` prints it. */
export interface SpareSessionRecord {
  /** The id of the session. */
  readonly id: string;
  /** Why: `archived`, `superseded` or `orphaned`. */
  readonly reason: string;
  /** The command that would let it go. */
  readonly command: string;
  /** What it takes on the disk. */
  readonly disk_bytes: number;
}

/** What the sessions of Codex homes take, as `codexpipe sessions du --json` prints it. */
export interface SessionSizesReport {
  /** How many files there are. */
  readonly files: number;
  /** Their size, unpacked. */
  readonly bytes: number;
  /** What they take on the disk. */
  readonly disk_bytes: number;
  /** What archived ones take on the disk. */
  readonly archived_disk_bytes: number;
  /** What packed ones take on the disk. */
  readonly packed_disk_bytes: number;
  /** The sums. */
  readonly groups: readonly SessionSizeGroup[];
  /** The largest files on the disk. */
  readonly largest: readonly SessionSizeRecord[];
  /** What could go. */
  readonly spare: readonly SpareSessionRecord[];
  /** What could not be looked at. */
  readonly problems: readonly SessionProblemRecord[];
}
