/** `codexpipe sessions follow`. */

import { JsonlNormalizer } from "../../pipeline/pipeline.ts";
import type { TranscriptPart, TurnStatus } from "../../render/parts.ts";
import { TextRenderer } from "../../render/text.ts";
import { TranscriptBuilder } from "../../render/transcript.ts";
import type { CommandContext, RunCommand } from "../command.ts";
import { EXIT, UsageError } from "../endings.ts";
import { FORMATS } from "../flags.ts";
import { followInput } from "../followed_input.ts";
import type { Blocks } from "../input.ts";
import type { Output } from "../output.ts";
import { COLORED_STYLE } from "../../render/text_style.ts";
import { linesIn } from "./_normalization.ts";
import { lookUpSession } from "./_sessions.ts";

export const run: RunCommand = async (context) => {
  const { args } = context;
  const [query, ...more] = args.operands;
  if (more.length > 0) {
    throw new UsageError(
      "sessions follow takes one session: run one codexpipe for each",
    );
  }
  if (query !== undefined && args.has("last")) {
    throw new UsageError("give a session or --last, not both");
  }
  const { session, status } = await lookUpSession(query, context);
  if (session === undefined) return status;
  await new Following(session.file.path, context).run();
  return EXIT.done;
};

const DECODER = new TextDecoder();

/** The statuses of turns that have ended for certain. */
const ENDS: ReadonlySet<TurnStatus> = new Set([
  "completed",
  "failed",
  "aborted",
]);

/** Follows a session, and writes it as normalized lines or as text. */
class Following {
  readonly #path: string;
  readonly #context: CommandContext;
  readonly #output: Output;
  /** The renderer of text; shared by all contents of the file, which are separate documents. */
  readonly #renderer: TextRenderer | undefined;
  /** Whether to exit when a turn has ended and no line follows. */
  readonly #endsWithTurn: boolean;
  /** The milliseconds without new lines after which to exit. */
  readonly #idleMs: number;
  #normalizer: JsonlNormalizer;
  #transcript: TranscriptBuilder | undefined;
  /** Whether lines are written; earlier lines are only read. */
  #isShown: boolean;
  /** The turn that ended last among the lines that are written. */
  #lastTurn: number | undefined;
  /** The time of the last read, in milliseconds since 1970. */
  #lastTime: number;
  /** Whether the initial content has been read. */
  #isCaughtUp = false;

  constructor(path: string, context: CommandContext) {
    const { args, process, screen, stdout, style } = context;
    this.#path = path;
    this.#context = context;
    const form = args.choice("format", FORMATS.live) ??
      (process.isTerminal.stdout ? "text" : "jsonl");
    this.#output = form === "text" ? screen : stdout;
    this.#renderer = form === "text"
      ? new TextRenderer({
        style,
        isFormatted: style === COLORED_STYLE,
        columns: () => context.width(),
      })
      : undefined;
    const ends = args.values("exit-on");
    const idle = ends.findLast((value) => value !== "turn");
    this.#endsWithTurn = ends.includes("turn");
    this.#idleMs = 1000 * Number(idle?.slice("idle=".length) ?? Infinity);
    this.#normalizer = this.#newNormalizer();
    this.#transcript = this.#newTranscript();
    this.#isShown = args.has("from-start");
    this.#lastTime = process.now();
  }

  async run(): Promise<void> {
    this.#context.progress.watch(() => this.#renderer?.running);
    const inputs = followInput(this.#path, this.#context, () => this.#isOver());
    let isFirst = true;
    for await (const input of inputs) {
      if (!isFirst) {
        // The file was replaced or emptied: all of its content is new.
        this.#normalizer = this.#newNormalizer();
        this.#transcript = this.#newTranscript();
        this.#show();
      }
      isFirst = false;
      await this.#write(input);
    }
  }

  async #write(input: Blocks): Promise<void> {
    const { diagnostics, process } = this.#context;
    for (;;) {
      const block = await input.next();
      if (block !== undefined) this.#lastTime = process.now();
      await this.#answer(block);
      await diagnostics.flush();
      if (block === undefined) return;
    }
  }

  /** Whether to exit; called whenever all current content has been written. */
  #isOver(): boolean {
    const { args, process } = this.#context;
    if (!this.#isCaughtUp) {
      this.#isCaughtUp = true;
      this.#lastTime = process.now();
      if (!args.has("from-start")) this.#show();
    }
    const { nextTurn } = this.#transcript ?? {};
    const isTurnOver = nextTurn !== undefined &&
      this.#lastTurn === nextTurn - 1;
    return this.#endsWithTurn && isTurnOver ||
      process.now() - this.#lastTime >= this.#idleMs;
  }

  #show(): void {
    this.#isShown = true;
    this.#lastTurn = undefined;
  }

  #newNormalizer(): JsonlNormalizer {
    const isText = this.#renderer !== undefined;
    return new JsonlNormalizer({
      from: "rollout",
      fileName: this.#path,
      onError: isText ? "inline" : "report",
      onFailure: (failed) => {
        // Text contains the failures.
        if (!this.#isShown || isText) return;
        this.#context.diagnostics.failed(this.#path, failed);
      },
    });
  }

  #newTranscript(): TranscriptBuilder | undefined {
    const live = this.#renderer !== undefined;
    return live || this.#endsWithTurn
      ? new TranscriptBuilder({ live })
      : undefined;
  }

  /** Processes a block, or the end of the file, and writes the result. */
  async #answer(block: Uint8Array | undefined): Promise<void> {
    let lines: Uint8Array = new Uint8Array(0);
    let text = "";
    const emit = (bytes: Uint8Array): void => void (lines = bytes);
    const take = (part: TranscriptPart): void => {
      const isEnd = part.type === "turn_ended" && ENDS.has(part.status);
      if (isEnd) this.#lastTurn = part.turn;
      // The head of the session is always shown.
      if (!this.#isShown && part.type !== "session") return;
      this.#renderer?.feed(part, (written) => text += written);
    };
    if (block === undefined) this.#normalizer.flush(emit);
    else this.#normalizer.feed(block, emit);
    if (this.#transcript !== undefined) {
      for (const line of linesIn(lines)) {
        const value = DECODER.decode(line);
        this.#transcript.feed({ ok: true, line: 0, offset: 0, value }, take);
      }
      // The transcript holds back a prompt until a line names the model.
      if (block === undefined) this.#transcript.flush(take);
    }
    if (text !== "") await this.#output.writeText(text);
    else if (this.#renderer === undefined && this.#isShown) {
      await this.#output.write(lines);
    }
  }
}
