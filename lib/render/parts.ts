/** The parts of a transcript. */

import type { TokenCounts } from "../dialects/rollout/token_counts.ts";
import type { AnyHistoryRecord } from "../history/records.ts";

/**
 * A session begins. The first part of every transcript; a stream with several runs has one for each
 * run. Facts that the input does not have are `null`.
 */
export interface SessionPart {
  /** Always `session`. */
  readonly type: "session";
  /** The id of the thread. */
  readonly thread_id: string | null;
  /** When it began, as RFC 3339 in UTC. */
  readonly startedAt: string | null;
  /** The working directory. */
  readonly cwd: string | null;
  /** The model. */
  readonly model: string | null;
  /** The version of the Codex CLI. */
  readonly cli_version: string | null;
  /**
   * The id of the thread that started this one as a sub-agent. Set only if several threads are
   * shown.
   *
   * @default {undefined}
   */
  readonly parent_thread_id?: string;
  /**
   * The name of the sub-agent: its path among the agents, else its nickname.
   *
   * @default {undefined}
   */
  readonly agent?: string;
}

/** A turn begins: at its event, or at a message of the user in inputs without such events. */
export interface TurnStartedPart {
  /** Always `turn_started`. */
  readonly type: "turn_started";
  /** The number of the turn in this transcript, from 1. */
  readonly turn: number;
  /** The id of the turn, if it is known yet; `null` also for an id that a normalizer made up. */
  readonly turn_id: string | null;
  /** When it began, as RFC 3339 in UTC. */
  readonly startedAt: string | null;
  /** The model, if known. */
  readonly model: string | null;
  /** The working directory, if known. */
  readonly cwd: string | null;
}

/**
 * The state of an entry.
 *
 * - `started`: it is new and will change; only in live transcripts.
 * - `updated`: it has changed and may change again; only in live transcripts.
 * - `final`: it is complete. If a turn ends before its work does, the entry is as it was then.
 * - `late`: more of an entry that was `final` before, such as the end of a command that was left
 *   running. Output that the `final` part held is not repeated.
 */
export type EntryPhase = "started" | "updated" | "final" | "late";

/** An entry of the transcript: one record of the session's history. */
export interface EntryPart {
  /** Always `entry`. */
  readonly type: "entry";
  /** The state of the entry. */
  readonly phase: EntryPhase;
  /** The number of the record: parts of the same entry have the same id. */
  readonly id: number;
  /** The number of the turn of the entry; `null` outside of turns. */
  readonly turn: number | null;
  /** The record. A plan has one entry for each of its states. */
  readonly record: AnyHistoryRecord;
  /**
   * The output of the commands of an `explore` record, which the record itself does not hold: a
   * text for each of its entries, empty if a command printed nothing. If a command ran several
   * times in its entry, the text is the output of the last run. Only in `final` and `late` parts.
   *
   * @default {undefined} The output is unknown.
   */
  readonly outputs?: readonly string[];
  /**
   * The images of the entry as `data:` URLs: the image itself, or those that a tool returned. An
   * image is an empty text if images are not carried (see the option `images`) or it is too large.
   *
   * @default {undefined} The entry has no images, or only the paths of their files are known.
   */
  readonly images?: readonly string[];
  /**
   * Whether an error is a warning. Exec streams have `error` items for warnings too, such as those
   * about deprecated features and features under development. The record has no field for this.
   *
   * @default {false}
   */
  readonly isWarning?: boolean;
  /** When it began, as RFC 3339 in UTC; `null` if the input has no times. */
  readonly startedAt: string | null;
  /** When it ended. */
  readonly endedAt: string | null;
  /** The duration in milliseconds; `null` if unknown. */
  readonly durationMs: number | null;
}

/**
 * The end of a turn.
 *
 * - `completed`, `failed`, `aborted`: it ended normally, with an error or by interruption.
 * - `open`: the input ended, or another run began, before the turn ended.
 * - `unknown`: the input has no ends of turns, as in exec streams up to 0.42, session files up to
 *   0.98 and snapshots.
 */
export type TurnStatus =
  | "completed"
  | "failed"
  | "aborted"
  | "open"
  | "unknown";

/**
 * Token counts, as the release counted them; `null` for kinds of tokens that the input does not
 * count.
 */
export type TurnUsage = Required<
  Pick<
    TokenCounts,
    | "input_tokens"
    | "cached_input_tokens"
    | "output_tokens"
    | "reasoning_output_tokens"
  >
>;

/** The tokens of one request to the model, or of several consecutive ones joined. */
export interface RequestUsage
  extends Pick<TurnUsage, "input_tokens" | "output_tokens"> {
  /** The time of the count, as RFC 3339 in UTC; `null` if the input has no times. */
  readonly at: string | null;
}

/** A turn ends. Every turn gets this part, before the next turn begins. */
export interface TurnEndedPart {
  /** Always `turn_ended`. */
  readonly type: "turn_ended";
  /** The number of the turn. */
  readonly turn: number;
  /** The id of the turn; `null` if it has none. */
  readonly turn_id: string | null;
  /** The status of the turn at its end. */
  readonly status: TurnStatus;
  /** When it ended, as RFC 3339 in UTC; `null` if the input has no times. */
  readonly endedAt: string | null;
  /** The duration in milliseconds; `null` if unknown. */
  readonly durationMs: number | null;
  /** The tokens of the turn; `null` if the input has no counts. */
  readonly usage: TurnUsage | null;
  /** The tokens of its requests, in order, if the input counts requests separately. */
  readonly requests?: readonly RequestUsage[];
  /** The reason why it failed or was aborted; `null` if it was not, or the log has no reason. */
  readonly error: string | null;
  /** Whether an entry of the turn already shows the same error. */
  readonly isErrorShown: boolean;
}

/** The user rolled turns back. The parts of those turns have been emitted before. */
export interface RolledBackPart {
  /** Always `rolled_back`. */
  readonly type: "rolled_back";
  /** The number of turns, counted back from the last one. */
  readonly turns: number;
}

/** A line that could not be read. */
export interface FailurePart {
  /** Always `failure`. */
  readonly type: "failure";
  /** The number of the line, from 1. */
  readonly line: number;
  /** The kind of the error, such as `json`. */
  readonly kind: string;
  /** The reason why it could not be read. */
  readonly message: string;
}

/** A part of a transcript; `switch` on `type`. This list may expand over time. */
export type TranscriptPart =
  | SessionPart
  | TurnStartedPart
  | EntryPart
  | TurnEndedPart
  | RolledBackPart
  | FailurePart;
