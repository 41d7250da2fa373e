/**
 * What events say beside the records: about the session, the borders of turns, and tokens.
 *
 * @module
 */

import {
  type Fields,
  fieldsOf,
  idOf,
  isFields,
  numberOf,
  textOf,
  wholeOf,
} from "../history/mapping/json_fields.ts";
import { isForkHeader } from "../history/mapping/inherited_lines.ts";
import { timestampOf, timestampOfMs } from "../history/mapping/times.ts";
import type { TokenCount } from "../usage/token_counter.ts";
import { tokenContent } from "../events/contents.ts";
import { readTokenCount } from "../usage/token_counts.ts";
import type { Tokens } from "../usage/tokens.ts";
import type { TurnStatus, TurnUsage } from "./parts.ts";

/** What is known of a session, as far as an event says it. */
export interface SessionFacts {
  readonly thread_id?: string;
  readonly startedAt?: string;
  readonly cwd?: string;
  readonly model?: string;
  readonly cli_version?: string;
}

/** A session is described; one that `isRun` begins anew. */
export interface SessionFact {
  readonly type: "session";
  readonly isRun: boolean;
  /** Whether it goes on from another one, with what that has used. */
  readonly isFork?: boolean;
  /** Whether its turns are known not to say how they end: releases up to 0.42. */
  readonly isEndless?: boolean;
  /** Whether the lines of the file have no times, but for this one: releases up to 0.29. */
  readonly isUntimed?: boolean;
  readonly facts: SessionFacts;
}

/** A turn begins. */
export interface TurnStartFact {
  readonly type: "turn_start";
  readonly turnId: string | null;
  readonly startedAt: string | null;
}

/** A turn ends. */
export interface TurnEndFact {
  readonly type: "turn_end";
  readonly turnId: string | null;
  readonly status: TurnStatus;
  readonly usage: TurnUsage | null;
  readonly durationMs: number | null;
  readonly error: string | null;
}

/** Tokens were counted: of the turn so far. */
export interface TurnUsageFact {
  readonly type: "usage";
  readonly usage: TurnUsage;
}

/** Tokens were counted: of a request, or of all that a process or a thread has used. */
export interface TokenCountFact {
  readonly type: "token_count";
  readonly count: TokenCount;
  /** Which of the kinds that not every release reports are reported. */
  readonly hasCached: boolean;
  readonly hasReasoning: boolean;
}

/** Turns were taken back. */
export interface RollbackFact {
  readonly type: "rollback";
  readonly turns: number;
}

/** What an event says beside the records. */
export type BesideFact =
  | SessionFact
  | TurnStartFact
  | TurnEndFact
  | TurnUsageFact
  | TokenCountFact
  | RollbackFact;

/** Reads an event of one type. */
type ReadFact = (fields: Fields) => BesideFact | undefined;

/** The ids that a normalizer makes up, because a release wrote none. */
const MADE_UP_REGEXP = /^synthetic-(?:thread|turn)-\d+$/;

/** What headers have of which one is in each since lines have times of their own. */
const HEADER_NAMES = ["cwd", "originator", "cli_version", "cliVersion"];

const EXEC_EVENTS: ReadonlyMap<string, ReadFact> = new Map<string, ReadFact>([
  ["thread.started", (event) => ({
    type: "session",
    isRun: true,
    isEndless: realId(event.thread_id) === undefined,
    facts: sessionFacts({
      thread_id: realId(event.thread_id),
      startedAt: timestampOf(event.timestamp),
      cwd: idOf(event.cwd) ?? idOf(event.workdir),
      model: idOf(event.model),
      cli_version: idOf(event.cli_version),
    }),
  })],
  ["turn.started", (event) => ({
    type: "turn_start",
    turnId: realId(event.turn_id) ?? null,
    startedAt: timestampOf(event.timestamp) ?? null,
  })],
  ["turn.completed", (event) => execEnd(event, "completed")],
  ["turn.failed", (event) => execEnd(event, "failed")],
  [
    "item.completed",
    (event) =>
      event.item_type === "token_count"
        ? tokenCount({ ...event, ...fieldsOf(event.content) })
        : undefined,
  ],
]);

const ROLLOUT_LINES: ReadonlyMap<string, ReadFact> = new Map<string, ReadFact>([
  ["session_meta", (meta) => ({
    type: "session",
    isRun: false,
    isFork: isForkHeader(meta),
    isUntimed: !HEADER_NAMES.some((name) => name in meta),
    facts: sessionFacts({
      thread_id: idOf(meta.id) ?? idOf(meta.session_id),
      startedAt: timestampOf(meta.timestamp),
      cwd: idOf(meta.cwd),
      model: idOf(meta.model),
      cli_version: idOf(meta.cli_version) ?? idOf(meta.cliVersion),
    }),
  })],
  ["turn_context", (context) => ({
    type: "session",
    isRun: false,
    facts: sessionFacts({
      cwd: idOf(context.cwd),
      model: idOf(context.model),
    }),
  })],
  ["event_msg", readMessage],
  ["event", (payload) => readMessage(fieldsOf(payload.msg))],
  [
    "token_usage_record",
    (payload) => {
      const usage = readTurnUsage(payload.turn_token_usage);
      return usage && { type: "usage", usage };
    },
  ],
]);

