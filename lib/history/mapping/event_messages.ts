/**
 * The events in rollouts (C.3): `event_msg` lines, and the `event` lines of the fork.
 *
 * @module
 */

import { collabCall, isLostAgent, statesPreview } from "./agent_calls.ts";
import { beginCall } from "./calls.ts";
import { dynamicCall, endDynamicTool } from "./dynamic_tools.ts";
import {
  endEventCommand,
  startEventCommand,
  streamOutput,
} from "./event_commands.ts";
import { readChanges } from "./file_changes.ts";
import { finishWait, startWait, WAIT_TOOL } from "./fork_waits.ts";
import { imageRecord, pathOf } from "./images.ts";
import {
  booleanOf,
  callIdOf,
  type Fields,
  fieldsOf,
  idOf,
  isFailedWord,
  textOf,
  wholeOf,
} from "./json_fields.ts";
import type { MappingContext } from "./mapping_context.ts";
import {
  appendToStream,
  showAnswerCopy,
  showError,
  showFinalError,
  showUserCopy,
} from "./messages.ts";
import { mapPaginatedItem, showPlanNotice } from "./paginated_items.ts";
import { finishEventPatch, showPatch } from "./patches.ts";
import { planRecord, showPlanCopy } from "./plan.ts";
import { resultPreview } from "./result_preview.ts";
import { showGeneratedImage, showImage } from "./shown_images.ts";
import {
  messageOf,
  showBackground,
  showCompaction,
  showReviewEnd,
  showReviewStart,
  showSubAgent,
  showTurnDiff,
} from "./side_events.ts";
import { backgroundRecord, noticeRecord, warningRecord } from "./text_lines.ts";
import { appendLive, appendToThought, showThoughtCopy } from "./thoughts.ts";
import { durationMsOf } from "./times.ts";
import { mergeArguments, toolArguments } from "./tool_arguments.ts";
import {
  errorText,
  finishTool,
  mcpResult,
  qualifiedTitle,
  startTool,
  type ToolStart,
} from "./tools.ts";
import { settleTurn } from "./turn_ends.ts";
import { showTokenCount } from "./usage.ts";
import { readUserEvent } from "./user_content.ts";
import { showSearchCopy, webSearch } from "./web_searches.ts";

/** Maps an event of one type. */
type MapEvent = (
  context: MappingContext,
  event: Fields,
  eventId: string | null,
) => void;

/** Events that mean the same in both modes. */
const COMMON_EVENTS: readonly (readonly [string, MapEvent])[] = [
  ["task_started", openTurn],
  ["turn_started", openTurn],
  ["task_complete", completeTurn],
  ["turn_complete", completeTurn],
  ["turn_aborted", abortTurn],
  ["thread_rolled_back", rollBack],
  ["token_count", showTokenCount],
  ["turn_diff", showTurnDiff],
  ["item_completed", mapPaginatedItem],
  ["agent_message_content_delta", streamAnswer],
  ["reasoning_content_delta", streamThought("summary")],
  ["reasoning_raw_content_delta", streamThought("raw")],
  ["plan_delta", streamPlan],
  ["background_event", showBackground],
  ["stream_error", showBackground],
  [
    "undo_completed",
    (context, event) =>
      context.push(backgroundRecord("Undo", messageOf(event))),
  ],
  ["warning", showWarning],
  ["guardian_warning", showWarning],
  ["error", (context, event) => showError(context, messageOf(event))],
  ["deprecation_notice", (context, event) =>
    context.push(
      noticeRecord(textOf(event.summary) ?? null, textOf(event.details) ?? ""),
    )],
];

