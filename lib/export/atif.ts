/**
 * Trajectories: the Agent Trajectory Interchange Format (ATIF), version 1.7.
 *
 * docs/export.md maps events to the parts of a trajectory.
 *
 * @module
 */

import type { ThreadEvent } from "../dialects/exec/events.ts";
import { realId } from "../events/ids.ts";
import { spawnedThreads } from "../events/session_items.ts";
import { eventTime } from "../events/times.ts";
import { TurnSettings } from "../events/turn_settings.ts";
import { groupsBy } from "../groups.ts";
import { bytesOfLooseBase64 } from "../json/bytes.ts";
import {
  type Fields,
  fieldsOf,
  idOf,
  isObject,
  jsonTextOf,
  knownFields,
  listOf,
  numberOf,
  parseJson,
  textOf,
} from "../json/fields.ts";
import type { Outcome } from "../outcome.ts";
import { redactJson, redactJsonString } from "../redact/json_strings.ts";
import type { Redactor } from "../redact/redactor.ts";
import type { Emit } from "../stage.ts";
import { EventTokens } from "../usage/event_tokens.ts";
import { addTokens, NO_TOKENS, type Tokens } from "../usage/tokens.ts";
import type {
  Exporter,
  ExporterOptions,
  ExportInput,
  ExportPiece,
} from "./exporter.ts";
import {
  argumentsTextOf,
  dataOfUrl,
  HOSTED_TOOLS,
  imageText,
  imageUrlOf,
  isUsersCommand,
  partText,
  resultPartsOf,
  resultTextOf,
  type ToolCall,
  toolCallOf,
} from "./tool_calls.ts";

/**
 * Writes one trajectory for each thread of each input.
 *
 * Each model request is a step of the agent, with its message, reasoning, calls and their
 * results. A step is written as soon as all of its calls have results, at the latest when its
 * turn ends: memory is bounded by the longest turn. In a stream with several threads, the steps
 * of all threads but the first are held until the stream ends.
 *
 * @example The steps of a run
 * ```ts
 * import { JsonlEvents } from "@codexpipe/codexpipe";
 * import { AtifExporter, type ExportPiece } from "@codexpipe/codexpipe/export";
 * import { assertEquals } from "@std/assert";
 *
 * const log = '{"type":"thread.started","thread_id":"t"}\n{"type":"turn.started"}\n' +
 *   '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Done."}}\n' +
 *   '{"type":"turn.completed","usage":{"input_tokens":1200,"output_tokens":60}}\n';
 * let text = "";
 * const write = ({ data }: ExportPiece) => text += data;
 * const exporter = new AtifExporter();
 * exporter.begin({ name: "run.jsonl", stem: "run" }, write);
 * new JsonlEvents().feed(new TextEncoder().encode(log), (outcome) => exporter.feed(outcome, write));
 * exporter.end(write);
 * for (const piece of exporter.flush()) write(piece);
 *
 * const { steps, final_metrics } = JSON.parse(text);
 * assertEquals(steps.map((step: { message: string }) => step.message), ["Done."]);
 * assertEquals(final_metrics.total_completion_tokens, 60);
 * ```
 */
export class AtifExporter implements Exporter {
  /** The exporter reads calls as the model made them. */
  readonly modelCalls = true;
  readonly #options: ExporterOptions;
  readonly #threads = new Map<string, Trajectory>();
  /** The thread of the last event: that of events that do not name theirs, such as errors. */
  #threadId: string | undefined;
  /** The open trajectories, each nested in the one before it; agents may still be added. */
  #open: Trajectory[] = [];
  #stem = "";
  #images = 0;
  #tokens = new EventTokens();
  #agents: readonly string[] = [];

  /**
   * Constructs a new instance.
   *
   * @param options The redactor, and whether images can be written to files.
   */
  constructor(options: ExporterOptions = {}) {
    this.#options = options;
  }

  /** The threads that those of the last input have spawned; `depth` nests them in it. */
  get agents(): readonly string[] {
    return this.#agents;
  }

  /** Begins an input, and emits the ends of open trajectories that do not contain it. */
  begin({ stem, depth = 0 }: ExportInput, emit: Emit<ExportPiece>): void {
    this.#close(emit, depth);
    if (this.#open.length === 0) {
      this.#stem = stem;
      this.#images = 0;
    }
    this.#tokens = new EventTokens();
    this.#agents = [];
    this.#threadId = undefined;
  }

