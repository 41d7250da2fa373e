/**
 * Searches of the web, which some releases tell of twice without an id in common.
 *
 * @module
 */

import { type Fields, fieldsOf, jsonTextOf } from "./json_fields.ts";
import type { MappingContext } from "./mapping_context.ts";
import type { CopySource } from "./pairing.ts";
import { webSearchArguments } from "./tool_arguments.ts";
import { finishTool, isRunningTool, type ToolStart } from "./tools.ts";

/** What is said of a search, for its beginning and its end. */
export function webSearch(
  callId: string | null,
  { query, action }: Fields,
): ToolStart {
  return {
    callId,
    title: "web_search",
    arguments: webSearchArguments(query, action),
  };
}

/**
 * Shows a search that ended, unless the other copy has been shown.
 *
 * Copies belong together by their id. An item that has none is the copy of an event that says
 * the same of what the search did.
 *
 * @param context Where.
 * @param callId The id of the call, or `null`.
 * @param fields The item or the event.
 * @param options Where the copy comes from, and whether the search failed.
 */
export function showSearchCopy(
  context: MappingContext,
  callId: string | null,
  fields: Fields,
  { source, isFailed }: {
    readonly source: CopySource;
    readonly isFailed: boolean;
  },
): void {
  const { pairing } = context.memory;
  const isKnown = callId !== null && context.indexOfTool(callId) !== -1;
  const isOpen = callId !== null && isRunningTool(context, callId);
  // The event of an item with an id has that id too.
  const pairs = source === "event" || callId === null;
  const key = actionKey(fields);
  const isCopy = (pairs || isKnown) &&
    pairing.match("search", key, source) !== undefined;
  const isShown = isKnown ? source === "item" && !isOpen : isCopy;
  if (isShown) return;
  finishTool(context, { ...webSearch(callId, fields), isFailed });
  if (pairs && !isCopy && (isOpen || !isKnown)) {
    pairing.add("search", key, { source });
  }
}

/**
 * Gives what both copies say of a search: the fields of its action. Beside the action an event
 * has words for what was done; older ones have nothing but the query.
 */
function actionKey({ query, action }: Fields): string {
  const { type: _type, ...fields } = fieldsOf(action ?? { query });
  return jsonTextOf(
    Object.entries(fields)
      .filter(([, value]) => (value ?? "") !== "")
      .sort(([a], [b]) => a < b ? -1 : 1),
  );
}
