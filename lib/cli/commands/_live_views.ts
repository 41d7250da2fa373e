/** How a session that is followed is shown: as lines, or as text. */

import { type FailureView, JsonlNormalizer } from "../../pipeline/pipeline.ts";
import type { TranscriptPart, TurnStatus } from "../../render/parts.ts";
import type { TextRenderer } from "../../render/text.ts";
import { TranscriptBuilder } from "../../render/transcript.ts";

const LF = 0x0a;
const DECODER = new TextDecoder();
const ENCODER = new TextEncoder();

/** What becomes of the blocks of a session file. */
export interface LiveView {
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
export interface LinesViewOptions {
  /** The path of the file. */
  readonly path: string;
  /** Whether it is of interest when turns end. */
  readonly isWatchingTurns: boolean;
  /** Is told of lines that failed, once they are shown. */
  onFailure(failed: FailureView): void;
}

/** Gives the lines of a session, normalized. */
export class LinesView implements LiveView {
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
export class TextView implements LiveView {
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
