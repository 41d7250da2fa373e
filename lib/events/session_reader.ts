/** Reads session files: their lines in, the events of the thread out. */

import {
  type Fields,
  fieldsOf,
  idOf,
  knownFields,
  numberOf,
  textOf,
} from "../json/fields.ts";
import { tellCompaction } from "./copies.ts";
import { tellEventMsg } from "./event_msgs.ts";
import { InheritedLines } from "./inherited_lines.ts";
import { tellResponseItem } from "./response_items.ts";
import {
  type EmitEvent,
  type LinePlace,
  SessionContext,
  type SessionOptions,
} from "./session_context.ts";
import { timestampOf } from "./times.ts";
import { isInjectedMessage } from "./user_message.ts";

/** The fields of a header that `thread.started` has too, with the same names. */
const HEADER_FIELDS: readonly string[] = [
  "session_id",
  "cwd",
  "originator",
  "cli_version",
  "source",
  "thread_source",
  "model",
  "model_provider",
  "git",
  "parent_thread_id",
  "forked_from_id",
  "agent_path",
  "agent_nickname",
  "agent_role",
  "history_mode",
  "history_base",
  "subagent_history_start_ordinal",
];
/** The fields that the header's `source` also has, for an agent that another thread spawned. */
const SPAWN_FIELDS: readonly string[] = [
  "parent_thread_id",
  "agent_path",
  "agent_nickname",
];
const TURN_STARTS: ReadonlySet<unknown> = new Set([
  "task_started",
  "turn_started",
]);

type TellLine = (context: SessionContext, payload: Fields) => void;

/** The rule of each type of line that has events, except of headers. */
const LINES: ReadonlyMap<string, TellLine> = new Map(
  Object.entries<TellLine>({
    turn_context: tellTurnContext,
    response_item: tellResponseItem,
    event_msg: tellEventMsg,
    event: (context, { id, msg }) =>
      tellEventMsg(context, fieldsOf(msg), idOf(id)),
    compacted: (context, { message }) =>
      tellCompaction(context, "line", { message: textOf(message) }),
    realtime_item: tellSpeech,
    token_usage_record: tellUsageRecord,
  }),
);

/** The types of lines that have events. */
export const SESSION_LINE_TYPES: readonly string[] = [
  "session_meta",
  ...LINES.keys(),
];

/** The names that lead from a line to its event; in lines of the fork, it is one level deeper. */
const PAYLOAD: readonly string[] = ["payload"];
const FORK_EVENT: readonly string[] = ["payload", "msg"];

/** Returns the payload of a line if it is the header of a session file. */
export function sessionHeaderOf({ type, payload }: Fields): Fields | undefined {
  return type === "session_meta" ? fieldsOf(payload) : undefined;
}

/**
 * Whether the first line of a session file states that another session precedes this one, in
 * another file or in the same one.
 *
 * @param line The line, parsed.
 * @returns Whether `readSessionLineage` has more sessions to find.
 *
 * @example A fork
 * ```ts
 * import { goesOn } from "@codexpipe/codexpipe/sessions";
 * import { assert } from "@std/assert";
 *
 * assert(goesOn({ type: "session_meta", payload: { id: "b", forked_from_id: "a" } }));
 * ```
 */
export function goesOn(line: unknown): boolean {
  const header = sessionHeaderOf(fieldsOf(line));
  return (header?.history_base ?? header?.forked_from_id ?? null) !== null;
}

/** Converts the lines of one session file to events; holds the state of the file. */
export class SessionReader {
  readonly context: SessionContext;
  readonly #inherited: InheritedLines;

  constructor(saved: unknown, options: SessionOptions) {
    const { context, inherited } = fieldsOf(saved);
    this.context = new SessionContext(context, options);
    this.#inherited = new InheritedLines(inherited);
  }

