/**
 * The rules for `codex exec --json`, in all its dialects (normalize.md sections 1 to 7).
 */

import type { FailureReason } from "../../errors.ts";
import type { ByteWriter } from "../../json/byte_writer.ts";
import { wordValue } from "../../json/literal.ts";
import { quote } from "../../json/problems.ts";
import type {
  ContextChanges,
  RecordContext,
  Slots,
} from "../../json/record_watch.ts";
import { savedField } from "../../json/saved.ts";
import { JsonReader } from "../../json/reader.ts";
import { WordTable } from "../../json/word_table.ts";
import { JsonObject, type JsonSlice, KIND_WORDS } from "../../json/value.ts";
import { RecordRules, unnormalizable } from "../../lines/record_rules.ts";
import { Context, type InitialContext } from "./_context.ts";
import { dropNullId, flatten, gatherPayload } from "./_items.ts";
import { isOldRecord, OldDialect } from "./_old_dialect.ts";
import { EventWriter, itemFields } from "./event_writer.ts";
import { type EventType, ITEM_TYPE_ALIASES } from "./events.ts";
import { EVENTS, THREAD_LINE_ID_NAMES, TURN_ID_NAMES } from "./field_rules.ts";

export type { InitialContext } from "./_context.ts";

const EVENT_WORDS = new WordTable(EVENTS);
const ITEM_TYPE_WORDS = new WordTable(
  [...ITEM_TYPE_ALIASES].map(([alias, type]) =>
    [alias, { type, value: wordValue(type) }] as const
  ),
);

/** The slots. */
const THREAD = 0;
const TURN = 1;

/** What lines are filled in with, for those who repeat what was done. */
class ExecRecordContext implements RecordContext {
  readonly rules = ExecRecordContext;
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  get slots(): Slots {
    return [this.#context.thread?.value, this.#context.turn?.value];
  }

  /** Turns are counted where the stream has no ids of them. */
  get counters(): readonly (number | undefined)[] {
    return [undefined, this.#context.turns];
  }

  take(changes: ContextChanges): void {
    const context = this.#context;
    if (changes.isTouched(THREAD)) {
      context.goOnThread(changes.valueOf(THREAD));
    }
    if (changes.isTouched(TURN)) {
      context.goOnTurn(changes.valueOf(TURN), changes.counterOf(TURN));
    }
  }
}

/** Normalizes exec lines; holds the context of one stream. */
export class ExecRules extends RecordRules {
  readonly #context: Context;
  readonly #old: OldDialect;
  readonly #writer: EventWriter;

  /**
   * Constructs a new instance.
   *
   * @param initial The ids that hold until the stream names its own.
   */
  constructor(initial: InitialContext = {}) {
    const reader = new JsonReader(2);
    const context = new Context(reader, initial);
    const old = new OldDialect(reader);
    super(reader, new ExecRecordContext(context));
    this.#context = context;
    this.#old = old;
    this.#writer = new EventWriter(reader);
  }

  /** Absent from a first line of the old dialect on: what that remembers is in no slot. */
  override get context(): RecordContext | undefined {
    return this.#old.isUsed ? undefined : super.context;
  }

  /** Forgets the stream: the next line is the first one of another (C17). */
  override reset(): void {
    this.#context.reset();
    this.#old.reset();
  }

  /** Writes down the context, and what is remembered of the old dialect. */
  override save(): unknown {
    return { context: this.#context.save(), old: this.#old.save() };
  }

  /** Goes on from what was written down. */
  override load(saved: unknown): void {
    this.#context.load(savedField(saved, "context"));
    this.#old.load(savedField(saved, "old"));
  }

  /** Makes a record of a line. */
  protected override record(
    _root: JsonSlice,
    line: JsonObject,
    out: ByteWriter,
  ): FailureReason | undefined {
    return this.#record(line, out);
  }

  #record(line: JsonObject, out: ByteWriter): FailureReason | undefined {
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
    const type = EVENT_WORDS.get(name);
    if (type === undefined) {
      return {
        kind: "typed",
        message: `Cannot decode a record of type ${
          quote(name)
        }: this type is not known`,
        field: "type",
      };
    }
    if (!this.#old.isUsed) this.repeatable();
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
        if (!isOld) flatten(line, this.reader);
        gatherError(line);
        reason = this.#itemLine(type, line);
        break;
      case "item.started":
      case "item.delta":
      case "item.completed":
        itemType = this.#item(line, type === "item.delta", isOld);
        reason = this.#itemLine(type, line);
        break;
      case "error":
      case "rpc.request":
      case "rpc.notification":
      case "rpc.response":
      case "rpc.error":
        break;
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
    line.set("thread_id", id.value);
    return undefined;
  }

  #turnLine(type: EventType, line: JsonObject): FailureReason | undefined {
    const context = this.#context;
    const starts = type === "turn.started";
    const own = context.ownId(line, TURN_ID_NAMES);
    // C8: the synthetic id is used up before the thread is looked for.
    const turn = own ?? (starts ? context.syntheticTurn() : context.turn);
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
    line.set("thread_id", thread.value);
    line.set("turn_id", turn.value);
    return undefined;
  }

  #itemLine(type: EventType, line: JsonObject): FailureReason | undefined {
    const thread = this.#context.threadOf(line);
    if (thread === undefined) return noThread(type);
    const turn = this.#context.ownId(line, ["turn_id"]) ??
      (isServers(line) ? undefined : this.#context.turn);
    line.set("thread_id", thread.value);
    if (turn === undefined) line.take("turn_id");
    else line.set("turn_id", turn.value);
    return undefined;
  }

  /** Flattens an item line and gathers its payload; gives its type. */
  #item(
    line: JsonObject,
    isDelta: boolean,
    isOld: boolean,
  ): string | undefined {
    let hasSpareId = false;
    if (isOld) dropNullId(line);
    else hasSpareId = flatten(line, this.reader);
    let itemType = this.reader.wordOf(line.get("item_type"));
    if (itemType !== undefined) {
      const alias = ITEM_TYPE_WORDS.get(itemType);
      if (alias !== undefined) {
        itemType = alias.type;
        line.set("item_type", alias.value);
      }
    }
    // Of the others, what is left under `id` stays there.
    const hasPayloadId = hasSpareId && itemType === "web_search";
    gatherPayload(line, itemFields(itemType), { isDelta, hasPayloadId });
    return itemType;
  }
}

/** Puts the error of a failure under `error`, as an object (section 5, Error). */
function gatherError(line: JsonObject): void {
  const error = line.live("error");
  if (error === undefined) {
    const message = line.get("message");
    if (message?.kind !== "string") return;
    const gathered = new JsonObject();
    gathered.set("message", message);
    line.take("message");
    const code = line.live("code");
    if (code !== undefined) {
      line.take("code");
      gathered.set("code", code);
    }
    line.set("error", gathered);
  } else if (error.kind === "string") {
    const gathered = new JsonObject();
    gathered.set("message", error);
    line.set("error", gathered);
  }
}

/**
 * Whether a line is what an app-server or `codex mcp-server` said: without a turn it is of none,
 * as the turn before it may be another thread's.
 */
function isServers(line: JsonObject): boolean {
  return line.has("method") || line.has("_meta");
}

function noThread(type: EventType): FailureReason {
  return unnormalizable(
    `${type} names no thread, and no line before it did`,
    "thread_id",
  );
}

/** Says whether a record is one that `codex exec --json` prints, in any release (D.9). */
export function isExecRecord(reader: JsonReader, line: JsonObject): boolean {
  return isOldRecord(line) ||
    EVENTS.has(reader.wordOf(line.get("type")) ?? "");
}