  /** Reads an event, and emits pieces of its trajectory. Failures are ignored. */
  feed(outcome: Outcome<ThreadEvent>, emit: Emit<ExportPiece>): void {
    if (!outcome.ok) return;
    const event = fieldsOf(outcome.value);
    const id = idOf(event.thread_id) ?? this.#threadId;
    if (id === undefined) return;
    this.#threadId = id;
    let thread = this.#threads.get(id);
    if (thread === undefined) {
      const isFirst = this.#threads.size === 0;
      thread = new Trajectory(id, {
        redactor: this.#options.redactor,
        file: `${this.#stem}.atif.json`,
        isHeld: !isFirst,
        imageFile: this.#options.hasFolder === true
          ? (ending) => `${this.#stem}.${++this.#images}.${ending}`
          : undefined,
      });
      if (isFirst) thread.parent = this.#open.at(-1);
      this.#threads.set(id, thread);
    }
    const tokens = this.#tokens.take(event);
    thread.take(event, tokens, emit);
  }

  /** Ends the input. Its first trajectory stays open for those of its agents. */
  end(emit: Emit<ExportPiece>): void {
    const threads = [...this.#threads.values()];
    this.#threads.clear();
    this.#agents = threads.flatMap(({ agents }) => [...agents]);
    const [first, ...others] = threads;
    if (first === undefined) return;
    const depth = this.#open.length;
    const byId = new Map([[first.id, first]]);
    const spawners = new Map<string, Trajectory>();
    for (const thread of threads) {
      const { id, parentId } = thread;
      // Only an earlier thread can be the parent, so that parents never form a circle.
      if (thread !== first) {
        thread.parent = parentId === undefined
          ? spawners.get(id)
          : byId.get(parentId);
      }
      byId.set(id, thread);
      for (const agent of thread.agents) spawners.set(agent, thread);
    }
    const children = groupsBy(others, ({ parent }) => parent);
    // A list, not calls of a function: threads may nest deeper than calls can.
    const waiting = [first, ...children.get(undefined) ?? []].reverse();
    for (let thread; (thread = waiting.pop()) !== undefined;) {
      const { parent } = thread;
      while (this.#open.length > 0 && this.#open.at(-1) !== parent) {
        this.#close(emit, this.#open.length - 1);
      }
      thread.end(emit);
      for (const child of (children.get(thread) ?? []).reverse()) {
        if (thread.isEmpty) child.parent = parent;
        waiting.push(child);
      }
      if (!thread.isEmpty) this.#open.push(thread);
    }
    this.#close(emit, depth + 1);
  }

  /** Ends the export, and returns the ends of the open trajectories. */
  flush(): readonly ExportPiece[] {
    const pieces: ExportPiece[] = [];
    this.#close((piece) => pieces.push(piece), 0);
    return pieces;
  }

  /** Closes the open trajectories that are deeper than `depth`. */
  #close(emit: Emit<ExportPiece>, depth: number): void {
    while (this.#open.length > depth) this.#open.pop()?.close(emit);
  }
}

/** A message or result of ATIF: a text, or a list of parts if there is an image. */
type Content = string | readonly Fields[];

interface Call {
  readonly id: string;
  readonly name: string;
  /** The JSON text of the arguments: an object, or a string if `isRaw`. */
  args: string;
  /** Whether the arguments are a text that is no object, such as a script. */
  readonly isRaw?: boolean;
  readonly namespace?: unknown;
  readonly step: Step;
  result?: Result | undefined;
  /** The result of the call's item: exit code, status and duration beside the model's result. */
  facts?: Result | undefined;
  agents?: Set<string>;
}

interface Result {
  readonly content?: Content | undefined;
  readonly agents?: ReadonlySet<string> | undefined;
  readonly extra?: Fields | undefined;
}

/** Tokens of requests. */
interface Count {
  tokens?: Tokens;
  requests?: number;
}

/** A step that has not been written yet. */
interface Step extends Count {
  readonly source: "system" | "user" | "agent";
  readonly timestamp: string | undefined;
  readonly turn: string | undefined;
  readonly model: string | undefined;
  readonly effort: string | undefined;
  readonly isCopied: boolean;
  readonly messages: Content[];
  readonly reasoning: string[];
  readonly calls: Call[];
  /** How many of the calls have a result. */
  answered: number;
  /** Whether a call has the result of a program: the model gets that only with its next request. */
  hasResult: boolean;
  /** The result of a call whose step has been written. */
  late?: Result;
  /** Whether the tokens of its request have been read. */
  isCounted?: boolean;
  extra?: Fields;
}

interface TrajectoryOptions {
  readonly redactor: Redactor | undefined;
  readonly file: string;
  /** Whether its pieces are held until the trajectories before it are written. */
  readonly isHeld: boolean;
  /** Returns a new file name for an image; `undefined` if images have no files. */
  readonly imageFile: ((ending: string) => string) | undefined;
}

/** The maximum number of errors of a turn that are compared with its end. */
const MAX_ERRORS = 16;

const AGENT_FACTS: readonly string[] = [
  "originator",
  "cwd",
  "git",
  "agent_path",
  "agent_nickname",
  "agent_role",
];

const IMAGE_ENDINGS: ReadonlyMap<string, string> = new Map([
  ["image/png", "png"],
  ["image/jpeg", "jpg"],
  ["image/gif", "gif"],
  ["image/webp", "webp"],
]);

function answer(call: Call, result: Result): void {
  const { step, name } = call;
  if (call.result === undefined) step.answered += 1;
  step.hasResult ||= !HOSTED_TOOLS.has(name);
  call.result = result;
}

function addCount(to: Count, { tokens = NO_TOKENS, requests }: Count): void {
  to.tokens = addTokens(to.tokens ?? NO_TOKENS, tokens);
  if (requests !== undefined) to.requests = (to.requests ?? 0) + requests;
}

function isUnanswered({ calls, answered }: Step): boolean {
  return answered < calls.length;
}

class Trajectory {
  readonly id: string;
  readonly #options: TrajectoryOptions;
  parent: Trajectory | undefined;
  readonly agents: Set<string> = new Set();
  readonly #held: ExportPiece[] = [];
  /** How many trajectories have been written in this one. */
  #nested = 0;
  #header: Fields = {};
  #firstModel: string | undefined;
  readonly #settings = new TurnSettings();
  #turn: string | undefined;
  /** The steps that are not written yet, in order. */
  #steps: Step[] = [];
  /** Their calls, by id. A map, because an input without results has hundreds of thousands. */
  readonly #calls = new Map<string, Call>();
  /** The id of the last message of the user, in this process. */
  #prompt: string | undefined;
  #errors: string[] = [];
  /** The step of the request in progress. */
  #request: Step | undefined;
  /** The last step of the agent, if it is not written yet. */
  #last: Step | undefined;
  /** Tokens that came before any message or call of their request. */
  #ahead: Count | undefined;
  /**
   * Whether the tokens of a request come after its calls (0.66 and later), or before them but
   * after its messages (0.36 to 0.65). Unknown until a request shows it.
   */
  #countsFollow: boolean | undefined;
  /** The ids of calls without a result whose turns have ended. */
  readonly #left = new Set<string>();
  /** The ids of calls whose results came after their turns. */
  readonly #late = new Set<string>();
  /** Whether the input has calls as the model made them. */
  #hasModelCalls = false;
  /** The JSON text of the last plan. */
  #plan = "";
  #plans = 0;
  #written = 0;
  #sum: Tokens | undefined;

