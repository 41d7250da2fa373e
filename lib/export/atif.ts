/**
 * Trajectories: the Agent Trajectory Interchange Format (ATIF), version 1.7.
 *
 * docs/export.md says what becomes of which event.
 *
 * @module
 */

import {
  type Fields,
  fieldsOf,
  idOf,
  isObject,
  jsonTextOf,
  numberOf,
  parseJson,
  textOf,
} from "../json/fields.ts";
import type { ThreadEvent } from "../dialects/exec/events.ts";
import type { Outcome } from "../outcome.ts";
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
 * exporter.begin({ name: "run.jsonl", stem: "run" });
 * new JsonlEvents().feed(new TextEncoder().encode(log), (outcome) => exporter.feed(outcome, write));
 * exporter.end(write);
 * exporter.flush();
 *
 * const { steps, final_metrics } = JSON.parse(text);
 * assertEquals(steps.map((step: { message: string }) => step.message), ["Done."]);
 * assertEquals(final_metrics.total_completion_tokens, 60);
 * ```
 */
export class AtifExporter implements Exporter {
  readonly #options: ExporterOptions;
  readonly #threads = new Map<string, Trajectory>();
  #file = "";
  #tokens = new EventTokens();

  /**
   * Constructs a new instance.
   *
   * @param options Whether secrets are masked, and whether images can have files.
   */
  constructor(options: ExporterOptions = {}) {
    this.#options = options;
  }

  /**
   * Begins an input.
   *
   * @param input What it is called.
   */
  begin({ stem }: ExportInput): void {
    this.#file = `${stem}.atif.json`;
    this.#tokens = new EventTokens();
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
      thread = new Trajectory(id, this.#options);
      this.#threads.set(id, thread);
    }
    const file = this.#file;
    const isFirst = first === undefined || thread === first;
    const held = thread.held;
    thread.take(event, this.#tokens.take(event)?.tokens, (data) => {
      if (isFirst) emit({ file, data });
      else held.push(data);
    });
  }

  /**
   * Ends the input, and its trajectories.
   *
   * @param emit Is called with what is left of them.
   */
  end(emit: Emit<ExportPiece>): void {
    const file = this.#file;
    for (const thread of this.#threads.values()) {
      for (const data of thread.held) emit({ file, data });
      thread.end((data) => emit({ file, data }));
    }
    if (this.#threads.size > 0) emit({ file, data: "", isLast: true });
    this.#threads.clear();
  }

  /** Ends the export: nothing is held behind the end of an input. */
  flush(): void {}
}

/** A message or a result, as ATIF has it: parts, if there is an image among them. */
type Content = string | readonly Fields[];

/** A call of a tool. */
interface Call {
  readonly id: string;
  readonly name: string;
  /** The JSON text of an object. */
  readonly args: string;
  /** What the model wrote, if that is no object. */
  readonly raw?: string | undefined;
  /** What came of it. */
  result?: Result | undefined;
}

/** What came of a call. */
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
  tokens?: Tokens;
  /** How many requests there were, if that is known. */
  requests?: number;
  extra?: Fields;
}

/** The ids of threads and turns that the input itself does not name. */
const MADE_UP_REGEXP = /^synthetic-(?:thread|turn)-\d+$/;

/** Writes the trajectory of one thread. */
class Trajectory {
  readonly #id: string;
  readonly #options: ExporterOptions;
  /** What waits for the trajectories before it. */
  readonly held: string[] = [];
  #header: Fields = {};
  /** The model of the first turn that says it, and that of the turn that goes on. */
  #firstModel: string | undefined;
  #model: string | undefined;
  #effort: string | undefined;
  /** The steps that are not written yet, in order. */
  #steps: Step[] = [];
  /** The request that goes on. */
  #request: Step | undefined;
  /** The last step of the agent, if it is not written yet. */
  #last: Step | undefined;
  /** The plan, as it was last said. */
  #plan = "";
  #plans = 0;
  #written = 0;
  #sum = NO_TOKENS;
  #hasTokens = false;

  constructor(id: string, options: ExporterOptions) {
    this.#id = id;
    this.#options = options;
  }

  /** Takes an event, and what it adds to the tokens. */
  take(
    event: Fields,
    tokens: Tokens | undefined,
    emit: (data: string) => void,
  ): void {
    switch (event.type) {
      case "thread.started":
        this.#header = { ...this.#header, ...event };
        this.#model = textOf(event.model) ?? this.#model;
        this.#firstModel ??= this.#model;
        break;
      case "turn.started":
        this.#endTurn(emit);
        break;
      case "turn.completed":
      case "turn.failed": {
        const message = textOf(fieldsOf(event.error).message) ?? "";
        if (message !== "") this.#remark(event, message, "error");
        if (tokens !== undefined) this.#spend(event, tokens);
        this.#endTurn(emit);
        return;
      }
      case "error":
        this.#remark(event, textOf(event.message) ?? "", "error");
        break;
      case "item.started":
      case "item.delta":
      case "item.completed":
      case "item.failed":
        this.#takeItem(event);
    }
    if (tokens !== undefined) this.#spend(event, tokens);
    this.#write(emit, false);
  }

  /** Ends the trajectory; without a step there is none. */
  end(emit: (data: string) => void): void {
    this.#endTurn(emit);
    if (this.#written === 0) return;
    const { cli_version, originator, cwd, git } = this.#header;
    const extra = { originator, cwd, git };
    const agent = {
      name: "codex",
      version: textOf(cli_version) ?? "unknown",
      model_name: this.#firstModel,
      extra: Object.values(extra).some((value) => value !== undefined)
        ? extra
        : undefined,
    };
    const total = this.#sum;
    const metrics = this.#hasTokens
      ? `"total_prompt_tokens":${total.input_tokens},"total_completion_tokens":${total.output_tokens},"total_cached_tokens":${total.cached_input_tokens},"total_steps":${this.#written},"extra":${
        countsText(total)
      }`
      : `"total_steps":${this.#written}`;
    emit(
      `],"agent":${this.#redacted(agent)},"final_metrics":{${metrics}}}\n`,
    );
  }

  #takeItem(event: Fields): void {
    const { type, item_type, item_id } = event;
    const content = fieldsOf(event.content);
    const text = textOf(content.text) ?? "";
    const id = textOf(item_id) ?? "";
    const call = type === "item.delta" ? undefined : toolCallOf(event);
    if (call !== undefined) {
      this.#takeCall(event, call.name, call.args);
      return;
    }
    if (item_type === "todo_list") {
      this.#takePlan(event, type === "item.delta" ? event.delta : content);
      return;
    }
    if (type !== "item.completed") return;
    switch (item_type) {
      case "turn_context":
        this.#model = textOf(content.model) ?? this.#model;
        this.#effort = textOf(content.effort);
        this.#firstModel ??= this.#model;
        return;
      case "user_message":
        return this.#say(event, "user", id, text);
      case "injected_context":
        return this.#say(event, "system", id, text);
      case "agent_message":
      case "plan":
        this.#requestOf(event).messages.set(id, text);
        return;
      case "reasoning":
      case "agent_reasoning_raw_content":
        if (text !== "") this.#requestOf(event).reasoning.push(text);
        return;
      case "context_compaction":
        return this.#remark(
          event,
          textOf(content.message) ?? "",
          "context_compaction",
        );
      case "error":
        if (content.severity === undefined) {
          this.#remark(event, textOf(content.message) ?? "", "error");
        }
        return;
    }
  }

  #takeCall(event: Fields, name: string, args: unknown): void {
    const id = textOf(event.call_id) ?? textOf(event.item_id) ?? "";
    const isOver = event.type !== "item.started";
    let call = this.#steps.flatMap(({ calls }) => calls).find((call) =>
      call.id === id && call.result === undefined
    );
    if (call === undefined) {
      call = { id, name, ...argumentsOf(args) };
      this.#requestOf(event).calls.push(call);
    }
    if (isOver) call.result = resultOf(event);
  }

  /** A plan is a call each time that it changes. */
  #takePlan(event: Fields, content: unknown): void {
    const { items } = fieldsOf(content);
    const plan = jsonTextOf(items ?? []);
    if (plan === this.#plan) return;
    this.#plan = plan;
    this.#plans += 1;
    this.#requestOf(event).calls.push({
      id: textOf(event.call_id) ?? `${textOf(event.item_id)}#${this.#plans}`,
      name: "update_plan",
      args: `{"plan":${plan}}`,
      result: {},
    });
  }

  /** Gives the step of the request that says something. */
  #requestOf(event: Fields): Step {
    const { calls } = this.#request ?? {};
    // What the model says behind a result is another request.
    const isAnswered = calls?.some(({ result }) => result !== undefined);
    if (this.#request !== undefined && isAnswered !== true) {
      return this.#request;
    }
    const step = this.#newStep(event, "agent");
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
    };
    this.#steps.push(step);
    return step;
  }

  #say(
    event: Fields,
    source: "user" | "system",
    id: string,
    content: Content,
  ): void {
    const known = this.#steps.find(({ messages }) => messages.has(id));
    const step = known ?? this.#newStep(event, source);
    step.messages.set(id, content);
    this.#request = undefined;
  }

  /** Says what is neither of the user nor of the agent. */
  #remark(event: Fields, text: string, kind: string): void {
    const step = this.#newStep(event, "system");
    step.messages.set("", text);
    step.extra = { kind };
    this.#request = undefined;
  }

  /** Counts the tokens of the request that goes on, or went on last. */
  #spend(event: Fields, tokens: Tokens): void {
    this.#hasTokens = true;
    this.#sum = addTokens(this.#sum, tokens);
    const step = this.#request ?? this.#last ?? this.#newStep(event, "agent");
    step.tokens = addTokens(step.tokens ?? NO_TOKENS, tokens);
    // What exec streams say of a turn is of all its requests.
    if (event.type === "item.completed") {
      step.requests = (step.requests ?? 0) + 1;
    }
    this.#request = undefined;
  }

  #endTurn(emit: (data: string) => void): void {
    this.#request = undefined;
    this.#last = undefined;
    this.#write(emit, true);
  }

  /** Writes the steps that are complete, up to the first one that is not. */
  #write(emit: (data: string) => void, isAll: boolean): void {
    let count = 0;
    for (const step of this.#steps) {
      const isOpen = step === this.#request || step === this.#last ||
        step.calls.some(({ result }) => result === undefined);
      if (isOpen && !isAll) break;
      count += 1;
      emit(`${this.#lead()}${this.#textOf(step)}`);
    }
    if (count > 0) this.#steps.splice(0, count);
  }

  /** What stands before a step. */
  #lead(): string {
    this.#written += 1;
    if (this.#written > 1) return ",";
    const isNamed = !MADE_UP_REGEXP.test(this.#id);
    const id = isNamed
      ? `"session_id":${
        jsonTextOf(idOf(this.#header.session_id) ?? this.#id)
      },"trajectory_id":${jsonTextOf(this.#id)},`
      : "";
    return `{"schema_version":"ATIF-v1.7",${id}"steps":[`;
  }

  #textOf(step: Step): string {
    const { calls, tokens, turn, messages, reasoning } = step;
    const details = Object.fromEntries(
      calls.flatMap(({ id, raw }) =>
        raw === undefined ? [] : [[id, { raw_arguments: raw }]]
      ),
    );
    const extra = {
      ...step.extra,
      ...(turn === undefined || MADE_UP_REGEXP.test(turn)
        ? {}
        : { codex_turn_id: turn }),
      ...(Object.keys(details).length > 0
        ? { tool_call_details: details }
        : {}),
    };
    const results = calls.flatMap(({ id, result }) =>
      result === undefined ? [] : [{ source_call_id: id, ...result }]
    );
    const members = [
      `"step_id":${this.#written}`,
      member("timestamp", step.timestamp),
      member("source", step.source),
      member("model_name", step.model),
      member("reasoning_effort", step.effort),
      member("message", joined([...messages.values()])),
      member("reasoning_content", reasoning.join("\n\n") || undefined),
      calls.length === 0 ? "" : `"tool_calls":[${calls.map(callText).join()}]`,
      member("observation", results.length === 0 ? undefined : { results }),
      tokens === undefined
        ? ""
        : `"metrics":{"prompt_tokens":${tokens.input_tokens},"completion_tokens":${tokens.output_tokens},"cached_tokens":${tokens.cached_input_tokens},"extra":${
          countsText(tokens)
        }}`,
      member("is_copied_context", step.isCopied ? true : undefined),
      member("llm_call_count", step.requests),
      member("extra", Object.keys(extra).length > 0 ? extra : undefined),
    ];
    const text = `{${members.filter((text) => text !== "").join()}}`;
    return this.#options.redactor?.redact(text) ?? text;
  }

  #redacted(value: unknown): string {
    const text = jsonTextOf(value);
    return this.#options.redactor?.redact(text) ?? text;
  }
}

