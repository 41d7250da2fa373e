/** Converts events in session files: `event_msg` lines, and `event` lines of the fork (C.3). */

import { bytesOfBase64, bytesOfList } from "../json/bytes.ts";
import {
  arrayOf,
  callIdOf,
  type Fields,
  fieldsOf,
  idOf,
  isFailedWord,
  isObject,
  knownFields,
  numberOf,
  textOf,
  wholeOf,
} from "../json/fields.ts";
import { Utf8Decoder } from "../json/utf8.ts";
import {
  commandContent,
  dynamicContent,
  type Ended,
  endedCommand,
  endedDynamic,
  endedMcp,
  endedPatch,
  endStatus,
  imageContent,
  isAnyAgentLost,
  mcpContent,
  messageOf,
  noteReview,
  patchContent,
  planContent,
  startOf,
  statedStatus,
  timesOf,
  tokenContent,
} from "./contents.ts";
import {
  isPlanCopy,
  isReviewPromptCopy,
  messageOfCommand,
  tellAnswerCopy,
  tellCompaction,
  tellLiveThought,
  tellSearchCopy,
  tellThought,
  tellUser,
  THOUGHT_TYPES,
  type ThoughtKind,
} from "./copies.ts";
import { isMigratedTurn } from "./ids.ts";
import type { SessionContext } from "./session_context.ts";
import { durationMsOf, timestampOfMs } from "./times.ts";
import { tellTurnItem } from "./turn_items.ts";
import { readUserEvent } from "./user_message.ts";

/** Emits the events of an event message; the fork assigns ids to its messages. */
type TellEvent = (
  context: SessionContext,
  event: Fields,
  eventId?: string,
) => void;

type Rules = ReadonlyMap<string, TellEvent>;

/** Events with the same meaning in both modes. */
const COMMON_EVENTS: Rules = new Map(Object.entries<TellEvent>({
  task_started: beginTurn,
  turn_started: beginTurn,
  task_complete: completeTurn,
  turn_complete: completeTurn,
  turn_aborted: abortTurn,
  token_count: tellTokens,
  item_completed: tellTurnItem,
  agent_message_content_delta: streamAnswer,
  reasoning_content_delta: streamThought("summary"),
  reasoning_raw_content_delta: streamThought("raw"),
  plan_delta: (context, event) =>
    context.delta("plan", { text_delta: textOf(event.delta) ?? "" }, {
      itemId: idOf(event.item_id),
    }),
  error: tellError,
  warning: remark("warning"),
  guardian_warning: remark("warning"),
  stream_error: remark("notice"),
  background_event: (context, event, eventId) =>
    context.complete("background_event", restOf(event), {
      itemId: eventId === undefined ? undefined : `background:${eventId}`,
    }),
  thread_rolled_back: (context, event) => {
    context.rollBack(wholeOf(event.num_turns) ?? 0);
    tellAsItem(context, event);
  },
  // The items themselves are in `item_completed`.
  item_started: () => {},
}));

