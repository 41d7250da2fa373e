/**
 * Traces: OTLP/JSON by the OpenTelemetry conventions for generative AI.
 *
 * docs/otlp.md maps events to spans and attributes.
 *
 * @module
 */

import type { ThreadEvent } from "../dialects/exec/events.ts";
import { isRetryNotice } from "../dialects/exec/retry_notices.ts";
import { abortReason, isDeclined } from "../events/contents.ts";
import { realId } from "../events/ids.ts";
import { spawnedThreads } from "../events/session_items.ts";
import { eventMs, timeOf } from "../events/times.ts";
import { TurnSettings } from "../events/turn_settings.ts";
import {
  type Fields,
  fieldsOf,
  idOf,
  isFailedWord,
  isObject,
  jsonTextOf,
  numberOf,
  textOf,
  wholeOf,
} from "../json/fields.ts";
import type { Outcome } from "../outcome.ts";
import { redactJson } from "../redact/json_strings.ts";
import type { Emit } from "../stage.ts";
import { EventTokens } from "../usage/event_tokens.ts";
import type { Tokens } from "../usage/tokens.ts";
import type {
  Exporter,
  ExporterOptions,
  ExportInput,
  ExportPiece,
} from "./exporter.ts";
import {
  argumentsTextOf,
  HOSTED_TOOLS,
  isUsersCommand,
  resultTextOf,
  type ToolCall,
  toolCallOf,
} from "./tool_calls.ts";

/** The name of the agent, and of its service, for all originators. */
const AGENT = "codex";

// The names of spans and attributes are those of one version of OpenTelemetry's conventions. All of
// `gen_ai.*` is in development and may have other names in the next version.

const SCHEMA_URL = "https://opentelemetry.io/schemas/1.41.0";

/** The names of span events, by the types of the items that they are made from. */
const SPAN_EVENTS: ReadonlyMap<unknown, string> = new Map([
  ["context_compaction", "codex.compaction"],
  ["exec_approval_request", "codex.approval_request"],
  ["apply_patch_approval_request", "codex.approval_request"],
  ["thread_rolled_back", "codex.rollback"],
  ["entered_review_mode", "codex.review_started"],
  ["exited_review_mode", "codex.review_ended"],
]);

/**
 * The limits of one line: the spans of a turn, and the characters of content. Collectors refuse
 * long requests, so the rest of the turn follows in another line. `names` limits the cache of
 * names without secrets, `turns` how many turns keep the ids of their calls after they have ended.
 */
const MAX = { spans: 2048, content: 1 << 21, names: 1024, turns: 64 };

type AttributeValue = string | number | bigint | undefined;
/** Attributes by their names. Names that the conventions do not define begin with `codex.`. */
type Attributes = Readonly<Record<string, AttributeValue>>;
/** A part of a message, by the conventions. */
type Part = Readonly<Record<string, unknown>>;

interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** A span: times are milliseconds since 1970. */
interface Span {
  readonly operation: "invoke_agent" | "chat" | "execute_tool";
  /** The rest of its name, after the operation. */
  subject: string | undefined;
  start: number;
  end: number | undefined;
  /** The type of the error, if it failed. */
  error?: string | undefined;
  readonly message?: string | undefined;
  readonly events?: readonly SpanEvent[];
}

/** A request or a call of a turn. */
interface ChildSpan extends Span {
  /** The id of its item. */
  readonly item: string;
  attributes: Attributes;
  /** The model's output, if content is exported. */
  readonly parts?: Part[];
}

/** The model's output since the last count. */
interface Answer {
  readonly start: number;
  end: number;
  readonly parts: Part[];
  /** Whether the model got new input after it. */
  isOver: boolean;
  /** Whether it has calls that Codex runs: then none of them follows its count. */
  hasCalls: boolean;
}

interface SpanEvent {
  readonly at: number;
  readonly name: string;
  readonly attributes: Attributes;
}