  save(): unknown {
    return { context: this.context.save(), inherited: this.#inherited.save() };
  }

  read(line: Fields, place: LinePlace, emit: EmitEvent): void {
    const context = this.context;
    context.emit = emit;
    context.place = place;
    context.path = line.type === "event" ? FORK_EVENT : PAYLOAD;
    const payload = fieldsOf(line.payload);
    this.#takeTime(line, payload);
    const isCounted = numberOf(line.ordinal) !== undefined;
    // Without a header, ordinals decide: all lines of paginated files have one, those of other
    // files have none.
    if (context.isModeOpen && isCounted) context.mode = "paginated";
    this.#takePlace(line, payload);
    if (line.type === "session_meta") this.#readHeader(line, payload);
    else LINES.get(textOf(line.type) ?? "")?.(context, payload);
  }

  #takeTime(line: Fields, payload: Fields): void {
    const context = this.context;
    const time = timestampOf(line.timestamp);
    if (time !== undefined) context.now = time;
    else if (context.now === undefined && line.type === "session_meta") {
      context.now = timestampOf(payload.timestamp);
    }
  }

  /** Determines whether a line was copied from another thread. */
  #takePlace(line: Fields, payload: Fields): void {
    const context = this.context;
    const event = line.type === "event" ? fieldsOf(payload.msg) : payload;
    // A line that begins a turn belongs to that turn.
    const turn = TURN_STARTS.has(event.type) || line.type === "turn_context" ||
        line.type === "token_usage_record"
      ? idOf(event.turn_id) ?? context.turnId
      : context.turnId;
    context.isInherited = this.#inherited.has(
      line,
      turn,
      context.now,
      event.type === "user_message" ||
        event.role === "user" && !isInjectedMessage(event.content),
    );
  }

  /** Reads the header of the file; later headers were copied from other files. */
  #readHeader(line: Fields, meta: Fields): void {
    const context = this.context;
    const ordinal = numberOf(line.ordinal);
    if (!this.#inherited.header(meta, context.now, ordinal)) return;
    context.threadId = this.#inherited.thread;
    const mode = textOf(meta.history_mode) ?? "legacy";
    context.isModeOpen = mode !== "legacy" && mode !== "paginated";
    context.mode = mode === "paginated" ? mode : "legacy";
    context.isInherited = false;
    const began = timestampOf(meta.timestamp);
    const fields: Record<string, unknown> = {};
    for (const name of HEADER_FIELDS) {
      if ((meta[name] ?? null) !== null) fields[name] = meta[name];
    }
    // Up to 0.119, only the source of the thread states who spawned it, and as which agent.
    const spawn = fieldsOf(
      fieldsOf(fieldsOf(meta.source).subagent).thread_spawn,
    );
    for (const name of SPAWN_FIELDS) {
      if (idOf(fields[name]) === undefined && idOf(spawn[name]) !== undefined) {
        fields[name] = spawn[name];
      }
    }
    context.tell("thread.started", {
      ...knownFields({ started_at: began }),
      ...fields,
    });
  }
}

function tellTurnContext(context: SessionContext, payload: Fields): void {
  const { turn_id, ...content } = payload;
  const id = idOf(turn_id);
  if (id !== undefined && id !== context.turnId) context.continueTurn(id);
  if (context.turn === "prompted") context.seen.settings = true;
  context.complete("turn_context", content);
}

/** Emits the spoken text of a conversation by voice; its other items have no events. */
function tellSpeech(context: SessionContext, item: Fields): void {
  const text = textOf(item.text) ?? "";
  if (item.type !== "transcript_segment" || text.trim() === "") return;
  const role = textOf(item.role) ?? "";
  context.complete("speech", { role, text }, { itemId: idOf(item.id) });
}

function tellUsageRecord(context: SessionContext, payload: Fields): void {
  const { turn_id, ...content } = payload;
  context.complete("token_usage_record", context.exactCounts(content), {
    turnId: idOf(turn_id),
  });
}
