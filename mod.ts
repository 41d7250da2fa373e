/**
 * Reads the JSONL of OpenAI's Codex CLI, in the dialects of all its releases, and converts it to
 * one reliable form: the output of `codex exec --json`, the messages of `codex app-server`, and
 * session files (`rollout-*.jsonl`).
 *
 * ```
 * bytes ─▶ lines ─▶ records ─▶  EVENTS  ─▶ history        HistoryState, HistoryStream
 *                                │       ─▶ transcripts    ./render
 *                                │       ─▶ verdicts       ./check
 *                                │       ─▶ tokens         ./usage
 *                                └─ your own fold
 * ```
 *
 * Most programs are a loop over {@linkcode decodeEvents}: for every kind of input, the events
 * describe threads, turns and items ({@linkcode ThreadEvent}). The commands that failed:
 *
 * ```ts
 * import { decodeEvents, isItemType } from "@codexpipe/codexpipe";
 * import { openStream } from "@codexpipe/codexpipe/files";
 * import { assertEquals } from "@std/assert";
 *
 * const log = await openStream("testdata/captures/0.169.0/shellmany/stdout.jsonl");
 * const failed: string[] = [];
 * for await (const { value: event } of decodeEvents(log)) {
 *   if (event?.type !== "item.completed" || !isItemType(event, "command_execution")) continue;
 *   if (event.content.exit_code) failed.push(event.content.command);
 * }
 *
 * assertEquals(failed.length, 4);
 * assertEquals(failed[1], "/bin/bash -lc false");
 * ```
 *
 * The last message:
 *
 * ```ts
 * import { decodeEvents, isItemType } from "@codexpipe/codexpipe";
 * import { openStream } from "@codexpipe/codexpipe/files";
 * import { assertEquals } from "@std/assert";
 *
 * const log = await openStream("testdata/captures/0.169.0/shellmany/stdout.jsonl");
 * let message = "";
 * for await (const { value: event } of decodeEvents(log)) {
 *   if (event?.type !== "item.completed" || !isItemType(event, "agent_message")) continue;
 *   message = event.content.text;
 * }
 *
 * assertEquals(message, "Ran several commands: some failed.");
 * ```
 *
 * The tokens of a file, each request counted once:
 *
 * ```ts
 * import { StageStream } from "@codexpipe/codexpipe";
 * import { openStream } from "@codexpipe/codexpipe/files";
 * import { groupUsage, UsageMeter } from "@codexpipe/codexpipe/usage";
 * import { assertEquals } from "@std/assert";
 *
 * const log = await openStream("testdata/captures/0.169.0/shellmany/stdout.jsonl");
 * const meter = new UsageMeter();
 * await log.pipeThrough(new StageStream(meter.open("run.jsonl"))).pipeTo(new WritableStream());
 * const [all] = groupUsage(meter.rows(), []);
 *
 * assertEquals(all?.tokens.total_tokens, 10080n);
 * ```
 *
 * The stages, for programs that need one of them:
 *
 * | stage                                                      | from → to                                            |
 * | ---------------------------------------------------------- | ---------------------------------------------------- |
 * | {@linkcode LineSplitter}, {@linkcode LineNumberer}         | bytes, or lines split elsewhere → numbered lines     |
 * | {@linkcode Normalizer}                                     | lines or records of any dialect → normalized text    |
 * | {@linkcode Decoder}                                        | normalized text → typed events and rollout lines     |
 * | {@linkcode EventDecoder}                                   | normalized records of any dialect → events           |
 * | {@linkcode HistoryReducer}, {@linkcode HistoryState}       | events or rollout lines → mutations, and the history |
 * | {@linkcode JsonlEncoder}, {@linkcode OutcomeEncoderStream} | values, or outcomes → bytes                          |
 * | {@linkcode JsonlNormalizer}                                | bytes → normalized bytes, in one pass                |
 * | {@linkcode JsonlEvents}, {@linkcode decodeEvents}          | bytes of any dialect → typed events                  |
 * | {@linkcode JsonlDecoder}, {@linkcode decodeRecords}        | bytes → typed records, in one pass                   |
 *
 * Each `X` is a synchronous push core with `feed` and `flush`, and `XStream` the transform
 * stream around it; {@linkcode compose} joins cores.
 *
 * A line that cannot be read never ends the stream. A {@linkcode Failure} stands in its place, with
 * the line's number, offset and text, and the reason.
 *
 * Types that programs seldom name have entry points of their own: exec items (`./exec`), the
 * further items and fields of session files (`./events`), lines of session files (`./rollout`),
 * records of histories (`./history`), lines of any JSONL (`./lines`), schemas (`./schema`).
 *
 * Further ones open files (`./files`), find the sessions of a Codex home (`./sessions`), mask
 * secrets (`./redact`), write the formats of other tools (`./export`), and report formats of no
 * known release (`./drift`).
 *
 * @example A torn line
 * ```ts
 * import { decodeEvents } from "@codexpipe/codexpipe";
 * import { assertEquals } from "@std/assert";
 *
 * const log = new Blob([
 *   '{"type":"thread.started","thread_id":"t1"}\n',
 *   "this line is torn\n",
 *   '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"hi"}}\n',
 * ]);
 * const seen: string[] = [];
 * for await (const { line, value, error } of decodeEvents(log.stream())) {
 *   seen.push(`${line}: ${value?.type ?? error?.kind}`);
 * }
 *
 * assertEquals(seen, ["1: thread.started", "2: json", "3: item.completed"]);
 * ```
 *
 * @module
 */