/** Events of messages and tools, which are items in paginated mode. */
const LEGACY_EVENTS: Rules = new Map(Object.entries<TellEvent>({
  user_message: tellPrompt,
  agent_message: (context, event) => {
    tellAnswerCopy(context, event, textOf(event.message) ?? "", "event");
  },
  agent_message_delta: streamAnswer,
  agent_reasoning: thought("summary"),
  agent_reasoning_raw_content: thought("raw"),
  agent_reasoning_delta: streamThought("summary"),
  agent_reasoning_raw_content_delta: streamThought("raw"),
  agent_reasoning_section_break: (context) => {
    context.isThoughtBroken = true;
  },
  context_compacted: (context) => tellCompaction(context, "event"),
  exec_command_begin: begin("command_execution", commandContent),
  exec_command_output_delta: streamOutput,
  exec_command_end: (context, event) => {
    if (messageOfCommand(context, event) === undefined) {
      endCommand(context, event);
    }
  },
  mcp_tool_call_begin: begin(
    "mcp_tool_call",
    (event) => mcpContent(fieldsOf(event.invocation)),
    { path: ["invocation"] },
  ),
  mcp_tool_call_end: end(
    "mcp_tool_call",
    ({ invocation, result, duration }) => {
      const { Ok, Err } = fieldsOf(result);
      const call = fieldsOf(invocation);
      return endedMcp({ ...call, result: Ok, error: Err, duration });
    },
    { path: ["invocation"] },
  ),
  web_search_begin: begin("web_search", ({ query }) => ({
    query: textOf(query) ?? "",
  })),
  web_search_end: (context, event) =>
    tellSearchCopy(context, idOf(event.call_id), event, "event"),
  view_image_tool_call: begin("image_view", ({ path }) => ({
    path: textOf(path) ?? "",
  })),
  image_generation_end: end("image_generation", (event) => ({
    content: imageContent(event),
    status: statedStatus(event),
  })),
  patch_apply_begin: begin("file_change", patchContent),
  patch_apply_updated: unlessEnded(begin("file_change", patchContent)),
  patch_apply_end: end("file_change", endedPatch),
  apply_patch_approval_request: begin("file_change", patchContent, {
    status: "proposed",
  }),
  plan_update: tellPlan,
  dynamic_tool_call_request: begin("dynamic_tool_call", dynamicContent),
  dynamic_tool_call_response: end("dynamic_tool_call", endedDynamic),
  custom_tool_call_begin: beginCustomCall,
  custom_tool_call_update: unlessEnded(beginCustomCall),
  custom_tool_call_end: endCustomCall,
  entered_review_mode: tellReview,
  exited_review_mode: tellReview,
  sub_agent_activity: tellAsItem,
  ...Object.fromEntries(collabEvents()),
}));

/** Emits an event message. A type without a rule becomes an item of that type, with its fields. */
export function tellEventMsg(
  context: SessionContext,
  event: Fields,
  eventId?: string,
): void {
  const { type } = event;
  if (typeof type !== "string") return;
  const tell = COMMON_EVENTS.get(type) ?? LEGACY_EVENTS.get(type) ?? tellAsItem;
  // In paginated files, an item says the same.
  if (context.mode === "paginated" && LEGACY_EVENTS.has(type)) return;
  tell(context, event, eventId);
}

function tellAsItem(context: SessionContext, event: Fields): void {
  const type = textOf(event.type) ?? "";
  const content = restOf(context.exactCounts(event));
  context.complete(type, content, { turnId: idOf(event.turn_id) });
}

function tellReview(context: SessionContext, event: Fields): void {
  noteReview(context, event, idOf(event.turn_id));
  tellAsItem(context, event);
}

function restOf(event: Fields): Fields {
  const { type: _type, turn_id: _turn, ...rest } = event;
  return rest;
}

// Turns.

function beginTurn(context: SessionContext, event: Fields): void {
  const { started_at, ...rest } = restOf(event);
  const seconds = numberOf(started_at) ?? 0;
  const began = seconds > 0 ? timestampOfMs(seconds * 1000) : undefined;
  context.beginTurn(idOf(event.turn_id), {
    ...knownFields({ started_at: began }),
    ...rest,
    ...(isMigratedTurn(idOf(event.turn_id)) ? { implied: true } : {}),
  });
}

function completeTurn(context: SessionContext, event: Fields): void {
  // No event ended that turn: the line has the time of the next prompt, and never an answer.
  if (isMigratedTurn(idOf(event.turn_id)) || isLateEnd(context, event)) return;
  const { error } = event;
  const hasFailed = isObject(error) || typeof error === "string";
  const ending = endFields(context, event);
  // If a prompt has no answer, the file does not contain the reason: the turn ends like one whose
  // request failed.
  if (hasFailed || isUnanswered(context, event)) {
    const { message, codex_error_info } = fieldsOf(error);
    context.tell("turn.failed", {
      ...ending,
      error: {
        message: textOf(error) ?? textOf(message) ?? "",
        ...knownFields({ code: errorCodeOf(codex_error_info) }),
      },
    });
  } else {
    const last_agent_message = textOf(event.last_agent_message);
    context.tell("turn.completed", {
      ...ending,
      ...knownFields({ last_agent_message }),
    });
  }
  context.endTurn();
}