const MESSAGES: ReadonlyMap<string, ReadFact> = new Map<string, ReadFact>([
  ["task_started", taskStart],
  ["turn_started", taskStart],
  ["task_complete", taskEnd],
  ["turn_complete", taskEnd],
  ["turn_aborted", (msg) => ({
    type: "turn_end",
    turnId: idOf(msg.turn_id) ?? null,
    status: "aborted",
    usage: null,
    durationMs: wholeOf(msg.duration_ms) ?? null,
    error: idOf(msg.reason) ?? null,
  })],
  ["token_count", tokenCount],
  ["thread_rolled_back", (msg) => ({
    type: "rollback",
    turns: wholeOf(msg.num_turns) ?? 0,
  })],
]);

/**
 * Reads what an event says beside the records.
 *
 * @param event A normalized exec event or rollout line.
 * @returns What it says, or `undefined` if that is nothing.
 */
export function readFact(event: Fields): BesideFact | undefined {
  if (typeof event.type !== "string") return undefined;
  const exec = EXEC_EVENTS.get(event.type);
  if (exec !== undefined) return exec(event);
  if (!isFields(event.payload)) return undefined;
  return ROLLOUT_LINES.get(event.type)?.(event.payload);
}

/** Gives the thread that an event names, unless a normalizer made its id up. */
export function threadIdOf(event: Fields): string | undefined {
  return realId(event.thread_id);
}

function realId(value: unknown): string | undefined {
  const id = idOf(value);
  return id === undefined || MADE_UP_REGEXP.test(id) ? undefined : id;
}

function readMessage(msg: Fields): BesideFact | undefined {
  return typeof msg.type === "string"
    ? MESSAGES.get(msg.type)?.(msg)
    : undefined;
}

function taskStart(msg: Fields): BesideFact {
  const seconds = numberOf(msg.started_at);
  return {
    type: "turn_start",
    turnId: idOf(msg.turn_id) ?? null,
    startedAt:
      (seconds === undefined || seconds === 0
        ? undefined
        : timestampOfMs(seconds * 1000)) ?? null,
  };
}

function taskEnd(msg: Fields): BesideFact {
  const hasFailed = isFields(msg.error) || idOf(msg.error) !== undefined;
  return {
    type: "turn_end",
    turnId: idOf(msg.turn_id) ?? null,
    status: hasFailed ? "failed" : "completed",
    usage: null,
    durationMs: wholeOf(msg.duration_ms) ?? null,
    error: textOf(fieldsOf(msg.error).message) ?? idOf(msg.error) ?? null,
  };
}

function execEnd(event: Fields, status: TurnStatus): BesideFact {
  return {
    type: "turn_end",
    turnId: realId(event.turn_id) ?? null,
    status,
    usage: readTurnUsage(event.usage) ?? null,
    durationMs: wholeOf(event.duration_ms) ?? null,
    error: textOf(fieldsOf(event.error).message) ?? null,
  };
}

function tokenCount(event: Fields): BesideFact {
  const info = fieldsOf(event.info);
  const counts = [event, fieldsOf(info.total_token_usage)];
  const has = (kind: keyof Tokens) =>
    counts.some((fields) => numberOf(fields[kind]) !== undefined);
  return {
    type: "token_count",
    count: readTokenCount(tokenContent(event)),
    hasCached: has("cached_input_tokens"),
    hasReasoning: has("reasoning_output_tokens"),
  };
}

function readTurnUsage(value: unknown): TurnUsage | undefined {
  const fields = fieldsOf(value);
  const input = numberOf(fields.input_tokens);
  const output = numberOf(fields.output_tokens);
  if (input === undefined && output === undefined) return undefined;
  return {
    input_tokens: input ?? 0,
    cached_input_tokens: numberOf(fields.cached_input_tokens) ?? null,
    output_tokens: output ?? 0,
    reasoning_output_tokens: numberOf(fields.reasoning_output_tokens) ?? null,
  };
}

/** Leaves out what is not known. */
function sessionFacts(
  facts: { [K in keyof SessionFacts]: SessionFacts[K] | undefined },
): SessionFacts {
  const known = Object.entries(facts).filter(([, value]) =>
    value !== undefined
  );
  return Object.fromEntries(known);
}
