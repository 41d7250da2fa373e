/**
 * Makes lines of session files, for the tests of all that reads them.
 *
 * @module
 */

/** A line, parsed. */
export type Line = Record<string, unknown>;

/** The default time of lines. */
export const TIME = "2026-11-20T15:14:15.000Z";

/** Makes a line. */
export function line(type: string, payload: object, timestamp = TIME): Line {
  return { timestamp, type, payload };
}

/** Makes an `event_msg` line. */
export function eventLine(
  type: string,
  fields: object = {},
  timestamp = TIME,
): Line {
  return line("event_msg", { type, ...fields }, timestamp);
}

/** Makes a `response_item` line. */
export function itemLine(
  type: string,
  fields: object = {},
  timestamp = TIME,
): Line {
  return line("response_item", { type, ...fields }, timestamp);
}

/** Makes an `item_completed` line of a paginated file; `rest` has the fields beside the item. */
export function pagedLine(type: string, item: object, rest: object = {}): Line {
  return eventLine("item_completed", { item: { type, ...item }, ...rest });
}

/** Makes the line of a prompt. */
export function promptLine(message: string, timestamp = TIME): Line {
  return eventLine("user_message", { message }, timestamp);
}

/** Makes the line of a message of the agent. */
export function answerLine(message: string, timestamp = TIME): Line {
  return eventLine("agent_message", { message }, timestamp);
}

/** Makes the response item of a message of one text. */
export function messageLine(role: "assistant" | "user", text: string): Line {
  const type = role === "user" ? "input_text" : "output_text";
  return itemLine("message", { role, content: [{ type, text }] });
}

/** Makes the line of a function call. */
export function callLine(name: string, args: unknown, call_id = "c1"): Line {
  const text = JSON.stringify(args);
  return itemLine("function_call", { name, arguments: text, call_id });
}

/** Makes the line of the output of a function call. */
export function outputLine(output: unknown, call_id = "c1"): Line {
  return itemLine("function_call_output", { output, call_id });
}

/** The header of a paginated file. */
export const PAGINATED = line("session_meta", {
  id: "t",
  timestamp: TIME,
  history_mode: "paginated",
});
