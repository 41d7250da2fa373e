/**
 * Trajectories: the Agent Trajectory Interchange Format (ATIF), version 1.7.
 *
 * docs/export.md says what becomes of which event.
 *
 * @module
 */

import type { ThreadEvent } from "../dialects/exec/events.ts";
import { spawnedThreads } from "../events/session_items.ts";
import { bytesOfLooseBase64 } from "../json/bytes.ts";
import {
  type Fields,
  fieldsOf,
  idOf,
  isObject,
  jsonTextOf,
  listOf,
  numberOf,
  parseJson,
  textOf,
} from "../json/fields.ts";
import { memberTexts } from "../json/member_texts.ts";
import type { Outcome } from "../outcome.ts";
import type { JsonRedactor } from "../redact/json_redactor.ts";
import type { Emit } from "../stage.ts";
import { EventTokens } from "../usage/event_tokens.ts";
import { addTokens, NO_TOKENS, type Tokens } from "../usage/tokens.ts";
import type {
  Exporter,
  ExporterOptions,
  ExportInput,
  ExportPiece,
} from "./exporter.ts";
import { resultTextOf, toolCallOf } from "./tool_calls.ts";

/**
 * Writes one trajectory for each thread of each input.
 *
 * Each model request is a step of the agent, with its message, its reasoning, its calls and what
 * they gave. Steps are written as soon as all of their calls are answered, at the latest when
 * their turn ends: memory is bounded by the longest turn. Only of a stream with several threads,
 * what all but the first do is held until the stream ends.
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
  /** It takes calls as the model made them. */
  readonly modelCalls = true;
  readonly #options: ExporterOptions;
  readonly #threads = new Map<string, Trajectory>();
  /** The trajectories that may still hold those of agents, each within the one before it. */
  #open: Trajectory[] = [];
  #stem = "";
  #images = 0;
  #tokens = new EventTokens();
  #agents: readonly string[] = [];

  /**
   * Constructs a new instance.
   *
   * @param options Whether secrets are masked, and whether images can have files.
   */
  constructor(options: ExporterOptions = {}) {
    this.#options = options;
  }

  /** The threads that those of the last input have spawned: `depth` puts them into theirs. */
  get agents(): readonly string[] {
    return this.#agents;
  }

  /**
   * Begins an input.
   *
   * @param input What it is called, and how deep it is within the one before it.
   * @param emit Is called with what is left of trajectories that it is not within.
   */
  begin({ stem, depth = 0 }: ExportInput, emit: Emit<ExportPiece>): void {
    this.#close(emit, depth);
    if (this.#open.length === 0) {
      this.#stem = stem;
      this.#images = 0;
    }
    this.#tokens = new EventTokens();
    this.#agents = [];
  }

  /**
   * Takes what a line of the input has become; a failure is no step.
   *
   * @param outcome An event, or a failure.
   * @param emit Is called with pieces of the trajectory.
   */
  feed(outcome: Outcome<ThreadEvent>, emit: Emit<ExportPiece>): void {
    if (!outcome.ok) return;
    const event = fieldsOf(outcome.value);
    const id = idOf(event.thread_id);
    const [first] = this.#threads.values();
    let thread = id === undefined ? first : this.#threads.get(id);
    if (thread === undefined) {
      if (id === undefined) return;
      const isFirst = first === undefined;
      thread = new Trajectory(id, {
        redactor: this.#options.redactor,
        file: this.#file,
        parent: isFirst ? this.#open.at(-1) : undefined,
        isHeld: !isFirst,
        imageFile: this.#options.hasFolder === true
          ? (ending) => `${this.#stem}.${++this.#images}.${ending}`
          : undefined,
      });
      this.#threads.set(id, thread);
    }
    const tokens = this.#tokens.take(event)?.tokens;
    thread.take(event, { tokens, text: outcome.text }, emit);
  }

  /**
   * Ends the input. Its first trajectory stays open for those of its agents.
   *
   * @param emit Is called with what is left of the others.
   */
  end(emit: Emit<ExportPiece>): void {
    const threads = [...this.#threads.values()];
    this.#threads.clear();
    this.#agents = threads.flatMap(({ agents }) => agents);
    const [first, ...others] = threads;
    if (first === undefined) return;
    for (const thread of others) {
      thread.parent = threads.find((other) =>
        other !== thread && (other.id === thread.parentId ||
          thread.parentId === undefined && other.agents.includes(thread.id))
      );
    }
    const write = (thread: Trajectory): void => {
      thread.end(emit);
      if (thread.isEmpty) return;
      this.#open.push(thread);
      const depth = this.#open.length;
      for (const child of others) {
        if (child.parent !== thread) continue;
        write(child);
        this.#close(emit, depth);
      }
    };
    write(first);
    for (const thread of others) {
      // One whose parents are in a circle, or say nothing, is one of its own.
      if (thread.isEnded) continue;
      this.#close(emit, 0);
      thread.parent = undefined;
      write(thread);
    }
  }

  /**
   * Ends the export.
   *
   * @returns What is left of the trajectories.
   */
  flush(): readonly ExportPiece[] {
    const pieces: ExportPiece[] = [];
    this.#close((piece) => pieces.push(piece), 0);
    return pieces;
  }

  get #file(): string {
    return `${this.#stem}.atif.json`;
  }

  /** Closes the trajectories that are deeper. */
  #close(emit: Emit<ExportPiece>, depth: number): void {
    while (this.#open.length > depth) this.#open.pop()?.close(emit);
  }
}

