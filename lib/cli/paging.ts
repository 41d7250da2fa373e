/** The pager for long output on a terminal. */

import type { ByteSink, Pager, RunContext } from "./context.ts";
import { Output } from "./output.ts";

const LF = 0x0a;

const USUAL_PAGER = "less";

/** The options that git uses: show colours, exit if the text fits, and leave it on the screen. */
const LESS = "FRX";

/** Holds back output to a terminal; if it exceeds the height, a pager gets it. */
export class Paging {
  readonly #context: RunContext;
  #isPossible: boolean;
  #isOn = false;
  /** The bytes that are held back, and their outputs. */
  #held: { readonly output: Output; readonly bytes: Uint8Array }[] = [];
  #lines = 0;
  #pager: Pager | undefined;

  constructor(context: RunContext, isScreen: boolean) {
    this.#context = context;
    this.#isPossible = isScreen;
  }

  get hasPager(): boolean {
    return this.#pager !== undefined;
  }

  refuse(): void {
    this.#isPossible = false;
  }

  /** Begins to hold back output. Commands call it if their output may be long and is not live. */
  begin(): void {
    this.#isOn = this.#isPossible && this.#context.rows() !== undefined &&
      this.#command !== undefined;
  }

  through(sink: ByteSink, name: string): ByteSink {
    const output = new Output(sink, name, this.#context);
    return {
      write: async (bytes): Promise<number> => {
        if (this.#pager !== undefined) return await this.#pager.write(bytes);
        if (!this.#isOn) return await sink.write(bytes);
        this.#held.push({ output, bytes: bytes.slice() });
        for (const byte of bytes) if (byte === LF) this.#lines += 1;
        if (this.#lines >= (this.#context.rows() ?? 0)) await this.#start();
        return bytes.length;
      },
    };
  }

  async flush(): Promise<void> {
    const held = this.#held;
    this.#held = [];
    this.#isOn = false;
    const pager = this.#pager &&
      new Output(this.#pager, "pager", this.#context);
    for (const { output, bytes } of held) await (pager ?? output).write(bytes);
  }

  async end(): Promise<void> {
    await this.#pager?.end();
  }

  /** The pager and its arguments; `undefined` if the variable is empty, or names cat. */
  get #command(): readonly [string, ...string[]] | undefined {
    const { env } = this.#context;
    const text = env("CODEXPIPE_PAGER") ?? env("PAGER") ?? USUAL_PAGER;
    const [program = "", ...args] = text.trim().split(/\s+/);
    return program === "" || program === "cat" ? undefined : [program, ...args];
  }

  async #start(): Promise<void> {
    const { env } = this.#context;
    const extra = env("LESS") === undefined ? { LESS } : {};
    const command = this.#command;
    this.#pager = command && await this.#context.startPager(command, extra);
    await this.flush();
  }
}
