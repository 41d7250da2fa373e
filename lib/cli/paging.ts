/** Long output on a terminal, shown by a pager. */

import type { ByteSink, Pager, RunContext } from "./context.ts";
import { Output } from "./output.ts";

const LF = 0x0a;

const USUAL_PAGER = "less";

/** As git has it: colours are shown, and nothing stays open or is taken away for one screen. */
const LESS = "FRX";

/** Something that was written, and where to. */
interface Written {
  readonly output: Output;
  readonly bytes: Uint8Array;
}

/**
 * Holds back what is written to a terminal until it is more than that has room for, and gives it
 * to a pager then; where there is none, or little was written, it goes where it was to go.
 */
export class Paging {
  readonly #context: RunContext;
  readonly #isScreen: boolean;
  #isOn = false;
  #held: Written[] = [];
  #lines = 0;
  #pager: Pager | undefined;

  constructor(context: RunContext, isScreen: boolean) {
    this.#context = context;
    this.#isScreen = isScreen;
  }

  /** Whether the terminal is the pager's. */
  get hasPager(): boolean {
    return this.#pager !== undefined;
  }

  /** Begins to hold back what is written: it is there already, and may be long. */
  begin(): void {
    this.#isOn = this.#isScreen && this.#context.rows() !== undefined &&
      this.#command !== undefined;
  }

  /** What is written to a terminal goes through here. */
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

  /** Writes what was held back: nothing more comes. */
  async flush(): Promise<void> {
    const held = this.#held;
    this.#held = [];
    this.#isOn = false;
    const pager = this.#pager &&
      new Output(this.#pager, "pager", this.#context);
    for (const { output, bytes } of held) await (pager ?? output).write(bytes);
  }

  /** Waits until the person has seen enough. */
  async end(): Promise<void> {
    await this.#pager?.end();
  }

  /** What the variables name; nothing, if that is nothing or shows text as a terminal does. */
  get #command(): readonly [string, ...string[]] | undefined {
    const { env } = this.#context;
    const text = env("CODEXPIPE_PAGER") ?? env("PAGER") ?? USUAL_PAGER;
    const [program = "", ...args] = text.trim().split(/\s+/);
    return program === "" || program === "cat" ? undefined : [program, ...args];
  }

  async #start(): Promise<void> {
    const { env } = this.#context;
    const own = env("LESS") === undefined ? { LESS } : {};
    const command = this.#command;
    this.#pager = command && await this.#context.startPager(command, own);
    await this.flush();
  }
}