/** A message or a result, as ATIF has it: parts, if there is an image among them. */
type Content = string | readonly Fields[];

interface Call {
  readonly id: string;
  readonly name: string;
  /** The JSON text of an object. */
  readonly args: string;
  /** What the model wrote, if that is no object. */
  readonly raw?: string | undefined;
  readonly extra?: Fields | undefined;
  /** The step that makes it. */
  readonly step: Step;
  result?: Result | undefined;
  /** What else is said of what came of it. */
  facts?: Result | undefined;
  /** The agents that it spawned. */
  readonly agents: string[];
}

interface Result {
  readonly content?: Content | undefined;
  readonly extra?: Fields | undefined;
}

/** A step that has not been written yet. */
interface Step {
  readonly source: "system" | "user" | "agent";
  readonly timestamp: string | undefined;
  readonly turn: string | undefined;
  readonly model: string | undefined;
  readonly effort: string | undefined;
  readonly isCopied: boolean;
  /** What is said, by the id of the item that says it. */
  readonly messages: Map<string, Content>;
  readonly reasoning: string[];
  readonly calls: Call[];
  /** How many of them have a result. */
  answered: number;
  /** What came of a call whose step has been written. */
  late?: Result;
  tokens?: Tokens;
  /** How many requests there were, if that is known. */
  requests?: number;
  /** Whether the tokens of its request have been told. */
  isCounted?: boolean;
  extra?: Fields;
}

/** What an event has beside its fields. */
interface EventFacts {
  /** The tokens that it adds. */
  readonly tokens: Tokens | undefined;
  /** Its JSON text. */
  readonly text: string | undefined;
}

interface TrajectoryOptions {
  readonly redactor: JsonRedactor | undefined;
  readonly file: string;
  /** The trajectory that it stands in. */
  readonly parent: Trajectory | undefined;
  /** Whether it waits for those before it. */
  readonly isHeld: boolean;
  /** Names a file for an image; nothing, if images have no files. */
  readonly imageFile: ((ending: string) => string) | undefined;
}

/** The ids of threads and turns that the input itself does not name. */
const MADE_UP_REGEXP = /^synthetic-(?:thread|turn)-\d+$/;
/** Calls that response items make and that no program answers. */
const UNANSWERED: ReadonlySet<unknown> = new Set([
  "image_generation",
  "web_search",
]);
/** The endings of the files of images, by the types that ATIF has. */
const IMAGE_ENDINGS: ReadonlyMap<string, string> = new Map([
  ["image/png", "png"],
  ["image/jpeg", "jpg"],
  ["image/gif", "gif"],
  ["image/webp", "webp"],
]);
const DATA_URL_REGEXP = /^data:([\w.+/-]+);base64,/;

