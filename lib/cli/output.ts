/** Writing: everything, or an error that says why; at once what was gathered. */

import { codeOf } from "../files/byte_source.ts";
import type { ByteSink, Surroundings } from "./context.ts";
import { ClosedOutput, IoError } from "./endings.ts";
import { escapeLines } from "./escape.ts";
import { cannot, isWouldBlock } from "./reasons.ts";

const ENCODER = new TextEncoder();

/** Writes whole pieces to somewhere that takes parts of them. */
export class Output {
  readonly #sink: ByteSink;
  readonly #name: string;
  readonly #context: Pick<Surroundings, "pause">;

  constructor(
    sink: ByteSink,
    name: string,
    context: Pick<Surroundings, "pause">,
  ) {
    this.#sink = sink;
    this.#name = name;
    this.#context = context;
  }

  /**
   * Writes all of some bytes.
   *
   * @param bytes The bytes; they must stay as they are until then.
   */
  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      try {
        at += await this.#sink.write(at === 0 ? bytes : bytes.subarray(at));
      } catch (error) {
        // What a sink that writes to another output throws has been said already.
        if (error instanceof ClosedOutput || error instanceof IoError) {
          throw error;
        }
        if (codeOf(error) === "EPIPE") throw new ClosedOutput();
        if (!isWouldBlock(error)) throw cannot("write", this.#name, error);
        // A program that shares the pipe has made it one that does not wait.
        await this.#context.pause();
      }
    }
  }

  async writeText(text: string): Promise<void> {
    await this.write(ENCODER.encode(text));
  }

  /** Writes what was held back, if anything was: nothing more comes. */
  async end(): Promise<void> {}
}

/**
 * Writes data to a terminal: what it holds of logs does nothing there.
 *
 * Control characters become escapes, which mean the same in strings of JSON. What is cut inside
 * of a character, or before a line feed, waits for the rest.
 */
export class TerminalOutput extends Output {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #held = "";

  override async write(bytes: Uint8Array): Promise<void> {
    const text = this.#held + this.#decoder.decode(bytes, { stream: true });
    this.#held = text.endsWith("\r") ? "\r" : "";
    const whole = this.#held === "" ? text : text.slice(0, -1);
    await super.write(ENCODER.encode(escapeLines(whole)));
  }

  override async end(): Promise<void> {
    const text = this.#held + this.#decoder.decode();
    this.#held = "";
    await super.write(ENCODER.encode(escapeLines(text)));
  }
}

/** The size of a piece: what is gathered is never moved to make room for more. */
const PIECE = 1 << 18;

/** How many pieces are kept to be used again: memory that is given back comes back late. */
const KEPT = 8;

/** How much text is gathered before it is written, in UTF-16 units. */
export const GATHERED: number = 1 << 18;

/**
 * Writes texts one behind the other, many of them at once.
 *
 * @param output Where to.
 * @param enough How much is gathered before it is written, in UTF-16 units.
 */
export async function writeTexts(
  output: Output,
  texts: Iterable<string> | AsyncIterable<string>,
  enough: number = GATHERED,
): Promise<void> {
  let gathered = "";
  for await (const text of texts) {
    gathered += text;
    if (gathered.length < enough) continue;
    await output.writeText(gathered);
    gathered = "";
  }
  await output.writeText(gathered);
}

/** Bytes and texts, one after the other. */
export class Gathered {
  #full: Uint8Array[] = [];
  // Made when there is something for it: most runs have nothing to say.
  #piece = new Uint8Array(0);
  #length = 0;
  /** Pieces that have been written. */
  readonly #spare: Uint8Array<ArrayBuffer>[] = [];

  /** Adds bytes, which must not change until they are written. */
  add(bytes: Uint8Array): void {
    if (bytes.length > PIECE) {
      this.#seal();
      this.#full.push(bytes);
      return;
    }
    this.#makeRoom(bytes.length);
    this.#piece.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  addText(text: string): void {
    this.#makeRoom(3 * text.length);
    const { read, written } = ENCODER.encodeInto(
      text,
      this.#piece.subarray(this.#length),
    );
    this.#length += written;
    if (read < text.length) this.add(ENCODER.encode(text.slice(read)));
  }

  /** Writes what has been gathered, and forgets it, whether that works or not. */
  async writeTo(output: Output): Promise<void> {
    const full = this.#full;
    const rest = this.#piece.subarray(0, this.#length);
    this.#full = [];
    this.#length = 0;
    for (const piece of full) {
      await output.write(piece);
      const { buffer } = piece;
      // A piece that is not ours is longer, or it would have been copied.
      const isOwn = buffer.byteLength === PIECE &&
        buffer instanceof ArrayBuffer;
      if (isOwn && this.#spare.length < KEPT) {
        this.#spare.push(new Uint8Array(buffer));
      }
    }
    if (rest.length > 0) await output.write(rest);
  }

  /** Goes on to another piece if the one at hand has no room for so much. */
  #makeRoom(size: number): void {
    if (this.#length + size <= this.#piece.length) return;
    this.#seal();
    if (this.#piece.length === 0) {
      this.#piece = this.#spare.pop() ?? new Uint8Array(PIECE);
    }
  }

  /** Puts what is in the piece at hand behind what is full. */
  #seal(): void {
    if (this.#length === 0) return;
    this.#full.push(this.#piece.subarray(0, this.#length));
    this.#piece = new Uint8Array(0);
    this.#length = 0;
  }
}