  constructor(id: string, options: TrajectoryOptions) {
    this.id = id;
    this.#options = options;
  }

  /** Whether no step has been written. Such a trajectory is left out. */
  get isEmpty(): boolean {
    return this.#written === 0;
  }

  /** The id of the thread that spawned it, if its header has it. */
  get parentId(): string | undefined {
    return idOf(this.#header.parent_thread_id);
  }

  /** @param tokens The tokens that the event adds. */
  take(
    event: Fields,
    tokens: Tokens | undefined,
    write: Emit<ExportPiece>,
  ): void {
    const emit = this.#emitter(write);
    if (tokens !== undefined) {
      this.#sum = addTokens(this.#sum ?? NO_TOKENS, tokens);
    }
    this.#settings.take(event);
    this.#firstModel ??= this.#settings.model;
    switch (event.type) {
      case "thread.started":
        this.#header = { ...this.#header, ...event };
        this.#spendAhead(event);
        this.#endTurn(emit);
        // A process that resumes a thread numbers its items from zero again.
        this.#prompt = undefined;
        this.#left.clear();
        this.#late.clear();
        break;
      case "turn.started":
        this.#spendAhead(event);
        this.#endTurn(emit);
        this.#turn = idOf(event.turn_id);
        break;
      case "turn.completed":
      case "turn.failed": {
        const message = textOf(fieldsOf(event.error).message) ?? "";
        if (tokens !== undefined) {
          addCount(this.#last ?? this.#newStep(event, "agent"), { tokens });
        }
        this.#spendAhead(event);
        // A failure follows the error with its message.
        if (message !== "" && !this.#errors.includes(message)) {
          this.#remark(event, message, { kind: "error" });
        }
        this.#endTurn(emit);
        this.#turn = undefined;
        return;
      }
      case "error":
        this.#remark(event, event.message, { kind: "error" });
        break;
      case "item.started":
      case "item.delta":
      case "item.completed":
      case "item.failed":
        this.#takeItem(event, emit);
    }
    if (tokens !== undefined) this.#spend(tokens);
    this.#write(emit, false);
  }

  /** Writes the rest, except nested trajectories. Writes nothing if there was no step. */
  end(emit: Emit<ExportPiece>): void {
    this.#spendAhead({});
    this.#endTurn(this.#emitter(emit));
    if (this.isEmpty) return;
    if (this.#options.isHeld) emit(this.#piece(this.#separator()));
    for (const piece of this.#held.splice(0)) emit(piece);
    const { cli_version, history_base } = this.#header;
    const facts = AGENT_FACTS.map((name) => [name, this.#header[name]]);
    const agent = `"name":"codex"${
      this.#member("version", textOf(cli_version) ?? "unknown")
    }${this.#member("model_name", this.#firstModel)}${
      this.#extra(Object.fromEntries(facts))
    }`;
    const total = this.#sum;
    const metrics = total !== undefined
      ? `"total_prompt_tokens":${total.input_tokens},"total_completion_tokens":${total.output_tokens},"total_cached_tokens":${total.cached_input_tokens},"total_steps":${this.#written},"extra":${
        countsText(total)
      }`
      : `"total_steps":${this.#written}`;
    emit(
      this.#piece(
        `],"agent":{${agent}},"final_metrics":{${metrics}}${
          this.#extra({ history_base })
        }`,
      ),
    );
  }

  #emitter(emit: Emit<ExportPiece>): Emit<ExportPiece> {
    const held = this.#held;
    return this.#options.isHeld ? (piece) => void held.push(piece) : emit;
  }

  #piece(data: string): ExportPiece {
    return { file: this.#options.file, data };
  }

  /** Returns the text before this trajectory in its parent. */
  #separator(): string {
    const { parent } = this;
    if (parent === undefined) return "";
    parent.#nested += 1;
    return parent.#nested === 1 ? ',"subagent_trajectories":[' : ",";
  }

  /** Closes the trajectory, after its nested ones. */
  close(emit: Emit<ExportPiece>): void {
    const isRoot = this.parent === undefined;
    const end = `${this.#nested === 0 ? "" : "]"}}${isRoot ? "\n" : ""}`;
    emit({ ...this.#piece(end), isLast: isRoot });
  }

  #takeItem(event: Fields, emit: Emit<ExportPiece>): void {
    const { type, item_type } = event;
    const content = fieldsOf(event.content);
    const text = textOf(content.text) ?? "";
    const id = textOf(event.item_id) ?? "";
    if (type === "item.delta" && item_type !== "todo_list") return;
    if (item_type === "collab_tool_call") this.#takeAgents(event);
    const tool = toolCallOf(event);
    if (tool !== undefined) return this.#takeTool(event, tool, emit);
    if (item_type === "todo_list") return this.#takePlan(event);
    if (type !== "item.completed") return;
    switch (item_type) {
      case "user_message": {
        // A message that is repeated has the paths of its images in addition.
        if (id === this.#prompt) return;
        this.#prompt = id;
        const images = listOf(content.images).map(fieldsOf).map((
          { url, path },
        ) => this.#imagePart(textOf(url) ?? textOf(path) ?? "", emit));
        this.#say(event, "user", joined([text, ...images], "\n"));
        return;
      }
      case "inter_agent_message": {
        const { author, recipient } = content;
        const extra = { kind: item_type, author, recipient };
        this.#say(event, "user", text).extra = extra;
        return;
      }
      case "injected_context":
        this.#say(event, "system", text);
        return;
      case "speech":
        if (content.role === "user") this.#say(event, "user", text);
        else this.#speechOf(event).messages.push(text);
        return;
      case "agent_message":
      case "plan":
        this.#speechOf(event).messages.push(text);
        return;
      case "reasoning":
      case "agent_reasoning_raw_content":
        if (text !== "") this.#speechOf(event).reasoning.push(text);
        return;
      case "model_call":
        return this.#takeModelCall(event, content);
      case "model_call_output":
        return this.#takeOutput(event, content.output, emit);
      case "sub_agent_activity":
        this.#takeAgents(event);
        return;
      case "context_compaction":
        return this.#remark(event, content.message, { kind: item_type });
      case "thread_rolled_back": {
        const { num_turns } = content;
        return this.#remark(event, "", { kind: item_type, num_turns });
      }
      case "error":
        if (content.severity !== undefined) return;
        return this.#remark(event, content.message, { kind: item_type });
    }
  }

  #takeModelCall(event: Fields, { name, namespace, ...rest }: Fields): void {
    this.#hasModelCalls = true;
    this.#addCall(event, {
      id: textOf(event.call_id) ?? "",
      name: textOf(name) ?? "",
      ...argumentsOf(textOf(rest.arguments)),
      namespace,
    });
  }

  #takeOutput(event: Fields, output: unknown, emit: Emit<ExportPiece>): void {
    const id = textOf(event.call_id) ?? "";
    const { blocks, extra } = readOutput(output);
    const parts = blocks.map((block) => this.#blockPart(block, emit));
    const result = { content: joined(parts, "\n"), extra };
    const call = this.#calls.get(id);
    if (call !== undefined) answer(call, result);
    else this.#takeLate(event, id, result);
  }

  #takeTool(
    event: Fields,
    { name, args, isUnknown }: ToolCall,
    emit: Emit<ExportPiece>,
  ): void {
    const { type, item_type, turn_id, call_id } = event;
    const id = textOf(call_id) ?? textOf(event.item_id) ?? "";
    const isOver = type !== "item.started";
    if (isUsersCommand(event)) {
      // In session files, a message to the model tells the command and its output.
      if (!isOver || typeof event.line === "number") return;
      const { command } = fieldsOf(event.content);
      const texts = [textOf(command), resultTextOf(event)];
      const message = texts.filter((text) => text !== undefined).join("\n");
      return this.#remark(event, message, {
        kind: "user_shell_command",
        ...resultExtraOf(event),
      });
    }
    let call = this.#calls.get(id);
    const isModelCall = this.#hasModelCalls && !HOSTED_TOOLS.has(item_type) &&
      (call !== undefined || !isUnknown);
    const isLate = call === undefined &&
      (this.#left.has(id) || isModelCall && turn_id !== this.#turn);
    if (isLate) {
      if (isOver) this.#takeLate(event, id, resultOf(event));
      return;
    }
    if (isModelCall) {
      if (isOver && call !== undefined) call.facts = resultOf(event);
      return;
    }
    const given = argumentsOf(argumentsTextOf(event, args ?? null));
    call ??= this.#addCall(event, { id, name, ...given });
    // In some releases only the end of a search has its query.
    const isFull = type === "item.completed" && HOSTED_TOOLS.has(name);
    if (isFull) call.args = given.args;
    if (!isOver) return;
    const parts = resultPartsOf(event)?.map((part) =>
      this.#blockPart(part, emit)
    );
    const content = parts && joined(parts, "\n");
    answer(call, { content, extra: resultExtraOf(event) });
  }

  /** Adds a step for a result whose call's step is written; one step for each call id. */
  #takeLate(event: Fields, id: string, { content, extra }: Result): void {
    this.#left.delete(id);
    if (id !== "" && this.#late.has(id)) return;
    this.#late.add(id);
    const step = this.#newStep(event, "system");
    const agents = new Set(spawnedThreads(event));
    step.late = { content, agents, extra: { call_id: id, ...extra } };
    step.extra = { kind: "late_result" };
  }

  /** Adds a call for each change of the plan. */
  #takePlan(event: Fields): void {
    if (this.#hasModelCalls) return;
    const { items } = fieldsOf(event.delta ?? event.content);
    const plan = jsonTextOf(items ?? []);
    if (plan === this.#plan) return;
    this.#plan = plan;
    this.#plans += 1;
    const call = this.#addCall(event, {
      id: textOf(event.call_id) ?? `${textOf(event.item_id)}#${this.#plans}`,
      name: "update_plan",
      args: `{"plan":${plan}}`,
    });
    answer(call, {});
  }