/** Returns the kind of an error: a word, or the name of the object that has its details. */
function errorCodeOf(info: unknown): string | undefined {
  return idOf(info) ?? Object.keys(fieldsOf(info))[0];
}

/**
 * Whether a turn leaves its prompt without an answer, though its end calls it complete (C.6). An
 * end with the start time of the turn would also state an error; without one, a turn without a
 * message is complete.
 */
function isUnanswered(
  { lastAnswer, seen, mode, isSelection }: SessionContext,
  { last_agent_message, started_at }: Fields,
): boolean {
  if (last_agent_message !== null || numberOf(started_at) !== undefined) {
    return false;
  }
  // A selection of the lines of a paginated file lacks its prompts: only all lines tell.
  if (!seen.prompt) return isSelection && mode === "paginated";
  const answer = seen.review === "unreviewed" ? null : lastAnswer;
  // A refusal leaves nothing in the file but its token count.
  if (answer === null) return seen.request !== "counted";
  return answer.text.trim() !== "" && seen.review !== "reviewed";
}

/**
 * Whether an event ends an earlier turn, which is over: a task that is replaced or interrupted may
 * finish late. Turns without a start of their own may have the ids of earlier ones (up to 0.103).
 */
function isLateEnd(
  { seen, turn, turnId, turns }: SessionContext,
  event: Fields,
): boolean {
  const id = idOf(event.turn_id);
  if (id === undefined || id === turnId || seen.review !== null) return false;
  // A line of an earlier turn may have continued that one: then the later turn ends it.
  const earlier = turnId === null
    ? turns
    : turns.slice(0, turns.indexOf(turnId));
  return earlier.includes(id) && (turn === "begun" || turn === "none");
}

function abortTurn(context: SessionContext, event: Fields): void {
  if (isLateEnd(context, event)) return;
  const reason = textOf(event.reason) ?? "";
  const ending = endFields(context, event);
  context.tell("turn.failed", {
    ...ending,
    reason,
    error: { message: reason },
  });
  context.endTurn();
}

function endFields(context: SessionContext, event: Fields): Fields {
  const id = idOf(event.turn_id);
  context.openPrompted(id);
  // Up to 0.147, the turn of a review is known by the id that the file begins it with.
  const known = context.seen.review === null
    ? id ?? context.turnId
    : context.turnId ?? id;
  return knownFields({
    turn_id: known ?? `synthetic-turn-${context.made.turns}`,
    duration_ms: wholeOf(event.duration_ms),
    usage: isObject(context.usage) ? context.usage : undefined,
  });
}

function tellTokens(context: SessionContext, event: Fields): void {
  const content = tokenContent(restOf(context.exactCounts(event)));
  const { total_token_usage: total, last_token_usage } = fieldsOf(content.info);
  if (isObject(total)) {
    const isAdded = tokensIn(last_token_usage) > 0 &&
      tokensIn(context.usage) + tokensIn(last_token_usage) === tokensIn(total);
    if (isAdded) context.countRequest();
    context.usage = total;
  }
  context.complete("token_count", content);
}

/** Counts the tokens of requests; the total of a full window contains other tokens too. */
function tokensIn(counts: unknown): number {
  const { input_tokens, output_tokens } = fieldsOf(counts);
  return (numberOf(input_tokens) ?? 0) + (numberOf(output_tokens) ?? 0);
}

// Messages, reasoning and notices.

function tellPrompt(context: SessionContext, event: Fields): void {
  const message = readUserEvent(event);
  // Up to 0.47, events state the kind of a prompt; the program inserts those of any other kind.
  if ((event.kind ?? "plain") !== "plain") {
    const { text } = message;
    context.complete("injected_context", { role: "user", text });
    return;
  }
  context.seen.prompt = true;
  context.seen.request = null;
  context.lastAnswer = null;
  if (isReviewPromptCopy(context, message.text)) return;
  tellUser(context, message, "event");
}

function streamAnswer(context: SessionContext, event: Fields): void {
  let itemId = idOf(event.item_id) ?? context.liveStream;
  if (itemId === null) {
    context.made.streams += 1;
    itemId = `stream-${context.made.streams}`;
  }
  context.liveStream = itemId;
  const text_delta = textOf(event.delta) ?? "";
  context.delta("agent_message", { text_delta }, { itemId });
}

