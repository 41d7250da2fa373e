/** `codexpipe redact`. */

import { JsonlRedactor, type LinearPattern } from "../../redact/redact.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext, RunCommand } from "../command.ts";
import { EXIT } from "../endings.ts";
import { blocksOf, invite, openInput, readOrSay } from "../input.ts";
import { maxLineBytesOf } from "./_reading_options.ts";
import { addSecrets, patternsOf, saySecrets } from "./_secrets.ts";
import { STDIN } from "../flags.ts";

const LF = 0x0a;
const LINE_END = new Uint8Array([LF]);

export const run: RunCommand = async (args, context) => {
  const files = args.operands.length === 0 ? [STDIN] : args.operands;
  const redaction = new Redaction(args, context);
  try {
    for (const file of files) await redaction.redact(file);
  } finally {
    saySecrets(redaction.counts, args, context);
    await context.diagnostics.flush();
  }
  if (redaction.isIncomplete) return EXIT.io;
  const isNo = args.has("strict") && redaction.hasFailures;
  return isNo ? EXIT.no : EXIT.done;
};

class Redaction {
  readonly #args: Arguments;
  readonly #context: CommandContext;
  readonly #patterns: readonly LinearPattern[];
  /** How many secrets were masked, by kind. */
  readonly counts = new Map<string, number>();
  #last = LF;
  isIncomplete = false;
  hasFailures = false;

  constructor(args: Arguments, context: CommandContext) {
    this.#args = args;
    this.#context = context;
    this.#patterns = patternsOf(args);
  }

  /** Redacts a file, or stdin; one that cannot be read is reported. */
  async redact(file: string): Promise<void> {
    const { diagnostics, process } = this.#context;
    const isRead = await readOrSay(async () => {
      const input = await openInput(file, process);
      if (!this.#args.has("quiet")) await invite(file, this.#context);
      await this.#copy(file, blocksOf(input, process));
    }, (message) => diagnostics.say(message));
    this.isIncomplete ||= !isRead;
    await diagnostics.flush();
  }

  async #copy(
    file: string,
    blocks: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const { diagnostics } = this.#context;
    const redactor = new JsonlRedactor({
      patterns: this.#patterns,
      maxLineBytes: maxLineBytesOf(this.#args),
      onFailure: ({ line, error: { kind, message } }) => {
        this.hasFailures = true;
        if (this.#args.has("quiet")) return;
        diagnostics.failed(file, { line, kind, message });
      },
    });
    // The lines of two files stay two lines.
    if (this.#last !== LF) await this.#write(LINE_END);
    try {
      for await (const block of blocks) {
        await this.#pass((emit) => redactor.feed(block, emit));
      }
    } finally {
      // What came before the end, or before what broke, is written either way.
      await this.#pass((emit) => redactor.flush(emit));
      addSecrets(this.counts, redactor.counts);
    }
  }

  async #pass(
    work: (emit: (lines: Uint8Array) => void) => void,
  ): Promise<void> {
    let lines: Uint8Array | undefined;
    // They are not copied: nothing else is asked of the redactor until they are written.
    work((bytes) => lines = bytes);
    if (lines !== undefined) await this.#write(lines);
    await this.#context.diagnostics.flush();
  }

  async #write(lines: Uint8Array): Promise<void> {
    this.#last = lines.at(-1) ?? this.#last;
    await this.#context.stdout.write(lines);
  }
}