/** The text of a member of an object; nothing if it has no value. */
function member(name: string, value: unknown): string {
  return value === undefined ? "" : `"${name}":${jsonTextOf(value)}`;
}

function callText({ id, name, args }: Call): string {
  return `{"tool_call_id":${jsonTextOf(id)},"function_name":${
    jsonTextOf(name)
  },"arguments":${args}}`;
}

/** The counts that ATIF has no names for. */
function countsText(tokens: Tokens): string {
  return `{"reasoning_output_tokens":${tokens.reasoning_output_tokens},"cache_write_input_tokens":${tokens.cache_write_input_tokens},"total_tokens":${tokens.total_tokens}}`;
}

/** Arguments as the JSON text of an object. */
function argumentsOf(args: unknown): Pick<Call, "args" | "raw"> {
  const value = typeof args === "string" ? parseJson(args) : args;
  if (isObject(value)) return { args: jsonTextOf(value) };
  if (args === undefined || args === null) return { args: "{}" };
  const raw = typeof args === "string" ? args : jsonTextOf(args);
  return { args: jsonTextOf({ input: raw }), raw };
}

/** What an item that has ended says of what came of its call. */
function resultOf(event: Fields): Result {
  const content = fieldsOf(event.content);
  const { exit_code, duration_ms } = content;
  const status = textOf(event.status);
  const extra = {
    ...(numberOf(exit_code) === undefined ? {} : { exit_code }),
    ...(status === undefined || status === "completed" ? {} : { status }),
    ...(numberOf(duration_ms) === undefined ? {} : { duration_ms }),
  };
  return {
    content: resultTextOf(event),
    extra: Object.keys(extra).length > 0 ? extra : undefined,
  };
}

/** Joins what is said in one step. */
function joined(contents: readonly Content[]): Content {
  if (contents.every((content) => typeof content === "string")) {
    return contents.filter((text) => text !== "").join("\n\n");
  }
  return contents.flatMap((content) =>
    typeof content === "string" ? [{ type: "text", text: content }] : content
  );
}
