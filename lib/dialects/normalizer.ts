/** Normalizes lines or records of any dialect, from values to values. */

import { checkedJson, checkOutcome } from "../checked.ts";
import type { Dialect } from "./dialect_names.ts";
import { type RulesOptions, StreamRules } from "./dialects.ts";
import { ByteWriter } from "../json/byte_writer.ts";
import { LF, OPEN_BRACE } from "../json/bytes.ts";
import { failureOf, type LinePlace } from "../lines/failures.ts";
import { decodeUtf8 } from "../json/utf8.ts";
import { isBlank } from "../lines/blank.ts";
import type { Failure, Outcome, Success } from "../outcome.ts";
import { type Emit, type Stage, StageStream } from "../stage.ts";

/** The JSON object of one line, unchecked. */
export interface JsonRecord {
  /** The value of a field. */
  readonly [field: string]: unknown;
}

/** Options for {@linkcode Normalizer}. */
export interface NormalizerOptions extends RulesOptions {
  /**
   * The family of dialects to expect. `auto` decides by the first line that is a JSON object.
   *
   * @default {"auto"}
   */
  readonly from?: Dialect | undefined;
}

/** The capacity in bytes to which the buffers shrink after a long line. */
const KEPT_CAPACITY = 1 << 20;

/**
 * Normalizes lines or records of any dialect: emits one normalized record, as JSON text, or one
 * failure for each. Blank lines are skipped.
 *
 * Values that are not rewritten keep their exact source text: numbers, key order, escapes. The
 * state that fills in thread and turn ids belongs to one stream (normalize.md section 2).
 *
 * Instead of a line, the input may be a record. It is encoded first; a record that `JSON.stringify`
 * cannot encode is a `json` failure.
 *
 * @example A line of Codex 0.169
 * ```ts
 * import { Normalizer, type Outcome } from "@codexpipe/codexpipe";
 * import { assertEquals } from "@std/assert";
 *
 * const outcomes: Outcome<string>[] = [];
 * const normalizer = new Normalizer({ initialThreadId: "t" });
 * const value =
 *   '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"hi"}}';
 * normalizer.feed({ ok: true, line: 1, offset: 0, value }, (o) => outcomes.push(o));
 *
 * assertEquals(outcomes[0], {
 *   ok: true,
 *   line: 1,
 *   offset: 0,
 *   value:
 *     '{"type":"item.completed","thread_id":"t","item_id":"item_0","status":"completed",' +
 *     '"item_type":"agent_message","content":{"text":"hi"}}',
 * });
 * ```
 */
export class Normalizer
  implements Stage<Outcome<string | JsonRecord>, Outcome<string>> {
  readonly #options: NormalizerOptions;
  #rules: StreamRules;
  readonly #line = new ByteWriter();
  readonly #out = new ByteWriter();

  /**
   * Constructs a new instance.
   *
   * @param options The family of dialects, and the initial context.
   * @throws {RangeError} If `from` is not a {@linkcode Dialect}.
   */
  constructor(options: NormalizerOptions = {}) {
    this.#options = options;
    this.#rules = new StreamRules(options.from ?? "auto", options);
  }

  /**
   * Returns the state that later lines depend on: the ids, the dialect, unfinished calls. A
   * normalizer that gets it as `resume` continues the stream; only the numbers and offsets of lines
   * start anew.
   *
   * @returns Plain JSON.
   */
  save(): unknown {
    return this.#rules.save();
  }

  /** Resets the state: the next line is the first line of another stream (C17). */
  reset(): void {
    const options = { ...this.#options, resume: undefined };
    this.#rules = new StreamRules(options.from ?? "auto", options);
  }

  /**
   * Normalizes a line or record and emits the outcome.
   *
   * @param outcome The line or record; a failure is emitted unchanged.
   * @param emit Called with the outcome.
   * @throws {TypeError} If the input is not an outcome.
   */
  feed(
    outcome: Outcome<string | JsonRecord>,
    emit: Emit<Outcome<string>>,
  ): void {
    checkOutcome(outcome);
    if (!outcome.ok) return emit(outcome);
    const { line, offset, value: given } = outcome;
    let text: string;
    if (typeof given === "string") {
      if (given.charCodeAt(0) !== OPEN_BRACE && isBlank(given)) return;
      text = given;
    } else {
      const encoded = encodeRecord(outcome);
      if (typeof encoded !== "string") return emit(encoded);
      text = encoded;
    }
    const at: LinePlace = { line, offset };
    if (!text.isWellFormed()) return emit(loneSurrogate(text, at));
    const source = this.#line;
    const out = this.#out;
    source.clear(KEPT_CAPACITY);
    out.clear(KEPT_CAPACITY);
    source.text(text);
    source.byte(LF);
    const bytes = source.view();
    const end = bytes.length - 1;
    const range = this.#rules.apply(bytes, 0, end, out);
    if (range !== undefined) emit(failureOf(range, bytes, at));
    if (out.length > 0) {
      const value = decodeUtf8(out.view(), 0, out.length);
      const start = offset + (range?.recordStart ?? 0);
      emit({ ok: true, line, offset: start, value });
    }
  }
}

/** {@linkcode Normalizer} as a stream. */
export class NormalizerStream extends StageStream<
  Outcome<string | JsonRecord>,
  Outcome<string>
> {
  /**
   * Constructs a new instance.
   *
   * @param options The family of dialects, and the initial context.
   * @throws {RangeError} If `from` is not a {@linkcode Dialect}.
   *
   * @example From bytes to normalized records
   * ```ts
   * import { LineSplitterStream, NormalizerStream } from "@codexpipe/codexpipe";
   * import { assertEquals } from "@std/assert";
   *
   * const outcomes = new Blob(['{"type":"session.created","session_id":"s"}\n'])
   *   .stream()
   *   .pipeThrough(new LineSplitterStream())
   *   .pipeThrough(new NormalizerStream());
   *
   * const [first] = await Array.fromAsync(outcomes);
   * assertEquals(
   *   first?.ok && first.value,
   *   '{"type":"thread.started","thread_id":"s","session_id":"s"}',
   * );
   * ```
   */
  constructor(options: NormalizerOptions = {}) {
    super(new Normalizer(options));
  }
}

function encodeRecord(
  { line, offset, value }: Success<unknown>,
): string | Failure {
  try {
    return checkedJson("the record as JSON", value);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    return { ok: false, line, offset, error: { kind: "json", message } };
  }
}

function loneSurrogate(raw: string, { line, offset }: LinePlace): Failure {
  const message = "Cannot encode the line as UTF-8: it holds a lone surrogate";
  return { ok: false, line, offset, raw, error: { kind: "utf8", message } };
}