/** A turn in progress, or one that has ended with calls in progress. */
class Turn {
  id: string | undefined;
  /** The id of the other thread's turn that began it. */
  startedBy: string | undefined;
  /** Whether only a prompt began it: then no event ends it. */
  isImplied = true;
  /** The ids of its span, computed at first use. */
  ids: SpanIds | undefined;
  /** The calls that are not written yet, by the ids of their items. */
  readonly calls = new Map<string, ChildSpan>();
  /** The ids of the items of all calls, so that a repeated one is not written twice. */
  readonly seen = new Set<string>();
  /** The scripts in progress, by the ids of their items. */
  readonly scripts = new Set<string>();
  /** The requests that are not written yet. */
  requests: ChildSpan[] = [];
  readonly events: SpanEvent[] = [];
  readonly prompts: string[] = [];
  answer: string | undefined;
  /** The message of the last error, if the model has done nothing since. */
  problem: string | undefined;
  /**
   * Where the count of a request comes: before its calls, after a part of its output, or after
   * all of it.
   */
  counts: "before" | "between" | "behind" | undefined;
  /** How many characters of content are not written yet. */
  weight = 0;
  /** The number of requests and calls at which complete ones are written next. */
  full = MAX.spans;

  constructor(readonly number: number, readonly start: number) {}
}

class Thread {
  header: Fields = {};
  /** The JSON text of the resource of its spans. */
  resource: string | undefined;
  readonly settings = new TurnSettings();
  /** Whether events have times of their own: in a bare session file all have the header's. */
  isTimed = true;
  now: number | undefined;
  turns = 0;
  turn: Turn | undefined;
  /** The id of the last message of the user, in this process. */
  prompt: unknown;
  /** The turn before. */
  last: Turn | undefined;
  readonly turnIds = new Set<string>();
  /** The ids of the items of the calls of its last turns, by the ids of the turns. */
  readonly past = new Map<string | undefined, ReadonlySet<string>>();
  /** The calls in progress whose turn has ended, by the ids of their items. */
  readonly late = new Map<string, { turn: Turn; call: ChildSpan }>();
  /** When the model last got new input. */
  askedAt = 0;
  answer: Answer | undefined;
  /** The request counted last; `isOver` if the model got new input after it. */
  counted: { request: ChildSpan; isOver: boolean } | undefined;

  /** @param input The number of the input, which tells apart threads without an id of their own. */
  constructor(readonly id: string, readonly input: number) {}

  /** Records new input of the model: a prompt, a result, a compaction. */
  ask(at: number): void {
    this.askedAt = Math.max(this.askedAt, at);
    if (this.answer !== undefined) this.answer.isOver = true;
    if (this.counted !== undefined) this.counted.isOver = true;
  }
}

/**
 * Writes traces: one line for each turn, an `ExportTraceServiceRequest` of OTLP/JSON.
 *
 * A turn is a span `invoke_agent codex`. Its children are its requests, `chat MODEL`, and its
 * calls, `execute_tool NAME`. Ids are hashes of the ids of thread, turn and item, so that a turn
 * has the same ids in each export; of several inputs with the same turn, the first is exported.
 * Events that were copied from another thread are left out.
 *
 * Memory is bounded by the turns in progress: of each, at most 2,048 spans and their content are
 * held. More spans follow in another line, and so does a call that ends after its turn.
 *
 * @example The spans of a run, at the time of the clock
 * ```ts
 * import { JsonlEvents } from "@codexpipe/codexpipe";
 * import { type ExportPiece, OtlpExporter } from "@codexpipe/codexpipe/export";
 * import { assertEquals } from "@std/assert";
 *
 * const log = '{"type":"thread.started","thread_id":"t"}\n{"type":"turn.started"}\n' +
 *   '{"type":"turn.completed","usage":{"input_tokens":1200,"output_tokens":60}}\n';
 * let text = "";
 * const write = ({ data }: ExportPiece) => text += data;
 * const exporter = new OtlpExporter({ clock: () => Date.now() });
 * exporter.begin({ name: "run.jsonl", stem: "run" });
 * new JsonlEvents().feed(new TextEncoder().encode(log), (outcome) => {
 *   exporter.feed(outcome, write);
 * });
 * exporter.end(write);
 *
 * const [{ scopeSpans: [{ spans }] }] = JSON.parse(text).resourceSpans;
 * assertEquals(spans[0].name, "invoke_agent codex");
 * ```
 */
export class OtlpExporter implements Exporter {
  readonly #options: ExporterOptions;
  /** The number of the first input that has a turn, by the turn's trace id. */
  readonly #firstInputs = new Map<string, number>();
  /** The span ids of the calls that spawned threads, by the ids of these threads. */
  readonly #spawned = new Map<string, SpanIds>();
  /** The names of tools and models that contain no secret. */
  readonly #clean = new Set<string>();
  #inputs = 0;
  #input: ExportInput = { name: "", stem: "" };
  #tokens = new EventTokens();
  #threads = new Map<string, Thread>();
  #threadId: string | undefined;
  #emit: Emit<ExportPiece> = () => {};
  #refusal: string | undefined;
  #hasLines = false;