/** Messages and tools, which are items in paginated mode. */
const LEGACY_EVENTS: readonly (readonly [string, MapEvent])[] = [
  ["user_message", showUserEvent],
  ["agent_message", (context, event) =>
    showAnswerCopy(context, {
      streamId: null,
      text: textOf(event.message) ?? "",
      source: "event",
    })],
  ["agent_message_delta", streamAnswer],
  [
    "agent_reasoning",
    (context, event) =>
      showThoughtCopy(context, textOf(event.text) ?? "", {
        kind: "summary",
        source: "event",
      }),
  ],
  [
    "agent_reasoning_raw_content",
    (context, event) =>
      showThoughtCopy(context, textOf(event.text) ?? "", {
        kind: "raw",
        source: "event",
      }),
  ],
  ["agent_reasoning_delta", streamThought("summary")],
  ["agent_reasoning_raw_content_delta", streamThought("raw")],
  ["agent_reasoning_section_break", ({ memory }) => {
    memory.isThoughtBroken = true;
  }],
  ["context_compacted", (context) => showCompaction(context, "event")],
  ["exec_command_begin", begin(startEventCommand)],
  ["exec_command_output_delta", streamOutput],
  ["exec_command_end", (context, event) => {
    const callId = callOf(event);
    if (callId !== null) endEventCommand(context, callId, event);
  }],
  [
    "mcp_tool_call_begin",
    begin((context, event) => startTool(context, mcpCall(context, event))),
  ],
  ["mcp_tool_call_end", endMcpCall],
  [
    "web_search_begin",
    begin((context, event) =>
      startTool(context, webSearch(idOf(event.call_id) ?? null, event))
    ),
  ],
  ["web_search_end", endWebSearch],
  ["view_image_tool_call", begin(showViewedImage)],
  ["image_generation_end", showMadeImage],
  [
    "patch_apply_begin",
    begin((context, event) =>
      showPatch(context, callOf(event), {
        event: "apply_begin",
        changes: readChanges(event.changes),
        autoApproved: booleanOf(event.auto_approved),
      })
    ),
  ],
  [
    "patch_apply_updated",
    (context, event) =>
      showPatch(context, callOf(event), {
        changes: readChanges(event.changes),
      }),
  ],
  [
    "patch_apply_end",
    (context, event) => finishEventPatch(context, callOf(event), event),
  ],
  [
    "apply_patch_approval_request",
    begin((context, event) =>
      showPatch(context, callOf(event), {
        event: "proposed",
        changes: readChanges(event.changes),
      })
    ),
  ],
  [
    "plan_update",
    (context, event) =>
      showPlanCopy(
        context,
        planRecord(event.name, event.plan ?? event.steps),
        "event",
      ),
  ],
  [
    "dynamic_tool_call_request",
    begin((context, event) => startTool(context, dynamicCall(context, event))),
  ],
  [
    "dynamic_tool_call_response",
    (context, event) =>
      endDynamicTool(context, dynamicCall(context, event), event),
  ],
  ["custom_tool_call_begin", begin(startCustomCall)],
  ["custom_tool_call_update", startCustomCall],
  ["custom_tool_call_end", endCustomCall],
  ["sub_agent_activity", (context, event) => showSubAgent(context, event)],
  ["entered_review_mode", (context, event) => showReviewStart(context, event)],
  ["exited_review_mode", (context, event) => showReviewEnd(context, event)],
  ...collabEvents(),
];

const EVENTS: { readonly [mode: string]: ReadonlyMap<string, MapEvent> } = {
  legacy: new Map([...COMMON_EVENTS, ...LEGACY_EVENTS]),
  paginated: new Map(COMMON_EVENTS),
};

/**
 * Maps an event; of a type that nobody knows, nothing.
 *
 * @param context Where.
 * @param event The event.
 * @param eventId The id that the fork gives to its events.
 */
export function mapEventMessage(
  context: MappingContext,
  event: Fields,
  eventId: string | null = null,
): void {
  if (typeof event.type !== "string") return;
  EVENTS[context.memory.mode]?.get(event.type)?.(context, event, eventId);
}

// Turns.

function openTurn({ memory, store }: MappingContext): void {
  memory.turns.open(store.length);
  // A process that was killed has not ended its turn.
  memory.viewedImages = 0;
}

function completeTurn(context: MappingContext, event: Fields): void {
  const error = errorText(event.error);
  settleTurn(context, { isFailed: error !== null });
  if (error !== null) showFinalError(context, error);
}

function abortTurn(context: MappingContext, event: Fields): void {
  settleTurn(context, { isFailed: true });
  context.push(backgroundRecord("Turn aborted", textOf(event.reason) ?? ""));
}

function rollBack(context: MappingContext, event: Fields): void {
  const count = wholeOf(event.num_turns) ?? 0;
  const { memory } = context;
  memory.viewedImages = 0;
  const length = memory.turns.rollBack(count);
  if (length !== undefined) context.truncate(length);
}

// Messages, reasoning and remarks.

/** Some releases tell the prompt of a review twice: for the thread and for its child. */
function showUserEvent(context: MappingContext, event: Fields): void {
  const { memory } = context;
  const message = readUserEvent(event);
  if (memory.reviewPrompt !== null) {
    if (memory.reviewPrompt === message.text) return;
    memory.reviewPrompt = message.text;
  }
  showUserCopy(context, message, "event");
}

function streamAnswer(context: MappingContext, event: Fields): void {
  const { memory } = context;
  const delta = textOf(event.delta) ?? "";
  let streamId = idOf(event.item_id) ?? memory.liveStream;
  if (streamId === null) {
    memory.streamCount += 1;
    streamId = `stream-${memory.streamCount}`;
  }
  memory.liveStream = streamId;
  appendToStream(context, streamId, delta);
}

