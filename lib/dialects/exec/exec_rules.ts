/** The rules for `codex exec --json`, in all dialects of it (normalize.md sections 1 to 7). */

import type { FailureReason } from "../../errors.ts";
import type { ByteWriter } from "../../json/byte_writer.ts";
import { objectOf, stringValue, TRUE_VALUE } from "../../json/literal.ts";
import { quote } from "../../json/problems.ts";
import type {
  ContextChanges,
  RecordContext,
  Slots,
} from "../../json/record_watch.ts";
import { fieldsOf, textOf } from "../../json/fields.ts";
import { savedCount } from "../../json/saved.ts";
import { JsonReader } from "../../json/reader.ts";
import {
  JsonObject,
  JsonSlice,
  KIND_WORDS,
  sameSource,
} from "../../json/value.ts";
import {
  RecordRules,
  type StreamState,
  unnormalizable,
  untyped,
} from "../../lines/record_rules.ts";
import { isOldRecord, OldDialect } from "./_old_dialect.ts";
import {
  EventWriter,
  itemFields,
  itemTypeValue,
  type ObjectFields,
  takeLive,
} from "./event_writer.ts";
import { type EventType, ITEM_TYPE_ALIASES } from "./events.ts";
import {
  EVENTS,
  NOT_KNOWN,
  THREAD_ID_NAMES,
  THREAD_LINE_ID_NAMES,
  TURN_ID_NAMES,
} from "./field_rules.ts";
import { trimBlank } from "../../lines/blank.ts";
import { decodeUtf8 } from "../../json/utf8.ts";

// The current thread and turn of a stream (normalize.md section 2).

/** The initial context of a stream (C18). */
export interface InitialContext {
  /**
   * The thread of the lines before the first thread line. A blank id is ignored.
   *
   * @default {undefined}
   */
  readonly initialThreadId?: string | undefined;
  /**
   * The turn of the lines before the first turn or thread line. A blank id is ignored.
   *
   * @default {undefined}
   */
  readonly initialTurnId?: string | undefined;
}

/** The slots of the context that plans fill in. */
const THREAD = 0;
const TURN = 1;

/** The current ids, trimmed, which lines without their own get. */
class Context implements StreamState {
  readonly rules = Context;
  readonly #reader: JsonReader;
  /** The number of synthetic turn ids so far. */
  #turns = 0;

  thread: JsonSlice | undefined;
  turn: JsonSlice | undefined;

  constructor(
    reader: JsonReader,
    { initialThreadId = "", initialTurnId = "" }: InitialContext,
  ) {
    this.#reader = reader;
    this.thread = idOf(trimBlank(initialThreadId));
    this.turn = idOf(trimBlank(initialTurnId));
  }

  save(): unknown {
    return {
      thread_id: this.#reader.textOf(this.thread) ?? null,
      turn_id: this.#reader.textOf(this.turn) ?? null,
      turns: this.#turns,
    };
  }

  load(saved: unknown): void {
    const { thread_id, turn_id, turns } = fieldsOf(saved);
    this.thread = idOf(textOf(thread_id) ?? "");
    this.turn = idOf(textOf(turn_id) ?? "");
    this.#turns = savedCount(turns);
  }

  get slots(): Slots {
    return [this.thread, this.turn];
  }

  /** Plans number the turns of streams that have no turn ids. */
  get counters(): readonly (number | undefined)[] {
    return [undefined, this.#turns];
  }

  take(changes: ContextChanges): void {
    this.thread = changes.valueOf(THREAD);
    this.turn = changes.valueOf(TURN);
    this.#turns = changes.counterOf(TURN);
  }

  /** Returns the first usable id among some fields (C12, C13). */
  ownId(line: JsonObject, names: readonly string[]): JsonSlice | undefined {
    for (const name of names) {
      const value = line.get(name);
      if (value?.kind !== "string") continue;
      const id = this.#idIn(value);
      if (id !== undefined) return id;
    }
    return undefined;
  }

  /** Returns the thread of a line that is not a thread line. */
  threadOf(line: JsonObject): JsonSlice | undefined {
    return this.ownId(line, THREAD_ID_NAMES) ?? this.thread;
  }

  /** Returns the next synthetic turn id (C7). */
  syntheticTurn(): JsonSlice {
    this.#turns += 1;
    return stringValue(`synthetic-turn-${this.#turns}`);
  }

  #idIn(value: JsonSlice): JsonSlice | undefined {
    const reader = this.#reader;
    if (!value.escaped && reader.isObserved) {
      // While a record is watched, its id is not compared with the current ones: an id that is
      // equal to one must still have bytes of its own, so that the watch can distinguish the two.
      const text = decodeUtf8(value.bytes, value.start + 1, value.end - 1);
      const trimmed = trimBlank(text);
      const id = idOf(trimmed);
      if (id !== undefined && trimmed === text) reader.observeId(value, id);
      else reader.looked();
      return id;
    }
    // Most ids repeat one of the current ones.
    reader.looked();
    if (sameSource(this.thread, value)) return this.thread;
    if (sameSource(this.turn, value)) return this.turn;
    return idOf(trimBlank(reader.text(value)));
  }
}