  /**
   * Constructs a new instance.
   *
   * @param options The redactor, whether content is written, and the clock.
   */
  constructor(options: ExporterOptions = {}) {
    this.#options = options;
  }

  /** Begins an input. */
  begin(input: ExportInput): void {
    this.#inputs += 1;
    this.#input = input;
    this.#tokens = new EventTokens();
    this.#threads = new Map();
    this.#threadId = undefined;
    this.#refusal = undefined;
    this.#hasLines = false;
  }

  /** Why the input is left out: it has no times, and there is no clock. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /** Reads an event, and emits the lines of turns that have ended. Failures are ignored. */
  feed(outcome: Outcome<ThreadEvent>, emit: Emit<ExportPiece>): void {
    if (!outcome.ok || this.#refusal !== undefined) return;
    const event = fieldsOf(outcome.value);
    // An error in an exec stream does not name its thread.
    const id = textOf(event.thread_id) ??
      (event.type === "error" ? this.#threadId : undefined);
    if (id === undefined) return;
    this.#threadId = id;
    this.#emit = emit;
    let thread = this.#threads.get(id);
    if (thread === undefined) {
      thread = new Thread(id, this.#inputs);
      this.#threads.set(id, thread);
    }
    this.#take(thread, event, this.#tokens.take(event));
  }

  /** Ends the input and its turns in progress, and emits their lines. */
  end(emit: Emit<ExportPiece>): void {
    this.#emit = emit;
    for (const thread of this.#threads.values()) this.#leave(thread);
    if (this.#hasLines) emit({ file: this.#file, data: "", isLast: true });
  }

  /** Ends the export. Returns nothing: no state outlasts the end of an input. */
  flush(): readonly ExportPiece[] {
    return [];
  }

  get #file(): string {
    return `${this.#input.stem}.otlp.jsonl`;
  }

  #take(thread: Thread, event: Fields, tokens: Tokens | undefined): void {
    const { type, item_type } = event;
    const content = fieldsOf(event.content);
    if (type === "thread.started") return this.#begins(thread, event);
    if (item_type === "turn_context") return thread.settings.take(event);
    if (event.inherited === true) return;
    const at = this.#timeOf(thread, event);
    switch (type) {
      case "turn.started":
        return this.#startTurn(thread, event, at);
      case "turn.completed":
      case "turn.failed":
        return this.#endTurn(thread, event, at, tokens);
      case "error":
        return this.#error(thread, textOf(event.message) ?? "", at);
      case "item.delta":
        // In session files, a delta is output of a running command that the model got.
        // In streams, it is only output that was printed.
        return typeof event.line === "number" ? thread.ask(at) : undefined;
    }
    const call = item_type === "todo_list"
      ? { name: "update_plan", args: { plan: content.items } }
      : toolCallOf(event);
    if (call !== undefined) return this.#call(thread, event, call, at);
    if (type !== "item.completed") return;
    const text = textOf(content.text) ?? "";
    switch (item_type) {
      case "user_message":
        // A message that is repeated has the paths of its images in addition.
        if (event.item_id === thread.prompt) return;
        thread.prompt = event.item_id;
        return this.#prompt(thread, text, at);
      case "inter_agent_message":
        return thread.ask(at);
      case "agent_message":
      case "plan":
        this.#turnOf(thread, at).answer = this.#options.content
          ? text
          : undefined;
        return this.#say(thread, at, () => ({ type: "text", content: text }));
      case "reasoning":
      case "agent_reasoning_raw_content":
        return this.#say(
          thread,
          at,
          () => ({ type: "reasoning", content: text }),
        );
      case "sub_agent_activity":
        return this.#spawn(thread, event.call_id, event);
      case "error":
        return this.#error(thread, textOf(content.message) ?? "", at);
      case "token_count":
      case "token_usage_record":
        return this.#count(thread, event, tokens, at);
    }
    const name = SPAN_EVENTS.get(item_type);
    if (name === undefined) return;
    if (item_type === "context_compaction") thread.ask(at);
    const attributes = { "gen_ai.tool.call.id": idOf(event.call_id) };
    this.#turnOf(thread, at).events.push({ at, name, attributes });
  }

  /** Begins a thread, or a process that resumes it. */
  #begins(thread: Thread, header: Fields): void {
    this.#leave(thread);
    const { timestamp, started_at } = header;
    thread.header = header;
    thread.prompt = undefined;
    thread.resource = undefined;
    thread.settings.take(header);
    thread.isTimed = timestamp === undefined || timestamp !== started_at;
  }

  /** Returns the time of an event: its own, the clock's, or that of the event before. */
  #timeOf(thread: Thread, event: Fields): number {
    const { clock } = this.#options;
    thread.isTimed ||= event.timestamp !== thread.header.timestamp;
    const own = eventMs(event);
    const isOwn = own !== undefined && thread.isTimed;
    thread.now = (isOwn ? own : clock?.()) ?? own ?? thread.now;
    return thread.now ?? NaN;
  }

