/** Diagnostics: lines on stderr. */

import { ClosedOutput, IoError } from "./endings.ts";
import { escapeControls } from "./escape.ts";
import { Gathered, type Output } from "./output.ts";
import type { TextStyle } from "../render/text_style.ts";

/** Makes text of a log do nothing: to a terminal, nor to the runner of GitHub Actions. */
function inert(text: string): string {
  // Anywhere in a line that would begin a command.
  return escapeControls(text).replaceAll("##[", "## [");
}

/** Gathers lines for stderr, so that a million failures do not cost a million writes. */
export class Diagnostics {
  readonly #output: Output;
  readonly #style: TextStyle;
  readonly #lines = new Gathered();

  constructor(output: Output, style: TextStyle) {
    this.#output = output;
    this.#style = style;
  }

  /** Says one thing: `codexpipe: MESSAGE`. */
  say(message: string): void {
    const { bold } = this.#style;
    this.#lines.addText(
      `${bold("codexpipe:")} ${inert(message)}\n`,
    );
  }

  /** Adds a line as it is: a command to the reader of stderr, safe by itself. */
  command(line: string): void {
    this.#lines.addText(line);
  }

  /** Adds what another thread would have written. */
  add(bytes: Uint8Array): void {
    this.#lines.add(bytes);
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
    const { bold, red } = this.#style;
    // The engine keeps what `${line}` gives for a while, which makes room for what is new grow.
    const where = bold(`codexpipe: ${inert(file)}:${line.toFixed()}:`);
    this.#lines.addText(
      `${where} ${red(`${kind}:`)} ${inert(message)}\n`,
    );
  }

  /** Writes what has been gathered; if it cannot, no reader is left. */
  async flush(): Promise<void> {
    try {
      await this.#lines.writeTo(this.#output);
    } catch (error) {
      const isExpected = error instanceof ClosedOutput ||
        error instanceof IoError;
      if (!isExpected) throw error;
    }
  }
}
