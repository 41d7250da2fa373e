/**
 * Tables: flat rows, with the same columns of every release and dialect.
 *
 * @module
 */

import type { ThreadEvent } from "../dialects/exec/events.ts";
import { msOf, timestampOfMs } from "../events/times.ts";
import { sourceText } from "../events/session_items.ts";
import {
  type Fields,
  fieldsOf,
  idOf,
  jsonTextOf,
  listOf,
  textOf,
  wholeOf,
} from "../json/fields.ts";
import { ownText } from "../json/utf8.ts";
import type { Failure, Outcome } from "../outcome.ts";
import type { Emit } from "../stage.ts";
import type { CountPlace } from "../usage/source_ledger.ts";
import { EventCounts } from "../usage/event_counts.ts";
import type { UsageRule } from "../usage/derivations.ts";
import {
  addTokens,
  NO_TOKENS,
  readTokens,
  TOKEN_KINDS,
  type Tokens,
  tokensOf,
} from "../usage/tokens.ts";
import { type UsageCounts, UsageMeter } from "../usage/usage_meter.ts";
import { csvRow } from "./csv.ts";
import type {
  Exporter,
  ExporterOptions,
  ExportInput,
  ExportPiece,
} from "./exporter.ts";
import {
  type Column,
  columnsOf,
  TABLE_NAMES,
  type TableName,
  type TableRow,
  type TableValue,
} from "./tables.ts";
import { resultTextOf, toolCallOf } from "./tool_calls.ts";

/** How many items wait for what is said of them later. */
const MAX_WAITING = 1024;
/**
 * How many wait that have ended: it is said again within four items of that in all captures. What
 * waits longer is moved to where the engine seldom collects garbage (15 MB of a session of 540 MB).
 */
const MAX_ENDED = 16;
/** How many of them go at once: a map is slow to give its first entry when many have gone. */
const RELEASED = 16;
/** How many characters of contents wait. */
const MAX_WAITING_TEXT = 1 << 23;

/** A row that is still to change. */
type Draft<T extends TableName> = {
  -readonly [C in keyof TableRow<T>]: TableRow<T>[C];
};

/** Where a row is from. */
type Place = Pick<
  TableRow<"failures">,
  "source" | "line" | "thread_id" | "turn_id"
>;

/** An item of which more may be said. */
interface WaitingItem {
  readonly key: string;
  readonly item: Draft<"items">;
  call: Draft<"tool_calls"> | undefined;
  /** Whether nothing more is to be said of it, but for its copies. */
  hasEnded: boolean;
  /** How long its contents are. */
  size: number;
}

interface ThreadState {
  readonly row: Draft<"threads">;
  /** The turn that goes on, or the last one that nothing has ended. */
  turn: TurnState | undefined;
  /** How many turns had no id. */
  unnamed: number;
  model: string | null;
}

/** A turn, kept until all files tell in which of them its counts count. */
interface TurnState extends Draft<"turns"> {
  /** Where it stands among those of its source. */
  readonly index: number;
  /** Whether anything has been counted in it, and whether that counts here. */
  counts: "none" | "some" | "here";
}

/** Turns by the ids of their threads and their own. */
type TurnsById = Map<string | null, Map<string | null, TurnState>>;

/** What is known of a file or stream when it has been read. */
interface SourceState {
  readonly turns: TurnState[];
  readonly byId: TurnsById;
  /** Those that usage knows by other ids than those of their rows. */
  readonly counted: TurnsById;
  /**
   * Their requests as numbers, `PACKED` for each, in lists of which none is long: objects take
   * more than twice the memory, and a session has a hundred thousand.
   */
  readonly requests: Float64Array[];
  /** What stands for itself in none of these numbers; -1 is the first of them. */
  readonly words: TableValue[];
}

/** How many numbers there are of a request before its tokens: turn, line, time, model, rule. */
const PACKED_PLACE = 5;
/** How many there are of it. */
const PACKED = PACKED_PLACE + TOKEN_KINDS.length;
/** How many numbers are in a list. */
const MAX_PACKED = 1024 * PACKED;

