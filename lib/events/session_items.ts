/**
 * What events tell of a session file beyond what `codex exec --json` prints.
 *
 * The events themselves are those of {@linkcode ThreadEvent}; docs/events.md says which line of
 * a session file becomes which of them.
 *
 * @module
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

/** What every event of a session file has besides. */
export interface SessionEventFields {
  /** When it happened: the time of its line, or the last one before it, as RFC 3339. */
  readonly timestamp?: string;
  /** The number of its line, from 1. */
  readonly line?: number;
  /** Where its line begins, in bytes. */
  readonly offset?: number;
  /** Whether the line was copied from the thread that this one was forked or spawned from. */
  readonly inherited?: true;
}

/** What every event of an item of a session file has besides. */
export interface SessionItemFields extends SessionEventFields {
  /** The id by which the model and its tools know the call; absent where the item is none. */
  readonly call_id?: string;
  /** When the item began, as RFC 3339, in `item.completed` of items that say so themselves. */
  readonly started_at?: string;
}

/** What `thread.started` of a session file has besides: the header of the file. */
export interface SessionHeaderFields extends SessionEventFields {
  /** When the session began, as its header says it. */
  readonly started_at?: string;
  /** The folder that it works in. */
  readonly cwd?: string;
  /** The program that began it, such as `codex_exec`. */
  readonly originator?: string;
  /** The version of Codex. */
  readonly cli_version?: string;
  /** What began it: a word, or an object that tells of the agent that spawned it. */
  readonly source?: unknown;
  /** Whose thread it is: `user`, `subagent`. */
  readonly thread_source?: string;
  /** The provider of the model. */
  readonly model_provider?: string;
  /** The repository: `branch`, `commit_hash`, `repository_url`. */
  readonly git?: unknown;
  /** The thread that spawned this one. */
  readonly parent_thread_id?: string;
  /** The thread that this one was forked from. */
  readonly forked_from_id?: string;
  /** The path of the agent among its kin. */
  readonly agent_path?: string;
  /** What the agent is called. */
  readonly agent_nickname?: string;
  /** How the file tells its history: `legacy` or `paginated`; absent is `legacy`. */
  readonly history_mode?: string;
  /** The part of another file that this one goes on from. */
  readonly history_base?: unknown;
  /** The ordinal of the first line that is not inherited. */
  readonly subagent_history_start_ordinal?: number;
}

/** An image that a message holds. */
export interface SessionImage {
  /** The file, or `file:` URL, that it came from. */
  readonly path?: string;
  /** The URL; a `data:` URL holds the image itself. */
  readonly url?: string;
}

/** What an item of a type that `codex exec` prints has besides, in its content. */
export interface SessionContents {
  /** A message of the agent. */
  readonly agent_message: {
    /** `commentary` or `final_answer`. */
    readonly phase?: string;
    /** Where it has what it says from, as the wire has it. */
    readonly memory_citation?: unknown;
  };
  /** Reasoning. */
  readonly reasoning: {
    /** Whether it is a part that belongs to the reasoning right before it, if there is one. */
    readonly continues?: true;
  };
  /** A command. `command` is what the model or the program wrote. */
  readonly command_execution: {
    /** The words of the command; one word where the model wrote a line of shell. */
    readonly argv?: readonly string[];
    /** What it does, as the program parsed it: `{type: "read", cmd, name, path}` and so on. */
    readonly parsed_cmd?: readonly unknown[];
    /** Where it runs. */
    readonly cwd?: string;
    /** How long it took, in milliseconds. */
    readonly duration_ms?: number;
    /** The session of unified exec that it runs in, if it outlived its call. */
    readonly process_id?: string;
    /** What began it: `agent`, `user_shell`, `unified_exec_startup`. */
    readonly source?: string;
    /** In a delta: that something waits for it, or has waited (tool `wait` of the fork). */
    readonly wait?: {
      /** Whether the wait goes on. */
      readonly active: boolean;
      /** How long it took, in milliseconds. */
      readonly duration_ms?: number;
      /** What it said. */
      readonly text?: string;
    };
  };
  /** A change of files: `changes` say more. */
  readonly file_change: {
    /** The files: with `content` of what is added or deleted, `unified_diff` and `move_path`. */
    readonly changes?: readonly SessionFileChange[];
    /** Whether it needed no approval. */
    readonly auto_approved?: boolean;
  };
  /** A call of an MCP tool. */
  readonly mcp_tool_call: {
    /** How long it took, in milliseconds. */
    readonly duration_ms?: number;
  };
  /** A plan: its steps say more. */
  readonly todo_list: {
    /** What the plan is called. */
    readonly name?: string;
    /** Why it changed. */
    readonly explanation?: string;
    /** The steps, with a `status`: `pending`, `in_progress`, `completed`. */
    readonly items?: readonly {
      readonly title: string;
      readonly completed: boolean;
      readonly status?: string;
    }[];
  };
  /** A remark that does not end the turn. */
  readonly error: {
    /** `warning` of a warning, `notice` of a failure that is tried again; absent is an error. */
    readonly severity?: "warning" | "notice";
  };
}

/** A file that changes. */
export interface SessionFileChange {
  /** The path of the file. */
  readonly path: string;
  /** `add`, `delete` or `update`. */
  readonly kind: string;
  /** What is added or was deleted, if that is known. */
  readonly content?: string;
  /** How it changes. */
  readonly unified_diff?: string;
  /** Where it is moved. */
  readonly move_path?: string;
}