  #startTurn(thread: Thread, event: Fields, at: number): void {
    const { turn: open } = thread;
    const isImplied = event.implied === true;
    // Its prompt has begun it already, or it is implied by an agent that the open turn waits for.
    const isOpen = open !== undefined && (isImplied || open.id === undefined);
    if (!isOpen) this.#closeTurn(thread);
    thread.settings.take(event);
    const turn = this.#turnOf(thread, at);
    turn.id ??= idOf(event.turn_id);
    turn.isImplied &&= isImplied;
    turn.startedBy ??= idOf(fieldsOf(event.turn_attribution).parent_turn_id);
  }

  /** Returns the turn in progress, or begins one. */
  #turnOf(thread: Thread, at: number): Turn {
    if (thread.turn !== undefined) return thread.turn;
    thread.turns += 1;
    thread.askedAt = at;
    thread.answer = undefined;
    thread.counted = undefined;
    return thread.turn = new Turn(thread.turns, at);
  }

  #prompt(thread: Thread, text: string, at: number): void {
    const { turn } = thread;
    if (turn?.id !== undefined && turn.isImplied) this.#closeTurn(thread);
    const { prompts } = this.#turnOf(thread, at);
    if (this.#options.content && text !== "") prompts.push(text);
    thread.ask(at);
  }

  /** Adds a part of the model's output: a text, reasoning, or a call. */
  #say(thread: Thread, at: number, part: () => Part, isCall = false): void {
    const turn = this.#turnOf(thread, at);
    turn.problem = undefined;
    const { counted } = thread;
    // Only calls may follow the count of their request, one after the other.
    const isCounted = isCall && thread.answer === undefined &&
      counted !== undefined && turn.counts !== "behind" &&
      (!counted.isOver || turn.counts === "before");
    if (!isCounted) {
      thread.answer ??= {
        start: thread.askedAt,
        end: at,
        parts: [],
        isOver: false,
        hasCalls: false,
      };
      thread.answer.end = at;
      thread.answer.isOver = false;
    }
    if (!this.#options.content) return;
    const added = part();
    (isCounted ? counted.request : thread.answer)?.parts?.push(added);
    turn.weight += textOf(added.content)?.length ?? 0;
  }

  /** Ends a request: at its count, or at a `token_count` without counts (`"info":null`). */
  #count(
    thread: Thread,
    event: Fields,
    tokens: Tokens | undefined,
    at: number,
  ): void {
    const { answer } = thread;
    const content = fieldsOf(event.content);
    const isUnknown = answer !== undefined && content.info === null;
    if (tokens === undefined && !isUnknown) return;
    const { model } = thread.settings;
    const turn = thread.turn ?? thread.last ?? this.#turnOf(thread, at);
    // A record follows all output of its request, and so do all counts of a session file if one
    // follows a call. No item may show the result in between, as of a command without output yet.
    const isFile = typeof event.line === "number";
    if (
      event.item_type === "token_usage_record" || isFile && answer?.hasCalls
    ) turn.counts = "behind";
    turn.counts ??= answer === undefined
      ? "before"
      : answer.isOver
      ? "behind"
      : "between";
    const isBehind = answer?.isOver === true && turn.counts !== "before";
    const end = isBehind ? answer.end : at;
    const request: ChildSpan = {
      item: textOf(event.item_id) ?? "",
      operation: "chat",
      subject: model,
      start: isBehind ? answer.start : thread.askedAt,
      end,
      attributes: {
        "gen_ai.provider.name": providerOf(thread),
        "gen_ai.request.model": model,
        "gen_ai.response.id": idOf(content.response_id),
        ...tokenAttributes(tokens),
      },
      parts: answer?.parts ?? [],
    };
    thread.answer = undefined;
    thread.counted = { request, isOver: answer?.hasCalls === true };
    // The next request begins after this one, even if no result shows when.
    thread.askedAt = Math.max(thread.askedAt, end);
    turn.requests.push(request);
    this.#write(thread, turn, thread.turn === undefined);
  }

  /** Reads an event of a call: its beginning, its end, or a repetition. */
  #call(
    thread: Thread,
    event: Fields,
    tool: ToolCall,
    at: number,
  ): void {
    const item = textOf(event.item_id) ?? "";
    // The item of a plan ends with the next plan, but the call of a plan takes no time.
    const isPlan = event.item_type === "todo_list";
    const isOver = isPlan || event.type !== "item.started";
    const isHosted = HOSTED_TOOLS.has(tool.name);
    const late = thread.late.get(item);
    if (late !== undefined) {
      if (!isOver) return;
      thread.late.delete(item);
      late.turn.calls.set(item, late.call);
      this.#describe(late.call, late.turn, event, tool, at);
      return this.#write(thread, late.turn, true);
    }
    // Another process that resumes the thread numbers its items from zero again, in other turns.
    const id = idOf(event.turn_id) ?? (thread.turn ?? thread.last)?.id;
    if (thread.past.get(id)?.has(item)) return;
    const turn = this.#turnOf(thread, at);
    let call = turn.calls.get(item);
    // Calls that a script makes have only ends. The model gets the result of the script.
    const isOfScript = turn.scripts.size > 0 && call === undefined &&
      event.type === "item.completed" && !isPlan && !isHosted;
    if (isOver) turn.scripts.delete(item);
    else if (isScript(tool)) turn.scripts.add(item);
    if (call === undefined) {
      if (turn.seen.has(item)) return;
      turn.seen.add(item);
      call = {
        item,
        operation: "execute_tool",
        subject: tool.name,
        start: at,
        end: undefined,
        attributes: {},
      };
      turn.calls.set(item, call);
      if (!isOfScript && !isUsersCommand(event)) {
        this.#say(thread, at, () => ({
          type: "tool_call",
          id: event.call_id ?? item,
          name: tool.name,
          arguments: tool.args,
        }), true);
        if (!isHosted && thread.answer !== undefined) {
          thread.answer.hasCalls = true;
        }
      }
    } else if (isPlan && event.type !== "item.failed") return;
    this.#describe(call, turn, event, tool, isOver ? at : undefined);
    // The provider's own tools answer within the request that calls them.
    if (isOver && !isPlan && !isHosted && !isOfScript) thread.ask(at);
    this.#spawn(thread, item, event);
    this.#write(thread, turn, false);
  }

  /** Sets the name, times, error and attributes of a call from its event. */
  #describe(
    call: ChildSpan,
    turn: Turn,
    event: Fields,
    { name, args }: ToolCall,
    end: number | undefined,
  ): void {
    const content = fieldsOf(event.content);
    const exitCode = wholeOf(content.exit_code);
    const isFailed = event.type === "item.failed";
    // A failed item has no content: the name and the arguments are those that it began with.
    const begun = isFailed ? call.attributes : {};
    call.subject = textOf(begun["gen_ai.tool.name"]) ?? name;
    call.end = end;
    if (end !== undefined) {
      const began = timeOf(event.started_at) ??
        end - (numberOf(content.duration_ms) ?? 0);
      call.start = Math.max(turn.start, Math.min(call.start, began));
    }
    const isWell = !isFailed && !isFailedWord(event.status) &&
      (exitCode ?? 0) === 0 && !isObject(content.error);
    call.error = isWell
      ? undefined
      : isDeclined(event)
      ? "declined"
      : exitCode === undefined
      ? "tool_error"
      : "exit_code";
    const isWanted = this.#options.content === true;
    const input = textOf(begun["gen_ai.tool.call.arguments"]) ??
      (isWanted && argumentsTextOf(event, args) || undefined);
    const output = isWanted && end !== undefined
      ? resultTextOf(event)
      : undefined;
    turn.weight += (input?.length ?? 0) + (output?.length ?? 0);
    call.attributes = {
      "gen_ai.tool.name": call.subject,
      "gen_ai.tool.type": HOSTED_TOOLS.has(call.subject)
        ? "extension"
        : "function",
      "gen_ai.tool.call.id": idOf(event.call_id),
      "process.exit.code": exitCode,
      "gen_ai.tool.call.arguments": input,
      "gen_ai.tool.call.result": output,
    };
  }

  #spawn(thread: Thread, id: unknown, event: Fields): void {
    const { turn } = thread;
    const item = textOf(id) ?? "";
    if (turn === undefined || !turn.seen.has(item)) return;
    for (const spawned of spawnedThreads(event)) {
      if (this.#spawned.has(spawned)) continue;
      this.#spawned.set(spawned, childIds(idsOf(thread, turn), item));
    }
  }

  #error(thread: Thread, message: string, at: number): void {
    const turn = this.#turnOf(thread, at);
    if (isRetryNotice(message)) {
      const attributes = { "codex.retry.message": message };
      turn.events.push({ at, name: "codex.retry", attributes });
    } else turn.problem = message;
  }

  #endTurn(
    thread: Thread,
    event: Fields,
    at: number,
    tokens: Tokens | undefined,
  ): void {
    const id = idOf(event.turn_id);
    // The end of a turn may be repeated.
    if (
      thread.turn === undefined && id !== undefined && id === thread.last?.id
    ) return;
    const turn = this.#turnOf(thread, at);
    turn.id ??= id;
    const reason = idOf(abortReason(event));
    const isFailed = event.type === "turn.failed";
    this.#writeTurn(thread, turn, {
      at,
      status: !isFailed
        ? "completed"
        : reason === undefined
        ? "failed"
        : "aborted",
      error: isFailed ? reason ?? "turn_failed" : undefined,
      message: isFailed
        ? idOf(fieldsOf(event.error).message) ?? turn.problem
        : undefined,
      tokens,
    });
  }

  /** Ends the turn in progress, if there is one, without an event that ends it. */
  #closeTurn(thread: Thread): void {
    const { turn, now } = thread;
    if (turn === undefined) return;
    this.#writeTurn(thread, turn, {
      at: now ?? turn.start,
      status: turn.isImplied ? "unknown" : "open",
      error: turn.problem === undefined ? undefined : "turn_failed",
      message: turn.problem,
      tokens: undefined,
    });
  }

  /** Ends the turn and the calls in progress of a thread. */
  #leave(thread: Thread): void {
    this.#closeTurn(thread);
    for (const { turn, call } of thread.late.values()) {
      turn.calls.set(call.item, call);
      this.#write(thread, turn, true);
    }
    thread.late.clear();
  }

  #writeTurn(thread: Thread, turn: Turn, end: TurnEnd): void {
    for (const [item, call] of turn.calls) {
      if (call.end !== undefined) continue;
      turn.calls.delete(item);
      // It ends with its turn, unless its end comes later.
      call.end = end.at;
      call.attributes = { ...call.attributes, "codex.call.status": "open" };
      thread.late.set(item, { turn, call });
    }
    thread.turn = undefined;
    thread.last = turn;
    thread.past.set(turn.id, turn.seen);
    if (thread.past.size > MAX.turns) {
      const [oldest] = thread.past.keys();
      thread.past.delete(oldest);
    }
    this.#write(thread, turn, true, this.#rootText(thread, turn, end));
  }

  #rootText(thread: Thread, turn: Turn, end: TurnEnd): string {
    const { header, settings: { model } } = thread;
    const { id, start, startedBy, prompts, answer, events } = turn;
    const parent = idOf(header.parent_thread_id);
    const link = this.#spawned.get(thread.id) ??
      (parent === undefined || startedBy === undefined
        ? undefined
        : turnIds(parent, startedBy));
    const isWanted = this.#options.content === true;
    const attributes = {
      "gen_ai.provider.name": providerOf(thread),
      "gen_ai.agent.name": AGENT,
      "gen_ai.agent.version": idOf(header.cli_version),
      "gen_ai.request.model": model,
      "process.working_directory": idOf(header.cwd),
      "codex.turn.id": realId(id),
      "codex.turn.status": end.status,
      "codex.thread.parent_id": parent,
      "codex.thread.forked_from_id": idOf(header.forked_from_id),
      "codex.agent.path": idOf(header.agent_path),
      "codex.agent.nickname": idOf(header.agent_nickname),
      "codex.agent.role": idOf(header.agent_role),
      // The usage at the ends of exec turns cannot be divided among requests.
      ...tokenAttributes(end.tokens),
      "gen_ai.input.messages": isWanted
        ? messageText("user", prompts.map(textPart))
        : undefined,
      "gen_ai.output.messages": isWanted && answer !== undefined
        ? messageText("assistant", [textPart(answer)])
        : undefined,
    };
    const links = link === undefined ? "" : `,"links":[{${idsText(link)}}]`;
    return `{${idsText(idsOf(thread, turn))},${
      spanText(thread, {
        operation: "invoke_agent",
        subject: AGENT,
        start,
        end: end.at,
        error: end.error,
        message: end.message,
        events,
      }, attributes)
    }${links}}`;
  }

  /** Writes the complete spans of a turn, if there are enough of them, or with `isAll` all. */
  #write(thread: Thread, turn: Turn, isAll: boolean, root?: string): void {
    if (
      Number.isNaN(turn.start) ||
      !(thread.isTimed || this.#options.clock !== undefined)
    ) {
      this.#refusal = "it has no times";
      return;
    }
    const { calls, weight } = turn;
    const isHeavy = weight >= MAX.content;
    const count = turn.requests.length + calls.size;
    if (!isAll && !isHeavy && count < turn.full) return;
    const ids = idsOf(thread, turn);
    const written = [...calls.values()].filter(({ end }) => end !== undefined);
    for (const { item } of written) calls.delete(item);
    // Calls in progress do not count for the next limit, or each event would scan them all again.
    turn.full = MAX.spans + calls.size;
    let spans = root === undefined ? "" : this.#masked(root);
    for (const span of [...turn.requests, ...written]) {
      const text = this.#childText(thread, ids, span);
      spans += spans === "" ? text : `,${text}`;
    }
    turn.requests = [];
    turn.weight = 0;
    const firstInput = this.#firstInputs.get(ids.traceId) ?? this.#inputs;
    this.#firstInputs.set(ids.traceId, firstInput);
    if (firstInput !== this.#inputs || spans === "") return;
    this.#hasLines = true;
    thread.resource ??= this.#masked(resourceText(thread.header));
    const data =
      `{"resourceSpans":[{"resource":${thread.resource},${SCOPE},"spans":[${spans}]}]}]}\n`;
    this.#emit({ file: this.#file, data });
  }

  #childText(thread: Thread, ids: SpanIds, span: ChildSpan): string {
    const { subject = "", parts = [] } = span;
    const attributes = {
      ...span.attributes,
      "gen_ai.output.messages": messageText("assistant", parts),
    };
    const text = `{${
      idsText(childIds(ids, span.item))
    },"parentSpanId":"${ids.spanId}",${spanText(thread, span, attributes)}}`;
    // Without content, only names can contain a secret, so a name is searched once.
    if (this.#clean.has(subject)) return text;
    const masked = this.#masked(text);
    const isClean = this.#options.content !== true &&
      this.#clean.size < MAX.names && masked === text;
    if (isClean) this.#clean.add(subject);
    return masked;
  }

  #masked(text: string): string {
    const { redactor } = this.#options;
    return redactor ? redactJson(text, redactor) : text;
  }
}

