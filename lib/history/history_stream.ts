/** Converts events or rollout lines to mutations of their history. */

import { checkOutcome } from "../checked.ts";
import type { Outcome } from "../outcome.ts";
import { type Emit, type Stage, StageStream } from "../stage.ts";
import { HistoryState } from "./history_state.ts";
import { parseJson } from "../json/fields.ts";
import type { HistoryMutation } from "./mutations.ts";

/**
 * Folds events into a history and emits the mutations that each of them makes.
 *
 * A value is a normalized exec event or rollout line, or the JSON text of one as
 * {@linkcode Normalizer} emits it. A mutation has the line and the offset of its event. An event
 * may make no mutation. Failures are emitted unchanged, in order.
 *
 * No mutation is held back: those of an event are emitted before the next event is read.
 *
 * @example From lines to mutations
 * ```ts
 * import { compose, HistoryReducer, LineSplitter, Normalizer } from "@codexpipe/codexpipe";
 * import { assertEquals } from "@std/assert";
 *
 * const reducer = new HistoryReducer();
 * const stage = compose(compose(new LineSplitter(), new Normalizer()), reducer);
 * const seen: (string | number)[] = [];
 * const bytes = new TextEncoder().encode(
 *   '{"type":"thread.started","thread_id":"t"}\n{"type":"error","message":"No"}\n{\n',
 * );
 * stage.feed(bytes, (o) => seen.push(o.ok ? o.value.type : o.error.kind, o.line));
 *
 * assertEquals(seen, ["inserted", 2, "json", 3]);
 * assertEquals(reducer.state.snapshot().next_id, 2);
 * ```
 */
export class HistoryReducer
  implements Stage<Outcome<unknown>, Outcome<HistoryMutation>> {
  /** The history so far. */
  readonly state: HistoryState;

  /**
   * Constructs a new instance.
   *
   * @param state The history to continue; it must not be shared.
   */
  constructor(state: HistoryState = new HistoryState()) {
    this.state = state;
  }

  /**
   * Applies an event and emits its mutations.
   *
   * @param outcome The event; a failure is emitted unchanged.
   * @param emit Is called with each mutation.
   * @throws {TypeError} If it is no outcome.
   */
  feed(outcome: Outcome<unknown>, emit: Emit<Outcome<HistoryMutation>>): void {
    checkOutcome(outcome);
    if (!outcome.ok) return emit(outcome);
    const { line, offset, value, text } = outcome;
    const isText = typeof value === "string";
    const event = isText ? parseJson(value) : value;
    for (const mutation of this.state.apply(event, isText ? value : text)) {
      emit({ ok: true, line, offset, value: mutation });
    }
  }
}

/** {@linkcode HistoryReducer} as a stream. */
export class HistoryStream
  extends StageStream<Outcome<unknown>, Outcome<HistoryMutation>> {
  /** The history so far. */
  readonly state: HistoryState;

  /**
   * Constructs a new instance.
   *
   * @param state The history to continue; it must not be shared.
   *
   * @example The mutations of a history, as they happen
   * ```ts
   * import { HistoryStream, LineSplitterStream, NormalizerStream } from "@codexpipe/codexpipe";
   * import { assertEquals } from "@std/assert";
   *
   * const history = new HistoryStream();
   * const outcomes = new Blob(['{"type":"error","message":"No"}\n']).stream()
   *   .pipeThrough(new LineSplitterStream())
   *   .pipeThrough(new NormalizerStream())
   *   .pipeThrough(history);
   *
   * const [first] = await Array.fromAsync(outcomes);
   * assertEquals(first?.ok && first.value.type, "inserted");
   * assertEquals(history.state.snapshot().records.length, 1);
   * ```
   */
  constructor(state: HistoryState = new HistoryState()) {
    super(new HistoryReducer(state));
    this.state = state;
  }
}
