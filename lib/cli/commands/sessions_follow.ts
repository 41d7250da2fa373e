/** `codexpipe sessions follow`. */

import { type FailureView, JsonlNormalizer } from "../../pipeline/pipeline.ts";
import type { TranscriptPart, TurnStatus } from "../../render/parts.ts";
import { TextRenderer } from "../../render/text.ts";
import { TranscriptBuilder } from "../../render/transcript.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import { EXIT, UsageError } from "../endings.ts";
import { LIVE_FORMATS } from "../flags.ts";
import { followInput } from "../followed_input.ts";
import type { Blocks } from "../input.ts";
import type { Output } from "../output.ts";
import { COLORED } from "../styles.ts";
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

const LF = 0x0a;
const DECODER = new TextDecoder();
const ENCODER = new TextEncoder();

/** What becomes of the blocks of a session file. */
interface LiveView {
  /** Whether the last turn that began has ended since it is shown. */
  readonly isTurnOver: boolean;
  /** Shows what comes from now on. */
  show(): void;
  /** Takes a block, and gives what is to be written; the bytes last until the next call. */
  feed(block: Uint8Array): Uint8Array;
  /** Ends the file, and gives what is to be written. */
  flush(): Uint8Array;
}

/** How turns end that are known to have ended. */
const ENDS: ReadonlySet<TurnStatus> = new Set([
  "completed",
  "failed",
  "aborted",
]);

/** Remembers which turn has ended last. */
class TurnEnds {
  #last: number | undefined;

  /** Whether the turn before one that has not begun has ended. */
  isBefore(nextTurn: number): boolean {
    return this.#last === nextTurn - 1;
  }

  /** Forgets the turns that have ended: they were not shown. */
  forget(): void {
    this.#last = undefined;
  }

  take(part: TranscriptPart): void {
    const isEnd = part.type === "turn_ended" && ENDS.has(part.status);
    if (isEnd) this.#last = part.turn;
  }
}

/** Options for {@linkcode LinesView}. */
interface LinesViewOptions {
  /** The path of the file. */
  readonly path: string;
  /** Whether it is of interest when turns end. */
  readonly isWatchingTurns: boolean;
  /** Is told of lines that failed, once they are shown. */
  onFailure(failed: FailureView): void;
}

/** Gives the lines of a session, normalized. */
class LinesView implements LiveView {
  readonly #normalizer: JsonlNormalizer;
  readonly #transcript: TranscriptBuilder | undefined;
  readonly #ends = new TurnEnds();
  #isShown = false;

  /** Constructs a new instance. */
  constructor({ path, isWatchingTurns, onFailure }: LinesViewOptions) {
    this.#normalizer = new JsonlNormalizer({
      from: "rollout",
      fileName: path,
      onFailure: (failed) => {
        if (this.#isShown) onFailure(failed);
      },
    });
    if (isWatchingTurns) this.#transcript = new TranscriptBuilder();
  }

  get isTurnOver(): boolean {
    const { nextTurn } = this.#transcript ?? {};
    return nextTurn !== undefined && this.#ends.isBefore(nextTurn);
  }

  show(): void {
    this.#isShown = true;
    this.#ends.forget();
  }

  feed(block: Uint8Array): Uint8Array {
    return this.#answer((emit) => this.#normalizer.feed(block, emit));
  }

  flush(): Uint8Array {
    return this.#answer((emit) => this.#normalizer.flush(emit));
  }

  #answer(work: (emit: (lines: Uint8Array) => void) => void): Uint8Array {
    let answers: Uint8Array = NOTHING;
    work((lines) => answers = lines);
    if (this.#transcript !== undefined) {
      transcribe(answers, this.#transcript, (part) => this.#ends.take(part));
    }
    return this.#isShown ? answers : NOTHING;
  }
}

/** Gives what a session shows, as text. */
class TextView implements LiveView {
  readonly #normalizer: JsonlNormalizer;
  readonly #transcript = new TranscriptBuilder({ live: true });
  readonly #renderer: TextRenderer;
  readonly #ends = new TurnEnds();
  #isShown = false;

  /**
   * Constructs a new instance.
   *
   * @param renderer Writes it, behind what it may have written of another content.
   */
  constructor(path: string, renderer: TextRenderer) {
    this.#normalizer = new JsonlNormalizer({
      from: "rollout",
      fileName: path,
      onError: "inline",
    });
    this.#renderer = renderer;
  }

  get isTurnOver(): boolean {
    return this.#ends.isBefore(this.#transcript.nextTurn);
  }

  show(): void {
    this.#isShown = true;
    this.#ends.forget();
  }

  feed(block: Uint8Array): Uint8Array {
    return this.#render((take) =>
      this.#normalizer.feed(block, (lines) => {
        transcribe(lines, this.#transcript, take);
      })
    );
  }

  flush(): Uint8Array {
    return this.#render((take) => {
      this.#normalizer.flush((lines) => {
        transcribe(lines, this.#transcript, take);
      });
      // A prompt waits until the model is known, which no line has told.
      this.#transcript.flush(take);
    });
  }

  /** Gives the text of the parts that some work takes. */
  #render(work: (take: (part: TranscriptPart) => void) => void): Uint8Array {
    let text = "";
    work((part) => {
      this.#ends.take(part);
      // What the session is, everybody wants to know.
      if (!this.#isShown && part.type !== "session") return;
      this.#renderer.feed(part, (written) => text += written);
    });
    return ENCODER.encode(text);
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
