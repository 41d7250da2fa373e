/**
 * What is said on stderr.
 */

import { escapeControls } from "./escape.ts";
import { ClosedOutput, IoError, type Sink } from "./io.ts";

const ENCODER = new TextEncoder();
/** What is gathered before it is written, in UTF-16 units. */
const GATHERED = 1 << 16;

/** Gathers lines for stderr, so that a million failures do not cost a million writes. */
export class Diagnostics {
  readonly #sink: Sink;
  readonly #isColored: boolean;
  #text = "";

  /** Constructs a new instance. */
  constructor(sink: Sink, isColored: boolean) {
    this.#sink = sink;
    this.#isColored = isColored;
  }

  /** Says one thing: `codexpipe: MESSAGE`. */
  say(message: string): void {
    this.#text += `${this.#bold("codexpipe:")} ${escapeControls(message)}\n`;
  }

  /** Says what is wrong with a line: `codexpipe: FILE:LINE: KIND: MESSAGE`. */
  failed(
    file: string,
    { line, kind, message }: {
      readonly line: number;
      readonly kind: string;
      readonly message: string;
    },
  ): void {
    const where = this.#bold(`codexpipe: ${escapeControls(file)}:${line}:`);
    this.#text += `${where} ${this.#red(`${kind}:`)} ${
      escapeControls(message)
    }\n`;
  }

  /** Whether enough has been gathered to be written. */
  get isFull(): boolean {
    return this.#text.length > GATHERED;
  }

  /** Writes what has been gathered. */
  async flush(): Promise<void> {
    if (this.#text === "") return;
    const bytes = ENCODER.encode(this.#text);
    this.#text = "";
    try {
      await this.#sink.write(bytes);
    } catch (error) {
      // With nobody to tell, there is nothing to say; the data goes on.
      if (!(error instanceof ClosedOutput || error instanceof IoError)) {
        throw error;
      }
    }
  }

  #bold(text: string): string {
    return this.#isColored ? `\x1b[1m${text}\x1b[22m` : text;
  }

  #red(text: string): string {
    return this.#isColored ? `\x1b[31m${text}\x1b[39m` : text;
  }
}