function idOf(text: string): JsonSlice | undefined {
  return text === "" ? undefined : stringValue(text);
}

// Item lines are flattened, and their payloads gathered (normalize.md sections 3 and 4).

/**
 * Moves the fields of a nested item to the top level, and its id to `item_id`. Returns whether the
 * item had two ids: the first one becomes `item_id`, the last one stays under `id` (E9).
 */
function flatten(line: JsonObject, reader: JsonReader): boolean {
  const nested = line.get("item");
  if (nested?.kind !== "object") {
    moveId(line);
    return false;
  }
  line.take("item");
  const item = reader.members(nested);
  const innerId = item.live("id");
  const hasItemId = item.live("item_id") !== undefined;
  const first = hasItemId || !(nested instanceof JsonSlice)
    ? undefined
    : reader.shadowed(nested, "id");
  // E6: `type` is the item type, unless it is null and there is an `item_type`.
  if (item.live("type") === undefined && item.has("item_type")) {
    item.take("type");
  } else item.rename("type", "item_type");
  line.setAll(item);
  if (first?.kind === "string") {
    line.set("item_id", first);
    dropNullId(line);
    return line.has("id");
  }
  if (!hasItemId && innerId !== undefined) {
    line.take("id");
    line.set("item_id", innerId);
  } else moveId(line);
  return false;
}

/** E7, for one level: `item_id` is the item's id, otherwise `id`. */
function moveId(line: JsonObject): void {
  dropNullId(line);
  if (line.live("item_id") !== undefined) return;
  const id = line.take("id");
  if (id !== undefined) line.set("item_id", id);
}

/** E7: an `id` that is not the item's id stays, unless it is null. */
function dropNullId(line: JsonObject): void {
  if (line.get("id")?.kind === "null") line.take("id");
}

/**
 * Moves the payload of an item line to one member.
 *
 * @param name The member: `delta` of item.delta, otherwise `content`.
 * @param payload The fields of the payload, if the item type is known.
 * @param hasId Whether the `id` of the line belongs to the payload.
 */
function gatherPayload(
  line: JsonObject,
  name: "content" | "delta",
  payload: ObjectFields | undefined,
  hasId: boolean,
): void {
  if (name === "delta" && line.live("delta") === undefined) {
    // D1, D8: a line without an increment is a full snapshot of the item.
    if (line.live("content") !== undefined) line.rename("content", "delta");
    else {
      line.take("content");
      line.set("snapshot", TRUE_VALUE);
    }
  }
  if (payload === undefined) return;
  const value = line.live(name);
  if (value === undefined) {
    const gathered = gather(line, payload, hasId);
    if (gathered.size > 0) line.set(name, gathered);
  } else if (value.kind === "string" && payload.isText) {
    line.set(name, objectOf("text", value));
  }
}

/** S1 to S8: moves the fields of the payload from the line into an object. */
function gather(
  line: JsonObject,
  { fields, isText }: ObjectFields,
  hasId: boolean,
): JsonObject {
  const gathered = new JsonObject();
  const id = hasId ? line.take("id") : undefined;
  if (id !== undefined) gathered.set("id", id);
  for (const field of fields) {
    if (field.stays === true) continue;
    if (isText && line.live(field.name)?.kind !== "string") continue;
    const value = takeLive(line, field);
    if (value !== undefined) gathered.set(field.name, value);
  }
  return gathered;
}

/** Normalizes exec lines; holds the context of one stream. */
export class ExecRules extends RecordRules {
  readonly #context: Context;
  readonly #old: OldDialect;
  readonly #writer: EventWriter;

  /** @param initial The ids that hold until the stream names its own. */
  constructor(initial: InitialContext) {
    const reader = new JsonReader(2);
    const context = new Context(reader, initial);
    super(reader, context);
    this.#context = context;
    this.#old = new OldDialect(reader);
    this.#writer = new EventWriter(reader);
  }

  /** Absent in a thread with lines of the old dialect: its state is in no slot. */
  override get context(): RecordContext | undefined {
    return this.#old.isUsed ? undefined : super.context;
  }

  get oldItems(): number {
    return this.#old.items;
  }

  set oldItems(count: number) {
    this.#old.items = count;
  }