function thought(kind: ThoughtKind): TellEvent {
  return (context, event) =>
    tellThought(context, kind, textOf(event.text) ?? "", "event");
}

function streamThought(kind: ThoughtKind): TellEvent {
  return (context, event) => {
    const text_delta = textOf(event.delta) ?? "";
    const itemId = idOf(event.item_id);
    if (itemId === undefined) tellLiveThought(context, kind, text_delta);
    else {
      context.delta(THOUGHT_TYPES[kind], { text_delta }, { itemId });
    }
  };
}

/** The errors of a request that leaves the turn as it is. */
const REQUEST_ERRORS: ReadonlySet<string | undefined> = new Set([
  "active_turn_not_steerable",
  "thread_rollback_failed",
]);

function tellError(context: SessionContext, event: Fields): void {
  if (REQUEST_ERRORS.has(errorCodeOf(event.codex_error_info))) {
    remark("warning")(context, event);
    return;
  }
  const { type: _type, message: _message, ...rest } = event;
  context.viewedImages = 0;
  context.tell("error", { message: messageOf(event), ...rest });
}

function remark(severity: "warning" | "notice"): TellEvent {
  return (context, event) => {
    const { message: _message, ...rest } = restOf(event);
    const message = messageOf(event);
    context.complete("error", { message, severity, ...rest });
  };
}

// Calls.

function callOf(event: Fields): string | undefined {
  return callIdOf(event.call_id, event.callId);
}

/** The place of a call's arguments in its event, and the status of its item. */
interface CallForm {
  /** The names that lead from the event to the object with the arguments. */
  readonly path?: readonly string[];
  /** The name of the arguments there. */
  readonly name?: string;
  readonly status?: string;
}

/** Returns a rule for events that begin a call, which may be a new call with a known id. */
function begin(
  type: string,
  read: (event: Fields) => Fields,
  { path, name, status }: CallForm = {},
): TellEvent {
  return (context, event) => {
    const { call } = context.beginCall(callOf(event), "event", type);
    const content = context.spelled(read(event), path, name);
    if (call.state === "closed") {
      // The event still adds to the beginning of the call.
      context.start(type, content, { call });
      return;
    }
    const known = call.type === type ? call.content : {};
    const { startedAt } = timesOf(event, context.now);
    context.startCall(call, type, { ...known, ...content }, {
      startedAt,
      status,
    });
  };
}

/** Returns a rule for events that only change a call which has not ended. */
function unlessEnded(tell: TellEvent): TellEvent {
  return (context, event) => {
    const call = context.calls.get(callOf(event));
    if (call?.state !== "closed") tell(context, event);
  };
}

/** Returns a rule for events that end a call, whose beginning may be missing. */
function end(
  type: string,
  read: (event: Fields) => Ended,
  { path, name }: CallForm = {},
): TellEvent {
  return (context, event) => {
    const callId = callOf(event);
    const known = context.calls.get(callId);
    const call = known ?? context.endedCall(callId, type);
    const { content: parsed, status } = read(event);
    const content = context.spelled(parsed, path, name);
    // A command that turns out to be a patch is no command any more.
    const begun = call.type === type ? call.content : {};
    call.type = type;
    const { startedAt, at } = timesOf(event, context.now);
    const computed = known === undefined
      ? startOf(content, at ?? context.now)
      : undefined;
    context.completeCall(call, { ...begun, ...content }, {
      status,
      startedAt: startedAt ?? computed,
      at,
    });
  };
}

const endCommand = end("command_execution", endedCommand);

function streamOutput(context: SessionContext, event: Fields): void {
  const { chunk, stream } = event;
  const bytes = bytesOfBase64(textOf(chunk)) ?? bytesOfList(chunk);
  const call = context.calls.get(callOf(event));
  if (bytes === undefined || call?.state !== "open") return;
  if (stream !== "stdout" && stream !== "stderr") return;
  const decoder = new Utf8Decoder(call.pending[stream]);
  const text = decoder.decode(bytes);
  call.pending[stream] = decoder.pending;
  if (text === "") return;
  context.delta("command_execution", { [stream]: text }, { call });
}