/**
 * Writes what happened as rows of tables, of which {@linkcode TABLES} says the columns.
 *
 * The rows of items and calls are written as an input is read, and those of threads when it
 * ends. Which tokens count can only be told when all inputs have been read, so turns and
 * requests come last. What is said of an item when 1,024 others have followed, or 16 since it or
 * its turn ended, is not in its row; a command without an exit status may yet be running.
 *
 * Memory is bounded by the number of turns and requests.
 *
 * @example Commands that fail
 * ```ts
 * import { JsonlEvents } from "@codexpipe/codexpipe";
 * import { type ExportPiece, TableExporter } from "@codexpipe/codexpipe/export";
 * import { assertEquals } from "@std/assert";
 *
 * const log = '{"type":"thread.started","thread_id":"t"}\n{"type":"turn.started"}\n' +
 *   '{"type":"item.completed","item":{"id":"item_0","type":"command_execution",' +
 *   '"command":"make","aggregated_output":"","exit_code":2,"status":"failed"}}\n';
 * let text = "";
 * const write = ({ data }: ExportPiece) => text += data;
 * const exporter = new TableExporter({ table: "tool_calls" });
 * exporter.begin({ name: "run.jsonl", stem: "run" });
 * new JsonlEvents().feed(new TextEncoder().encode(log), (outcome) => exporter.feed(outcome, write));
 * exporter.end(write);
 * for (const piece of exporter.flush()) write(piece);
 *
 * assertEquals(JSON.parse(text).exit_code, 2);
 * ```
 */
export class TableExporter implements Exporter {
  readonly #writer: RowWriter;
  readonly #meter = new UsageMeter();
  readonly #sources = new Map<string, SourceState>();
  readonly #content: boolean;
  /** What is being read; nothing if its rows have been written. */
  #source: TableSource | undefined;

  /**
   * Constructs a new instance.
   *
   * @param options What is written.
   */
  constructor(options: ExporterOptions = {}) {
    this.#content = options.content ?? false;
    this.#writer = new RowWriter(options);
  }

