/** `codexpipe sessions follow`. */

import { TextRenderer } from "../../render/text.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import { EXIT, UsageError } from "../endings.ts";
import { followInput } from "../followed_input.ts";
import { LIVE_FORMATS } from "../flags.ts";
import type { Blocks } from "../input.ts";
import type { Output } from "../output.ts";
import { COLORED } from "../styles.ts";
import { LinesView, type LiveView, TextView } from "./_live_views.ts";
import { lookUpSession } from "./_sessions.ts";

/** When to end. */
interface EndConditions {
  /** When a turn has ended and nothing follows. */
  readonly isAtTurn: boolean;
  /** After how many milliseconds without anything new; `undefined` if that does not end it. */
  readonly idleMs: number | undefined;
}

/** Writes what a session does, as it does it. */
export async function run(
  args: Arguments,
  context: CommandContext,
): Promise<number> {
  const [query, ...more] = args.operands;
  if (more.length > 0) {
    throw new UsageError(
      "sessions follow takes one session: run one codexpipe for each",
    );
  }
  if (query !== undefined && args.has("last")) {
    throw new UsageError(
      "--last is a session of its own: name one, or give --last",
    );
  }
  const { session, status } = await lookUpSession(query, args, context);
  if (session === undefined) return status;
  await new Following(session.file.path, args, context).run();
  return EXIT.done;
}

/** Follows a session file. */
class Following {
  readonly #path: string;
  readonly #args: Arguments;
  readonly #context: CommandContext;
  readonly #ends: EndConditions;
  /** Writes all contents of the file, with space between them. */
  #renderer: TextRenderer | undefined;
  #view: LiveView;
  /** When something new was read last. */
  #lastTime: number;
  /** Whether what was there at the beginning has been read. */
  #isCaughtUp = false;

  constructor(path: string, args: Arguments, context: CommandContext) {
    this.#path = path;
    this.#args = args;
    this.#context = context;
    this.#ends = endConditions(args.values("exit-on"));
    this.#view = this.#newView();
    this.#lastTime = context.process.now();
  }

  async run(): Promise<void> {
    const { diagnostics } = this.#context;
    if (this.#args.has("from-start")) this.#view.show();
    this.#context.progress.watch(() => this.#renderer?.running);
    const inputs = followInput(this.#path, this.#context, {
      isQuiet: this.#args.has("quiet"),
      isVerbose: this.#args.has("verbose"),
      atEnd: () => this.#isOver(),
    });
    let isFirst = true;
    for await (const input of inputs) {
      if (!isFirst) {
        // Another file in the place of the first one: all of it is new.
        this.#view = this.#newView();
        this.#view.show();
      }
      isFirst = false;
      await this.#write(input);
      await diagnostics.flush();
    }
  }

  async #write(input: Blocks): Promise<void> {
    const { diagnostics, process } = this.#context;
    for (;;) {
      const block = await input.next();
      if (block !== undefined) this.#lastTime = process.now();
      const bytes = block === undefined
        ? this.#view.flush()
        : this.#view.feed(block);
      if (bytes.length > 0) await this.#output.write(bytes);
      await diagnostics.flush();
      if (block === undefined) return;
    }
  }

  /** Is asked whenever everything that is there has been written. */
  #isOver(): boolean {
    if (!this.#isCaughtUp) {
      this.#isCaughtUp = true;
      this.#lastTime = this.#context.process.now();
      if (!this.#args.has("from-start")) this.#view.show();
    }
    const { isAtTurn, idleMs } = this.#ends;
    if (isAtTurn && this.#view.isTurnOver) return true;
    const quiet = this.#context.process.now() - this.#lastTime;
    return idleMs !== undefined && quiet >= idleMs;
  }

  get #form(): typeof LIVE_FORMATS[number] {
    return this.#args.choice("format", LIVE_FORMATS) ??
      (this.#context.process.isTerminal.stdout ? "text" : "jsonl");
  }

  get #output(): Output {
    const { screen, stdout } = this.#context;
    return this.#form === "text" ? screen : stdout;
  }

  #newView(): LiveView {
    const { process, diagnostics, style } = this.#context;
    if (this.#form === "text") {
      this.#renderer ??= new TextRenderer({
        style,
        isFormatted: style === COLORED,
        columns: () => process.columns(),
      });
      return new TextView(this.#path, this.#renderer);
    }
    const isQuiet = this.#args.has("quiet");
    return new LinesView({
      path: this.#path,
      isWatchingTurns: this.#ends.isAtTurn,
      onFailure: ({ line, error: { kind, message } }) => {
        if (!isQuiet) diagnostics.failed(this.#path, { line, kind, message });
      },
    });
  }
}

function endConditions(values: readonly string[]): EndConditions {
  const idle = values.findLast((value) => value !== "turn");
  return {
    isAtTurn: values.includes("turn"),
    idleMs: idle === undefined ? undefined : 1000 * Number(idle.slice(5)),
  };
}