function tellPlan(context: SessionContext, event: Fields): void {
  const content = planContent(event);
  if (isPlanCopy(context, content, "event")) return;
  context.complete("todo_list", content);
}

// The tools of the fork. Its `wait` waits for a command, or is a tool call like any other.

const WAIT_TOOL = "wait";
const PARAMETERS: CallForm = { name: "parameters" };

function customContent({ tool_name, parameters }: Fields): Fields {
  return knownFields({
    name: textOf(tool_name) ?? "",
    arguments: parameters ?? undefined,
  });
}

function customResult(event: Fields): { isWell: boolean; text: string } {
  const result = fieldsOf(event.result);
  const isWell = !Object.hasOwn(result, "Err");
  return { isWell, text: textOf(isWell ? result.Ok : result.Err) ?? "" };
}

function endedCustom(event: Fields): Ended {
  const { isWell, text } = customResult(event);
  return {
    content: knownFields({
      ...customContent(event),
      ...(isWell ? { output: [text] } : { error: { message: text } }),
      duration_ms: durationMsOf(event.duration),
    }),
    status: endStatus(!isWell),
  };
}

const beginToolCall = begin("tool_call", customContent, PARAMETERS);
const endToolCall = end("tool_call", endedCustom, PARAMETERS);

function beginCustomCall(context: SessionContext, event: Fields): void {
  const call = waitedFor(context, event);
  if (call === undefined) return beginToolCall(context, event);
  const wait = { active: true };
  context.delta("command_execution", { wait }, { call });
}

function endCustomCall(context: SessionContext, event: Fields): void {
  const call = waitedFor(context, event);
  if (call === undefined) return endToolCall(context, event);
  const { isWell, text } = customResult(event);
  // After a failed wait, the command still is waited for, unless the wait was cancelled (C.6).
  const active = !isWell && !text.includes("Cancelled by user.");
  const duration_ms = durationMsOf(event.duration);
  const wait = knownFields({ active, duration_ms, text });
  context.delta("command_execution", { wait }, { call });
}

function waitedFor(
  context: SessionContext,
  { tool_name, parameters }: Fields,
) {
  if (tool_name !== WAIT_TOOL) return undefined;
  const callId = idOf(fieldsOf(parameters).call_id);
  const call = context.calls.get(callId);
  return call?.type === "command_execution" && call.state === "open"
    ? call
    : undefined;
}

/** Returns the rules for the beginnings and ends of calls between agents, with the tool of each. */
function collabEvents(): [string, TellEvent][] {
  const tools = [
    ["agent_spawn", "spawn_agent"],
    ["agent_interaction", "send_input"],
    ["waiting", "wait"],
    ["close", "close_agent"],
    ["resume", "resume_agent"],
  ] as const;
  return tools.flatMap(([name, tool]): [string, TellEvent][] => [
    [
      `collab_${name}_begin`,
      begin("collab_tool_call", (event) => collabContent(event, tool)),
    ],
    [
      `collab_${name}_end`,
      end("collab_tool_call", (event) => {
        const { status, statuses, agents_states } = event;
        const agent = agentOf(event);
        const states = statuses ?? agents_states ??
          (agent && status && { [agent]: status });
        const isFailed = isFailedWord(status) || isAnyAgentLost(status) ||
          isAnyAgentLost(statuses);
        return {
          content: knownFields({
            ...collabContent(event, tool),
            agents_states: isObject(states) ? states : undefined,
          }),
          status: endStatus(isFailed),
        };
      }),
    ],
  ]);
}

function collabContent(event: Fields, tool: string): Fields {
  const one = agentOf(event);
  return knownFields({
    tool,
    sender_thread_id: textOf(event.sender_thread_id),
    receiver_thread_ids: arrayOf(
      event.receiver_thread_ids ?? (one === undefined ? undefined : [one]),
    ),
    prompt: event.prompt ?? undefined,
  });
}

/** Returns the thread of the only agent that a call concerns. */
function agentOf(event: Fields): string | undefined {
  return idOf(event.receiver_thread_id) ?? idOf(event.new_thread_id);
}