function streamThought(kind: "summary" | "raw"): MapEvent {
  return (context, event) => {
    const delta = textOf(event.delta) ?? "";
    const key = idOf(event.item_id);
    if (key === undefined) appendLive(context, kind, delta);
    else appendToThought(context, { key, delta, joins: false });
  };
}

function streamPlan(context: MappingContext, event: Fields): void {
  const id = idOf(event.item_id);
  if (id === undefined) return;
  const { plans } = context.memory;
  const text = (plans.get(id) ?? "") + (textOf(event.delta) ?? "");
  plans.set(id, text);
  showPlanNotice(context, id, text);
}

function showWarning(context: MappingContext, event: Fields): void {
  context.push(warningRecord(messageOf(event)));
}

// Tools.

/** Makes of an event the beginning of a call, which may be another one of a known id. */
function begin(show: MapEvent): MapEvent {
  return (context, event, eventId) => {
    beginCall(context, callIdOf(event.call_id, event.callId), "event");
    show(context, event, eventId);
  };
}

function callOf(event: Fields): string | null {
  return callIdOf(event.call_id) ?? null;
}

function mcpCall(context: MappingContext, event: Fields): ToolStart {
  const { server, tool, arguments: args } = fieldsOf(event.invocation);
  return {
    callId: callOf(event),
    title: qualifiedTitle(server, tool),
    arguments: toolArguments(
      args,
      context.textsOf("invocation", "arguments"),
    ),
  };
}

function endMcpCall(context: MappingContext, event: Fields): void {
  const { Ok: ok, Err: error } = fieldsOf(event.result);
  finishTool(context, {
    ...mcpCall(context, event),
    ...mcpResult(ok, error),
    durationMs: durationMsOf(event.duration),
  });
}

function endWebSearch(context: MappingContext, event: Fields): void {
  showSearchCopy(context, idOf(event.call_id) ?? null, event, {
    source: "event",
    isFailed: false,
  });
}

function startCustomCall(context: MappingContext, event: Fields): void {
  const title = textOf(event.tool_name) ?? "";
  if (title === WAIT_TOOL) {
    startWait(context, callOf(event), event.parameters);
  } else startTool(context, { ...customCall(context, event), title });
}

function customCall(context: MappingContext, event: Fields): ToolStart {
  return {
    callId: callOf(event),
    title: textOf(event.tool_name) ?? "",
    arguments: toolArguments(
      event.parameters,
      context.textsOf("parameters"),
    ),
  };
}

function endCustomCall(context: MappingContext, event: Fields): void {
  const result = fieldsOf(event.result);
  const isSuccess = !Object.hasOwn(result, "Err");
  const text = textOf(isSuccess ? result.Ok : result.Err) ?? "";
  const durationMs = durationMsOf(event.duration);
  const call = customCall(context, event);
  if (call.title === WAIT_TOOL) {
    finishWait(context, call.callId, {
      parameters: event.parameters,
      end: { isSuccess, durationMs, text },
    });
    return;
  }
  finishTool(context, {
    ...call,
    arguments: mergeArguments([], call.arguments),
    isFailed: !isSuccess,
    durationMs,
    preview: isSuccess ? resultPreview([text]) : null,
    errorMessage: isSuccess ? null : text,
  });
}

/** The begins and ends of calls between agents, and what tool each of them is. */
function collabEvents(): [string, MapEvent][] {
  const tools = [
    ["agent_spawn", "spawn_agent"],
    ["agent_interaction", "send_input"],
    ["waiting", "wait"],
    ["close", "close_agent"],
    ["resume", "resume_agent"],
  ] as const;
  return tools.flatMap(([name, tool]): [string, MapEvent][] => [
    [
      `collab_${name}_begin`,
      begin((context, event) =>
        startTool(context, eventCollabCall(event, tool))
      ),
    ],
    [`collab_${name}_end`, (context, event) =>
      finishTool(context, {
        ...eventCollabCall(event, tool),
        isFailed: isFailedWord(event.status) || [
          event.status,
          ...Object.values(fieldsOf(event.statuses)),
        ].some(isLostAgent),
        preview: statesPreview(event.statuses ?? event.agents_states),
      })],
  ]);
}

function eventCollabCall(event: Fields, tool: string): ToolStart {
  const one = idOf(event.receiver_thread_id) ?? idOf(event.new_thread_id);
  return collabCall(callOf(event), tool, {
    prompt: event.prompt,
    receiver_thread_ids: event.receiver_thread_ids ??
      (one === undefined ? undefined : [one]),
  });
}

// Images.

function showViewedImage(context: MappingContext, event: Fields): void {
  showImage(
    context,
    callOf(event),
    imageRecord(pathOf(textOf(event.path) ?? "")),
  );
}

function showMadeImage(context: MappingContext, event: Fields): void {
  showGeneratedImage(context, idOf(event.call_id) ?? null, event);
}