interface TurnEnd {
  readonly at: number;
  readonly status: string;
  /** The type of the error, if the turn failed. */
  readonly error: string | undefined;
  readonly message: string | undefined;
  /** Tokens of the turn that belong to no request. */
  readonly tokens: Tokens | undefined;
}

/** The JSON text between a resource and its spans. */
const SCOPE =
  `"schemaUrl":"${SCHEMA_URL}","scopeSpans":[{"scope":{"name":"codexpipe"},"schemaUrl":"${SCHEMA_URL}"`;

function resourceText({ git, cli_version }: Fields): string {
  const { branch, commit_hash, repository_url } = fieldsOf(git);
  const attributes = attributesText({
    "service.name": AGENT,
    "service.version": idOf(cli_version),
    "vcs.repository.url.full": idOf(repository_url),
    "vcs.ref.head.name": idOf(branch),
    "vcs.ref.head.revision": idOf(commit_hash),
  });
  return `{"attributes":${attributes}}`;
}

function providerOf({ header }: Thread): string {
  return idOf(header.model_provider) ?? "openai";
}

function textPart(content: string): Part {
  return { type: "text", content };
}

/** Whether a call is that of a script of code mode, which makes calls itself. */
function isScript({ name, args }: ToolCall): boolean {
  return name === "exec" && fieldsOf(args).script !== undefined;
}

