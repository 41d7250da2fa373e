/**
 * What the lines of a rollout depend on: the time of the line before, and the shape of the
 * file.
 */

import type {
  ContextChanges,
  RecordContext,
  Slots,
} from "../../json/record_watch.ts";
import { SLOT_SIZE } from "../../json/kernel_layout.ts";
import { lasting, stringValue } from "../../json/literal.ts";
import { isJsonText, savedField, savedText } from "../../json/saved.ts";
import { stringText } from "../../json/tape.ts";
import { decodeUtf8 } from "../../json/utf8.ts";
import { JsonSlice, JsonString } from "../../json/value.ts";
import { canonicalTimestamp } from "./timestamp.ts";

const ENCODER = new TextEncoder();
/** The slots. */
const TIME = 0;
const SESSION_TIME = 1;
/** What is longer is no time, and in no slot. */
const MAX_TIME_BYTES = SLOT_SIZE;
/** How much there is room for at first: a reader of thousands of files has as many of these. */
const TIME_BYTES = 64;

/** The context of one file. */
export class FileContext implements RecordContext {
  /** The same for all files. */
  readonly rules: unknown = FileContext;
  readonly #fileTime: string | undefined;
  #bytes = new Uint8Array(TIME_BYTES);
  /** The last `timestamp` of a line, as JSON text. */
  #lastTime: JsonSlice | undefined;
  /** The `timestamp` of the first header, as JSON text. */
  #sessionTime: JsonSlice | undefined;
  #carried: JsonString | undefined;
  /** Whether the file is one whose items stand bare. */
  isBareFile = false;

  /**
   * Constructs a new instance.
   *
   * @param fileTime The time in the name of the file.
   */
  constructor(fileTime: string | undefined) {
    this.#fileTime = fileTime;
  }

  /** The time of the line before, and that of the session. */
  get slots(): Slots {
    return [this.#lastTime, this.#sessionTime];
  }

  /** Nothing is counted. */
  readonly counters: readonly number[] = [];

  /** Takes over what wrapped lines, which are the only ones with plans, changed. */
  take(changes: ContextChanges): void {
    this.isBareFile = false;
    // Neither is ever taken away by a line.
    const valueOf = (slot: number): JsonSlice | undefined =>
      changes.isTouched(slot) ? changes.valueOf(slot) : undefined;
    const time = valueOf(TIME);
    if (time !== undefined) this.remember(time);
    const sessionTime = valueOf(SESSION_TIME);
    if (sessionTime !== undefined) this.startSession(sessionTime);
  }

  /** Forgets the file: the next line is the first one of another. */
  reset(): void {
    this.#lastTime = undefined;
    this.#carried = undefined;
    this.#sessionTime = undefined;
    this.isBareFile = false;
  }

  /** Writes down the carried time, and the shape of the file. */
  save(): unknown {
    const time = this.#lastTime;
    return {
      last_time: time === undefined
        ? null
        : decodeUtf8(time.bytes, time.start, time.end),
      session_time: textOf(this.#sessionTime) ?? null,
      is_bare: this.isBareFile,
    };
  }

  /** Goes on from what was written down. */
  load(saved: unknown): void {
    this.reset();
    const text = savedText(saved, "last_time");
    if (text !== undefined && isJsonText(text, "string")) {
      const bytes = ENCODER.encode(text);
      this.remember(
        new JsonSlice(bytes, 0, bytes.length, "string", true, -1),
      );
    }
    const sessionTime = savedText(saved, "session_time");
    if (sessionTime !== undefined) this.startSession(stringValue(sessionTime));
    this.isBareFile = savedField(saved, "is_bare") === true;
  }

  /**
   * Remembers the time of a line.
   *
   * @returns What it is remembered as; nothing if it is too long for a time.
   */
  remember({ bytes, start, end, kind, escaped }: JsonSlice):
    | JsonSlice
    | undefined {
    const length = end - start;
    if (length > MAX_TIME_BYTES) return undefined;
    if (length > this.#bytes.length) {
      this.#bytes = new Uint8Array(MAX_TIME_BYTES);
    }
    const own = this.#bytes;
    for (let i = 0; i < length; i++) own[i] = bytes[start + i] ?? 0;
    this.#carried = undefined;
    return this.#lastTime = new JsonSlice(own, 0, length, kind, escaped, -1);
  }

  /** Whether a header has told the time of the session. */
  get hasSessionTime(): boolean {
    return this.#sessionTime !== undefined;
  }

  /**
   * Remembers the time of the session.
   *
   * @returns What it is remembered as.
   */
  startSession(time: JsonSlice): JsonSlice {
    this.#carried = undefined;
    return this.#sessionTime = lasting(time);
  }

  /** The carried time: of the last line, else of the session, else of the file name. */
  get carriedTime(): JsonString | undefined {
    if (this.#carried === undefined) {
      const time = textOf(this.#lastTime ?? this.#sessionTime) ??
        this.#fileTime;
      if (time === undefined) return undefined;
      this.#carried = new JsonString(canonicalTimestamp(time));
    }
    return this.#carried;
  }
}

function textOf(value: JsonSlice | undefined): string | undefined {
  return value === undefined
    ? undefined
    : stringText(value.bytes, value.start, value.end);
}