  #takeAgents(event: Fields): void {
    const call = this.#calls.get(
      textOf(event.call_id) ?? textOf(event.item_id) ?? "",
    );
    for (const id of spawnedThreads(event)) {
      this.agents.add(id);
      if (call !== undefined) (call.agents ??= new Set()).add(id);
    }
  }

  #addCall(event: Fields, facts: Omit<Call, "step">): Call {
    const step = this.#callerOf(event);
    const call: Call = { ...facts, step };
    step.calls.push(call);
    this.#calls.set(call.id, call);
    return call;
  }

  /** Returns the step that a message or reasoning of the agent belongs to. */
  #speechOf(event: Fields): Step {
    const request = this.#request;
    const isOver = request === undefined || request.isCounted ||
      request.hasResult ||
      this.#countsFollow === false && request.calls.length > 0;
    return isOver ? this.#newRequest(event) : request;
  }

  #callerOf(event: Fields): Step {
    const request = this.#request;
    const mayLead = this.#countsFollow !== true;
    if (mayLead && this.#ahead !== undefined) {
      this.#countsFollow = false;
      const step = this.#newRequest(event);
      step.isCounted = true;
      return step;
    }
    if (mayLead && request?.isCounted) {
      this.#countsFollow = false;
      return request;
    }
    // A call after a result belongs to another request, unless the count of this one is to come.
    const isOver = request === undefined ||
      request.hasResult && this.#countsFollow !== true;
    return isOver ? this.#newRequest(event) : request;
  }

  #newRequest(event: Fields): Step {
    const step = this.#newStep(event, "agent");
    Object.assign(step, this.#ahead);
    this.#ahead = undefined;
    this.#request = step;
    this.#last = step;
    return step;
  }

  #newStep(event: Fields, source: Step["source"]): Step {
    const isAgent = source === "agent";
    const step: Step = {
      source,
      timestamp: textOf(event.timestamp) ?? eventTime(event),
      turn: idOf(event.turn_id),
      model: isAgent ? this.#settings.model : undefined,
      effort: isAgent ? this.#settings.effort : undefined,
      isCopied: event.inherited === true,
      messages: [],
      reasoning: [],
      calls: [],
      answered: 0,
      hasResult: false,
    };
    this.#steps.push(step);
    return step;
  }

  #say(event: Fields, source: "user" | "system", content: Content): Step {
    const step = this.#newStep(event, source);
    step.messages.push(content);
    // Messages of the system may come between a call and its result: the request goes on.
    const isWaiting = this.#request !== undefined &&
      isUnanswered(this.#request);
    if (!isWaiting || source === "user") this.#request = undefined;
    return step;
  }

  /** Adds a step of the system for a notice or an error. */
  #remark(event: Fields, message: unknown, extra: Fields): void {
    const text = textOf(message) ?? "";
    this.#say(event, "system", text).extra = extra;
    if (extra.kind !== "error") return;
    this.#errors.push(text);
    if (this.#errors.length > MAX_ERRORS) this.#errors.shift();
  }

  /** Adds the tokens of a request: to the request in progress, or the last, or the next one. */
  #spend(tokens: Tokens): void {
    const request = this.#request;
    const count = { tokens, requests: 1 };
    if (
      request !== undefined && (!request.isCounted || isUnanswered(request))
    ) {
      if (request.calls.length > 0) this.#countsFollow = true;
      request.isCounted = true;
      addCount(request, count);
      if (this.#countsFollow) this.#request = undefined;
    } else if (this.#countsFollow && this.#last !== undefined) {
      addCount(this.#last, count);
    } else addCount(this.#ahead ??= {}, count);
  }

  /** Adds the tokens that no request has followed to the last step, or to one of their own. */
  #spendAhead(event: Fields): void {
    if (this.#ahead === undefined) return;
    addCount(this.#last ?? this.#newStep(event, "agent"), this.#ahead);
    this.#ahead = undefined;
  }

  #endTurn(emit: Emit<ExportPiece>): void {
    this.#request = undefined;
    this.#last = undefined;
    this.#errors = [];
    for (const { calls } of this.#steps) {
      for (const { id, result } of calls) {
        if (result === undefined) this.#left.add(id);
      }
    }
    this.#write(emit, true);
  }

  /** Writes the steps up to the first one that is not complete, or with `isAll` all of them. */
  #write(emit: Emit<ExportPiece>, isAll: boolean): void {
    let count = 0;
    for (const step of this.#steps) {
      const isOpen = step === this.#request || step === this.#last ||
        isUnanswered(step);
      if (isOpen && !isAll) break;
      count += 1;
      emit(this.#piece(`${this.#lead()}${this.#textOf(step)}`));
      for (const call of step.calls) {
        if (this.#calls.get(call.id) === call) this.#calls.delete(call.id);
      }
    }
    if (count > 0) this.#steps.splice(0, count);
  }

  /** Counts a step, and returns the text before it. */
  #lead(): string {
    this.#written += 1;
    if (this.#written > 1) return ",";
    const separator = this.#options.isHeld ? "" : this.#separator();
    const session = idOf(this.#header.session_id) ?? this.id;
    const ids = realId(this.id) === undefined
      ? ""
      : member("session_id", session) + member("trajectory_id", this.id);
    return `${separator}{"schema_version":"ATIF-v1.7"${ids},"steps":[`;
  }

  #textOf(step: Step): string {
    const { calls, tokens, turn, late, messages, reasoning } = step;
    /** The raw arguments, by the JSON text of the id of their call. */
    const details = new Map<string, string>();
    const callTexts = calls.map((call) => this.#callText(call, details));
    const detailTexts = Array.from(
      details,
      ([id, args]) => `,${id}:{"raw_arguments":${args}}`,
    );
    const extra = this.#extra(
      { ...step.extra, codex_turn_id: realId(turn) },
      detailTexts.length === 0
        ? ""
        : `,"tool_call_details":${objectText(detailTexts.join(""))}`,
    );
    const results = late === undefined
      ? calls.map((call) => this.#resultText(call)).filter((text) =>
        text !== ""
      )
      : [objectText(this.#resultMembers(late))];
    return `{"step_id":${this.#written}${
      this.#member("timestamp", step.timestamp)
    }${member("source", step.source)}${this.#member("model_name", step.model)}${
      this.#member("reasoning_effort", step.effort)
    }${this.#member("message", joined(messages, "\n\n"))}${
      this.#member("reasoning_content", reasoning.join("\n\n") || undefined)
    }${calls.length === 0 ? "" : `,"tool_calls":[${callTexts.join()}]`}${
      results.length === 0
        ? ""
        : `,"observation":{"results":[${results.join()}]}`
    }${
      tokens === undefined
        ? ""
        : `,"metrics":{"prompt_tokens":${tokens.input_tokens},"completion_tokens":${tokens.output_tokens},"cached_tokens":${tokens.cached_input_tokens},"extra":${
          countsText(tokens)
        }}`
    }${member("is_copied_context", step.isCopied ? true : undefined)}${
      member("llm_call_count", step.requests)
    }${extra}}`;
  }

  /** Returns the JSON text of a call, and adds its raw arguments to `details`. */
  #callText(call: Call, details: Map<string, string>): string {
    const id = this.#masked(jsonTextOf(call.id));
    const args = this.#masked(call.args);
    if (call.isRaw) details.set(id, args);
    return `{"tool_call_id":${id}${
      this.#member("function_name", call.name)
    },"arguments":${call.isRaw ? `{"input":${args}}` : args}${
      this.#extra({ namespace: call.namespace })
    }}`;
  }

  /** Returns the JSON text of the result of a call; an empty text if there is none. */
  #resultText({ id, result, facts, agents }: Call): string {
    const shown = result ?? facts;
    if (shown === undefined) return "";
    return objectText(
      this.#member("source_call_id", id) +
        this.#resultMembers({
          content: shown.content,
          agents,
          extra: { ...result?.extra, ...facts?.extra },
        }),
    );
  }

  #resultMembers({ content, agents = new Set(), extra }: Result): string {
    const refs = [...agents].map((trajectory_id) => ({ trajectory_id }));
    return this.#member("content", content) +
      (refs.length === 0 ? "" : this.#member("subagent_trajectory_ref", refs)) +
      this.#extra(extra);
  }

  /** Returns `,"extra":{…}` with the fields that have a value, and further members. */
  #extra(fields: Fields = {}, more = ""): string {
    const text = Object.entries(fields).map(([name, value]) =>
      value === undefined || value === null
        ? ""
        : `,${jsonTextOf(name)}:${jsonTextOf(value)}`
    ).join("");
    const members = text === ""
      ? ""
      : `,${this.#masked(objectText(text)).slice(1, -1)}`;
    return members + more === ""
      ? ""
      : `,"extra":${objectText(members + more)}`;
  }

  /** Returns `,"name":value` with secrets masked; an empty text if `value` is `undefined`. */
  #member(name: string, value: unknown): string {
    if (typeof value !== "string") {
      return value === undefined
        ? ""
        : `,"${name}":${this.#masked(jsonTextOf(value))}`;
    }
    const { redactor } = this.#options;
    return member(name, redactor ? redactJsonString(value, redactor) : value);
  }

  #masked(text: string): string {
    const { redactor } = this.#options;
    return redactor ? redactJson(text, redactor) : text;
  }

  #blockPart(block: unknown, emit: Emit<ExportPiece>): string | Fields {
    const url = imageUrlOf(block);
    return url === undefined ? partText(block) : this.#imagePart(url, emit);
  }

  /** Converts an image to a part of content: a file, or a text such as `[image: image/png]`. */
  #imagePart(url: string, emit: Emit<ExportPiece>): string | Fields {
    const { type = "", base64 = "" } = dataOfUrl(url) ?? {};
    const media_type = type === "image/jpg" ? "image/jpeg" : type;
    const ending = IMAGE_ENDINGS.get(media_type);
    const { imageFile } = this.#options;
    if (ending === undefined || !imageFile) return imageText(url);
    const bytes = bytesOfLooseBase64(base64);
    if (!bytes?.length) return imageText(url);
    const file = imageFile(ending);
    emit({ file, data: bytes, isLast: true });
    return { type: "image", source: { media_type, path: file } };
  }
}