  override save(): unknown {
    return { context: super.save(), old: this.#old.save() };
  }

  override load(saved: unknown): void {
    const { context, old } = fieldsOf(saved);
    super.load(context);
    this.#old.load(old);
  }

  protected override record(
    _root: JsonSlice,
    line: JsonObject,
    out: ByteWriter,
  ): FailureReason | undefined {
    const typeValue = line.get("type");
    const isOld = typeValue === undefined;
    let name: string | undefined;
    if (isOld) {
      const rewritten = this.#old.rewrite(line);
      if (typeof rewritten !== "string") return rewritten;
      name = rewritten;
    } else {
      name = this.reader.wordOf(typeValue);
      if (name === undefined) {
        return unnormalizable(
          `"type" is ${KIND_WORDS[typeValue.kind]}, expected a string`,
          "type",
        );
      }
      line.take("type");
    }
    const type = EVENTS.get(name);
    if (type === undefined) {
      return untyped(`a record of type ${quote(name)}`, NOT_KNOWN, "type");
    }
    if (!this.#old.isUsed) this.repeatable();
    // Asked before a nested item is flattened, whose fields may have the same names.
    const isPlaced = hasOwnTurn(line);
    let itemType: string | undefined;
    let reason: FailureReason | undefined;
    switch (type) {
      case "thread.started":
        reason = this.#threadLine(line);
        break;
      case "turn.started":
      case "turn.completed":
        reason = this.#turnLine(type, line);
        break;
      case "turn.failed":
        gatherError(line);
        reason = this.#turnLine(type, line);
        break;
      case "item.failed":
        flatten(line, this.reader);
        gatherError(line);
        reason = this.#itemLine(type, line, isPlaced);
        break;
      case "item.started":
      case "item.delta":
      case "item.completed":
        itemType = this.#item(line, type === "item.delta", isOld);
        reason = this.#itemLine(type, line, isPlaced);
        break;
        // Errors and messages of an app-server get no ids.
    }
    return reason ?? this.#writer.write(out, type, line, itemType);
  }

  #threadLine(line: JsonObject): FailureReason | undefined {
    const id = this.#context.ownId(line, THREAD_LINE_ID_NAMES);
    if (id === undefined) {
      return unnormalizable("thread.started names no thread", "thread_id");
    }
    this.#context.thread = id;
    this.#context.turn = undefined;
    this.#old.threadStarted();
    line.set("thread_id", id);
    return undefined;
  }

  #turnLine(type: EventType, line: JsonObject): FailureReason | undefined {
    const context = this.#context;
    const starts = type === "turn.started";
    const named = context.ownId(line, TURN_ID_NAMES);
    // C8: the synthetic id is used up before the thread is looked for.
    const turn = named ?? (starts ? context.syntheticTurn() : context.turn);
    if (turn === undefined) {
      return unnormalizable(
        `${type} names no turn, and none is open`,
        "turn_id",
      );
    }
    const thread = context.threadOf(line);
    if (thread === undefined) return noThread(type);
    context.thread = thread;
    context.turn = starts ? turn : undefined;
    this.#old.turnChanged();
    line.set("thread_id", thread);
    line.set("turn_id", turn);
    return undefined;
  }

  #itemLine(
    type: EventType,
    line: JsonObject,
    isPlaced: boolean,
  ): FailureReason | undefined {
    const thread = this.#context.threadOf(line);
    if (thread === undefined) return noThread(type);
    const turn = this.#context.ownId(line, ["turn_id"]) ??
      (isPlaced ? undefined : this.#context.turn);
    line.set("thread_id", thread);
    if (turn === undefined) line.take("turn_id");
    else line.set("turn_id", turn);
    return undefined;
  }

  /** Flattens an item line and gathers its payload; returns the item type. */
  #item(
    line: JsonObject,
    isDelta: boolean,
    isOld: boolean,
  ): string | undefined {
    let hasSpareId = false;
    if (isOld) dropNullId(line);
    else hasSpareId = flatten(line, this.reader);
    let itemType = this.reader.wordOf(line.get("item_type"));
    const alias = ITEM_TYPE_ALIASES.get(itemType ?? "");
    if (alias !== undefined) {
      itemType = alias;
      line.set("item_type", itemTypeValue(alias));
    }
    // Of item types other than web searches, a second id stays under `id`.
    const hasPayloadId = hasSpareId && itemType === "web_search";
    const name = isDelta ? "delta" : "content";
    gatherPayload(line, name, itemFields(itemType), hasPayloadId);
    return itemType;
  }
}

/** Moves the error of a failure to `error`, as an object (section 5, Error). */
function gatherError(line: JsonObject): void {
  const error = line.live("error");
  const message = error ?? line.get("message");
  if (message?.kind !== "string") return;
  const gathered = objectOf("message", message);
  if (error === undefined) {
    line.take("message");
    const code = line.live("code");
    if (code !== undefined) {
      line.take("code");
      gathered.set("code", code);
    }
  }
  line.set("error", gathered);
}

/**
 * Returns whether a line without a turn id belongs to no turn: a message of an app-server or
 * `codex mcp-server`, whose current turn may be one of another thread; or an event of a session
 * file, which has its place in the file.
 */
function hasOwnTurn(line: JsonObject): boolean {
  return line.has("method") || line.has("_meta") ||
    line.has("line") && line.has("offset");
}

function noThread(type: EventType): FailureReason {
  return unnormalizable(
    `${type} names no thread, and no line before it did`,
    "thread_id",
  );
}

/** Returns whether a record is one that `codex exec --json` prints, in any release (D.9). */
export function isExecRecord(reader: JsonReader, line: JsonObject): boolean {
  return isOldRecord(line) ||
    EVENTS.has(reader.wordOf(line.get("type")) ?? "");
}
