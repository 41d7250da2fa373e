/**
 * Makes lines, and reads the events of lines and captures.
 *
 * @module
 */

import { JsonlEvents } from "../../lib/pipeline/event_pipeline.ts";
import { EventReader } from "../../lib/events/event_reader.ts";
import { type Fields, fieldsOf } from "../../lib/json/fields.ts";

/** The default time of lines. */
export const TIME = "2026-11-20T12:00:00.000Z";

/** Makes a line. */
export function line(type: string, payload: Fields, rest: Fields = {}): Fields {
  return { timestamp: TIME, type, payload, ...rest };
}

/** Makes a response item. */
export function item(type: string, fields: Fields = {}): Fields {
  return line("response_item", { type, ...fields });
}

/** Makes an event line. */
export function event(type: string, fields: Fields = {}): Fields {
  return line("event_msg", { type, ...fields });
}

/** Makes a function call. */
export function call(name: string, args: unknown, id = "c1"): Fields {
  const text = JSON.stringify(args);
  return item("function_call", { name, arguments: text, call_id: id });
}

/** Makes a call of a code mode script. */
export function script(input: string, id = "c1"): Fields {
  return item("custom_tool_call", { name: "exec", input, call_id: id });
}

/** Makes the output of a call. */
export function output(content: unknown, id = "c1"): Fields {
  return item("function_call_output", { output: content, call_id: id });
}

/** Makes a completed item of a paginated file. */
export function paged(type: string, fields: Fields, rest: Fields = {}): Fields {
  return event("item_completed", { item: { type, ...fields }, ...rest });
}

/** The header of a paginated file. */
export const PAGINATED = line("session_meta", {
  id: "t",
  history_mode: "paginated",
});

/** Reads lines; before line `split`, a new reader takes over with the saved state of the first. */
export function eventsOf(lines: readonly Fields[], split = -1): Fields[] {
  const events: Fields[] = [];
  let reader = new EventReader();
  lines.forEach((each, at) => {
    if (at === split) {
      reader = new EventReader(JSON.parse(JSON.stringify(reader.save())));
    }
    const place = { line: at + 1, offset: 0, text: JSON.stringify(each) };
    reader.read(each, place, (event) => events.push(event));
  });
  return events;
}

/** Returns a short text of an event. */
export function summaryOf(event: Fields): string {
  const { type, item_type, item_id, status, error, call_id } = event;
  const content = fieldsOf(event.content ?? event.delta);
  const words = [
    String(type).replace("item.", ""),
    item_type,
    item_id === call_id ? undefined : item_id,
    status === "in_progress" || status === "completed" ? undefined : status,
    content.argv === undefined ? content.text ?? content.name : undefined,
    Array.isArray(content.argv) ? content.argv.join(" ") : undefined,
    content.exit_code === undefined ? undefined : `= ${content.exit_code}`,
    content.stdout === undefined ? undefined : `> ${content.stdout}`,
    fieldsOf(error ?? content.error).message,
  ];
  return words.filter((word) => word !== undefined).join(" ");
}

/** Reads the events of bytes of any dialect. */
export function eventsIn(bytes: Uint8Array): Fields[] {
  const events: Fields[] = [];
  const stage = new JsonlEvents();
  const take = (
    outcome: { readonly ok: boolean; readonly value?: unknown },
  ) => {
    if (outcome.ok) events.push(fieldsOf(outcome.value));
  };
  stage.feed(bytes, take);
  stage.flush(take);
  return events;
}