function answer(call: Call, result: Result): void {
  if (call.result === undefined) call.step.answered += 1;
  call.result = result;
}

function isUnanswered({ calls, answered }: Step): boolean {
  return answered < calls.length;
}

class Trajectory {
  readonly id: string;
  readonly #options: TrajectoryOptions;
  /** The trajectory that it stands in. */
  parent: Trajectory | undefined;
  /** The agents that the thread spawned. */
  readonly agents: string[] = [];
  /** What waits for the trajectories before it. */
  readonly #held: ExportPiece[] = [];
  isEnded = false;
  #nested = 0;
  #header: Fields = {};
  /** The model of the first turn that says it, and that of the turn that goes on. */
  #firstModel: string | undefined;
  #model: string | undefined;
  #effort: string | undefined;
  #turn: string | undefined;
  /** The steps that are not written yet, in order. */
  #steps: Step[] = [];
  /** Their calls, by id: an input that never ends them has hundreds of thousands. */
  readonly #calls = new Map<string, Call[]>();
  /** The first of them in which the item of an id speaks. */
  readonly #said = new Map<string, Step>();
  /** The request that goes on. */
  #request: Step | undefined;
  /** The last step of the agent, if it is not written yet. */
  #last: Step | undefined;
  /** Tokens of a request of which nothing has been told yet. */
  #ahead: { tokens: Tokens; requests: number } | undefined;
  /**
   * Whether the tokens of a request are told behind its calls (0.80 and later), or before them,
   * but behind its messages (0.36 to 0.61).
   */
  #countsFollow: boolean | undefined;
  /** The calls of turns that have ended, as far as nothing came of them. */
  readonly #left = new Set<string>();
  /** The calls of which something came after their turn. */
  readonly #late = new Set<string>();
  /** Whether calls are told as the model made them. */
  #hasModelCalls = false;
  /** The plan, as it was last said. */
  #plan = "";
  #plans = 0;
  #written = 0;
  #sum = NO_TOKENS;
  #hasTokens = false;

  constructor(id: string, options: TrajectoryOptions) {
    this.id = id;
    this.#options = options;
    this.parent = options.parent;
  }

  /** Whether it has no step, and so is none. */
  get isEmpty(): boolean {
    return this.#written === 0;
  }

