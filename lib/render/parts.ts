/**
 * What a transcript is made of.
 *
 * @module
 */

import type { TokenCounts } from "../dialects/rollout/token_counts.ts";
import type { AnyHistoryRecord } from "../history/records.ts";

/**
 * A session begins. It is the first part of every transcript; what the input does not say is
 * `null`. A stream that holds more than one run has one for each.
 */
export interface SessionPart {
  /** Always `session`. */
  readonly type: "session";
  /** The id of the thread. */
  readonly thread_id: string | null;
  /** When it began, as RFC 3339 in UTC. */
  readonly startedAt: string | null;
  /** The folder that it works in. */
  readonly cwd: string | null;
  /** The model. */
  readonly model: string | null;
  /** The version of the Codex CLI. */
  readonly cli_version: string | null;
  /**
   * The id of the thread that made it, as its sub-agent. Only where several threads are shown.
   *
   * @default {undefined}
   */
  readonly parent_thread_id?: string;
  /**
   * What it is called as a sub-agent: its path among the agents, else its nickname.
   *
   * @default {undefined}
   */
  readonly agent?: string;
}

/** A turn begins: with an event, or with what the user says if there are none. */
export interface TurnStartedPart {
  /** Always `turn_started`. */
  readonly type: "turn_started";
  /** The number of the turn in this transcript, from 1. */
  readonly turn: number;
  /** Its id, if it is known yet. One that a normalizer made up is none. */
  readonly turn_id: string | null;
  /** When it began, as RFC 3339 in UTC. */
  readonly startedAt: string | null;
  /** The model, if it is known. */
  readonly model: string | null;
  /** The folder, if it is known. */
  readonly cwd: string | null;
}

/**
 * How far an entry is.
 *
 * - `started`: it is there, and more will come; only in live transcripts.
 * - `updated`: it has changed, and more will come; only in live transcripts.
 * - `final`: this is it. Where a turn ends before its work does, that is how far it got.
 * - `late`: more of an entry that was `final` already, such as the end of a command that was
 *   left running. Output that was given then is not given again.
 */
export type EntryPhase = "started" | "updated" | "final" | "late";

/** Something that a reader of the session sees: a record of its history. */
export interface EntryPart {
  /** Always `entry`. */
  readonly type: "entry";
  /** How far it is. */
  readonly phase: EntryPhase;
  /** The number of the record, which tells which parts are of the same entry. */
  readonly id: number;
  /** The number of the turn that it belongs to; `null` if it is in none. */
  readonly turn: number | null;
  /** The record. A plan has one entry for each of its states. */
  readonly record: AnyHistoryRecord;
  /**
   * What the commands of an `explore` record printed, which the record does not hold: a text for
   * each of its entries, empty where nothing was printed. A command that ran again in its entry
   * has what it printed last. Only what is `final` or `late` has it.
   *
   * @default {undefined} Nothing is known of that.
   */
  readonly outputs?: readonly string[];
  /**
   * The images of the entry, as `data:` URLs: the one that it is, or those that a tool gave. One
   * that is not carried (see `images` of the options), or too long for that, is an empty text.
   *
   * @default {undefined} It has none, or they are only known by their files.
   */
  readonly images?: readonly string[];
  /**
   * Whether an error is a warning: an item of an exec stream, which Codex also writes of things
   * that are deprecated or under development. The record does not tell.
   *
   * @default {false}
   */
  readonly isWarning?: boolean;
  /**
   * Whether an image is what the user attached, and not what a tool shows. The record does not
   * tell.
   *
   * @default {false}
   */
  readonly isFromUser?: boolean;
  /** When it began, as RFC 3339 in UTC; `null` if the input has no times. */
  readonly startedAt: string | null;
  /** When it ended. */
  readonly endedAt: string | null;
  /** How many milliseconds it took; `null` if that is not known. */
  readonly durationMs: number | null;
}

/**
 * How a turn ended: as it should, with an error, by interruption. It is `open` if the input ends
 * (or another run begins) before the turn does, and `unknown` where nothing says how turns end,
 * as in exec streams up to 0.42, session files up to 0.98 and snapshots.
 */
export type TurnStatus =
  | "completed"
  | "failed"
  | "aborted"
  | "open"
  | "unknown";

/**
 * How many tokens were used, as the release counted them; `null` for a kind of which nothing is
 * said.
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

/** The tokens of a request to the model, or of some that followed each other. */
export interface RequestUsage
  extends Pick<TurnUsage, "input_tokens" | "output_tokens"> {
  /** When they were counted, as RFC 3339 in UTC; `null` if the input has no times. */
  readonly at: string | null;
}

/** A turn ends. Every turn that began ends, before the next one begins. */
export interface TurnEndedPart {
  /** Always `turn_ended`. */
  readonly type: "turn_ended";
  /** The number of the turn. */
  readonly turn: number;
  /** Its id; `null` if it has none. */
  readonly turn_id: string | null;
  /** How it ended. */
  readonly status: TurnStatus;
  /** When it ended, as RFC 3339 in UTC; `null` if the input has no times. */
  readonly endedAt: string | null;
  /** How many milliseconds it took; `null` if that is not known. */
  readonly durationMs: number | null;
  /** The tokens that it used; `null` if that is not said. */
  readonly usage: TurnUsage | null;
  /** The tokens of its requests, in order, if the input tells them apart. */
  readonly requests?: readonly RequestUsage[];
  /** Why it failed or was aborted; `null` if it was not, or the log does not say why. */
  readonly error: string | null;
  /** Whether an entry of the turn has said the same already. */
  readonly isErrorShown: boolean;
}

/** The user took turns back. What they showed was given already. */
export interface RolledBackPart {
  /** Always `rolled_back`. */
  readonly type: "rolled_back";
  /** How many turns, counted from the last one. */
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
  /** Why it could not be read. */
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
