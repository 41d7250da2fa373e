/**
 * The output chunks of the old dialect: base64 or a list of byte numbers, to text
 * (normalize.md P6).
 */

import type { JsonReader } from "../json/reader.ts";
import { savedPairs } from "../json/saved.ts";
import { Utf8Decoder } from "../json/utf8_decoder.ts";
import { type JsonNode, JsonSlice } from "../json/value.ts";

const ALPHABET =
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const INVALID = 255;
const SEXTETS = new Uint8Array(256).fill(INVALID);
for (let i = 0; i < 64; i++) SEXTETS[ALPHABET.charCodeAt(i)] = i;
const PADDING = 0x3d;
const ENCODER = new TextEncoder();

/** The streams of a command. */
export type StreamName = "stdout" | "stderr";

/** Decodes the output of the commands of one thread, a decoder for each stream of each. */
export class ChunkDecoder {
  readonly #decoders = new Map<string, Map<StreamName, Utf8Decoder>>();

  /**
   * Decodes one chunk. An unfinished character waits for the next one.
   *
   * @returns The text, or `undefined` if the chunk is neither base64 nor a list of bytes.
   */
  decode(
    callId: string,
    stream: StreamName,
    chunk: JsonNode | undefined,
    reader: JsonReader,
  ): string | undefined {
    if (!(chunk instanceof JsonSlice)) return undefined;
    const bytes = bytesOf(chunk, reader);
    if (bytes === undefined) return undefined;
    let streams = this.#decoders.get(callId);
    if (streams === undefined) {
      streams = new Map();
      this.#decoders.set(callId, streams);
    }
    let decoder = streams.get(stream);
    if (decoder === undefined) {
      decoder = new Utf8Decoder();
      streams.set(stream, decoder);
    }
    return decoder.decode(bytes);
  }

  /** Forgets what is unfinished of a call that has ended. */
  end(callId: string): void {
    this.#decoders.delete(callId);
  }

  /** Forgets all calls. */
  clear(): void {
    this.#decoders.clear();
  }

  /** Writes down what is unfinished. */
  save(): unknown {
    return [...this.#decoders].map(([callId, streams]) => [
      callId,
      [...streams].map(([stream, { pending }]) => [stream, pending]),
    ]);
  }

  /** Goes on from what was written down under a name. */
  load(saved: unknown, name: string): void {
    for (const [callId, streams] of savedPairs(saved, name)) {
      const decoders = new Map<StreamName, Utf8Decoder>();
      this.#decoders.set(callId, decoders);
      for (const [stream, pending] of savedPairs({ streams }, "streams")) {
        if (stream !== "stdout" && stream !== "stderr") continue;
        const bytes = Array.isArray(pending) ? pending.map(Number) : [];
        decoders.set(stream, new Utf8Decoder(bytes));
      }
    }
  }
}

function bytesOf(chunk: JsonSlice, reader: JsonReader): Uint8Array | undefined {
  if (chunk.kind === "array") return byteList(chunk, reader);
  if (chunk.kind !== "string") return undefined;
  if (!chunk.escaped) {
    return fromBase64(chunk.bytes, chunk.start + 1, chunk.end - 1);
  }
  const text = ENCODER.encode(reader.text(chunk));
  return fromBase64(text, 0, text.length);
}

/** Reads a JSON list of integers from 0 to 255. */
function byteList(list: JsonSlice, reader: JsonReader): Uint8Array | undefined {
  const elements = reader.elements(list);
  const bytes = new Uint8Array(elements.length);
  for (let i = 0; i < elements.length; i++) {
    const element = elements[i];
    if (element?.kind !== "number") return undefined;
    const value = Number(reader.source(element));
    if (!(value >= 0 && value <= 255 && Number.isInteger(value))) {
      return undefined;
    }
    bytes[i] = value;
  }
  return bytes;
}

/** Decodes base64 in the standard alphabet, padding required. */
function fromBase64(
  source: Uint8Array,
  start: number,
  end: number,
): Uint8Array | undefined {
  const length = end - start;
  if (length % 4 !== 0) return undefined;
  let padding = 0;
  while (
    padding < 2 && padding < length && source[end - 1 - padding] === PADDING
  ) {
    padding += 1;
  }
  const bytes = new Uint8Array(3 * (length / 4));
  let to = 0;
  for (let at = start; at < end; at += 4) {
    let quad = 0;
    for (let i = at; i < at + 4; i++) {
      const sextet = i < end - padding ? SEXTETS[source[i] ?? 0] ?? INVALID : 0;
      if (sextet === INVALID) return undefined;
      quad = (quad << 6) | sextet;
    }
    bytes[to++] = quad >> 16;
    bytes[to++] = quad >> 8;
    bytes[to++] = quad;
  }
  return bytes.subarray(0, to - padding);
}
