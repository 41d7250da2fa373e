/** The JSON records that the commands about sessions print. */

import type { CodexIndexState, HiddenReason } from "./codex_index.ts";
import type { SessionKind } from "./session_head.ts";
import type { SessionRun } from "./session_run.ts";

/**
 * The role of a message: its author, or its subject.
 *
 * - `user`: a message of the user.
 * - `assistant`: an answer of the model.
 * - `reasoning`: the reasoning of the model, as far as it is shown.
 * - `command`: a command and its output.
 * - `patch`: a change of files.
 * - `tool`: a call of another tool and its result, or an image.
 * - `plan`: a plan.
 * - `notice`: a message of the program: a warning, a review, a compaction.
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
 * A session, as `codexpipe sessions list` prints it; null where a value is not known.
 *
 * This list may expand over time.
 */
export interface SessionRecord {
  /** The id. */
  readonly id: string | null;
  /** The time at which the session began. */
  readonly started: string | null;
  /** The time of the last write to its file. */
  readonly updated: string;
  /** The title; see `titleOf`. */
  readonly title: string;
  /** The name given to the session. */
  readonly name: string | null;
  /** The beginning of the first message that a person wrote. */
  readonly first_message: string | null;
  /** The working directory. */
  readonly cwd: string | null;
  /** The branch of the repository. */
  readonly git_branch: string | null;
  /** The commit of the repository. */
  readonly git_commit: string | null;
  /** The URL of the remote repository. */
  readonly git_url: string | null;
  /** The version of Codex that began the session. */
  readonly cli_version: string | null;
  /** The source that started the session, such as `cli`, `exec`, `subagent:review`. */
  readonly source: string | null;
  /** The program that started the session, such as `codex_exec`. */
  readonly originator: string | null;
  /** The model of the first turn. */
  readonly model: string | null;
  /** The provider of the model. */
  readonly model_provider: string | null;
  /** How the session came about. */
  readonly kind: SessionKind;
  /** The id of the session that this one was forked from. */
  readonly forked_from: string | null;
  /** The id of the session that spawned this one. */
  readonly parent_id: string | null;
  /** The name of a sub-agent. */
  readonly agent: string | null;
  /** The layout of the file: `legacy` or `paginated`; null means `legacy`. */
  readonly history_mode: string | null;
  /** Whether the session is archived. */
  readonly archived: boolean;
  /** The compression of the file: `none`, `zstd` or `gzip`. */
  readonly compression: string;
  /** The size of the file on disk, in bytes. */
  readonly size: number;
  /** The Codex home. */
  readonly home: string;
  /** The path of the file. */
  readonly path: string;
  /** The paths of other files of the same session. */
  readonly copies: readonly string[];
  /** Why the file cannot be read, or not as a session. */
  readonly problem: string | null;
  /** Why Codex itself does not show the session; only in lists. */
  readonly hidden?: HiddenReason | null;
  /** How the last turn ended, as in `codexpipe check`; only in lists. */
  readonly outcome?: SessionRun["outcome"];
  /** The tokens used, from the file; only in lists. */
  readonly total_tokens?: number | null;
  /** The duration of all turns, in milliseconds; only in lists. */
  readonly duration_ms?: number | null;
}

/** A file or folder that could not be read. */
export interface SessionProblemRecord {
  /** The path. */
  readonly path: string;
  /** The code of the error, such as `EACCES`; null if it has none. */
  readonly code: string | null;
  /** The reason in words. */
  readonly message: string;
}

/** Sessions, as `codexpipe sessions list --json` prints them. */
export interface SessionListReport {
  /** The sessions, newest first. */
  readonly sessions: readonly SessionRecord[];
  /** The value of `--cursor` for the next page; null if this is the last one. */
  readonly next_cursor: string | null;
  /** How many sessions there are, regardless of filters. */
  readonly total: number;
  /** The files and folders that could not be read. */
  readonly problems: readonly SessionProblemRecord[];
  /** The state of the index of Codex in each home. */
  readonly codex_indexes: readonly CodexIndexState[];
}

/** The keys by which sizes can be grouped. */
export const SIZE_KEYS = ["content", "kind", "age", "project"] as const;

/** A key by which sizes can be grouped. */
export type SizeKey = typeof SIZE_KEYS[number];

/** The size of one session file, as `codexpipe sessions du` prints it. */
export interface SessionSizeRecord extends
  Pick<
    SessionRecord,
    "id" | "title" | "archived" | "compression" | "updated" | "path"
  > {
  /** The working directory of the session; null if it is not known. */
  readonly project: string | null;
  /** `main`, `fork`, `subagent`, or `copy`: another file of a session. */
  readonly kind: string;
  /** The size unpacked, in bytes. */
  readonly bytes: number;
  /** The size on disk, in bytes. */
  readonly disk_bytes: number;
  /** The bytes of each kind of content; their sum is `bytes`. */
  readonly parts: Readonly<Record<string, number>>;
  /** Why the file could not be read to its end; null if it could. */
  readonly problem: string | null;
}

/** The size of a group of sessions, or of one kind of content in all sessions. */
export interface SessionSizeGroup {
  /** The key of the grouping. */
  readonly by: string;
  /** The name of the group; null for sessions whose project is not known. */
  readonly name: string | null;
  /** How many files are in the group, or have the content. */
  readonly files: number;
  /** The size unpacked, in bytes. */
  readonly bytes: number;
  /** The size on disk, in bytes; null for a kind of content, since files may be packed. */
  readonly disk_bytes: number | null;
  /** The share of the total, from 0 to 1: of the size on disk, or unpacked where that is null. */
  readonly share: number;
}

/** A session that may be removed, as `codexpipe sessions du` prints it. */
export interface SpareSessionRecord {
  /** The id of the session. */
  readonly id: string;
  /** The reason: `archived`, `superseded` or `orphaned`. */
  readonly reason: string;
  /** The command of Codex that removes or archives it. */
  readonly command: string;
  /** The size on disk, in bytes. */
  readonly disk_bytes: number;
}

/** The sizes of the sessions of Codex homes, as `codexpipe sessions du --json` prints them. */
export interface SessionSizesReport {
  /** How many files there are. */
  readonly files: number;
  /** The size unpacked, in bytes. */
  readonly bytes: number;
  /** The size on disk, in bytes. */
  readonly disk_bytes: number;
  /** The size of archived sessions on disk, in bytes. */
  readonly archived_disk_bytes: number;
  /** The size of packed files on disk, in bytes. */
  readonly packed_disk_bytes: number;
  /** The groups. */
  readonly groups: readonly SessionSizeGroup[];
  /** The largest files on the disk. */
  readonly largest: readonly SessionSizeRecord[];
  /** The sessions that may be removed. */
  readonly spare: readonly SpareSessionRecord[];
  /** The files and folders that could not be read. */
  readonly problems: readonly SessionProblemRecord[];
}
