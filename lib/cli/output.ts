/** Writing to stdout, stderr and files: whole buffers, and buffering of small pieces. */

import { codeOf } from "../files/byte_source.ts";
import type { ByteSink, Surroundings } from "./context.ts";
import { ClosedOutput, isWriteError } from "./endings.ts";
import { escapeLines } from "./escape.ts";
import { cannot, isWouldBlock } from "./reasons.ts";

const ENCODER = new TextEncoder();

export class Output {
  readonly #sink: ByteSink;
  readonly #name: string;
  readonly #context: Pick<Surroundings, "pause">;
  #isOpen = true;

  constructor(
    sink: ByteSink,
    name: string,
    context: Pick<Surroundings, "pause">,
  ) {
    this.#sink = sink;
    this.#name = name;
    this.#context = context;
  }

  /** Writes all bytes, which must not change meanwhile. Throws `ClosedOutput` or `IoError`. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      try {
        at += await this.#sink.write(at === 0 ? bytes : bytes.subarray(at));
      } catch (error) {
        // The sink may be another output, whose errors are complete.
        if (isWriteError(error)) throw error;
        if (codeOf(error) === "EPIPE") throw new ClosedOutput();
        if (!isWouldBlock(error)) throw cannot("write", this.#name, error);
        // The pipe is non-blocking: a program that shares it made it so.
        await this.#context.pause();
      }
    }
  }

  async writeText(text: string): Promise<void> {
    await this.write(ENCODER.encode(text));
  }

  /** Ends the output: writes bytes that were held back. */
  async end(): Promise<void> {}

  /** Closes the file that it writes to. Idempotent. */
  close(): void {
    if (this.#isOpen) this.#sink.close?.();
    this.#isOpen = false;
  }
}

/**
 * Writes data to a terminal, with control characters escaped. An incomplete character, or a carriage
 * return at the end, is held back until the next write.
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

/** The size of a piece in bytes. Buffered bytes are never moved to a larger buffer. */
const PIECE = 1 << 18;

/** The number of pieces that are kept to be used again, since garbage is collected late. */
const KEPT = 8;

/** The length of text that is buffered before it is written, in UTF-16 units. */
export const GATHERED: number = 1 << 18;

/** Writes texts one after the other, buffered up to `enough` UTF-16 units. */
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

export class Gathered {
  #full: Uint8Array[] = [];
  // Allocated with the first bytes: most runs print no messages.
  #piece = new Uint8Array(0);
  #length = 0;
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

  /** Writes the buffered bytes and empties the buffer, even if writing fails. */
  async writeTo(output: Output): Promise<void> {
    const full = this.#full;
    const rest = this.#piece.subarray(0, this.#length);
    this.#full = [];
    this.#length = 0;
    for (const piece of full) {
      await output.write(piece);
      const { buffer } = piece;
      // Bytes of a caller that were not copied are longer than a piece.
      const isOwn = buffer.byteLength === PIECE &&
        buffer instanceof ArrayBuffer;
      if (isOwn && this.#spare.length < KEPT) {
        this.#spare.push(new Uint8Array(buffer));
      }
    }
    if (rest.length > 0) await output.write(rest);
  }

  /** Starts a new piece if the current one has no room for `size` bytes. */
  #makeRoom(size: number): void {
    if (this.#length + size <= this.#piece.length) return;
    this.#seal();
    if (this.#piece.length === 0) {
      this.#piece = this.#spare.pop() ?? new Uint8Array(PIECE);
    }
  }

  #seal(): void {
    if (this.#length === 0) return;
    this.#full.push(this.#piece.subarray(0, this.#length));
    this.#piece = new Uint8Array(0);
    this.#length = 0;
  }
}
