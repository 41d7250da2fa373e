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
import { lookUpSession } from "./_sessions.ts";

export const run: RunCommand = async (args, context) => {
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
};

class Following {
  readonly #path: string;
  readonly #args: Arguments;
  readonly #context: CommandContext;
  /** Whether it ends when a turn has ended and nothing follows. */
  readonly #endsWithTurn: boolean;
  /** After how many milliseconds without anything new it ends. */
  readonly #idleMs: number;
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
    const isQuiet = this.#args.has("quiet");
    return new LiveView(this.#path, {
      renderer: this.#renderer,
      isWatchingTurns: this.#endsWithTurn,
      onFailure: ({ line, error: { kind, message } }) => {
        if (!isQuiet) diagnostics.failed(this.#path, { line, kind, message });
      },
    });
  }
}

const LF = 0x0a;
const DECODER = new TextDecoder();
const ENCODER = new TextEncoder();

/** How turns end that are known to have ended. */
const ENDS: ReadonlySet<TurnStatus> = new Set([
  "completed",
  "failed",
  "aborted",
]);

interface LiveViewOptions {
  /** Writes text, behind what it may have written of another content; without it, lines are given. */
  readonly renderer: TextRenderer | undefined;
  /** Whether it is of interest when turns end. */
  readonly isWatchingTurns: boolean;
  /** Is told of lines that failed, once they are shown; as text they stand in their place. */
  onFailure(failed: FailureView): void;
}

/** Gives what a session shows, from some time on: its normalized lines, or text. */
class LiveView {
  readonly #normalizer: JsonlNormalizer;
  readonly #renderer: TextRenderer | undefined;
  readonly #transcript: TranscriptBuilder | undefined;
  #isShown = false;
  /** The turn that has ended last since it is shown. */
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

  /** Whether the last turn that began has ended since it is shown. */
  get isTurnOver(): boolean {
    const { nextTurn } = this.#transcript ?? {};
    return nextTurn !== undefined && this.#lastTurn === nextTurn - 1;
  }

  show(): void {
    this.#isShown = true;
    this.#lastTurn = undefined;
  }

  /** Takes a block, and gives what is to be written; the bytes last until the next call. */
  feed(block: Uint8Array): Uint8Array {
    return this.#answer((emit) => this.#normalizer.feed(block, emit));
  }

  /** Ends the file, and gives what is to be written. */
  flush(): Uint8Array {
    return this.#answer(
      (emit) => this.#normalizer.flush(emit),
      // A prompt waits until the model is known, which no line has told.
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
      // What the session is, everybody wants to know.
      if (!this.#isShown && part.type !== "session") return;
      this.#renderer?.feed(part, (written) => text += written);
    };
    work((given) => lines = given);
    if (this.#transcript !== undefined) {
      transcribe(lines, this.#transcript, take);
      end(take);
    }
    if (this.#renderer !== undefined) return ENCODER.encode(text);
    return this.#isShown ? lines : NOTHING;
  }
}

/** Shows normalized lines to a transcript. */
function transcribe(
  lines: Uint8Array,
  transcript: TranscriptBuilder,
  take: (part: TranscriptPart) => void,
): void {
  for (let start = 0; start < lines.length;) {
    const end = lines.indexOf(LF, start);
    const value = DECODER.decode(lines.subarray(start, end));
    transcript.feed({ ok: true, line: 0, offset: 0, value }, take);
    start = end + 1;
  }
}

const NOTHING = new Uint8Array(0);
