/**
 * Tables: flat rows, with the same columns for every release and dialect.
 *
 * @module
 */

import type { ThreadEvent } from "../dialects/exec/events.ts";
import { abortReason } from "../events/contents.ts";
import { sourceText } from "../events/session_items.ts";
import { eventTime, threadTime } from "../events/times.ts";
import { TurnSettings } from "../events/turn_settings.ts";
import {
  type Fields,
  fieldsOf,
  idOf,
  listOf,
  textOf,
  wholeOf,
} from "../json/fields.ts";
import { keptText, ownText } from "../json/utf8.ts";
import type { Failure, Outcome } from "../outcome.ts";
import { redactJsonString } from "../redact/json_strings.ts";
import type { Emit } from "../stage.ts";
import type { CountPlace, CountTaker } from "../usage/source_ledger.ts";
import { EventCounts } from "../usage/event_counts.ts";
import type { UsageRule } from "../usage/derivations.ts";
import type { Addition } from "../usage/token_counter.ts";
import {
  addTokens,
  NO_TOKENS,
  readTokens,
  TOKEN_KINDS,
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
import { argumentsTextOf, resultTextOf, toolCallOf } from "./tool_calls.ts";

/**
 * How many items are held at least for later events about them. As many are released together: a
 * set is slow to find its first entry after deletions.
 */
const MAX_WAITING = 1024;
/** How many of the items that would be released are held on because they are in progress. */
const MAX_IN_PROGRESS = MAX_WAITING / 2;
/** How many characters of contents are held. */
const MAX_WAITING_TEXT = 1 << 23;

/** How many requests are packed together. */
const PACK = 512;

/** The id of the row for tokens that belong to no turn. */
const NO_TURN = "synthetic-turn-0";

type Place = Pick<
  TableRow<"failures">,
  "source" | "line" | "thread_id" | "turn_id"
>;

/** A row that may still change; missing values are null. */
type Draft<T extends TableName = TableName> =
  & Place
  & {
    -readonly [C in keyof TableRow<T>]?: TableRow<T>[C] | undefined;
  };

/** An item that is held because more events about it may come. */
interface WaitingItem {
  readonly thread: ThreadState;
  readonly item: Draft<"items">;
  /** The row of the call, unless it would not be written. */
  call: Draft<"tool_calls"> | undefined;
  /** The number of characters of its contents. */
  size: number;
}

interface ThreadState {
  readonly row: Draft<"threads">;
  readonly turns: Map<string, TurnState>;
  readonly waiting: Map<string, WaitingItem>;
  /** The turn in progress: the last turn without an end. */
  turn: TurnState | undefined;
  readonly settings: TurnSettings;
}

/** A turn, kept until all files are read and its tokens are assigned to one of them. */
interface TurnState extends Draft<"turns"> {
  /** Its index in `turns` of its source. */
  readonly index: number;
  /** Whether its tokens count in this file. */
  isCounted: boolean;
}

/** The state of a file or stream that is kept after it has been read. */
class SourceState {
  readonly turns: TurnState[] = [];
  /** The turns, by the ids of their threads, then by their own ids. */
  readonly threads = new Map<string | null, Map<string, TurnState>>();
  /**
   * The requests: JSON of lists of {@linkcode PackedRequest}, as bytes. Objects take more than four
   * times the memory, which the engine then keeps free as well, and a session has a hundred
   * thousand.
   */
  readonly requests: Uint8Array[] = [];
}

/** A request: the index of its turn, values of its row, and its tokens in the order of the kinds. */
type PackedRequest = readonly [
  turn: number,
  line: number,
  ended_at: string | null,
  model: string | null,
  rule: UsageRule,
  tokens: string,
];

/**
 * Writes events as rows of tables; {@linkcode TABLES} has their columns.
 *
 * The rows of items and calls are written as an input is read, and those of threads when it
 * ends. The tokens of turns and requests are known only when all inputs have been read, so those
 * rows come last. An event about an item that ended 1,024 items before has a row of its own.
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
  /** The input in progress; `undefined` if its rows have been written before. */
  #source: TableSource | undefined;

  /**
   * Constructs a new instance.
   *
   * @param options The redactor, the table, and the format of rows.
   */
  constructor(options: ExporterOptions = {}) {
    this.#writer = new RowWriter(options);
  }

  get #hasTokens(): boolean {
    return this.#writer.has("turns") || this.#writer.has("requests");
  }

  /** Begins an input. One with a name that was read before is ignored. */
  begin({ name }: ExportInput): void {
    this.#source = undefined;
    if (this.#sources.has(name)) return;
    const state = new SourceState();
    this.#sources.set(name, state);
    const ledger = this.#hasTokens ? this.#meter.openLedger(name) : undefined;
    this.#source = new TableSource(name, state, this.#writer, ledger);
  }

  /** Reads the outcome of a line, and emits the rows that are complete. */
  feed(outcome: Outcome<ThreadEvent>, emit: Emit<ExportPiece>): void {
    this.#writer.emit = emit;
    if (outcome.ok) this.#source?.take(fieldsOf(outcome.value), outcome.line);
    else this.#source?.fail(outcome);
  }

  /** Ends the input, and emits its last rows. */
  end(emit: Emit<ExportPiece>): void {
    this.#writer.emit = emit;
    this.#source?.end();
  }

  /** Ends the export, and returns the rows of turns and requests. */
  *flush(): Generator<ExportPiece, void, void> {
    const pieces: ExportPiece[] = [];
    this.#writer.emit = (piece) => void pieces.push(piece);
    // Tables without rows have a header, too, and a file.
    for (const name of TABLE_NAMES) this.#writer.announce(name);
    yield* pieces.splice(0);
    if (!this.#hasTokens) return;
    for (const row of this.#meter.rows()) {
      const { source, thread_id, turn_id } = row;
      const turns = this.#sources.get(source)?.threads.get(thread_id);
      const turn = turns?.get(turn_id ?? NO_TURN);
      if (turn === undefined) continue;
      // Usage has several rows for a turn that went over midnight.
      Object.assign(turn, addTokens(readTokens(turn) ?? NO_TOKENS, row));
      turn.isCounted = true;
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

  /** Removes the turns and requests of the inputs so far and returns them. */
  take(): unknown {
    const counts = this.#meter.take();
    const taken: TakenTables = { sources: new Map(this.#sources), counts };
    this.#sources.clear();
    return taken;
  }

  /** Adds the turns and requests that {@linkcode TableExporter.take} of another one returned. */
  add(taken: unknown): void {
    // The boundary between exporters: only `take` of this class makes such values.
    const { sources, counts } = taken as TakenTables;
    for (const [name, source] of sources) this.#sources.set(name, source);
    this.#meter.add(counts);
  }
}

/** The state of inputs that the end of an export needs. */
interface TakenTables {
  readonly sources: ReadonlyMap<string, SourceState>;
  readonly counts: UsageCounts;
}

interface WrittenTable {
  readonly file: string;
  readonly columns: readonly Column[];
  hasHeader: boolean;
}

/** Writes rows as lines of their tables. */
class RowWriter {
  readonly #options: ExporterOptions;
  readonly #tables: ReadonlyMap<TableName, WrittenTable>;
  readonly hasContent: boolean;
  emit: Emit<ExportPiece> = () => {};

  constructor(options: ExporterOptions) {
    this.#options = options;
    const { table, content = false, csv = false } = options;
    this.hasContent = content;
    const names = TABLE_NAMES.filter((name) =>
      table === undefined || name === table
    );
    this.#tables = new Map(
      names.map((name) => [name, {
        file: `${name}.${csv ? "csv" : "jsonl"}`,
        columns: columnsOf(name, { content }),
        hasHeader: !csv,
      }]),
    );
  }

  write(name: TableName, row: Draft): void {
    const table = this.#tables.get(name);
    if (table === undefined) return;
    const values: Readonly<Record<string, TableValue | undefined>> = row;
    const { csv = false, redactor } = this.#options;
    const fields: TableValue[] = [];
    let json = "";
    for (const [column, type] of table.columns) {
      const raw = values[column] ?? null;
      const value = typeof raw === "string" && type.startsWith("text") &&
          redactor
        ? redactJsonString(raw, redactor)
        : raw;
      if (csv) fields.push(value);
      else {
        json += `,"${column}":`;
        json += typeof value === "string" ? JSON.stringify(value) : value;
      }
    }
    this.#data(table, csv ? csvRow(fields) : `{${json.slice(1)}}\n`);
  }

  has(name: TableName): boolean {
    return this.#tables.has(name);
  }

  /** Emits an empty piece for a table, so that the caller knows that rows will come. */
  announce(name: TableName): void {
    const table = this.#tables.get(name);
    if (table !== undefined) this.#data(table, "");
  }

  #data(table: WrittenTable, data: string): void {
    const { file, columns } = table;
    const header = table.hasHeader ? "" : csvRow(columns.map(([name]) => name));
    table.hasHeader = true;
    this.emit({ file, data: `${header}${data}` });
  }
}

class TableSource {
  readonly #name: string;
  readonly #state: SourceState;
  readonly #writer: RowWriter;
  readonly #threads = new Map<string, ThreadState>();
  /** The items that are held, in order. */
  readonly #waiting = new Set<WaitingItem>();
  #waitingText = 0;
  /** The thread and turn of the last event. */
  #thread: ThreadState | undefined;
  #turn: TurnState | undefined;
  #line = 0;
  #isInherited = false;
  #time: string | undefined;
  readonly #counts: EventCounts | undefined;
  /** The requests that are not packed yet. */
  #requests: PackedRequest[] = [];

  constructor(
    name: string,
    state: SourceState,
    writer: RowWriter,
    ledger: CountTaker | undefined,
  ) {
    this.#name = name;
    this.#state = state;
    this.#writer = writer;
    this.#counts = ledger && new EventCounts({
      thread: (id) => ledger.thread(id),
      add: (place, addition) => {
        ledger.add(place, addition);
        this.#count(place, addition);
      },
      run: (place, usage) => ledger.run(place, usage),
    });
  }

  take(event: Fields, line: number): void {
    this.#line = line;
    this.#isInherited = event.inherited === true;
    this.#time = textOf(event.timestamp) ?? eventTime(event);
    const id = idOf(event.thread_id);
    if (id !== undefined) this.#thread = this.#threadOf(id);
    const thread = this.#thread;
    const isError = event.type === "error";
    // An error without a thread belongs to the last one, a message of a server to none.
    if (thread !== undefined && (id !== undefined || isError)) {
      this.#take(thread, event);
    }
    if (isError) {
      this.#turn ??= thread?.turn;
      this.#fail("error", textOf(event.message));
    }
    // Only events of session files have a line.
    this.#counts?.take(event, line);
  }

  fail({ line, error, raw = "" }: Failure): void {
    this.#line = line;
    this.#turn = this.#thread?.turn;
    this.#time = undefined;
    this.#isInherited = false;
    this.#fail(error.kind, error.message, raw);
  }

  end(): void {
    for (const waiting of this.#waiting) this.#finish(waiting);
    for (const { row } of this.#threads.values()) {
      this.#writer.write("threads", row);
    }
    this.#pack();
    const { turns, requests } = this.#state;
    if (turns.length > 0) this.#writer.announce("turns");
    if (requests.length > 0) this.#writer.announce("requests");
  }

  #count(
    { turn: id, timestamp, model }: CountPlace,
    { rule, tokens }: Addition,
  ): void {
    if (tokens === undefined || this.#thread === undefined) return;
    const turn = this.#turnOf(this.#thread, id ?? NO_TURN);
    if (!this.#writer.has("requests")) return;
    this.#requests.push([
      turn.index,
      this.#line,
      timestamp ?? null,
      model,
      rule,
      TOKEN_KINDS.map((kind) => tokens[kind]).join(" "),
    ]);
    if (this.#requests.length === PACK) this.#pack();
  }

  #pack(): void {
    if (this.#requests.length === 0) return;
    const packed = new TextEncoder().encode(JSON.stringify(this.#requests));
    this.#state.requests.push(packed);
    this.#requests = [];
  }

  #threadOf(id: string): ThreadState {
    let thread = this.#threads.get(id);
    if (thread !== undefined) return thread;
    const row: Draft<"threads"> = {
      source: this.#name,
      line: this.#line,
      thread_id: ownText(id),
      turn_id: null,
    };
    thread = {
      row,
      turns: new Map(),
      waiting: new Map(),
      turn: undefined,
      settings: new TurnSettings(),
    };
    this.#threads.set(ownText(id), thread);
    this.#state.threads.set(row.thread_id, thread.turns);
    return thread;
  }

  #take(thread: ThreadState, event: Fields): void {
    const { row } = thread;
    const { type, item_type, implied } = event;
    const id = idOf(event.turn_id);
    // An implied turn gets its row from its first item, or belongs to an agent that waits.
    if (type === "turn.started" && implied === true) return;
    thread.settings.take(event);
    row.model ??= thread.settings.model;
    row.cwd ??= thread.settings.cwd;
    const time = this.#time;
    if (time !== undefined && time > (row.ended_at ?? "")) row.ended_at = time;
    // Token counts have rows in `requests`, and may come before their turn has any other.
    const isCount = item_type === "token_count" ||
      item_type === "token_usage_record";
    if (isCount) return;
    this.#turn = id === undefined ? undefined : this.#turnOf(thread, id, event);
    switch (type) {
      case "thread.started":
        return this.#beginThread(thread, event);
      case "turn.started":
        thread.turn = this.#turn;
        return;
      case "turn.completed":
      case "turn.failed":
        if (this.#turn !== undefined) {
          this.#endTurn(thread, this.#turn, event);
        }
        return;
      case "item.started":
      case "item.delta":
      case "item.completed":
      case "item.failed":
        return this.#item(thread, event);
    }
  }

  #beginThread(thread: ThreadState, header: Fields): void {
    // A process that resumes a thread numbers its items from zero again.
    for (const waiting of thread.waiting.values()) this.#finish(waiting);
    const { row } = thread;
    const git = fieldsOf(header.git);
    row.started_at ??= ownTextOf(
      header.started_at,
      threadTime(header),
      this.#time,
    );
    row.parent_thread_id ??= ownTextOf(header.parent_thread_id);
    row.forked_from_id ??= ownTextOf(header.forked_from_id);
    row.agent ??= ownTextOf(header.agent_path, header.agent_nickname);
    row.originator ??= ownTextOf(header.originator);
    row.origin ??= ownTextOf(sourceText(header.source));
    row.cli_version ??= ownTextOf(header.cli_version);
    row.model_provider ??= ownTextOf(header.model_provider);
    row.git_branch ??= ownTextOf(git.branch);
    row.git_commit ??= ownTextOf(git.commit_hash);
    row.git_url ??= ownTextOf(git.repository_url);
  }

  /** Returns the turn with an id; makes it if it is new. */
  #turnOf(thread: ThreadState, id: string, event: Fields = {}): TurnState {
    const known = thread.turns.get(id);
    if (known !== undefined) return known;
    const turn_id = ownText(id);
    // Codex states it in whole seconds; a copied line has the time of the copy.
    const isOwnStart = event.type === "turn.started" && !this.#isInherited;
    const turn: TurnState = {
      source: this.#name,
      line: this.#line,
      thread_id: thread.row.thread_id,
      turn_id,
      started_at: ownTextOf(isOwnStart && this.#time, event.started_at),
      model: thread.settings.model,
      inherited: this.#isInherited,
      index: this.#state.turns.length,
      isCounted: false,
    };
    this.#state.turns.push(turn);
    thread.turns.set(turn_id, turn);
    return turn;
  }

  #endTurn(thread: ThreadState, turn: TurnState, event: Fields): void {
    const isFailed = event.type === "turn.failed";
    turn.status = isFailed ? "failed" : "completed";
    turn.ended_at = ownTextOf(this.#time);
    turn.started_at ??= ownTextOf(event.started_at);
    turn.duration_ms = wholeOf(event.duration_ms);
    turn.reason = ownTextOf(abortReason(event));
    if (thread.turn === turn) thread.turn = undefined;
    if (!isFailed) return;
    this.#fail("turn", textOf(fieldsOf(event.error).message));
  }

  #fail(kind: string, message = "", raw?: string): void {
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
    if (item_type === "turn_context" && this.#turn !== undefined) {
      this.#turn.model = thread.settings.model;
    }
    const waiting = this.#itemOf(thread, event);
    if (type === "item.delta") return this.#delta(waiting, event);
    const { item } = waiting;
    const isStart = type === "item.started";
    const status = type === "item.failed" ? "failed" : event.status;
    item.item_type = textOf(item_type) ?? item.item_type;
    item.status = textOf(status);
    item.started_at = textOf(event.started_at) ??
      (isStart ? this.#time : undefined) ?? item.started_at;
    if (!isStart) item.ended_at = this.#time;
    if (this.#writer.hasContent) {
      item.text = textOf(content.text) ?? textOf(content.message) ?? item.text;
    }
    waiting.call = this.#call(waiting, event);
    this.#weigh(waiting);
  }

  /** Returns the held item of an event; makes it if it is new. */
  #itemOf(thread: ThreadState, event: Fields): WaitingItem {
    const id = textOf(event.item_id) ?? "";
    const known = thread.waiting.get(id);
    if (known !== undefined) return known;
    const item_id = keptText(id);
    const item: Draft<"items"> = {
      ...this.#place(this.#turn),
      item_id,
      item_type: textOf(event.item_type) ?? "",
      status: "in_progress",
      started_at: null,
      ended_at: null,
      inherited: this.#isInherited,
    };
    const waiting: WaitingItem = {
      thread,
      item,
      call: undefined,
      size: 0,
    };
    thread.waiting.set(item_id, waiting);
    this.#waiting.add(waiting);
    return waiting;
  }

  /** Returns the row of a call, from this event and those before. */
  #call(
    waiting: WaitingItem,
    event: Fields,
  ): Draft<"tool_calls"> | undefined {
    const { item, call } = waiting;
    const known = toolCallOf(event);
    if (known === undefined) return call;
    const { exit_code, duration_ms, changes } = fieldsOf(event.content);
    const { hasContent } = this.#writer;
    // Contents count for the limits even if they are not written.
    if (!hasContent && !this.#writer.has("tool_calls")) return undefined;
    const files = listOf(changes).length || call?.files;
    // A failed item has no content: the name and the arguments are those that it began with.
    const begun = event.type === "item.failed" ? call : undefined;
    const draft: Draft<"tool_calls"> = {
      ...item,
      call_id: textOf(event.call_id) ?? call?.call_id,
      tool: begun?.tool ?? known.name,
      exit_code: wholeOf(exit_code) ?? call?.exit_code,
      files,
      duration_ms: wholeOf(duration_ms) ?? call?.duration_ms,
    };
    if (!hasContent) return draft;
    draft.input = begun?.input ?? argumentsTextOf(event, known.args);
    const output = resultTextOf(event);
    // The item of a command may lack what the model was told of its output.
    draft.output = output || (call?.output ?? output);
    return draft;
  }

  /** Adds further output of a command. */
  #delta(waiting: WaitingItem, { delta }: Fields): void {
    const { call } = waiting;
    const { stdout, stderr } = fieldsOf(delta);
    if (call === undefined || !this.#writer.hasContent) return;
    const added = `${textOf(stdout) ?? ""}${textOf(stderr) ?? ""}`;
    call.output = `${call.output ?? ""}${added}`;
    this.#weigh(waiting);
  }

  /** Updates the size of a held item, and releases the oldest items if there are too many. */
  #weigh(waiting: WaitingItem): void {
    const { item: { text }, call } = waiting;
    const size = (text?.length ?? 0) + (call?.input?.length ?? 0) +
      (call?.output?.length ?? 0);
    this.#waitingText += size - waiting.size;
    waiting.size = size;
    const isMuch = this.#waitingText > MAX_WAITING_TEXT ||
      this.#waiting.size > 2 * MAX_WAITING;
    if (isMuch) this.#release();
  }

  /**
   * Writes the rows of the oldest items, up to the first that is still within the limits. Some that
   * are in progress, such as a command in the background, are held on as if they were new.
   */
  #release(): void {
    let excess = this.#waiting.size - MAX_WAITING;
    let inProgress = 0;
    for (const waiting of this.#waiting) {
      const isTooMuch = this.#waitingText > MAX_WAITING_TEXT / 2;
      if (excess <= 0 && !isTooMuch) return;
      excess -= 1;
      const isHeld = !isTooMuch && waiting.item.status === "in_progress" &&
        inProgress < MAX_IN_PROGRESS;
      if (isHeld) {
        inProgress += 1;
        this.#waiting.delete(waiting);
        this.#waiting.add(waiting);
      } else this.#finish(waiting);
    }
  }

  #finish(waiting: WaitingItem): void {
    const { thread, item, call, size } = waiting;
    this.#waiting.delete(waiting);
    thread.waiting.delete(item.item_id ?? "");
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

/** Unpacks the requests whose turns count in this file. */
function* requestsOf(
  { turns, requests }: SourceState,
): Generator<TableRow<"requests">> {
  for (const packed of requests) {
    const list: PackedRequest[] = JSON.parse(new TextDecoder().decode(packed));
    for (const [index, line, ended_at, model, rule, tokens] of list) {
      const turn = turns[index];
      if (turn?.isCounted !== true) continue;
      const { source, thread_id, turn_id } = turn;
      const counts = tokens.split(" ");
      yield {
        source,
        line,
        thread_id,
        turn_id,
        ended_at,
        model,
        rule,
        ...tokensOf((kind) => BigInt(counts[TOKEN_KINDS.indexOf(kind)] ?? 0)),
      };
    }
  }
}

/**
 * Returns a copy of the first value that is a text. A part of a line's text would keep memory of
 * the line alive.
 */
function ownTextOf(...values: readonly unknown[]): string | undefined {
  const text = textOf(values.find((value) => typeof value === "string"));
  return text === undefined ? undefined : ownText(text);
}
