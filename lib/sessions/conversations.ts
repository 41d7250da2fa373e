/** Lists and reads conversations as the programs of Codex do, under the same names. */

import { resolve } from "node:path";
import type { JsonRecord } from "../dialects/normalizer.ts";
import type { RolloutLine } from "../dialects/rollout/lines.ts";
import { EventReader } from "../events/event_reader.ts";
import { isForkHeader } from "../events/inherited_lines.ts";
import { sessionHeaderOf } from "../events/session_reader.ts";
import { type Fields, fieldsOf, isObject, parseJson } from "../json/fields.ts";
import { decodeUtf8 } from "../json/utf8.ts";
import type { Failure, Outcome } from "../outcome.ts";
import { JsonlDecoder } from "../pipeline/event_pipeline.ts";
import { JsonlNormalizer } from "../pipeline/pipeline.ts";
import { modeProblem, readFirstRecords } from "./_first_records.ts";
import { encodeCursor, isBehind, parseCursor } from "./cursor.ts";
import {
  listSessionFiles,
  lookAtAll,
  type SessionFile,
} from "./session_files.ts";
import type { ListSessionsOptions } from "./session_list.ts";
import { sessionBlocks } from "./open_session.ts";

/** Options for {@linkcode listConversations}. */
export interface ListConversationsOptions
  extends Pick<ListSessionsOptions, "cursor"> {
  /** The Codex home. */
  readonly codexHome: string;
  /** The most conversations of a page: a whole number from 1. */
  readonly pageSize: number;
  /**
   * Whether to return the last records of each file as well. The files of the page are then read
   * whole.
   *
   * @default {false}
   */
  readonly tail?: boolean | undefined;
}

/** A conversation in a list. */
export interface ConversationItem {
  /** The absolute path of the file. */
  readonly path: string;
  /** The first records of the file, normalized; at most 10. */
  readonly head: readonly JsonRecord[];
  /**
   * The last records of the file, normalized; at most 10, which in a short file overlap with the
   * head. Absent unless requested.
   */
  readonly tail?: readonly JsonRecord[];
}

/** A page of a list of conversations. */
export interface ConversationPage {
  /** The conversations, newest first. */
  readonly items: readonly ConversationItem[];
  /** The cursor of the next page; `undefined` if this is the last one. */
  readonly nextCursor: string | undefined;
}

/** A conversation to be continued. */
export interface ResumedHistory {
  /** Always `resumed`. */
  readonly type: "resumed";
  /** The id of the conversation. */
  readonly conversation_id: string;
  /** All records of the conversation, in order. */
  readonly history: readonly RolloutLine[];
  /** The absolute path of the file. */
  readonly rollout_path: string;
  /** The lines of the file that could not be read, in order. */
  readonly failures: readonly Failure[];
}

/** Thrown for a file from which no conversation can be continued. */
export class RolloutHistoryError extends Error {
  /** The name of the class. */
  override readonly name = "RolloutHistoryError";
  /** The path of the file. */
  readonly path: string;
  /** The reason. */
  readonly code: "empty" | "no_header" | "unknown_history_mode";

  /**
   * Constructs a new instance.
   *
   * @param path The path of the file.
   * @param code The reason.
   * @param state The reason in words.
   */
  constructor(
    path: string,
    code: RolloutHistoryError["code"],
    state: string,
  ) {
    super(`Cannot read the history in ${path}: ${state}`);
    this.path = path;
    this.code = code;
  }
}

/** The most records of a head or a tail. */
const MAX_RECORDS = 10;

/**
 * Lists the conversations of a Codex home, newest first: session files with a header and a message
 * of a user, without archived ones.
 *
 * Unlike {@linkcode listSessions} it leaves out files that cannot be read, and files without a
 * message of a user in the first 210 lines.
 *
 * @param options The home and the page.
 * @returns The page.
 * @throws {CursorError} If the cursor is not valid.
 * @throws {RangeError} If the page size is not a whole number from 1.
 *
 * @example The first page
 * ```ts
 * import { listConversations } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const page = await listConversations({ codexHome: "no/such/home", pageSize: 25 });
 *
 * assertEquals(page, { items: [], nextCursor: undefined });
 * ```
 */
export async function listConversations(
  { codexHome, pageSize, cursor, tail = false }: ListConversationsOptions,
): Promise<ConversationPage> {
  if (!Number.isSafeInteger(pageSize) || pageSize < 1) {
    throw new RangeError(
      `Cannot list conversations: pageSize is ${pageSize}, expected a whole number from 1`,
    );
  }
  const from = cursor === undefined ? undefined : parseCursor(cursor);
  const { files } = await listSessionFiles([codexHome]);
  const items: ConversationItem[] = [];
  let last: SessionFile | undefined;
  for (const listed of files) {
    if (listed.isArchived || listed.isContinued) continue;
    if (from && !isBehind(listed, from)) continue;
    const [file] = await lookAtAll([listed]);
    if (file === undefined) continue;
    const head = await conversationHead(file);
    if (head === undefined) continue;
    if (items.length === pageSize) {
      return { items, nextCursor: last && encodeCursor(last) };
    }
    items.push({
      path: file.path,
      head,
      ...(tail ? { tail: await lastRecords(file) } : {}),
    });
    last = file;
  }
  return { items, nextCursor: undefined };
}