function messageText(role: string, parts: readonly Part[]): string | undefined {
  if (parts.length === 0) return undefined;
  const isCall = parts.some(({ type }) => type === "tool_call");
  const finish_reason = isCall ? "tool_call" : "stop";
  return jsonTextOf([
    role === "user" ? { role, parts } : { role, parts, finish_reason },
  ]);
}

function tokenAttributes(tokens: Tokens | undefined): Attributes {
  if (tokens === undefined) return {};
  return {
    "gen_ai.usage.input_tokens": tokens.input_tokens,
    "gen_ai.usage.cache_read.input_tokens": tokens.cached_input_tokens ||
      undefined,
    "gen_ai.usage.cache_creation.input_tokens":
      tokens.cache_write_input_tokens || undefined,
    "gen_ai.usage.output_tokens": tokens.output_tokens,
    "gen_ai.usage.reasoning.output_tokens": tokens.reasoning_output_tokens ||
      undefined,
  };
}

/** Returns the members of a span in OTLP/JSON, without its ids. */
function spanText(thread: Thread, span: Span, more: Attributes): string {
  const { operation, subject, start, end = start, error, message } = span;
  const name = subject === undefined ? operation : `${operation} ${subject}`;
  const attributes = attributesText({
    "gen_ai.operation.name": operation,
    "gen_ai.conversation.id": thread.id,
    ...more,
    "error.type": error,
  });
  // The numbers of OTLP for a client and an internal span; below, for an error.
  const kind = operation === "chat" ? 3 : 1;
  const events = (span.events ?? []).map(({ at, name, attributes }) =>
    `{"timeUnixNano":${nanosOf(at)},"name":${jsonTextOf(name)},"attributes":${
      attributesText(attributes)
    }}`
  );
  const status = error === undefined
    ? ""
    : `,"status":${jsonTextOf({ code: 2, message })}`;
  // A clock that was set back may let a span end before it starts.
  const endTime = nanosOf(Math.max(start, end));
  return `"name":${jsonTextOf(name)},"kind":${kind},"startTimeUnixNano":${
    nanosOf(start)
  },"endTimeUnixNano":${endTime},"attributes":${attributes}${
    events.length === 0 ? "" : `,"events":[${events.join(",")}]`
  }${status}`;
}

