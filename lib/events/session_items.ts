/**
 * Types of the items and fields that only session files and app-servers have, beyond the output of
 * `codex exec --json`.
 *
 * The events themselves are of type {@linkcode ThreadEvent}; docs/events.md lists the events of
 * each line of a session file.
 */

import type {
  ItemCompletedEvent,
  ItemStartedEvent,
  ThreadEvent,
} from "../dialects/exec/events.ts";
import {
  type Fields,
  fieldsOf,
  idOf,
  isObject,
  textsOf,
} from "../json/fields.ts";

/** Additional fields of every item event of a session file. */
export interface SessionItemFields {
  /** When it happened: the time of its line, or of the last one that has a time, as RFC 3339. */
  readonly timestamp?: string;
  /** The number of its line, from 1. */
  readonly line?: number;
  /** The offset of its line, in bytes. */
  readonly offset?: number;
  /** Whether the line was copied from the thread that this one was forked or spawned from. */
  readonly inherited?: true;
  /** The id of the call between the model and its tools; absent for an item that is no call. */
  readonly call_id?: string;
  /** When the item began, as RFC 3339; in `item.completed` of items that state it. */
  readonly started_at?: string;
}

/** An image in a message. */
export interface SessionImage {
  /** The file, or `file:` URL, of the image. */
  readonly path?: string;
  /** The URL; a `data:` URL contains the image itself. */
  readonly url?: string;
}

/** A change of a file in a `file_change`. */
export interface SessionFileChange {
  /** The path of the file. */
  readonly path: string;
  /** `add`, `delete` or `update`. */
  readonly kind: string;
  /** The content that is added or was deleted, if known. */
  readonly content?: string;
  /** The change of an updated file, as a unified diff. */
  readonly unified_diff?: string;
  /** The new path, if the file is moved. */
  readonly move_path?: string;
}

/** The content of each item type that only session files and app-servers have. */
export interface SessionItemContents {
  /** A message of the user. */
  readonly user_message: {
    readonly text?: string;
    readonly images?: readonly SessionImage[];
  };
  /**
   * Text that the program inserts into the conversation: instructions, the environment, reminders.
   */
  readonly injected_context: {
    /** The role that it is inserted as: `user`, `developer`, `system`. */
    readonly role: string;
    readonly text: string;
  };
  /** A message from one agent to another. */
  readonly inter_agent_message: {
    readonly text: string;
    readonly author: string;
    readonly recipient?: string;
  };
  /**
   * The reasoning itself, in releases that keep it. `continues`: it is a part that continues the
   * one before it.
   */
  readonly agent_reasoning_raw_content: {
    readonly text: string;
    readonly continues?: true;
  };
  /** A call of any other tool. */
  readonly tool_call: {
    /** The name of the tool. */
    readonly name: string;
    /** The owner of the tool. */
    readonly namespace?: string;
    /** The arguments: a JSON value, or the text if it is not valid JSON. */
    readonly arguments?: unknown;
    /** The output: texts, and parts of content. */
    readonly output?: readonly unknown[];
    /** The error of a failed call. */
    readonly error?: { readonly message: string };
    /** The duration in milliseconds. */
    readonly duration_ms?: number;
  };
  /** A call exactly as the model made it; only with the option `modelCalls`. */
  readonly model_call: {
    /** The name of the tool. */
    readonly name: string;
    /** The owner of the tool. */
    readonly namespace?: string;
    /** The arguments as they were written: the JSON text of an object, or any other text. */
    readonly arguments: string;
  };
  /** The output of a call as it was returned to the model; only with the option `modelCalls`. */
  readonly model_call_output: {
    /** A text, parts of content, or (in old releases) an object. */
    readonly output?: unknown;
  };
  /** A call of a tool that the program around Codex provides. */
  readonly dynamic_tool_call: {
    readonly namespace?: string;
    readonly tool: string;
    readonly arguments?: unknown;
    readonly content_items?: readonly unknown[];
    readonly success?: boolean;
    readonly error?: unknown;
    readonly duration_ms?: number;
  };
  /** An image that the agent views. */
  readonly image_view: { readonly path: string };
  /** An image that the agent has generated. */
  readonly image_generation: {
    /** The image, in base64. */
    readonly result?: string;
    readonly saved_path?: string;
    readonly revised_prompt?: string;
    readonly status?: string;
  };
  /** A plan as text. */
  readonly plan: { readonly text: string };
  /** A spoken text of a conversation by voice. */
  readonly speech: { readonly role: string; readonly text: string };
  /** An action of a sub-agent. */
  readonly sub_agent_activity: {
    readonly agent_path?: string;
    readonly agent_thread_id?: string;
    readonly kind?: string;
    readonly message?: string;
  };
  /** The beginning of a review. */
  readonly entered_review_mode: { readonly user_facing_hint?: string };
  /** The end of a review; `review_output` is null if it had no result. */
  readonly exited_review_mode: { readonly review_output?: unknown };
  /** A compaction of the context; `message` is the summary, if the file has it. */
  readonly context_compaction: { readonly message?: string };
  /** A rollback of turns. */
  readonly thread_rolled_back: { readonly num_turns: number };
  /** All changes of the turn so far, as one diff. */
  readonly turn_diff: { readonly unified_diff: string };
  /** Token counts, as the wire has them. */
  readonly token_count: {
    readonly info?: unknown;
    readonly rate_limits?: unknown;
  };
  /** The token counts of one request, as the wire has them. */
  readonly token_usage_record: {
    readonly usage?: unknown;
    readonly turn_token_usage?: unknown;
    readonly thread_token_usage?: unknown;
  };
  /** The settings of the turn, as the wire has them: `cwd`, `model`, `effort`, policies. */
  readonly turn_context: { readonly cwd?: string; readonly model?: string };
  /** A notice of the program. */
  readonly background_event: { readonly message: string };
  /** The end of an undo. */
  readonly undo_completed: { readonly message?: string };
  /** A notice that a feature is deprecated. */
  readonly deprecation_notice: {
    readonly summary?: string;
    readonly details?: string;
  };
}

