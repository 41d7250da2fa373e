/**
 * Reads what OpenAI's Codex CLI writes as JSONL, in every shape that a release has written
 * it, and makes it reliable.
 *
 * | stage                                                      | from → to                                            |
 * | ---------------------------------------------------------- | ---------------------------------------------------- |
 * | {@linkcode LineSplitter}, {@linkcode LineNumberer}         | bytes, or lines split elsewhere → numbered lines     |
 * | {@linkcode Normalizer}                                     | lines or records of any dialect → normalized text    |
 * | {@linkcode Decoder}                                        | normalized text → typed events and rollout lines     |
 * | {@linkcode HistoryReducer}, {@linkcode HistoryState}       | events or rollout lines → mutations, and the history |
 * | {@linkcode JsonlEncoder}, {@linkcode OutcomeEncoderStream} | values, or outcomes → bytes                          |
 * | {@linkcode JsonlNormalizer}                                | bytes → normalized bytes, in one pass                |
 * | {@linkcode JsonlEvents}, {@linkcode decodeEvents}          | bytes of any dialect → typed events                  |
 * | {@linkcode JsonlDecoder}, {@linkcode decodeRecords}        | bytes → typed records, in one pass                   |
 * | {@linkcode EventDecoder}                                   | normalized records of any dialect → events           |
 *
 * Each `X` is a synchronous push core with `feed` and `flush`, and `XStream` the transform
 * stream around it; {@linkcode compose} joins cores. A line that cannot be read becomes a
 * {@linkcode Failure} in its place, and never ends the stream.
 *
 * @example Typed events of a log
 * ```ts
 * import { decodeEvents } from "@codexpipe/codexpipe";
 * import { assertEquals } from "@std/assert";
 *
 * const log = new Blob([
 *   '{"type":"thread.started","thread_id":"t1"}\n',
 *   "this line is torn\n",
 *   '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"hi"}}\n',
 * ]);
 * const outcomes = await Array.fromAsync(
 *   decodeEvents(log.stream()),
 *   (outcome) => outcome.ok ? outcome.value.type : outcome.error.kind,
 * );
 *
 * assertEquals(outcomes, ["thread.started", "json", "item.completed"]);
 * ```
 *
 * @module
 */

export * from "./lib/stage.ts";
export * from "./lib/errors.ts";
export * from "./lib/outcome.ts";
export {
  LineSplitter,
  type LineSplitterOptions,
  LineSplitterStream,
} from "./lib/lines/line_splitter.ts";
export * from "./lib/lines/line_numberer.ts";
export * from "./lib/lines/jsonl_encoder.ts";
export type { LineFailed } from "./lib/lines/line_failed.ts";
export * from "./lib/dialects/dialect_names.ts";
export * from "./lib/schema_names.ts";
export type { RulesOptions } from "./lib/dialects/dialects.ts";
export type { InitialContext } from "./lib/dialects/exec/exec_rules.ts";
export type { RolloutContext } from "./lib/dialects/rollout/rollout_rules.ts";
export {
  DEFAULT_MAX_LINE_BYTES,
  MAX_LINE_BYTES,
} from "./lib/lines/line_framer.ts";
export * from "./lib/dialects/normalizer.ts";
export * from "./lib/pipeline/pipeline.ts";
export type {
  Decoded,
  DecodedValue,
  Undecoded,
} from "./lib/dialects/decoded.ts";
export * from "./lib/dialects/exec/events.ts";
export * from "./lib/dialects/exec/decoder.ts";
export * from "./lib/dialects/rollout/lines.ts";
export * from "./lib/dialects/rollout/of_type.ts";
export * from "./lib/dialects/rollout/session_meta.ts";
export * from "./lib/dialects/rollout/turn_context.ts";
export * from "./lib/dialects/rollout/compacted.ts";
export * from "./lib/dialects/rollout/token_counts.ts";
export * from "./lib/dialects/rollout/content_parts.ts";
export * from "./lib/dialects/rollout/response_items.ts";
export * from "./lib/dialects/rollout/event_msgs.ts";
export * from "./lib/dialects/rollout/speech_msgs.ts";
export * from "./lib/dialects/rollout/turn_msgs.ts";
export * from "./lib/dialects/rollout/tool_msgs.ts";
export * from "./lib/dialects/rollout/turn_items.ts";
export * from "./lib/dialects/rollout/call_details.ts";
export * from "./lib/dialects/rollout/decoder.ts";
export {
  ARGUMENTS_TEXT,
  isSessionItem,
  type SessionContents,
  type SessionEventFields,
  type SessionFileChange,
  type SessionHeaderFields,
  type SessionImage,
  type SessionItem,
  type SessionItemContents,
  type SessionItemEvent,
  type SessionItemFields,
} from "./lib/events/session_items.ts";
export * from "./lib/dialects/decoder.ts";
export * from "./lib/pipeline/event_pipeline.ts";
export * from "./lib/history/records.ts";
export * from "./lib/history/snapshot.ts";
export * from "./lib/history/mutations.ts";
export * from "./lib/history/record_operations.ts";
export { RecordStore } from "./lib/history/record_store.ts";
export * from "./lib/history/code_layout.ts";
export {
  type ExploredPlace,
  type HistoryBase,
  type HistorySnapshotOptions,
  HistoryState,
  type HistoryStateOptions,
} from "./lib/history/history_state.ts";
export * from "./lib/history/history_stream.ts";