  /** The thread that spawned it, if it says so. */
  get parentId(): string | undefined {
    return idOf(this.#header.parent_thread_id);
  }

  take(event: Fields, facts: EventFacts, write: Emit<ExportPiece>): void {
    const { tokens } = facts;
    const emit = this.#emitter(write);
    switch (event.type) {
      case "thread.started":
        this.#header = { ...this.#header, ...event };
        this.#model = textOf(event.model) ?? this.#model;
        this.#firstModel ??= this.#model;
        break;
      case "turn.started":
        // A turn that only its prompt has announced may begin behind its first tokens.
        if (event.implied !== true) this.#spendAhead(event);
        this.#endTurn(emit);
        this.#turn = idOf(event.turn_id);
        break;
      case "turn.completed":
      case "turn.failed": {
        const message = textOf(fieldsOf(event.error).message) ?? "";
        if (tokens !== undefined) {
          this.#count(this.#last ?? this.#newStep(event, "agent"), tokens, 0);
        }
        this.#spendAhead(event);
        if (message !== "") this.#remark(event, message, { kind: "error" });
        this.#endTurn(emit);
        this.#turn = undefined;
        return;
      }
      case "error":
        this.#remark(event, textOf(event.message) ?? "", { kind: "error" });
        break;
      case "item.started":
      case "item.delta":
      case "item.completed":
      case "item.failed":
        this.#takeItem(event, facts, emit);
    }
    if (tokens !== undefined) this.#spend(tokens);
    this.#write(emit, false);
  }

  /** Ends it, but for those that it holds; without a step there is none. */
  end(emit: Emit<ExportPiece>): void {
    this.isEnded = true;
    this.#spendAhead({});
    this.#endTurn(this.#emitter(emit));
    if (this.isEmpty) return;
    if (this.#options.isHeld) emit(this.#piece(this.#separator()));
    for (const piece of this.#held.splice(0)) emit(piece);
    const { cli_version, originator, cwd, git, history_base } = this.#header;
    const agent = {
      name: "codex",
      version: textOf(cli_version) ?? "unknown",
      model_name: this.#firstModel,
      extra: valued({ originator, cwd, git }),
    };
    const total = this.#sum;
    const metrics = this.#hasTokens
      ? `"total_prompt_tokens":${total.input_tokens},"total_completion_tokens":${total.output_tokens},"total_cached_tokens":${total.cached_input_tokens},"total_steps":${this.#written},"extra":${
        countsText(total)
      }`
      : `"total_steps":${this.#written}`;
    emit(
      this.#piece(
        `]${this.#member("agent", agent)},"final_metrics":{${metrics}}${
          member("extra", valued({ history_base }))
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

  /** What stands before it in the trajectory that holds it. */
  #separator(): string {
    const { parent } = this;
    if (parent === undefined) return "";
    parent.#nested += 1;
    return parent.#nested === 1 ? ',"subagent_trajectories":[' : ",";
  }

  /** Ends it, with those that it holds. */
  close(emit: Emit<ExportPiece>): void {
    const isRoot = this.parent === undefined;
    const end = `${this.#nested === 0 ? "" : "]"}}${isRoot ? "\n" : ""}`;
    emit({ ...this.#piece(end), isLast: isRoot });
  }

  #takeItem(event: Fields, facts: EventFacts, emit: Emit<ExportPiece>): void {
    const { type, item_type } = event;
    const content = fieldsOf(event.content);
    const text = textOf(content.text) ?? "";
    const id = textOf(event.item_id) ?? "";
    if (type === "item.delta" && item_type !== "todo_list") return;
    if (item_type === "collab_tool_call") this.#takeAgents(event);
    if (toolCallOf(event) !== undefined) return this.#takeTool(event, facts);
    if (item_type === "todo_list") return this.#takePlan(event);
    if (type !== "item.completed") return;
    switch (item_type) {
      case "turn_context":
        this.#model = textOf(content.model) ?? this.#model;
        this.#effort = textOf(content.effort);
        this.#firstModel ??= this.#model;
        return;
      case "user_message": {
        const images = listOf(content.images).map((image) =>
          this.#imagePart(image, emit)
        );
        this.#say(event, "user", id, contentOf([text, ...images]));
        return;
      }
      case "inter_agent_message": {
        const { author, recipient } = content;
        this.#say(event, "user", id, text).extra = {
          kind: "inter_agent_message",
          author,
          recipient,
        };
        return;
      }
      case "injected_context":
        this.#say(event, "system", id, text);
        return;
      case "speech":
        if (content.role === "user") this.#say(event, "user", id, text);
        else this.#put(this.#speechOf(event), id, text);
        return;
      case "agent_message":
      case "plan":
        this.#put(this.#speechOf(event), id, text);
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
      case "context_compaction": {
        const message = textOf(content.message) ?? "";
        return this.#remark(event, message, { kind: "context_compaction" });
      }
      case "thread_rolled_back": {
        const { num_turns } = content;
        return this.#remark(event, "", {
          kind: "thread_rolled_back",
          num_turns,
        });
      }
      case "error":
        if (content.severity !== undefined) return;
        return this.#remark(event, textOf(content.message) ?? "", {
          kind: "error",
        });
    }
  }

  /** Takes a call as the model made it. */
  #takeModelCall(event: Fields, { name, namespace, ...given }: Fields): void {
    this.#hasModelCalls = true;
    const text = textOf(given.arguments) ?? "";
    this.#addCall(event, {
      id: textOf(event.call_id) ?? "",
      name: textOf(name) ?? "",
      ...argumentsOf(text, text),
      extra: valued({ namespace }),
    });
  }

  /** Takes what the model was given back. */
  #takeOutput(event: Fields, output: unknown, emit: Emit<ExportPiece>): void {
    const id = textOf(event.call_id) ?? "";
    const { blocks, extra } = readOutput(output);
    const content = typeof blocks === "string"
      ? blocks
      : contentOf(blocks.map((block) => this.#blockPart(block, emit)));
    const result = { content, extra };
    const call = this.#callOf(id);
    if (call !== undefined) answer(call, result);
    else this.#takeLate(event, id, result);
  }

  #takeTool(event: Fields, { text }: EventFacts): void {
    const { type, item_type, turn_id, call_id, line } = event;
    const id = textOf(call_id) ?? textOf(event.item_id) ?? "";
    const isOver = type !== "item.started";
    // What the user ran stands in the conversation already.
    const isUsers = fieldsOf(event.content).source === "user_shell" ||
      typeof line === "number" && call_id === undefined &&
        item_type === "command_execution";
    if (isUsers) return;
    const isTold = this.#hasModelCalls && !UNANSWERED.has(item_type);
    let call = this.#callOf(id);
    if (isTold) {
      if (!isOver) return;
      if (call !== undefined) call.facts = resultOf(event);
      else if (this.#left.has(id) || turn_id !== this.#turn) {
        this.#takeLate(event, id, resultOf(event));
      }
      return;
    }
    if (call === undefined && this.#left.has(id)) {
      if (isOver) this.#takeLate(event, id, resultOf(event));
      return;
    }
    if (call === undefined) {
      const { name, args } = toolCallOf(event) ?? { name: "", args: {} };
      const given = text === undefined || !isObject(args)
        ? undefined
        : memberTexts(text, ["content"]).get("arguments");
      call = this.#addCall(event, { id, name, ...argumentsOf(args, given) });
    }
    if (isOver) answer(call, resultOf(event));
  }

  /** A result whose step has been written has one of its own, however many lines tell of it. */
  #takeLate(event: Fields, id: string, { content, extra }: Result): void {
    this.#left.delete(id);
    if (id !== "" && this.#late.has(id)) return;
    this.#late.add(id);
    const step = this.#newStep(event, "system");
    step.late = { content, extra: { call_id: id, ...extra } };
    step.extra = { kind: "late_result" };
  }

  /** A plan is a call each time that it changes. */
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

  /** Takes note of agents that a call has spawned. */
  #takeAgents(event: Fields): void {
    const call = this.#callOf(
      textOf(event.call_id) ?? textOf(event.item_id) ?? "",
    );
    for (const id of spawnedThreads(event)) {
      if (!this.agents.includes(id)) this.agents.push(id);
      if (call?.agents.includes(id) === false) call.agents.push(id);
    }
  }

  /** Finds the call of an id among the steps that are not written, one without a result first. */
  #callOf(id: string): Call | undefined {
    const calls = this.#calls.get(id);
    return calls?.find(({ result }) => result === undefined) ?? calls?.at(-1);
  }

  #addCall(event: Fields, facts: Omit<Call, "step" | "agents">): Call {
    const step = this.#callerOf(event);
    const call = { ...facts, step, agents: [] };
    step.calls.push(call);
    const calls = this.#calls.get(call.id);
    if (calls === undefined) this.#calls.set(call.id, [call]);
    else calls.push(call);
    return call;
  }

  /** Gives the step of the request that says something, or thinks. */
  #speechOf(event: Fields): Step {
    const request = this.#request;
    const isOver = request === undefined || request.isCounted ||
      request.answered > 0 ||
      this.#countsFollow === false && request.calls.length > 0;
    return isOver ? this.#newRequest(event) : request;
  }

  /** Gives the step of the request that makes a call. */
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
    // What the model calls behind a result is another request.
    const isOver = request === undefined || request.answered > 0;
    return isOver ? this.#newRequest(event) : request;
  }

  #newRequest(event: Fields): Step {
    const step = this.#newStep(event, "agent");
    const { tokens, requests } = this.#ahead ?? {};
    if (tokens !== undefined) Object.assign(step, { tokens, requests });
    this.#ahead = undefined;
    this.#request = step;
    this.#last = step;
    return step;
  }

  #newStep(event: Fields, source: Step["source"]): Step {
    const isAgent = source === "agent";
    const step: Step = {
      source,
      timestamp: textOf(event.timestamp),
      turn: idOf(event.turn_id),
      model: isAgent ? this.#model : undefined,
      effort: isAgent ? this.#effort : undefined,
      isCopied: event.inherited === true,
      messages: new Map(),
      reasoning: [],
      calls: [],
      answered: 0,
    };
    this.#steps.push(step);
    return step;
  }

  #say(
    event: Fields,
    source: "user" | "system",
    id: string | undefined,
    content: Content,
  ): Step {
    const known = id === undefined ? undefined : this.#said.get(id);
    const step = known ?? this.#newStep(event, source);
    this.#put(step, id, content);
    // Remarks of the program may stand between a call and its result.
    const isWaiting = this.#request !== undefined &&
      isUnanswered(this.#request);
    if (!isWaiting || source === "user") this.#request = undefined;
    return step;
  }

  #put(step: Step, id: string | undefined, content: Content): void {
    step.messages.set(id ?? "", content);
    if (id !== undefined && !this.#said.has(id)) this.#said.set(id, step);
  }

  /** Says what is neither of the user nor of the agent. */
  #remark(event: Fields, text: string, extra: Fields): void {
    this.#say(event, "system", undefined, text).extra = extra;
  }

  /** Counts the tokens of a request: of the one that goes on, or the next one. */
  #spend(tokens: Tokens): void {
    const request = this.#request;
    if (
      request !== undefined && (!request.isCounted || isUnanswered(request))
    ) {
      if (request.calls.length > 0) this.#countsFollow = true;
      request.isCounted = true;
      this.#count(request, tokens, 1);
      if (this.#countsFollow) this.#request = undefined;
    } else if (this.#countsFollow && this.#last !== undefined) {
      this.#count(this.#last, tokens, 1);
    } else {
      const { tokens: before = NO_TOKENS, requests = 0 } = this.#ahead ?? {};
      this.#ahead = {
        tokens: addTokens(before, tokens),
        requests: requests + 1,
      };
      this.#sum = addTokens(this.#sum, tokens);
      this.#hasTokens = true;
    }
  }

  /** Counts tokens in a step; of how many requests they are may be unknown. */
  #count(step: Step, tokens: Tokens, requests: number): void {
    this.#hasTokens = true;
    this.#sum = addTokens(this.#sum, tokens);
    step.tokens = addTokens(step.tokens ?? NO_TOKENS, tokens);
    if (requests > 0) step.requests = (step.requests ?? 0) + requests;
  }

  /** Counts tokens that no request has said anything for. */
  #spendAhead(event: Fields): void {
    if (this.#ahead === undefined) return;
    const { tokens, requests } = this.#ahead;
    this.#ahead = undefined;
    const step = this.#last ?? this.#newStep(event, "agent");
    step.tokens = addTokens(step.tokens ?? NO_TOKENS, tokens);
    step.requests = (step.requests ?? 0) + requests;
  }

  #endTurn(emit: Emit<ExportPiece>): void {
    this.#request = undefined;
    this.#last = undefined;
    for (const { calls } of this.#steps) {
      for (const { id, result } of calls) {
        if (result === undefined) this.#left.add(id);
      }
    }
    this.#write(emit, true);
  }

  /** Writes the steps that are complete, up to the first one that is not. */
  #write(emit: Emit<ExportPiece>, isAll: boolean): void {
    let count = 0;
    for (const step of this.#steps) {
      const isOpen = step === this.#request || step === this.#last ||
        isUnanswered(step);
      if (isOpen && !isAll) break;
      count += 1;
      emit(this.#piece(`${this.#lead()}${this.#textOf(step)}`));
      this.#forget(step);
    }
    if (count > 0) this.#steps.splice(0, count);
  }

  /** Forgets what is in a step: it is the first one. */
  #forget({ calls, messages }: Step): void {
    for (const { id } of calls) {
      const left = this.#calls.get(id);
      left?.shift();
      if (left?.length === 0) this.#calls.delete(id);
    }
    for (const id of messages.keys()) this.#said.delete(id);
  }

  /** What stands before a step. */
  #lead(): string {
    this.#written += 1;
    if (this.#written > 1) return ",";
    const separator = this.#options.isHeld ? "" : this.#separator();
    const session = idOf(this.#header.session_id) ?? this.id;
    const ids = MADE_UP_REGEXP.test(this.id)
      ? ""
      : member("session_id", session) + member("trajectory_id", this.id);
    return `${separator}{"schema_version":"ATIF-v1.7"${ids},"steps":[`;
  }

  #textOf(step: Step): string {
    const { calls, tokens, turn, late, messages, reasoning } = step;
    const details = calls.flatMap(({ id, raw }) =>
      raw === undefined ? [] : [[id, { raw_arguments: raw }]]
    );
    const extra = valued({
      ...step.extra,
      codex_turn_id: turn === undefined || MADE_UP_REGEXP.test(turn)
        ? undefined
        : turn,
      tool_call_details: details.length === 0
        ? undefined
        : Object.fromEntries(details),
    });
    const results = late === undefined
      ? calls.map((call) => this.#resultText(call)).filter((text) =>
        text !== ""
      )
      : [objectText(this.#resultMembers(late))];
    return `{"step_id":${this.#written}${
      this.#member("timestamp", step.timestamp)
    }${member("source", step.source)}${this.#member("model_name", step.model)}${
      this.#member("reasoning_effort", step.effort)
    }${this.#member("message", joined([...messages.values()]))}${
      this.#member("reasoning_content", reasoning.join("\n\n") || undefined)
    }${
      calls.length === 0
        ? ""
        : `,"tool_calls":[${calls.map((call) => this.#callText(call)).join()}]`
    }${
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
    }${this.#member("extra", extra)}}`;
  }

  #callText({ id, name, args, extra }: Call): string {
    return objectText(
      this.#member("tool_call_id", id) + this.#member("function_name", name) +
        `,"arguments":${this.#masked(args)}` + this.#member("extra", extra),
    );
  }

  /** The result of a call; nothing if there is none. */
  #resultText({ id, result, facts, agents }: Call): string {
    const given = result ?? facts;
    if (given === undefined) return "";
    const refs = agents.map((trajectory_id) => ({ trajectory_id }));
    return objectText(
      this.#member("source_call_id", id) +
        this.#resultMembers({
          content: given.content,
          refs: refs.length === 0 ? undefined : refs,
          extra: valued({ ...result?.extra, ...facts?.extra }),
        }),
    );
  }

  #resultMembers(
    { content, refs, extra }: Result & { readonly refs?: unknown },
  ): string {
    return this.#member("content", content) +
      this.#member("subagent_trajectory_ref", refs) +
      this.#member("extra", extra);
  }

  /** The text of a further member without its secrets; nothing if it has no value. */
  #member(name: string, value: unknown): string {
    if (typeof value !== "string") {
      return value === undefined
        ? ""
        : `,"${name}":${this.#masked(jsonTextOf(value))}`;
    }
    const { redactor } = this.#options;
    return member(name, redactor?.redactString(value) ?? value);
  }

  #masked(text: string): string {
    return this.#options.redactor?.redact(text) ?? text;
  }

  /** A block of what a tool gave back, as a part of content. */
  #blockPart(block: unknown, emit: Emit<ExportPiece>): string | Fields {
    const { type, image_url, data, mimeType, text } = fieldsOf(block);
    if (typeof text === "string") return text;
    if (type === "input_image") {
      return this.#imagePart({ url: image_url }, emit);
    }
    if (type === "image" && typeof data === "string") {
      const url = `data:${textOf(mimeType) ?? ""};base64,${data}`;
      return this.#imagePart({ url }, emit);
    }
    return textOf(block) ?? jsonTextOf(block);
  }

  /** An image as a part of content; without a file for it, what stands in its place. */
  #imagePart(image: unknown, emit: Emit<ExportPiece>): string | Fields {
    const { url, path } = fieldsOf(image);
    const source = textOf(url) ?? textOf(path) ?? "";
    const [prefix = "", type = ""] = DATA_URL_REGEXP.exec(source) ?? [];
    if (prefix === "") return `[image: ${source || "unknown"}]`;
    const media_type = type === "image/jpg" ? "image/jpeg" : type;
    const ending = IMAGE_ENDINGS.get(media_type);
    const { imageFile } = this.#options;
    const bytes = ending === undefined || imageFile === undefined
      ? undefined
      : bytesOfLooseBase64(source.slice(prefix.length));
    if (!bytes?.length || ending === undefined || imageFile === undefined) {
      return `[image: ${type}]`;
    }
    const file = imageFile(ending);
    emit({ file, data: bytes, isLast: true });
    return { type: "image", source: { media_type, path: file } };
  }
}

