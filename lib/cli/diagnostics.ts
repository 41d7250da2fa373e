/** Messages on stderr. */

import { isWriteError } from "./endings.ts";
import { escapeControls } from "./escape.ts";
import { Gathered, type Output } from "./output.ts";
import type { TextStyle } from "../render/text_style.ts";

/** Escapes text of a log, for terminals and for the runner of GitHub Actions. */
function inert(text: string): string {
  // `##[` begins a workflow command at any place of a line.
  return escapeControls(text).replaceAll("##[", "## [");
}

/** Buffers lines for stderr, so that a million failures do not cost a million writes. */
export class Diagnostics {
  readonly #output: Output;
  readonly #style: TextStyle;
  readonly #isQuiet: boolean;
  readonly #lines = new Gathered();

  /** @param isQuiet Whether remarks and failed lines are left out. */
  constructor(output: Output, style: TextStyle, isQuiet = false) {
    this.#output = output;
    this.#style = style;
    this.#isQuiet = isQuiet;
  }

  /** Adds a message: `codexpipe: MESSAGE`. */
  say(message: string): void {
    const { bold } = this.#style;
    this.#lines.addText(
      `${bold("codexpipe:")} ${inert(message)}\n`,
    );
  }

  remark(message: string): void {
    if (!this.#isQuiet) this.say(message);
  }

  /** Adds a workflow command as it is; it must be escaped already. */
  command(line: string): void {
    this.#lines.addText(line);
  }

  /** Adds bytes that another thread wrote to its stderr. */
  add(bytes: Uint8Array): void {
    this.#lines.add(bytes);
  }

  /** Adds `codexpipe: FILE:LINE: KIND: MESSAGE` about a failed line, unless `--quiet` is given. */
  failed(
    file: string,
    line: number,
    { kind, message }: { readonly kind: string; readonly message: string },
  ): void {
    if (this.#isQuiet) return;
    const { bold, red } = this.#style;
    // V8's cache of number strings would keep `${line}` alive, and its young generation would
    // grow; toFixed() bypasses that cache.
    const where = bold(`codexpipe: ${inert(file)}:${line.toFixed()}:`);
    this.#lines.addText(
      `${where} ${red(`${kind}:`)} ${inert(message)}\n`,
    );
  }

  /** Writes the buffered lines. A failed write is ignored: stderr has no reader any more. */
  async flush(): Promise<void> {
    try {
      await this.#lines.writeTo(this.#output);
    } catch (error) {
      if (!isWriteError(error)) throw error;
    }
  }
}