export {
  decodeEvents,
  EventDecoder,
  type EventDecoderOptions,
  EventDecoderStream,
  JsonlEvents,
  type JsonlEventsOptions,
  JsonlEventsStream,
  JsonlEventWriter,
} from "./lib/pipeline/event_pipeline.ts";
export {
  isItemType,
  isKnownItem,
  type ItemCompletedEvent,
  type ItemContents,
  type ItemDeltaEvent,
  type ItemEventOf,
  type ItemFailedEvent,
  type ItemStartedEvent,
  type KnownItemType,
  type ThreadErrorEvent,
  type ThreadEvent,
  type ThreadStartedEvent,
  type TurnCompletedEvent,
  type TurnFailedEvent,
  type TurnStartedEvent,
} from "./lib/dialects/exec/events.ts";
export type { TokenCounts } from "./lib/dialects/rollout/token_counts.ts";
export { isSessionItem, type SessionItem } from "./lib/events/session_items.ts";
export {
  type Failure,
  onSuccess,
  type Outcome,
  type Success,
} from "./lib/outcome.ts";
export {
  type FailureKind,
  type FailureReason,
  type Issue,
  LineError,
} from "./lib/errors.ts";
export type { FailureView } from "./lib/lines/failures.ts";
export { compose, type Emit, type Stage, StageStream } from "./lib/stage.ts";
export {
  LineSplitter,
  type LineSplitterOptions,
  LineSplitterStream,
} from "./lib/lines/line_splitter.ts";
export { LineNumberer, LineNumbererStream } from "./lib/lines/line_numberer.ts";
export {
  type JsonRecord,
  Normalizer,
  type NormalizerOptions,
  NormalizerStream,
} from "./lib/dialects/normalizer.ts";
export {
  JsonlNormalizer,
  JsonlNormalizerStream,
} from "./lib/pipeline/pipeline.ts";
export {
  type CodexRecord,
  Decoder,
  type DecoderOptions,
  DecoderStream,
  type RecordOf,
} from "./lib/dialects/decoder.ts";
export {
  decodeRecords,
  JsonlDecoder,
  type JsonlDecoderOptions,
  JsonlDecoderStream,
} from "./lib/pipeline/event_pipeline.ts";
export {
  encodeLine,
  encodeOutcome,
  JsonlEncoder,
  JsonlEncoderStream,
  OutcomeEncoderStream,
} from "./lib/lines/jsonl_encoder.ts";
export {
  type Dialect,
  DIALECTS,
  STREAM_KINDS,
  type StreamKind,
} from "./lib/dialects/dialect_names.ts";
export type { RulesOptions } from "./lib/dialects/dialects.ts";
export {
  type Engine,
  ENGINES,
  type JsonlOptions,
  JsonlStage,
  type OnError,
} from "./lib/pipeline/line_answers.ts";
export {
  HistoryState,
  type HistoryStateOptions,
} from "./lib/history/history_state.ts";
export { HistoryReducer, HistoryStream } from "./lib/history/history_stream.ts";
export type { HistoryMutation } from "./lib/history/mutations.ts";
export type { HistoryRecord } from "./lib/history/records.ts";
export type { HistorySnapshot } from "./lib/history/snapshot.ts";
