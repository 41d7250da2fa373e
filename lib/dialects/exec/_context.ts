/**
 * The thread and the turn that lines belong to (normalize.md section 2).
 */

import { trimBlank } from "../../lines/blank.ts";
import { stringValue } from "../../json/literal.ts";
import { savedCount, savedText } from "../../json/saved.ts";
import type { JsonReader } from "../../json/reader.ts";
import { decodeUtf8 } from "../../json/utf8.ts";
import {
  type JsonNode,
  type JsonObject,
  JsonSlice,
  sameSource,
} from "../../json/value.ts";
import { THREAD_ID_NAMES } from "./field_rules.ts";

/** The context that a stream begins with (C18). */
export interface InitialContext {
  /**
   * The thread that lines belong to until the first thread line. Blank is none.
   *
   * @default {undefined}
   */
  readonly initialThreadId?: string | undefined;
  /**
   * The turn that lines belong to until the first turn or thread line. Blank is none.
   *
   * @default {undefined}
   */
  readonly initialTurnId?: string | undefined;
}

/** An id: its text, and the same as JSON. */
export interface Id {
  /** The text, trimmed. */
  readonly text: string;
  /** The JSON string. */
  readonly value: JsonSlice;
}

/** The ids that lines without their own are given. */
export class Context {
  readonly #reader: JsonReader;
  readonly #initial: InitialContext;
  #turns = 0;

  /** The current thread. */
  thread: Id | undefined;
  /** The current turn. */
  turn: Id | undefined;

  /** Constructs a new instance. */
  constructor(reader: JsonReader, initial: InitialContext) {
    this.#reader = reader;
    this.#initial = initial;
    this.reset();
  }

  /** Goes back to the start, seeds included (C17). */
  reset(): void {
    const { initialThreadId = "", initialTurnId = "" } = this.#initial;
    this.#turns = 0;
    this.thread = this.#id(trimBlank(initialThreadId));
    this.turn = this.#id(trimBlank(initialTurnId));
  }

  /** Writes down the ids. */
  save(): unknown {
    return {
      thread_id: this.thread?.text ?? null,
      turn_id: this.turn?.text ?? null,
      turns: this.#turns,
    };
  }

  /** Goes on from what was written down. */
  load(saved: unknown): void {
    this.thread = this.#id(savedText(saved, "thread_id") ?? "");
    this.turn = this.#id(savedText(saved, "turn_id") ?? "");
    this.#turns = savedCount(saved, "turns");
  }

  /** How many turns have been given an id. */
  get turns(): number {
    return this.#turns;
  }

  /** Goes on from a thread that was found elsewhere. */
  goOnThread(value: JsonSlice | undefined): void {
    this.thread = idOf(value);
  }

  /** Goes on from a turn that was found elsewhere. */
  goOnTurn(value: JsonSlice | undefined, turns: number): void {
    this.turn = idOf(value);
    this.#turns = turns;
  }

  /** The first usable id under some names (C12, C13). */
  ownId(line: JsonObject, names: readonly string[]): Id | undefined {
    for (const name of names) {
      const value = line.get(name);
      if (value?.kind !== "string") continue;
      const id = this.#idOf(value);
      if (id !== undefined) return id;
    }
    return undefined;
  }

  /** The thread of a line that is not a thread line. */
  threadOf(line: JsonObject): Id | undefined {
    return this.ownId(line, THREAD_ID_NAMES) ?? this.thread;
  }

  /** The next synthetic turn id (C7). */
  syntheticTurn(): Id | undefined {
    this.#turns += 1;
    return this.#id(`synthetic-turn-${this.#turns}`);
  }

  #id(text: string): Id | undefined {
    return text === "" ? undefined : { text, value: stringValue(text) };
  }

  #idOf(value: JsonNode): Id | undefined {
    const reader = this.#reader;
    if (
      !(value instanceof JsonSlice) || value.escaped || !reader.isObserved
    ) {
      return this.#known(value) ??
        this.#id(trimBlank(reader.textOf(value) ?? ""));
    }
    // One that was not compared with those at hand, so that it can be told from them.
    const text = decodeUtf8(value.bytes, value.start + 1, value.end - 1);
    const id = this.#id(trimBlank(text));
    if (id?.text === text) reader.observeId(value, id.value);
    else reader.looked();
    return id;
  }

  /** Most lines that bring ids repeat the current ones. */
  #known(value: JsonNode): Id | undefined {
    if (!(value instanceof JsonSlice)) return undefined;
    this.#reader.looked();
    if (sameSource(this.thread?.value, value)) return this.thread;
    if (sameSource(this.turn?.value, value)) return this.turn;
    return undefined;
  }
}

/** An id of a JSON string that is its own trimmed text. */
function idOf(value: JsonSlice | undefined): Id | undefined {
  if (value === undefined) return undefined;
  const { bytes, start, end } = value;
  return { text: decodeUtf8(bytes, start + 1, end - 1), value };
}