/**
 * Reads all records of a conversation, so that it can be continued.
 *
 * The file is read whole and kept in memory; to read it as a stream, see `decodeEvents()`. Lines
 * that cannot be read become `failures`, and all others are returned. Records that a fork continues
 * from another file are not included; records that a rollback took back are.
 *
 * @param path The path of a session file, packed or not.
 * @returns The conversation: its id, its records and its path.
 * @throws {RolloutHistoryError} If the file is empty, has no session header, or has a history mode
 *   that this release does not know.
 * @throws {Error} If the file cannot be opened or unpacked.
 *
 * @example The id of the conversation, and its first record
 * ```ts
 * import { getRolloutHistory } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const { conversation_id, history } = await getRolloutHistory(
 *   "testdata/captures/0.44.0/msg/" +
 *     "rollout-2026-11-20T15-30-37-01a1f994-bf38-7b30-a5b6-37341edadf48.jsonl",
 * );
 *
 * assertEquals(conversation_id, "01a1f994-bf38-7b30-a5b6-37341edadf48");
 * assertEquals(history[0]?.timestamp, "2026-11-20T15:30:37.507Z");
 * ```
 */
export async function getRolloutHistory(path: string): Promise<ResumedHistory> {
  const history: RolloutLine[] = [];
  const failures: Failure[] = [];
  const decoder = new JsonlDecoder({ from: "rollout", fileName: path });
  const keep = (outcome: Outcome<RolloutLine>): void => {
    if (outcome.ok) history.push(outcome.value);
    else failures.push(outcome);
  };
  for await (const block of sessionBlocks({ path })) decoder.feed(block, keep);
  decoder.flush(keep);
  const headers = history.map((line) => sessionHeaderOf(fieldsOf(line)));
  const { id, history_mode } = headers.find(isObject) ?? {};
  if (history.length === 0 && failures.length === 0) {
    throw new RolloutHistoryError(path, "empty", "it is empty");
  }
  if (typeof id !== "string") {
    const state = "it has no session header";
    throw new RolloutHistoryError(path, "no_header", state);
  }
  const state = modeProblem(history_mode);
  if (state !== undefined) {
    throw new RolloutHistoryError(path, "unknown_history_mode", state);
  }
  return {
    type: "resumed",
    conversation_id: id,
    history,
    rollout_path: resolve(path),
    failures,
  };
}

/** Reads the head of a conversation; `undefined` if the file is not one. */
async function conversationHead(
  file: SessionFile,
): Promise<readonly JsonRecord[] | undefined> {
  const head: JsonRecord[] = [];
  let hasHeader = false;
  // The first message of a continued conversation is in the file that it continues.
  let hasMessage = file.id !== file.sessionId;
  try {
    const reader = new EventReader(undefined, { isSelection: true });
    const take = (event: Fields): void => {
      if (event.type === "thread.started") {
        hasHeader = true;
        hasMessage ||= isForkHeader(event);
      }
      hasMessage ||= event.item_type === "user_message";
    };
    await readFirstRecords(file, () => ({
      wanted: undefined,
      get isDone(): boolean {
        return hasHeader && hasMessage && head.length === MAX_RECORDS;
      },
      add(record): void {
        if (head.length < MAX_RECORDS) head.push(record);
        reader.read(record, {}, take);
      },
    }));
  } catch {
    // The records before the damage may be enough.
  }
  return hasHeader && hasMessage ? head : undefined;
}

/** Reads the last records of a file; of a damaged file, the last ones before the damage. */
async function lastRecords(file: SessionFile): Promise<readonly JsonRecord[]> {
  const texts: string[] = [];
  const normalizer = new JsonlNormalizer({
    from: "rollout",
    onError: "drop",
    fileName: file.path,
  });
  const keep = (block: Uint8Array): void => {
    // Only the last lines of a block can be among the last lines of the file.
    const lines = decodeUtf8(block, 0, block.length).split("\n").slice(0, -1);
    texts.push(...lines.slice(-MAX_RECORDS));
    texts.splice(0, texts.length - MAX_RECORDS);
  };
  try {
    for await (const block of sessionBlocks(file)) normalizer.feed(block, keep);
    normalizer.flush(keep);
  } catch {
    // The records before the damage are returned.
  }
  return texts.map(parseJson).filter(isObject);
}
