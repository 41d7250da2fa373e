/**
 * The output chunks of the old dialect: base64 or a list of byte numbers, to text
 * (normalize.md P6).
 */

import { ByteMap } from "../../json/byte_map.ts";
import { ByteWriter } from "../../json/byte_writer.ts";
import { COMMA, NINE, ZERO } from "../../json/bytes.ts";
import { isWhole } from "../../json/number.ts";
import type { JsonReader } from "../../json/reader.ts";
import { savedPairs } from "../../json/saved.ts";
import { decodeUtf8, unfinishedBytes } from "../../json/utf8.ts";
import { type JsonNode, JsonSlice, JsonString } from "../../json/value.ts";
import { CallKeys } from "./_begun_calls.ts";

const ALPHABET =
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const INVALID = 255;
const SEXTETS = new Uint8Array(256).fill(INVALID);
for (let i = 0; i < 64; i++) SEXTETS[ALPHABET.charCodeAt(i)] = i;
const PADDING = 0x3d;
const ENCODER = new TextEncoder();
/** Room for a chunk of the usual size. */
const KEPT_CAPACITY = 1 << 14;
/** How many bytes are remembered of characters that are never finished; the oldest are forgotten. */
const LIMIT = 1 << 18;
/** The longest beginning of a character that is not one yet. */
const MAX_PENDING = 3;

/** The streams of a command. */
export type StreamName = "stdout" | "stderr";
const STREAMS: readonly StreamName[] = ["stdout", "stderr"];

/**
 * Decodes the output of the commands of one thread, each stream of each by itself. What is
 * remembered of them is the beginnings of characters whose rest is still to come.
 */
export class ChunkDecoder {
  readonly #reader: JsonReader;
  readonly #keys: CallKeys;
  readonly #pending = new ByteMap(LIMIT);
  readonly #bytes = new ByteWriter(KEPT_CAPACITY);

  /** Constructs a new instance. */
  constructor(reader: JsonReader) {
    this.#reader = reader;
    this.#keys = new CallKeys(reader);
  }

  /**
   * Decodes one chunk. An unfinished character waits for the next one.
   *
   * @param id The id of the call.
   * @returns The text, or `undefined` if the chunk is neither base64 nor a list of bytes.
   */
  decode(
    id: JsonNode | undefined,
    stream: StreamName,
    chunk: JsonNode | undefined,
  ): JsonString | undefined {
    if (!(chunk instanceof JsonSlice)) return undefined;
    const out = this.#bytes;
    out.clear(KEPT_CAPACITY);
    const before = this.#pending.size === 0
      ? undefined
      : this.#pending.get(this.#keys.of(stream, id));
    if (before !== undefined) out.range(before.bytes, before.start, before.end);
    if (!this.#write(chunk)) return undefined;
    const bytes = out.view();
    const end = bytes.length - unfinishedBytes(bytes);
    if (before !== undefined) this.#pending.delete(this.#keys.of(stream, id));
    if (end < bytes.length) {
      const key = this.#keys.of(stream, id);
      this.#pending.set(key, bytes, end, bytes.length);
    }
    return new JsonString(decodeUtf8(bytes, 0, end));
  }

  /** Forgets what is unfinished of a call that has ended. */
  end(id: JsonNode | undefined): void {
    if (this.#pending.size === 0) return;
    for (const stream of STREAMS) {
      this.#pending.delete(this.#keys.of(stream, id));
    }
  }

  /** Forgets all calls. */
  clear(): void {
    this.#pending.clear();
  }

  /** Writes down what is unfinished. */
  save(): unknown {
    return [...this.#pending.entries()].map(([key, pending]) => [
      decodeUtf8(key, 0, key.length),
      [...pending],
    ]);
  }

  /** Goes on from what was written down under a name. */
  load(saved: unknown, name: string): void {
    this.clear();
    for (const [key, pending] of savedPairs(saved, name)) {
      if (!Array.isArray(pending)) continue;
      const bytes = Uint8Array.from(pending.slice(0, MAX_PENDING), Number);
      // What is no beginning of a character could not have been written down.
      if (bytes.length === 0 || unfinishedBytes(bytes) < bytes.length) continue;
      this.#pending.set(ENCODER.encode(key), bytes, 0, bytes.length);
    }
  }

  /** Writes the bytes of a chunk; says whether it is one. */
  #write(chunk: JsonSlice): boolean {
    const { bytes, start, end, kind } = chunk;
    if (kind === "array") return this.#byteList(chunk);
    if (kind !== "string") return false;
    if (writeBase64(this.#bytes, bytes, start + 1, end - 1)) return true;
    if (!chunk.escaped) return false;
    const text = ENCODER.encode(this.#reader.text(chunk));
    return writeBase64(this.#bytes, text, 0, text.length);
  }

  /** Reads a JSON list of integers from 0 to 255, however they are spelled. */
  #byteList(list: JsonSlice): boolean {
    const out = this.#bytes;
    const from = out.length;
    if (writePlainList(out, list)) return true;
    out.truncate(from);
    for (const element of this.#reader.elements(list)) {
      if (element.kind !== "number") return false;
      const { bytes, start, end } = element;
      if (!isWhole(bytes, start, end)) return false;
      const value = Number(this.#reader.source(element));
      if (!(value >= 0 && value <= 255)) return false;
      out.byte(value);
    }
    return true;
  }
}

/** Writes a list of numbers as Codex spells it: digits and commas; says whether it is one. */
function writePlainList(
  out: ByteWriter,
  { bytes, start, end }: JsonSlice,
): boolean {
  let value = 0;
  let digits = 0;
  for (let at = start + 1; at < end - 1; at++) {
    const byte = bytes[at] ?? 0;
    if (byte >= ZERO && byte <= NINE) {
      value = 10 * value + byte - ZERO;
      digits += 1;
      if (value > 255) return false;
    } else if (byte === COMMA && digits > 0) {
      out.byte(value);
      value = 0;
      digits = 0;
    } else return false;
  }
  if (digits > 0) out.byte(value);
  return true;
}

/** Writes what base64 in the standard alphabet stands for, padding required. */
function writeBase64(
  out: ByteWriter,
  source: Uint8Array,
  start: number,
  end: number,
): boolean {
  const length = end - start;
  if (length % 4 !== 0) return false;
  let padding = 0;
  while (
    padding < 2 && padding < length && source[end - 1 - padding] === PADDING
  ) {
    padding += 1;
  }
  const from = out.length;
  out.reserve(3 * (length / 4));
  for (let at = start; at < end; at += 4) {
    let quad = 0;
    for (let i = at; i < at + 4; i++) {
      const sextet = i < end - padding ? SEXTETS[source[i] ?? 0] ?? INVALID : 0;
      if (sextet === INVALID) {
        out.truncate(from);
        return false;
      }
      quad = (quad << 6) | sextet;
    }
    out.byte(quad >> 16);
    out.byte((quad >> 8) & 0xff);
    out.byte(quad & 0xff);
  }
  out.truncate(out.length - padding);
  return true;
}
