/**
 * Tools that the host program offers.
 *
 * @module
 */

import { callIdOf, type Fields, isFailedWord, listOf } from "./json_fields.ts";
import type { MappingContext } from "./mapping_context.ts";
import { resultPreview } from "./result_preview.ts";
import { durationMsOf } from "./times.ts";
import { toolArguments } from "./tool_arguments.ts";
import {
  errorText,
  finishTool,
  qualifiedTitle,
  type ToolStart,
} from "./tools.ts";

/** What an event says of the call. */
export function dynamicCall(
  context: MappingContext,
  event: Fields,
): ToolStart {
  return {
    callId: callIdOf(event.call_id, event.callId) ?? null,
    title: qualifiedTitle(event.namespace, event.tool),
    arguments: toolArguments(event.arguments, context.textsOf("arguments")),
  };
}

/** Shows how a dynamic tool ended: by its response, or a `DynamicToolCall` item. */
export function endDynamicTool(
  context: MappingContext,
  call: ToolStart,
  event: Fields,
): void {
  const error = errorText(event.error);
  finishTool(context, {
    ...call,
    isFailed: error !== null || event.success === false ||
      isFailedWord(event.status),
    durationMs: durationMsOf(event.duration),
    preview: resultPreview(
      listOf(event.content_items ?? event.contentItems),
    ),
    errorMessage: error,
  });
}