  /**
   * Begins an input.
   *
   * @param input What it is called; one that has been read already has its rows once.
   */
  begin({ name }: ExportInput): void {
    this.#source = undefined;
    if (this.#sources.has(name)) return;
    const state: SourceState = {
      turns: [],
      byId: new Map(),
      counted: new Map(),
      requests: [],
      words: [],
    };
    this.#sources.set(name, state);
    const ledger = this.#meter.openLedger(name);
    const source = new TableSource(name, state, this.#writer, this.#content);
    source.counts = new EventCounts({
      thread: (id) => ledger.thread(id),
      add(place, addition): void {
        ledger.add(place, addition);
        const { rule, tokens } = addition;
        if (tokens !== undefined) source.count(place, { rule, tokens });
      },
      run(place, usage): void {
        ledger.run(place, usage);
        source.count(place);
      },
    });
    this.#source = source;
  }

  /**
   * Takes what a line of the input has become.
   *
   * @param outcome An event, or a failure.
   * @param emit Is called with the rows that are complete.
   */
  feed(outcome: Outcome<ThreadEvent>, emit: Emit<ExportPiece>): void {
    this.#writer.emit = emit;
    if (outcome.ok) this.#source?.take(fieldsOf(outcome.value), outcome.line);
    else this.#source?.fail(outcome);
  }

  /**
   * Ends the input.
   *
   * @param emit Is called with its last rows.
   */
  end(emit: Emit<ExportPiece>): void {
    this.#writer.emit = emit;
    this.#source?.end();
  }

  /**
   * Ends the export.
   *
   * @returns The rows of turns and requests.
   */
  *flush(): Generator<ExportPiece, void, void> {
    const pieces: ExportPiece[] = [];
    this.#writer.emit = (piece) => void pieces.push(piece);
    this.#writer.begin();
    yield* pieces.splice(0);
    if (!this.#writer.has("turns") && !this.#writer.has("requests")) return;
    for (const row of this.#meter.rows()) {
      const { source, thread_id, turn_id } = row;
      const { counted, byId } = this.#sources.get(source) ?? {};
      const turn = counted?.get(thread_id)?.get(turn_id) ??
        byId?.get(thread_id)?.get(turn_id);
      if (turn === undefined) continue;
      // A turn has more rows if it went over midnight.
      Object.assign(turn, addTokens(readTokens(turn) ?? NO_TOKENS, row));
      turn.counts = "here";
    }
    for (const state of this.#sources.values()) {
      for (const request of requestsOf(state)) {
        this.#writer.write("requests", request);
        yield* pieces.splice(0);
      }
    }
    for (const { turns } of this.#sources.values()) {
      for (const turn of turns) {
        this.#writer.write("turns", turn);
        yield* pieces.splice(0);
      }
    }
  }

  /**
   * Gives away the turns and requests of the inputs so far, for the exporter of another thread.
   *
   * @returns What {@linkcode TableExporter.add} takes.
   */
  take(): unknown {
    const counts = this.#meter.take();
    const taken: TakenTables = { sources: new Map(this.#sources), counts };
    this.#sources.clear();
    return taken;
  }

  /**
   * Adds the turns and requests of further inputs.
   *
   * @param taken What {@linkcode TableExporter.take} gave in another thread.
   */
  add(taken: unknown): void {
    // The boundary between exporters: what is given away is given by one of this format.
    const { sources, counts } = taken as TakenTables;
    for (const [name, source] of sources) this.#sources.set(name, source);
    this.#meter.add(counts);
  }
}

/** What the end of an export takes of its inputs. */
interface TakenTables {
  readonly sources: ReadonlyMap<string, SourceState>;
  readonly counts: UsageCounts;
}

/** Writes rows, as lines of their tables. */
class RowWriter {
  readonly #options: ExporterOptions;
  readonly #columns: ReadonlyMap<TableName, readonly Column[]>;
  /** The tables that have a header already. */
  readonly #begun = new Set<TableName>();
  emit: Emit<ExportPiece> = () => {};

  constructor(options: ExporterOptions) {
    this.#options = options;
    const { table, content } = options;
    const names = TABLE_NAMES.filter((name) =>
      table === undefined || name === table
    );
    this.#columns = new Map(
      names.map((name) => [name, columnsOf(name, { content })]),
    );
  }

  /** Begins the tables that have no row yet. */
  begin(): void {
    for (const table of this.#columns.keys()) this.#data(table, "");
  }

  write<T extends TableName>(table: T, row: TableRow<T>): void {
    const columns = this.#columns.get(table);
    if (columns === undefined) return;
    const values: Readonly<Record<string, TableValue>> = row;
    const { csv = false } = this.#options;
    const fields: TableValue[] = [];
    let json = "";
    for (const [name, type] of columns) {
      const given = values[name] ?? null;
      const value = typeof given === "string" && type.startsWith("text")
        ? this.#masked(given)
        : given;
      if (csv) fields.push(value);
      else {
        const text = typeof value === "string" ? JSON.stringify(value) : value;
        json += `${json === "" ? "{" : ","}"${name}":${text}`;
      }
    }
    this.#data(table, csv ? csvRow(fields) : `${json}}\n`);
  }

  /** Whether a table is written. */
  has(table: TableName): boolean {
    return this.#columns.has(table);
  }

  /** Says that rows of a table are to come. */
  announce(table: TableName): void {
    if (this.has(table)) this.#data(table, "");
  }

  #data(table: TableName, data: string): void {
    const { csv = false } = this.#options;
    let header = "";
    if (!this.#begun.has(table)) {
      this.#begun.add(table);
      const columns = this.#columns.get(table) ?? [];
      if (csv) header = csvRow(columns.map(([name]) => name));
    }
    this.emit({
      file: `${table}.${csv ? "csv" : "jsonl"}`,
      data: `${header}${data}`,
    });
  }

  #masked(text: string): string {
    return this.#options.redactor?.redactString(text) ?? text;
  }
}

class TableSource {
  readonly #name: string;
  readonly #state: SourceState;
  readonly #writer: RowWriter;
  readonly #hasContent: boolean;
  readonly #threads = new Map<string, ThreadState>();
  readonly #waiting = new Map<string, WaitingItem>();
  readonly #words = new Map<TableValue, number>();
  /** The requests that have not been put away, packed. */
  readonly #requests: number[] = [];
  #waitingText = 0;
  /** The thread of the last event, and the turn that it was in. */
  #thread: ThreadState | undefined;
  #turn: TurnState | undefined;
  #line = 0;
  #isInherited = false;
  /** The time of the last event. */
  #time: string | null = null;
  counts: EventCounts | undefined;

  constructor(
    name: string,
    state: SourceState,
    writer: RowWriter,
    hasContent: boolean,
  ) {
    this.#name = name;
    this.#state = state;
    this.#writer = writer;
    this.#hasContent = hasContent;
  }

  take(event: Fields, line: number): void {
    this.#line = line;
    this.#isInherited = event.inherited === true;
    const { timestamp } = event;
    if (timestamp !== this.#time) this.#time = ownTextOf(timestamp);
    const id = idOf(event.thread_id);
    // What names no thread, such as an error, is of the last one.
    if (id !== undefined) this.#thread = this.#threadOf(id);
    const thread = this.#thread;
    if (thread !== undefined) this.#take(thread, event);
    if (event.type === "error") {
      this.#turn ??= thread?.turn;
      this.#fail("error", textOf(event.message));
    }
    // Events of session files say which line they are of.
    if (event.line === undefined) this.counts?.takeExec(event, line);
    else this.counts?.takeSession(event, line);
  }

  fail({ line, error, raw = "" }: Failure): void {
    this.#line = line;
    this.#turn = this.#thread?.turn;
    this.#time = null;
    this.#isInherited = false;
    this.#fail(error.kind, error.message, raw);
  }

  end(): void {
    this.#release(0);
    if (this.#requests.length > 0) this.#putAway();
    for (const { row } of this.#threads.values()) {
      this.#writer.write("threads", row);
    }
    const { turns, requests } = this.#state;
    if (turns.length > 0) this.#writer.announce("turns");
    if (requests.length > 0) this.#writer.announce("requests");
  }

  /** Takes note that the event that is being taken counts tokens. */
  count(
    { thread, turn: id, timestamp, model }: CountPlace,
    request?: { readonly rule: UsageRule; readonly tokens: Tokens },
  ): void {
    const { byId, counted } = this.#state;
    let turn = counted.get(thread)?.get(id);
    if (turn === undefined) {
      const own = byId.get(thread)?.get(id);
      turn = own;
      if (own === undefined || own.counts === "none") {
        // What is counted outside of any turn has a turn of its own.
        turn = this.#turn ?? this.#beginTurn({});
      }
      if (turn === undefined) return;
      if (turn !== own) addTurn(counted, thread, id, turn);
    }
    turn.counts = "some";
    if (request === undefined || !this.#writer.has("requests")) return;
    const { rule, tokens } = request;
    const time = timestamp === undefined ? null : this.#time;
    const list = this.#requests;
    list.push(turn.index, this.#line, this.#packedTime(time));
    list.push(this.#packed(model), this.#packed(rule));
    for (const kind of TOKEN_KINDS) {
      list.push(this.#packed(small(tokens[kind])));
    }
    if (list.length >= MAX_PACKED) this.#putAway();
  }

  /** Moves requests to where no garbage is collected. */
  #putAway(): void {
    this.#state.requests.push(Float64Array.from(this.#requests));
    this.#requests.length = 0;
  }

  /** The number that stands for a time: its milliseconds, if they say all that it does. */
  #packedTime(time: string | null): number {
    const ms = time === null ? -1 : msOf(time);
    return ms >= 0 && timestampOfMs(ms) === time ? ms : this.#packed(time);
  }

  /** The number that stands for a value. */
  #packed(value: TableValue): number {
    if (typeof value === "number" && value >= 0) return value;
    let at = this.#words.get(value);
    if (at === undefined) {
      at = -this.#state.words.push(value);
      this.#words.set(value, at);
    }
    return at;
  }

  #threadOf(id: string): ThreadState {
    let thread = this.#threads.get(id);
    if (thread !== undefined) return thread;
    const row: Draft<"threads"> = {
      source: this.#name,
      line: this.#line,
      thread_id: ownText(id),
      turn_id: null,
      started_at: null,
      ended_at: null,
      parent_thread_id: null,
      forked_from_id: null,
      agent: null,
      cwd: null,
      originator: null,
      origin: null,
      cli_version: null,
      model: null,
      model_provider: null,
      git_branch: null,
      git_commit: null,
      git_url: null,
    };
    thread = { row, turn: undefined, unnamed: 0, model: null };
    this.#threads.set(ownText(id), thread);
    return thread;
  }

  #take(thread: ThreadState, event: Fields): void {
    const { row } = thread;
    const { type, implied } = event;
    // That of an agent, which waits for its call, is no turn of the thread.
    if (type === "turn.started" && implied === true && idOf(event.turn_id)) {
      return;
    }
    const time = this.#time;
    if (time !== null && time > (row.ended_at ?? "")) row.ended_at = time;
    // A turn without an id goes on until something begins another one.
    this.#turn = idOf(event.turn_id) === undefined
      ? thread.unnamed > 0 ? thread.turn : undefined
      : this.#turnOf(event);
    switch (type) {
      case "thread.started":
        return this.#beginThread(thread, event);
      case "turn.started":
        this.#turn = this.#beginTurn(event);
        return;
      case "turn.completed":
      case "turn.failed":
        return this.#endTurn(thread, event);
      case "item.started":
      case "item.delta":
      case "item.completed":
      case "item.failed":
        return this.#item(thread, event);
    }
  }

  #beginThread(thread: ThreadState, header: Fields): void {
    // A process that goes on with a thread counts its items anew.
    this.#release(0);
    const { row } = thread;
    const git = fieldsOf(header.git);
    thread.model = ownTextOf(header.model) ?? thread.model;
    row.started_at ??= ownTextOf(header.started_at, header.timestamp);
    row.parent_thread_id ??= ownTextOf(header.parent_thread_id);
    row.forked_from_id ??= ownTextOf(header.forked_from_id);
    row.agent ??= ownTextOf(header.agent_path, header.agent_nickname);
    row.cwd ??= ownTextOf(header.workdir, header.cwd);
    row.originator ??= ownTextOf(header.originator);
    row.origin ??= ownTextOf(sourceText(header.source));
    row.cli_version ??= ownTextOf(header.cli_version);
    row.model ??= thread.model;
    row.model_provider ??= ownTextOf(header.model_provider);
    row.git_branch ??= ownTextOf(git.branch);
    row.git_commit ??= ownTextOf(git.commit_hash);
    row.git_url ??= ownTextOf(git.repository_url);
  }

  /** Begins a turn of the last thread; one without an id is given one. */
  #beginTurn(event: Fields): TurnState | undefined {
    const thread = this.#thread;
    if (thread === undefined) return undefined;
    let turn = this.#turn;
    if (idOf(event.turn_id) === undefined) {
      thread.unnamed += 1;
      const turn_id = `synthetic-turn-${thread.unnamed}`;
      turn = this.#turnOf({ ...event, turn_id });
    }
    thread.turn = turn;
    return turn;
  }

  /** The turn that an event names. */
  #turnOf(event: Fields): TurnState | undefined {
    const thread = this.#thread;
    if (thread === undefined) return undefined;
    const id = idOf(event.turn_id) ?? "";
    const { turns, byId } = this.#state;
    const { thread_id } = thread.row;
    const known = byId.get(thread_id)?.get(id);
    if (known !== undefined) return known;
    const isStart = event.type === "turn.started";
    const turn: TurnState = {
      source: this.#name,
      line: this.#line,
      thread_id,
      turn_id: ownText(id),
      started_at: ownTextOf(event.started_at, isStart && this.#time),
      ended_at: null,
      duration_ms: null,
      status: null,
      reason: null,
      model: thread.model,
      inherited: this.#isInherited,
      input_tokens: null,
      cached_input_tokens: null,
      cache_write_input_tokens: null,
      output_tokens: null,
      reasoning_output_tokens: null,
      total_tokens: null,
      index: turns.length,
      counts: "none",
    };
    turns.push(turn);
    addTurn(byId, thread_id, turn.turn_id, turn);
    return turn;
  }

  #endTurn(thread: ThreadState, event: Fields): void {
    const turn = this.#turn ?? thread.turn ?? this.#beginTurn(event);
    if (turn === undefined) return;
    this.#turn = turn;
    const isFailed = event.type === "turn.failed";
    turn.status = isFailed ? "failed" : "completed";
    turn.ended_at = this.#time;
    turn.started_at ??= ownTextOf(event.started_at);
    turn.duration_ms = wholeOf(event.duration_ms) ?? null;
    turn.reason = ownTextOf(event.reason);
    if (thread.turn === turn) thread.turn = undefined;
    for (const waiting of this.#waiting.values()) {
      const { turn_id, item_type } = waiting.item;
      // Commands go on in the background.
      waiting.hasEnded ||= turn_id === turn.turn_id &&
        item_type !== "command_execution";
    }
    if (!isFailed) return;
    const { message } = fieldsOf(event.error);
    this.#fail("turn", textOf(message) ?? turn.reason ?? "");
  }

  #fail(kind: string, message = "", raw: string | null = null): void {
    this.#writer.write("failures", {
      ...this.#place(this.#turn),
      kind,
      timestamp: this.#time,
      message,
      inherited: this.#isInherited,
      raw,
    });
  }

  #item(thread: ThreadState, event: Fields): void {
    const { type, item_type } = event;
    const content = fieldsOf(event.content);
    switch (item_type) {
      // Their rows are those of requests.
      case "token_count":
      case "token_usage_record":
        return;
      case "turn_context": {
        const model = textOf(content.model);
        if (model !== undefined && model !== thread.model) {
          thread.model = ownText(model);
        }
        thread.row.model ??= thread.model;
        thread.row.cwd ??= ownTextOf(content.cwd);
        if (this.#turn !== undefined) this.#turn.model = thread.model;
      }
    }
    const waiting = this.#itemOf(thread, event);
    if (type === "item.delta") return this.#delta(waiting, event);
    const { item } = waiting;
    const isStart = type === "item.started";
    const status = type === "item.failed" ? "failed" : event.status;
    item.item_type = ownTextOf(item_type) ?? item.item_type;
    item.status = ownTextOf(status) ?? item.status;
    item.started_at = ownTextOf(event.started_at, isStart && this.#time) ??
      item.started_at;
    if (!isStart) item.ended_at = this.#time;
    if (this.#hasContent) {
      item.text = ownTextOf(content.text, content.message) ?? item.text ?? null;
    }
    waiting.call = this.#call(waiting, event);
    // One that runs on behind its turn is said to have ended with that, too.
    waiting.hasEnded = !isStart &&
      (item_type !== "command_execution" || waiting.call?.exit_code !== null);
    this.#weigh(waiting);
  }

  /** The item of an event. */
  #itemOf(thread: ThreadState, event: Fields): WaitingItem {
    const item_id = ownTextOf(event.item_id) ?? "";
    const key = keyOf(thread.row.thread_id, item_id);
    const known = this.#waiting.get(key);
    if (known !== undefined) return known;
    const item: Draft<"items"> = {
      ...this.#place(this.#turn),
      item_id,
      item_type: ownTextOf(event.item_type) ?? "",
      status: "in_progress",
      started_at: null,
      ended_at: null,
      inherited: this.#isInherited,
    };
    const waiting: WaitingItem = {
      key,
      item,
      call: undefined,
      hasEnded: false,
      size: 0,
    };
    this.#waiting.set(key, waiting);
    return waiting;
  }

  /** The row of a call, of what has been said of it so far. */
  #call(
    { item, call }: WaitingItem,
    event: Fields,
  ): Draft<"tool_calls"> | undefined {
    const known = toolCallOf(event);
    if (known === undefined) return call;
    const { text: _, ...row } = item;
    const { exit_code, duration_ms, changes } = fieldsOf(event.content);
    const files = listOf(changes).length || null;
    const draft: Draft<"tool_calls"> = {
      ...row,
      call_id: ownTextOf(event.call_id, call?.call_id),
      tool: ownTextOf(known.name),
      exit_code: wholeOf(exit_code) ?? call?.exit_code ?? null,
      files: files ?? call?.files ?? null,
      duration_ms: wholeOf(duration_ms) ?? call?.duration_ms ?? null,
    };
    if (!this.#hasContent) return draft;
    const { args } = known;
    draft.input = typeof args === "string" ? ownText(args) : jsonTextOf(args);
    draft.output = ownTextOf(resultTextOf(event), call?.output);
    return draft;
  }

  /** What a command prints behind its first output. */
  #delta(waiting: WaitingItem, { delta }: Fields): void {
    const { call } = waiting;
    const { stdout } = fieldsOf(delta);
    if (call === undefined || !this.#hasContent) return;
    call.output = `${call.output ?? ""}${textOf(stdout) ?? ""}`;
    this.#weigh(waiting);
  }

  /** Lets an item wait, and gives those that have waited longest if there are too many. */
  #weigh(waiting: WaitingItem): void {
    const { item: { text }, call } = waiting;
    const size = (text?.length ?? 0) + (call?.input?.length ?? 0) +
      (call?.output?.length ?? 0);
    this.#waitingText += size - waiting.size;
    waiting.size = size;
    if (this.#waitingText > MAX_WAITING_TEXT) {
      this.#release(MAX_WAITING, MAX_WAITING_TEXT / 2);
    } else if (this.#waiting.size >= MAX_ENDED + RELEASED) {
      this.#release(MAX_WAITING);
    }
  }

  /** Gives the rows of those that have waited longest, up to the first that is to wait on. */
  #release(items: number, text = Infinity): void {
    for (const waiting of this.#waiting.values()) {
      const { size } = this.#waiting;
      const isDue = size > items || this.#waitingText > text ||
        (waiting.hasEnded && size > MAX_ENDED);
      if (!isDue) return;
      this.#finish(waiting);
    }
  }

  #finish({ key, item, call, size }: WaitingItem): void {
    this.#waiting.delete(key);
    this.#waitingText -= size;
    this.#writer.write("items", item);
    if (call !== undefined) this.#writer.write("tool_calls", call);
  }

  #place(turn: TurnState | undefined): Place {
    return {
      source: this.#name,
      line: this.#line,
      thread_id: this.#thread?.row.thread_id ?? null,
      turn_id: turn?.turn_id ?? null,
    };
  }
}

