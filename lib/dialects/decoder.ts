/** Decodes normalized records from text to typed values. */

import { checkedWord } from "../checked.ts";
import { type Decoded, parseRecord } from "./decoded.ts";
import { type Dialect, DIALECTS } from "./dialect_names.ts";
import { decodeEvent } from "./exec/decoder.ts";
import type { ThreadEvent } from "./exec/events.ts";
import { EVENTS } from "./exec/field_rules.ts";
import { fieldsOf } from "../json/fields.ts";
import { onSuccess, type Outcome } from "../outcome.ts";
import { decodeRolloutLine } from "./rollout/decoder.ts";
import { ROLLOUT_LINE_TYPES } from "./rollout/kinds.ts";
import type { RolloutLine } from "./rollout/lines.ts";
import { type Emit, type Stage, StageStream } from "../stage.ts";

/**
 * A normalized record: an event of `codex exec --json`, or a line of a rollout file.
 *
 * `isOfType()` narrows a record to one type. The type of a line is open, but no line has the type
 * of an event.
 *
 * @example The errors of a stream of either family
 * ```ts
 * import type { CodexRecord } from "@codexpipe/codexpipe";
 * import { isOfType } from "@codexpipe/codexpipe/rollout";
 * import { assertEquals } from "@std/assert";
 *
 * function errorOf(record: CodexRecord): string | undefined {
 *   if (isOfType(record, "error")) return record.message;
 *   if (!isOfType(record, "event_msg")) return undefined;
 *   return isOfType(record.payload, "turn_aborted") ? record.payload.reason : undefined;
 * }
 *
 * const payload = { type: "turn_aborted", reason: "interrupted" } as const;
 * assertEquals(errorOf({ type: "error", message: "no" }), "no");
 * assertEquals(errorOf({ type: "event_msg", payload }), "interrupted");
 * ```
 */
export type CodexRecord = ThreadEvent | RolloutLine;

/**
 * The normalized record of a family of dialects.
 *
 * @typeParam D The family.
 */
export type RecordOf<D extends Dialect> = D extends "exec" | "app-server"
  ? ThreadEvent
  : D extends "rollout" ? RolloutLine
  : CodexRecord;

/** Options for {@linkcode Decoder}. */
export interface DecoderOptions<D extends Dialect = Dialect> {
  /**
   * The family of the records. With `auto`, the family of each record follows from its `type`; with
   * `exec` or `rollout`, a record of another family is a failure, and the outcomes have the
   * narrower type.
   *
   * @default {"auto"}
   */
  readonly from?: D | undefined;
}

/**
 * Decodes one normalized record of either family.
 *
 * The `type` decides the family: the families have no type in common. A record of an unknown type
 * is a line of a rollout file if it has a `payload`, otherwise an event.
 */
function decodeRecord(record: unknown): Decoded<CodexRecord> {
  const parsed = parseRecord(record);
  if (!parsed.ok) return parsed;
  const { value } = parsed;
  if (isOfRollout(value)) return decodeRolloutLine(value);
  // A string in the text is no record, even if it holds the text of one.
  return decodeEvent(typeof value === "string" ? record : value);
}

function isOfRollout(record: unknown): boolean {
  const { type, payload } = fieldsOf(record);
  return typeof type === "string" && !EVENTS.has(type) &&
    (ROLLOUT_LINE_TYPES.has(type) || payload !== undefined);
}

const DECODERS: {
  readonly [D in Dialect]: (record: unknown) => Decoded<RecordOf<D>>;
} = {
  auto: decodeRecord,
  exec: decodeEvent,
  "app-server": decodeEvent,
  rollout: decodeRolloutLine,
};

/**
 * Decodes normalized records: emits one typed event or rollout line, or one failure, for each.
 *
 * The outcome holds the text that the value was decoded from, so that `encodeOutcome()` returns the
 * same bytes again: 64-bit integers, `1.0`, key order and duplicate keys included. The value itself
 * is the result of `JSON.parse`.
 *
 * A decoder has no state. To decode the bytes that Codex wrote in one step, use
 * {@linkcode JsonlDecoder}.
 *
 * @example Decode the records of a normalizer
 * ```ts
 * import { compose, Decoder, Normalizer, type Outcome, type ThreadEvent } from "@codexpipe/codexpipe";
 * import { assert, assertEquals } from "@std/assert";
 *
 * const outcomes: Outcome<ThreadEvent>[] = [];
 * const stage = compose(new Normalizer(), new Decoder({ from: "exec" }));
 * const value = '{"type":"thread.started","thread_id":"t"}';
 * stage.feed({ ok: true, line: 1, offset: 0, value }, (outcome) => outcomes.push(outcome));
 *
 * const [first] = outcomes;
 * assert(first?.ok);
 * assertEquals(first.value, { type: "thread.started", thread_id: "t" });
 * assertEquals(first.text, value);
 * ```
 *
 * @typeParam D The family of the records.
 */
export class Decoder<D extends Dialect = "auto">
  implements Stage<Outcome<string>, Outcome<RecordOf<D>>> {
  readonly #stage: Stage<Outcome<string>, Outcome<RecordOf<D>>>;

  /**
   * Constructs a new instance.
   *
   * @param options The family of the records.
   * @throws {RangeError} If `from` is not a {@linkcode Dialect}.
   */
  constructor(options: DecoderOptions<D> = {}) {
    // Without `from`, `D` is its default, `auto`; the compiler cannot know that.
    const { from = "auto" as D } = options;
    checkedWord<Dialect>("from", from, DIALECTS);
    const decode = DECODERS[from];
    this.#stage = onSuccess({
      feed({ line, offset, value: text }, emit): void {
        const decoded = decode(text);
        if (decoded.ok) {
          emit({ ok: true, line, offset, value: decoded.value, text });
        } else {
          emit({ ok: false, line, offset, error: decoded.error, raw: text });
        }
      },
    });
  }

  /**
   * Decodes the text of a record and emits the outcome.
   *
   * @param outcome The text; a failure is emitted unchanged.
   * @param emit Called with the outcome.
   * @throws {TypeError} If the input is not an outcome.
   */
  feed(outcome: Outcome<string>, emit: Emit<Outcome<RecordOf<D>>>): void {
    this.#stage.feed(outcome, emit);
  }
}

/**
 * {@linkcode Decoder} as a stream.
 *
 * @typeParam D The family of the records.
 */
export class DecoderStream<D extends Dialect = "auto">
  extends StageStream<Outcome<string>, Outcome<RecordOf<D>>> {
  /**
   * Constructs a new instance.
   *
   * @param options The family of the records.
   * @throws {RangeError} If `from` is not a {@linkcode Dialect}.
   *
   * @example From bytes to events, stage by stage
   * ```ts
   * import { DecoderStream, LineSplitterStream, NormalizerStream } from "@codexpipe/codexpipe";
   * import { assert, assertEquals } from "@std/assert";
   *
   * const outcomes = new Blob(['{"type":"error","message":"Reconnecting"}\n']).stream()
   *   .pipeThrough(new LineSplitterStream())
   *   .pipeThrough(new NormalizerStream())
   *   .pipeThrough(new DecoderStream({ from: "exec" }));
   *
   * const [first] = await Array.fromAsync(outcomes);
   * assert(first?.ok && first.value.type === "error");
   * assertEquals(first.value.message, "Reconnecting");
   * ```
   */
  constructor(options: DecoderOptions<D> = {}) {
    super(new Decoder(options));
  }
}