/** The content of each item type that only session files and app servers tell of. */
export interface SessionItemContents {
  /** What the user says. */
  readonly user_message: {
    readonly text?: string;
    readonly images?: readonly SessionImage[];
  };
  /** What the program puts into the conversation: instructions, the environment, reminders. */
  readonly injected_context: {
    /** In whose name: `user`, `developer`, `system`. */
    readonly role: string;
    readonly text: string;
  };
  /** What one agent says to another. */
  readonly inter_agent_message: {
    readonly text: string;
    readonly author: string;
    readonly recipient?: string;
  };
  /** Reasoning itself, where a release keeps it; as a part it `continues` what is before it. */
  readonly agent_reasoning_raw_content: {
    readonly text: string;
    readonly continues?: true;
  };
  /** A call of any other tool. */
  readonly tool_call: {
    /** What is called. */
    readonly name: string;
    /** Whose tool it is. */
    readonly namespace?: string;
    /** What it is given: a JSON value, or the text that should have been one. */
    readonly arguments?: unknown;
    /** What it gave: texts, and parts of content. */
    readonly output?: readonly unknown[];
    /** Why it failed. */
    readonly error?: { readonly message: string };
    /** How long it took, in milliseconds. */
    readonly duration_ms?: number;
  };
  /** Any call as the model made it, if that is asked for (`modelCalls`). */
  readonly model_call: {
    /** What is called. */
    readonly name: string;
    /** Whose tool it is. */
    readonly namespace?: string;
    /** What it is given, as it was written: the JSON text of an object, or any other text. */
    readonly arguments: string;
  };
  /** What the model was given back of a call, if that is asked for (`modelCalls`). */
  readonly model_call_output: {
    /** A text, parts of content, or an object of old. */
    readonly output?: unknown;
  };
  /** A call of a tool of the program around Codex. */
  readonly dynamic_tool_call: {
    readonly namespace?: string;
    readonly tool: string;
    readonly arguments?: unknown;
    readonly content_items?: readonly unknown[];
    readonly success?: boolean;
    readonly error?: unknown;
    readonly duration_ms?: number;
  };
  /** An image that the agent looks at. */
  readonly image_view: { readonly path: string };
  /** An image that the agent has made. */
  readonly image_generation: {
    /** The image, in base64. */
    readonly result?: string;
    readonly saved_path?: string;
    readonly revised_prompt?: string;
    readonly status?: string;
  };
  /** A plan in words. */
  readonly plan: { readonly text: string };
  /** What was said aloud. */
  readonly speech: { readonly role: string; readonly text: string };
  /** What a sub-agent does. */
  readonly sub_agent_activity: {
    readonly agent_path?: string;
    readonly agent_thread_id?: string;
    readonly kind?: string;
    readonly message?: string;
  };
  /** A review begins. */
  readonly entered_review_mode: { readonly user_facing_hint?: string };
  /** A review ends; `review_output` is null if it found nothing out. */
  readonly exited_review_mode: { readonly review_output?: unknown };
  /** The context was compacted; `message` is the summary, if it is told. */
  readonly context_compaction: { readonly message?: string };
  /** Turns were taken back. */
  readonly thread_rolled_back: { readonly num_turns: number };
  /** All changes of the turn so far. */
  readonly turn_diff: { readonly unified_diff: string };
  /** Tokens, as the wire has them. */
  readonly token_count: {
    readonly info?: unknown;
    readonly rate_limits?: unknown;
  };
  /** The tokens of one request, as the wire has them. */
  readonly token_usage_record: {
    readonly usage?: unknown;
    readonly turn_token_usage?: unknown;
    readonly thread_token_usage?: unknown;
  };
  /** What holds for the turn, as the wire has it: `cwd`, `model`, `effort`, policies. */
  readonly turn_context: {
    readonly cwd?: string;
    readonly model?: string;
  };
  /** A remark of the program. */
  readonly background_event: { readonly message: string };
  /** An undo is over. */
  readonly undo_completed: { readonly message?: string };
  /** Something is deprecated. */
  readonly deprecation_notice: {
    readonly summary?: string;
    readonly details?: string;
  };
}

/**
 * The field of a content that holds the text of its `arguments`, where numbers stand as they
 * were spelled. Neither `Object.keys()` nor JSON sees it.
 */
export const ARGUMENTS_TEXT: unique symbol = Symbol("arguments");

/** Puts the text of arguments beside them. */
export function withText<T extends object>(
  content: T,
  text: string | undefined,
): T {
  return text === undefined ? content : { ...content, [ARGUMENTS_TEXT]: text };
}

/** What started a session, in words. */
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
    // What it says of the thread that was spawned has fields of its own.
    if (name === "thread_spawn") break;
    at = fieldsOf(at)[name];
  }
  return words.length === 0 ? undefined : words.join(":");
}

/**
 * An event of an item that only session files and app servers tell of.
 *
 * @typeParam T The item type.
 */
export type SessionItemEvent<T extends keyof SessionItemContents> =
  & (ItemStartedEvent | ItemCompletedEvent)
  & SessionItemFields
  & { readonly item_type: T; readonly content: SessionItemContents[T] };

/**
 * An item that only session files and app servers tell of, begun or complete; `switch` on
 * `item_type`. This list may expand over time.
 */
export type SessionItem = {
  [T in keyof SessionItemContents]: SessionItemEvent<T>;
}[keyof SessionItemContents];

/**
 * Says whether an event is about an item of one type that only session files and app servers
 * tell of, and holds its content.
 *
 * @typeParam T The item type; one literal, not a union.
 * @param event The event.
 * @param itemType The item type.
 * @returns Whether it is `item.started` or `item.completed` of that type.
 *
 * @example What the user said
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

/** Gives the ids of the threads that an event says were spawned. */
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
