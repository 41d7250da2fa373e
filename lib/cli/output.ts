/** Writing: everything, or an error that says why. */

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

  /** Writes all of a text. */
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
