/** The schema of the items that only session files and app-servers have. */

import * as v from "valibot";
import type { SessionItem, SessionItemContents } from "./session_items.ts";

const text = v.optional(v.string());
const ms = v.optional(v.number());
const anything = v.optional(v.unknown());

/** The content of each item type; unknown fields are kept. */
const CONTENTS = {
  user_message: v.looseObject({
    text,
    images: v.optional(v.array(v.looseObject({ path: text, url: text }))),
  }),
  injected_context: v.looseObject({ role: v.string(), text: v.string() }),
  inter_agent_message: v.looseObject({
    text: v.string(),
    author: v.string(),
    recipient: text,
  }),
  agent_reasoning_raw_content: v.looseObject({
    text: v.string(),
    continues: v.optional(v.literal(true)),
  }),
  tool_call: v.looseObject({
    name: v.string(),
    namespace: text,
    arguments: anything,
    output: v.optional(v.array(v.unknown())),
    error: v.optional(v.looseObject({ message: v.string() })),
    duration_ms: ms,
  }),
  model_call: v.looseObject({
    name: v.string(),
    namespace: text,
    arguments: v.string(),
  }),
  model_call_output: v.looseObject({ output: anything }),
  dynamic_tool_call: v.looseObject({
    namespace: text,
    tool: v.string(),
    arguments: anything,
    content_items: v.optional(v.array(v.unknown())),
    success: v.optional(v.boolean()),
    error: anything,
    duration_ms: ms,
  }),
  image_view: v.looseObject({ path: v.string() }),
  image_generation: v.looseObject({
    result: text,
    saved_path: text,
    revised_prompt: text,
    status: text,
  }),
  plan: v.looseObject({ text: v.string() }),
  speech: v.looseObject({ role: v.string(), text: v.string() }),
  sub_agent_activity: v.looseObject({
    agent_path: text,
    agent_thread_id: text,
    kind: text,
    message: text,
  }),
  entered_review_mode: v.looseObject({ user_facing_hint: text }),
  exited_review_mode: v.looseObject({ review_output: anything }),
  context_compaction: v.looseObject({ message: text }),
  thread_rolled_back: v.looseObject({ num_turns: v.number() }),
  turn_diff: v.looseObject({ unified_diff: v.string() }),
  token_count: v.looseObject({ info: anything, rate_limits: anything }),
  token_usage_record: v.looseObject({
    usage: anything,
    turn_token_usage: anything,
    thread_token_usage: anything,
  }),
  turn_context: v.looseObject({ cwd: text, model: text }),
  background_event: v.looseObject({ message: v.string() }),
  undo_completed: v.looseObject({ message: text }),
  deprecation_notice: v.looseObject({ summary: text, details: text }),
} as const satisfies {
  readonly [
    // The compiler checks each schema against the interface of its type.
    T in keyof SessionItemContents
  ]: v.GenericSchema;
};

function itemSchema<T extends keyof SessionItemContents>(itemType: T) {
  return v.looseObject({
    type: v.picklist(["item.started", "item.completed"]),
    thread_id: v.string(),
    turn_id: text,
    item_id: v.string(),
    status: v.string(),
    item_type: v.literal(itemType),
    content: CONTENTS[itemType],
    call_id: text,
    started_at: text,
    timestamp: text,
    line: v.optional(v.number()),
    offset: v.optional(v.number()),
    inherited: v.optional(v.literal(true)),
  });
}

const ITEM_TYPES = Object.keys(CONTENTS) as (keyof SessionItemContents)[];

export const SessionItemSchema: v.GenericSchema<unknown, SessionItem> = v
  .variant("item_type", [
    ...ITEM_TYPES.map(itemSchema),
  ]) as unknown as v.GenericSchema<unknown, SessionItem>;