/** The fields that have a value; nothing if none has. */
function valued(fields: Fields): Fields | undefined {
  const given = Object.entries(fields).filter(([, value]) =>
    value !== undefined && value !== null
  );
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** The text of a further member of an object; nothing if it has no value. */
function member(name: string, value: unknown): string {
  return value === undefined ? "" : `,"${name}":${jsonTextOf(value)}`;
}

/** The text of an object of members, of which there is one at least. */
function objectText(members: string): string {
  return `{${members.slice(1)}}`;
}

/** The counts that ATIF has no names for. */
function countsText(tokens: Tokens): string {
  return `{"reasoning_output_tokens":${tokens.reasoning_output_tokens},"cache_write_input_tokens":${tokens.cache_write_input_tokens},"total_tokens":${tokens.total_tokens}}`;
}

/**
 * Arguments as the JSON text of an object.
 *
 * @param args What was given.
 * @param text How that is spelled, if it is known.
 */
function argumentsOf(
  args: unknown,
  text: string | undefined,
): Pick<Call, "args" | "raw"> {
  const value = typeof args === "string" ? parseJson(args) : args;
  if (isObject(value)) {
    // A document is a line.
    const isLine = text !== undefined && !/[\r\n]/.test(text);
    return { args: isLine ? text : jsonTextOf(value) };
  }
  if (args === undefined || args === null || args === "") return { args: "{}" };
  const raw = typeof args === "string" ? args : jsonTextOf(args);
  return { args: jsonTextOf({ input: raw }), raw };
}

/**
 * Reads what the model was given back: a text, or blocks; what is said of it beside that.
 *
 * Up to 0.53 it may be the JSON of an object that holds the text.
 */
function readOutput(
  output: unknown,
): { readonly blocks: string | readonly unknown[]; readonly extra?: Fields } {
  const parsed = typeof output === "string" && /^[[{]/.test(output)
    ? parseJson(output)
    : output;
  if (Array.isArray(parsed) && parsed.length > 0 && parsed.every(isBlock)) {
    return { blocks: parsed };
  }
  const { output: text, content, metadata } = fieldsOf(parsed);
  if (typeof text === "string") {
    return { blocks: text, ...(isObject(metadata) ? { extra: metadata } : {}) };
  }
  if (typeof output === "string") return { blocks: output };
  return content === undefined
    ? { blocks: output === undefined ? "" : jsonTextOf(output) }
    : readOutput(content);
}

/** Tells whether a value is a block of content. */
function isBlock(value: unknown): boolean {
  return typeof fieldsOf(value).type === "string";
}

/** What an item that has ended says of what came of its call. */
function resultOf(event: Fields): Result {
  const { exit_code, duration_ms } = fieldsOf(event.content);
  const status = textOf(event.status);
  const extra = valued({
    exit_code: numberOf(exit_code),
    status: status === "completed" ? undefined : status,
    duration_ms: numberOf(duration_ms),
  });
  return { content: resultTextOf(event), extra };
}

/** Makes content of texts and parts: a text, if there is nothing else. */
function contentOf(parts: readonly (string | Fields)[]): Content {
  const given = parts.filter((part) => part !== "");
  if (given.every((part) => typeof part === "string")) return given.join("\n");
  return given.map((part) =>
    typeof part === "string" ? { type: "text", text: part } : part
  );
}

/** Joins what is said in one step. */
function joined(contents: readonly Content[]): Content {
  const given = contents.filter((content) => content !== "");
  if (given.every((content) => typeof content === "string")) {
    return given.join("\n\n");
  }
  return given.flatMap((content) =>
    typeof content === "string" ? [{ type: "text", text: content }] : content
  );
}