/** Returns `,"name":value`; an empty text if `value` is `undefined`. */
function member(name: string, value: unknown): string {
  return value === undefined ? "" : `,"${name}":${jsonTextOf(value)}`;
}

/** Returns the JSON text of an object from one or more members with leading commas. */
function objectText(members: string): string {
  return `{${members.slice(1)}}`;
}

/** Returns the JSON text of the counts that ATIF has no fields for. */
function countsText(tokens: Tokens): string {
  return `{"reasoning_output_tokens":${tokens.reasoning_output_tokens},"cache_write_input_tokens":${tokens.cache_write_input_tokens},"total_tokens":${tokens.total_tokens}}`;
}

/** Converts arguments to the JSON text of an object, or of a string if they are no object. */
function argumentsOf(text = "null"): Pick<Call, "args" | "isRaw"> {
  const value = parseJson(text);
  // A document is one line. JSON text has line breaks only between its tokens.
  if (isObject(value)) return { args: text.replace(/[\r\n]+/g, " ") };
  if (value === null) return { args: "{}" };
  return { args: jsonTextOf(text), isRaw: true };
}

/**
 * Reads the output of a model call: texts or blocks, and its metadata.
 *
 * Up to 0.53 the output may be the JSON of an object that contains the text.
 */
function readOutput(
  output: unknown,
): { readonly blocks: readonly unknown[]; readonly extra?: Fields } {
  const parsed = typeof output === "string" && /^[[{]/.test(output)
    ? parseJson(output)
    : output;
  const isBlocks = Array.isArray(parsed) && parsed.length > 0 &&
    parsed.every((block) => typeof fieldsOf(block).type === "string");
  if (isBlocks) return { blocks: parsed };
  const { output: text, content, metadata } = fieldsOf(parsed);
  if (typeof text === "string") {
    return { blocks: [text], ...isObject(metadata) && { extra: metadata } };
  }
  if (typeof output !== "string" && content !== undefined) {
    return readOutput(content);
  }
  return { blocks: [textOf(output) ?? jsonTextOf(output)] };
}

/** Reads the result of a call from the event that ends its item, without images. */
function resultOf(event: Fields): Result {
  return { content: resultTextOf(event), extra: resultExtraOf(event) };
}

/** Reads the facts about the result of a call that ATIF has no fields for. */
function resultExtraOf(event: Fields): Fields {
  const { exit_code, duration_ms } = fieldsOf(event.content);
  const status = textOf(event.status);
  return knownFields({
    exit_code: numberOf(exit_code),
    status: status === "completed" ? undefined : status,
    duration_ms: numberOf(duration_ms),
  });
}

/** Joins texts, parts and lists of parts: to a text, if there are only texts. */
function joined(
  contents: readonly (Content | Fields)[],
  separator: string,
): Content {
  const filled = contents.filter((content) => content !== "");
  if (filled.every((content) => typeof content === "string")) {
    return filled.join(separator);
  }
  return filled.flatMap((content) =>
    typeof content === "string" ? [{ type: "text", text: content }] : content
  );
}