/**
 * The key under which a content holds the JSON text of its `arguments`, in which numbers keep their
 * spelling. As a symbol, it is invisible to `Object.keys()` and JSON.
 */
export const ARGUMENTS_TEXT: unique symbol = Symbol("arguments");

/** Adds the text of arguments to a content. */
export function withText<T extends object>(
  content: T,
  text: string | undefined,
): T {
  return text === undefined ? content : { ...content, [ARGUMENTS_TEXT]: text };
}

/** Formats the source of a session: up to four nested words, joined by colons. */
export function sourceText(source: unknown): string | undefined {
  const words: string[] = [];
  for (let at = source; words.length < 4;) {
    if (typeof at === "string") {
      words.push(at);
      break;
    }
    const [name] = isObject(at) ? Object.keys(at) : [];
    if (name === undefined) break;
    words.push(name);
    // The description of a spawned thread has fields of its own.
    if (name === "thread_spawn") break;
    at = fieldsOf(at)[name];
  }
  return words.length === 0 ? undefined : words.join(":");
}

/**
 * An event of an item that only session files and app-servers have.
 *
 * @typeParam T The item type.
 */
export type SessionItemEvent<T extends keyof SessionItemContents> =
  & (ItemStartedEvent | ItemCompletedEvent)
  & SessionItemFields
  & { readonly item_type: T; readonly content: SessionItemContents[T] };

/**
 * An item that only session files and app-servers have, started or completed; `switch` on
 * `item_type`. This list may expand over time.
 */
export type SessionItem = {
  [T in keyof SessionItemContents]: SessionItemEvent<T>;
}[keyof SessionItemContents];

/**
 * Whether an event starts or completes an item of one type that only session files and app-servers
 * have, and has its content.
 *
 * @typeParam T The item type; one literal, not a union.
 * @param event The event.
 * @param itemType The item type.
 * @returns Whether it is `item.started` or `item.completed` of that type.
 *
 * @example The prompts of the user
 * ```ts
 * import { decodeEvents, isSessionItem } from "@codexpipe/codexpipe";
 * import { assertEquals } from "@std/assert";
 *
 * const payload = { type: "user_message", message: "Hi" };
 * const line = { timestamp: "2025-10-01T12:00:00Z", type: "event_msg", payload };
 * const file = new Blob([JSON.stringify(line)]);
 * const prompts: (string | undefined)[] = [];
 * for await (const outcome of decodeEvents(file.stream())) {
 *   if (!outcome.ok) continue;
 *   const event = outcome.value;
 *   if (isSessionItem(event, "user_message")) prompts.push(event.content.text);
 * }
 *
 * assertEquals(prompts, ["Hi"]);
 * ```
 */
export function isSessionItem<const T extends keyof SessionItemContents>(
  event: ThreadEvent,
  itemType: T,
): event is SessionItemEvent<T> {
  return (event.type === "item.started" || event.type === "item.completed") &&
    event.item_type === itemType && "content" in event &&
    typeof event.content === "object" && event.content !== null;
}

/** Returns the ids of the threads that were spawned according to an event. */
export function spawnedThreads(event: Fields): readonly string[] {
  if (event.item_type === "collab_tool_call") {
    return event.tool === "spawn_agent"
      ? textsOf(event.receiver_thread_ids)
      : [];
  }
  if (event.item_type !== "sub_agent_activity") return [];
  const { kind = "started", agent_thread_id } = fieldsOf(event.content);
  const id = kind === "started" ? idOf(agent_thread_id) : undefined;
  return id === undefined ? [] : [id];
}
