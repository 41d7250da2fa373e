/**
 * Reads the events of lines and captures.
 *
 * @module
 */

import { JsonlEvents } from "../../lib/pipeline/event_pipeline.ts";
import { EventReader } from "../../lib/events/event_reader.ts";
import { type Fields, fieldsOf } from "../../lib/json/fields.ts";
import { emitted } from "../running.ts";
import { itemLine } from "../session_lines.ts";

/** Makes a call of a code mode script. */
export function script(input: string, id = "c1"): Fields {
  return itemLine("custom_tool_call", { name: "exec", input, call_id: id });
}

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
  return emitted(new JsonlEvents(), [bytes]).flatMap((outcome) =>
    outcome.ok ? [fieldsOf(outcome.value)] : []
  );
}