function addTurn(
  turns: TurnsById,
  thread: string | null,
  id: string | null,
  turn: TurnState,
): void {
  const known = turns.get(thread);
  if (known === undefined) turns.set(thread, new Map([[id, turn]]));
  else known.set(id, turn);
}

/** The requests that count. */
function* requestsOf(
  { turns, requests, words }: SourceState,
): Generator<TableRow<"requests">> {
  // The boundary between rows and numbers: what stands for a value is packed in its place.
  const unpacked = (packed = 0) =>
    (packed < 0 ? words[-1 - packed] : packed) as never;
  for (const list of requests) {
    for (let at = 0; at < list.length; at += PACKED) {
      const [index = 0, line = 0, time = 0, model, rule] = list
        .subarray(at, at + PACKED_PLACE);
      const turn = turns[index];
      if (turn?.counts !== "here") continue;
      const tokens = tokensOf((kind) =>
        BigInt(unpacked(list[at + PACKED_PLACE + TOKEN_KINDS.indexOf(kind)]))
      );
      const { source, thread_id, turn_id } = turn;
      const ended_at = time < 0 ? unpacked(time) : timestampOfMs(time) ?? null;
      yield {
        source,
        line,
        thread_id,
        turn_id,
        ended_at,
        model: unpacked(model),
        rule: unpacked(rule),
        input_tokens: small(tokens.input_tokens),
        cached_input_tokens: small(tokens.cached_input_tokens),
        cache_write_input_tokens: small(tokens.cache_write_input_tokens),
        output_tokens: small(tokens.output_tokens),
        reasoning_output_tokens: small(tokens.reasoning_output_tokens),
        total_tokens: small(tokens.total_tokens),
      };
    }
  }
}

/** What stands for two ids. */
function keyOf(one: string | null, other: string | null): string {
  return `${one}\n${other}`;
}

/** A count, which takes less memory as a number where that is exact. */
function small(count: bigint): number | bigint {
  return count <= Number.MAX_SAFE_INTEGER ? Number(count) : count;
}

/**
 * The first of several values that is a text, as one that outlasts its line: a text that was cut
 * out of a line keeps some of it.
 */
function ownTextOf(...values: readonly unknown[]): string | null {
  const text = textOf(values.find((value) => typeof value === "string"));
  return text === undefined ? null : ownText(text);
}