/** Returns the JSON text of the attributes that have a value, as a list of OTLP. */
function attributesText(attributes: Attributes): string {
  let text = "";
  for (const name in attributes) {
    const value = attributes[name];
    if (value === undefined) continue;
    const member = typeof value === "string"
      ? `"stringValue":${jsonTextOf(value)}`
      : `"intValue":${wholeText(value)}`;
    text += `,{"key":"${name}","value":{${member}}}`;
  }
  return `[${text.slice(1)}]`;
}

/** Returns a whole number as JSON: as a string beyond 2^53, which OTLP accepts, too. */
function wholeText(value: number | bigint): string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? `${number}` : `"${value}"`;
}

/** Converts milliseconds to the JSON text of nanoseconds, whose digits are all exact. */
function nanosOf(ms: number): string {
  return String(Math.max(0, Math.trunc(ms)) * 1e6);
}

function idsOf(thread: Thread, turn: Turn): SpanIds {
  if (turn.ids !== undefined) return turn.ids;
  const { number, start } = turn;
  const made = `${number} ${start}`;
  const id = realId(turn.id) ?? made;
  // A line that is there twice, or two processes at once, begin a turn again that has ended.
  const key = thread.turnIds.has(id) ? `${id} ${made}` : id;
  thread.turnIds.add(id);
  return turn.ids = realId(thread.id) === undefined
    ? turnIds(`${thread.id} ${thread.input}`, made)
    : turnIds(thread.id, key);
}

function turnIds(thread: string, turn: string): SpanIds {
  const traceId = hashOf(`${thread} ${turn}`, 4);
  return { traceId, spanId: hashOf(traceId, 2) };
}

function childIds({ traceId }: SpanIds, item: string): SpanIds {
  return { traceId, spanId: hashOf(`${traceId} ${item}`, 2) };
}

/** Returns the members of a span or link that identify it. */
function idsText({ traceId, spanId }: SpanIds): string {
  return `"traceId":"${traceId}","spanId":"${spanId}"`;
}

/**
 * Hashes a text to hexadecimal digits, eight for each word: FNV-1a with another start value for
 * each word, then the final mix of MurmurHash3.
 */
function hashOf(text: string, words: number): string {
  let digits = "";
  for (let word = 0; word < words; word++) {
    let hash = 0x811c9dc5 ^ Math.imul(word, 0x9e3779b9);
    for (let i = 0; i < text.length; i++) {
      hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    }
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    hash ^= hash >>> 16;
    digits += (hash >>> 0).toString(16).padStart(8, "0");
  }
  // OTLP: an id of all zeros is invalid.
  return /^0+$/.test(digits) ? digits.replace(/0$/, "1") : digits;
}
