/** `codexpipe sessions follow`. */

import { type FailureView, JsonlNormalizer } from "../../pipeline/pipeline.ts";
import type { TranscriptPart, TurnStatus } from "../../render/parts.ts";
import { TextRenderer } from "../../render/text.ts";
import { TranscriptBuilder } from "../../render/transcript.ts";
import type { Emit } from "../../stage.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext, RunCommand } from "../command.ts";
import { EXIT, UsageError } from "../endings.ts";
import { LIVE_FORMATS } from "../flags.ts";
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
    throw new UsageError(
      "give a session or --last, not both",
    );
  }
  const { session, status } = await lookUpSession(query, context);
  if (session === undefined) return status;
  await new Following(session.file.path, context).run();
  return EXIT.done;
};

class Following {
  readonly #path: string;
  readonly #args: Arguments;
  readonly #context: CommandContext;
  /** Whether to exit when a turn has ended and no line follows. */
  readonly #endsWithTurn: boolean;
  /** The milliseconds without new lines after which to exit. */
  readonly #idleMs: number;
  /** The renderer of text; shared by all contents of the file, which are separate documents. */
  #renderer: TextRenderer | undefined;
  #view: LiveView;
  /** The time of the last read, in milliseconds since 1970. */
  #lastTime: number;
  /** Whether the initial content has been read. */
  #isCaughtUp = false;

  constructor(path: string, context: CommandContext) {
    const { args } = context;
    this.#path = path;
    this.#args = args;
    this.#context = context;
    const ends = args.values("exit-on");
    const idle = ends.findLast((value) => value !== "turn");
    this.#endsWithTurn = ends.includes("turn");
    this.#idleMs = 1000 * Number(idle?.slice("idle=".length) ?? Infinity);
    this.#view = this.#newView();
    this.#lastTime = context.process.now();
  }

  async run(): Promise<void> {
    const { diagnostics } = this.#context;
    if (this.#args.has("from-start")) this.#view.show();
    this.#context.progress.watch(() => this.#renderer?.running);
    const inputs = followInput(
      this.#path,
      this.#context,
      () => this.#isOver(),
    );
    let isFirst = true;
    for await (const input of inputs) {
      if (!isFirst) {
        // The file was replaced or emptied: all of its content is new.
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

  /** Whether to exit; called whenever all current content has been written. */
  #isOver(): boolean {
    if (!this.#isCaughtUp) {
      this.#isCaughtUp = true;
      this.#lastTime = this.#context.process.now();
      if (!this.#args.has("from-start")) this.#view.show();
    }
    if (this.#endsWithTurn && this.#view.isTurnOver) return true;
    return this.#context.process.now() - this.#lastTime >= this.#idleMs;
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
        isFormatted: style === COLORED_STYLE,
        columns: () => process.columns(),
      });
    }
    return new LiveView(this.#path, {
      renderer: this.#renderer,
      isWatchingTurns: this.#endsWithTurn,
      onFailure: (failed) => diagnostics.failed(this.#path, failed),
    });
  }
}

const DECODER = new TextDecoder();
const ENCODER = new TextEncoder();

/** The statuses of turns that have ended for certain. */
const ENDS: ReadonlySet<TurnStatus> = new Set([
  "completed",
  "failed",
  "aborted",
]);

interface LiveViewOptions {
  /** The renderer for text; without it, the output is normalized lines. */
  readonly renderer: TextRenderer | undefined;
  /** Whether the ends of turns have to be known. */
  readonly isWatchingTurns: boolean;
  /** Called for failed lines after `show`; not for text, which contains the failures. */
  onFailure(failed: FailureView): void;
}

/** Converts a session to normalized lines or text; the output begins after `show`. */
class LiveView {
  readonly #normalizer: JsonlNormalizer;
  readonly #renderer: TextRenderer | undefined;
  readonly #transcript: TranscriptBuilder | undefined;
  #isShown = false;
  /** The turn that ended last, since `show`. */
  #lastTurn: number | undefined;

  constructor(
    path: string,
    { renderer, isWatchingTurns, onFailure }: LiveViewOptions,
  ) {
    const isText = renderer !== undefined;
    this.#normalizer = new JsonlNormalizer({
      from: "rollout",
      fileName: path,
      onError: isText ? "inline" : "report",
      onFailure: (failed) => {
        if (this.#isShown && !isText) onFailure(failed);
      },
    });
    this.#renderer = renderer;
    if (isText || isWatchingTurns) {
      this.#transcript = new TranscriptBuilder({ live: isText });
    }
  }

  /** Whether the last turn that began has ended, since `show`. */
  get isTurnOver(): boolean {
    const { nextTurn } = this.#transcript ?? {};
    return nextTurn !== undefined && this.#lastTurn === nextTurn - 1;
  }

  show(): void {
    this.#isShown = true;
    this.#lastTurn = undefined;
  }

  /** Processes a block, and returns the bytes to write, which are valid until the next call. */
  feed(block: Uint8Array): Uint8Array {
    return this.#answer((emit) => this.#normalizer.feed(block, emit));
  }

  /** Ends the file, and returns the bytes to write. */
  flush(): Uint8Array {
    return this.#answer(
      (emit) => this.#normalizer.flush(emit),
      // The transcript holds back a prompt until a line names the model.
      (take) => this.#transcript?.flush(take),
    );
  }

  #answer(
    work: (emit: Emit<Uint8Array>) => void,
    end: (take: Emit<TranscriptPart>) => void = () => {},
  ): Uint8Array {
    let lines: Uint8Array = NOTHING;
    let text = "";
    const take = (part: TranscriptPart): void => {
      const isEnd = part.type === "turn_ended" && ENDS.has(part.status);
      if (isEnd) this.#lastTurn = part.turn;
      // The head of the session is always shown.
      if (!this.#isShown && part.type !== "session") return;
      this.#renderer?.feed(part, (written) => text += written);
    };
    work((bytes) => lines = bytes);
    if (this.#transcript !== undefined) {
      for (const line of linesIn(lines)) {
        const value = DECODER.decode(line);
        this.#transcript.feed({ ok: true, line: 0, offset: 0, value }, take);
      }
      end(take);
    }
    if (this.#renderer !== undefined) return ENCODER.encode(text);
    return this.#isShown ? lines : NOTHING;
  }
}

const NOTHING = new Uint8Array(0);
