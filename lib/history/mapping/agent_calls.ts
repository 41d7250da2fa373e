/**
 * Calls between agents.
 *
 * @module
 */

import type { ToolResultPreview } from "../records.ts";
import { type Fields, isFields, jsonTextOf } from "./json_fields.ts";
import { resultPreview } from "./result_preview.ts";
import { toolArguments } from "./tool_arguments.ts";
import { qualifiedTitle, type ToolStart } from "./tools.ts";

/** A call from one agent to others, for its beginning and its end. */
export function collabCall(
  callId: string | null,
  tool: unknown,
  fields: Fields,
): ToolStart {
  const { prompt, receiver_thread_ids } = fields;
  return {
    callId,
    title: qualifiedTitle("collab", tool),
    arguments: toolArguments({
      ...(prompt === undefined || prompt === null ? {} : { prompt }),
      ...(Array.isArray(receiver_thread_ids) ? { receiver_thread_ids } : {}),
    }),
  };
}

/** Tells whether the status of an agent says that it failed, or that there is none. */
export function isLostAgent(status: unknown): boolean {
  return status === "not_found" ||
    isFields(status) && Object.hasOwn(status, "errored");
}

/** The states of agents, as JSON. */
export function statesPreview(
  states: unknown,
): ToolResultPreview | null {
  const isEmpty = !isFields(states) || Object.keys(states).length === 0;
  return isEmpty ? null : resultPreview([jsonTextOf(states)]);
}
