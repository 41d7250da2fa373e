/** Composes the stages from bytes to typed events. */

import { checkOutcome, wordsOf } from "../checked.ts";
import type { RecordOf } from "../dialects/decoder.ts";
import type { Dialect } from "../dialects/dialect_names.ts";
import type { ThreadEvent } from "../dialects/exec/events.ts";
import { decodeRolloutLine } from "../dialects/rollout/decoder.ts";
import type { FailureReason } from "../errors.ts";
import { EventReader, eventText } from "../events/event_reader.ts";
import { IDLE_LINES } from "../events/line_selection.ts";
import { ByteWriter } from "../json/byte_writer.ts";
import { LF } from "../json/bytes.ts";
import {
  type Fields,
  isObject,
  jsonTextOf,
  parseJson,
} from "../json/fields.ts";
import { encodeOutcome } from "../lines/jsonl_encoder.ts";
import type { Outcome, Success } from "../outcome.ts";
import { compose, type Emit, type Stage, StageStream } from "../stage.ts";
import {
  Batches,
  BatchIterator,
  type BlockReader,
  streamOf,
} from "./batches.ts";
import { JsonlRecords } from "./jsonl_records.ts";
import { type JsonlOptions, JsonlStage } from "./line_answers.ts";

/** Options for {@linkcode JsonlDecoder} and {@linkcode decodeRecords}. */
export interface JsonlDecoderOptions<D extends Dialect = Dialect>
  extends JsonlOptions {
  /**
   * The dialects to expect. With `exec`, all records are typed as events; with `rollout`, as lines
   * of session files. With `auto` the first line that is a JSON object decides, and the type of a
   * record is the union of both.
   *
   * @default {"auto"}
   */
  readonly from?: D | undefined;
}

/**
 * Decodes JSONL of any dialect: blocks of bytes in, typed events or rollout lines out.
 *
 * This has the effect of {@linkcode LineSplitter}, {@linkcode Normalizer} and {@linkcode Decoder}
 * together, but events are checked only once: the normalizer checks them by the shapes of their
 * types. Every line that is not blank has one outcome, which is emitted as soon as the line is
 * complete; a bad line is a failed outcome, and the next line is read.
 *
 * The outcome of an event has its exact normalized text, so that `encodeOutcome()` writes the
 * output of {@linkcode JsonlNormalizer}. Neither event nor text keeps the block alive. A string in
 * them keeps at most 2 KiB of the text around it alive, or as much as it has itself.
 *
 * Memory is bounded by the longest line and the largest block.
 *
 * @example A block of two lines, one of them bad
 * ```ts
 * import { JsonlDecoder } from "@codexpipe/codexpipe";
 * import { assertEquals } from "@std/assert";
 *
 * const seen: string[] = [];
 * const decoder = new JsonlDecoder();
 * const block = new TextEncoder().encode('{"type":"thread.resumed","id":"t"}\n{"a":1}\n');
 * decoder.feed(block, (outcome) => {
 *   seen.push(outcome.ok ? outcome.value.type : outcome.error.kind);
 * });
 *
 * assertEquals(seen, ["thread.started", "normalize"]);
 * ```
 *
 * @typeParam D The family of the dialects.
 */
export class JsonlDecoder<D extends Dialect = "auto">
  extends JsonlStage<Outcome<RecordOf<D>>> {
  /**
   * Constructs a new instance.
   *
   * @param options The dialect, the limits, and the treatment of failures.
   * @throws {RangeError} If the limit is not a whole number from 1 to 2^29 - 24, or another option
   *   has an unknown value.
   * @throws {TypeError} If `engine` is `wasm`, and WebAssembly with SIMD cannot run here.
   */
  constructor(options: JsonlDecoderOptions<D> = {}) {
    const records = new JsonlRecords<RecordOf<D>>(options, lineReason);
    super(records, records);
  }
}

function lineReason(value: unknown): FailureReason | undefined {
  const decoded = decodeRolloutLine(value);
  return decoded.ok ? undefined : decoded.error;
}

/**
 * {@linkcode JsonlDecoder} as a stream, for `pipeThrough`.
 *
 * With `onError: "stop"` the stream errors with the error of the first line that failed,
 * once the outcomes before it have been read.
 *
 * @typeParam D The family of the dialects.
 */
export class JsonlDecoderStream<D extends Dialect = "auto"> {
  /** The outcomes. */
  readonly readable: ReadableStream<Outcome<RecordOf<D>>>;
  /** Accepts the bytes. */
  readonly writable: WritableStream<Uint8Array>;

  /**
   * Constructs a new instance.
   *
   * @param options The dialect, the limits, and the treatment of failures.
   * @throws {RangeError} If the limit is not a whole number from 1 to 2^29 - 24, or another option
   *   has an unknown value.
   * @throws {TypeError} If `engine` is `wasm`, and WebAssembly with SIMD cannot run here.
   *
   * @example The messages of an agent
   * ```ts
   * import { isItemType, JsonlDecoderStream } from "@codexpipe/codexpipe";
   * import { assertEquals } from "@std/assert";
   *
   * const log = '{"type":"thread.started","thread_id":"t"}\n' +
   *   '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Hi"}}\n';
   * const outcomes = new Blob([log]).stream()
   *   .pipeThrough(new JsonlDecoderStream({ from: "exec" }));
   * const messages: string[] = [];
   * for await (const outcome of outcomes) {
   *   if (!outcome.ok || outcome.value.type !== "item.completed") continue;
   *   const event = outcome.value;
   *   if (isItemType(event, "agent_message")) messages.push(event.content.text);
   * }
   *
   * assertEquals(messages, ["Hi"]);
   * ```
   */
  constructor(options: JsonlDecoderOptions<D> = {}) {
    const decoder = new JsonlDecoder(options);
    const blocks = new TransformStream<Uint8Array, Uint8Array>();
    this.writable = blocks.writable;
    this.readable = streamOf(
      new Batches(decoder, blocks.readable.getReader()),
    );
  }
}

/**
 * Decodes JSONL of any dialect for `for await`: typed events of exec streams, typed lines of
 * session files. {@linkcode decodeEvents} returns events for both.
 *
 * Nothing is read before the first outcome is requested, and no block before the outcomes of the
 * previous block have been consumed. Leaving the loop cancels the source. An error of the source is
 * thrown. With `onError: "stop"`, the error of the first failed line is thrown, after the outcomes
 * before it have been consumed.
 *
 * @typeParam D The family of the dialects.
 * @param source The bytes, in blocks of any size.
 * @param options The dialect, the limits, and the treatment of failures.
 * @returns The outcomes, in order.
 * @throws {RangeError} If the limit is not a whole number from 1 to 2^29 - 24, or another option
 *   has an unknown value.
 * @throws {TypeError} If `engine` is `wasm`, and WebAssembly with SIMD cannot run here, or the
 *   source is neither a stream nor an async iterable.
 *
 * @example The types of records
 * ```ts
 * import { decodeRecords } from "@codexpipe/codexpipe";
 * import { assertEquals } from "@std/assert";
 *
 * const log = new Blob(['{"type":"thread.started","thread_id":"t"}\n']);
 * const types: string[] = [];
 * for await (const outcome of decodeRecords(log.stream())) {
 *   if (outcome.ok) types.push(outcome.value.type);
 * }
 *
 * assertEquals(types, ["thread.started"]);
 * ```
 */
export function decodeRecords<D extends Dialect = "auto">(
  source: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
  options: JsonlDecoderOptions<D> = {},
): AsyncGenerator<Outcome<RecordOf<D>>, void, void> {
  const decoder = new JsonlDecoder(options);
  return new BatchIterator(new Batches(decoder, readerOf(source)));
}

/** Options for {@linkcode EventDecoder}. */
export interface EventDecoderOptions {
  /**
   * Whether calls in session files also become items as the model made them and as their outputs
   * were returned to it: `model_call` and `model_call_output`.
   *
   * @default {false}
   */
  readonly modelCalls?: boolean | undefined;
  /**
   * Whether all outcomes have the text of their events, which `encodeOutcome()` writes. Events of
   * exec streams always have it; for events of session files it has to be encoded, which takes
   * time.
   *
   * @default {true}
   */
  readonly text?: boolean | undefined;
}

/** Options for {@linkcode JsonlEvents} and {@linkcode decodeEvents}. */
export interface JsonlEventsOptions extends JsonlOptions, EventDecoderOptions {}

/**
 * Converts normalized records of any dialect to events: the output of {@linkcode Normalizer} in,
 * thread events out, the same as {@linkcode JsonlEvents} emits from bytes.
 *
 * A value is a record, or its JSON text. Records of exec streams are events already; a line of a
 * session file becomes the events that it describes. Failures pass through in their places; a value
 * that is no object becomes one. Nothing is held back.
 *
 * Memory is bounded: of the last 8,192 calls, those that have not ended are kept, in up to 32 Mi
 * characters.
 *
 * @example The events of two lines
 * ```ts
 * import { EventDecoder } from "@codexpipe/codexpipe";
 * import { assertEquals } from "@std/assert";
 *
 * const decoder = new EventDecoder();
 * const types: string[] = [];
 * for (const type of ["turn.started", "turn.completed"]) {
 *   const value = { type, thread_id: "t" };
 *   decoder.feed({ ok: true, line: 1, offset: 0, value }, (outcome) => {
 *     if (outcome.ok) types.push(outcome.value.type);
 *   });
 * }
 *
 * assertEquals(types, ["turn.started", "turn.completed"]);
 * ```
 */
export class EventDecoder
  implements Stage<Outcome<unknown>, Outcome<ThreadEvent>> {
  readonly #reader: EventReader;
  readonly #hasText: boolean;
  /**
   * The current record and the consumer of its events. They are fields because a closure for each
   * record would be slower.
   */
  #record: Success<unknown> = { ok: true, line: 0, offset: 0, value: null };
  #emit: Emit<Outcome<ThreadEvent>> = () => {};
  readonly #pass = (event: Fields, exact?: string): void => {
    const { line, offset, value, text } = this.#record;
    const json = exact ??
      (this.#hasText ? eventText(event, text?.length) : undefined);
    // Records of exec streams were written by the shapes of the event types, and events of session
    // files are made by the rules of lib/events.
    const typed = event as unknown as ThreadEvent;
    this.#emit(
      event === value && json === text
        ? this.#record as Success<ThreadEvent>
        : json === undefined
        ? { ok: true, line, offset, value: typed }
        : { ok: true, line, offset, value: typed, text: json },
    );
  };

  /**
   * Constructs a new instance.
   *
   * @param options Which events to emit, and whether with their text.
   */
  constructor({ modelCalls, text = true }: EventDecoderOptions = {}) {
    this.#reader = new EventReader(undefined, { modelCalls });
    this.#hasText = text;
  }

  /**
   * Emits the events that a record describes.
   *
   * @param outcome The record; a failure passes through.
   * @param emit Called with each event.
   * @throws {TypeError} If the argument is not an outcome.
   */
  feed(outcome: Outcome<unknown>, emit: Emit<Outcome<ThreadEvent>>): void {
    checkOutcome(outcome);
    if (!outcome.ok) return emit(outcome);
    const { value } = outcome;
    const record = typeof value === "string"
      ? { ...outcome, value: parseJson(value), text: value }
      : outcome;
    if (!isObject(record.value)) {
      const { line, offset } = outcome;
      const error = lineReason(value);
      const raw = typeof value === "string" ? value : jsonTextOf(value);
      if (error) emit({ ok: false, line, offset, error, raw });
      return;
    }
    this.#record = record;
    this.#emit = emit;
    this.#reader.read(record.value, record, this.#pass);
  }
}

/** {@linkcode EventDecoder} as a stream. */
export class EventDecoderStream
  extends StageStream<Outcome<unknown>, Outcome<ThreadEvent>> {
  /**
   * Constructs a new instance.
   *
   * @param options Which events to emit, and whether with their text.
   *
   * @example Events of normalized lines
   * ```ts
   * import { EventDecoderStream, LineSplitterStream, NormalizerStream } from "@codexpipe/codexpipe";
   * import { assertEquals } from "@std/assert";
   *
   * const events = new Blob(['{"type":"error","message":"No"}\n']).stream()
   *   .pipeThrough(new LineSplitterStream())
   *   .pipeThrough(new NormalizerStream())
   *   .pipeThrough(new EventDecoderStream());
   *
   * const [first] = await Array.fromAsync(events);
   * assertEquals(first?.ok && first.value.type, "error");
   * ```
   */
  constructor(options: EventDecoderOptions = {}) {
    super(new EventDecoder(options));
  }
}

/**
 * Converts JSONL of any dialect to events: blocks of bytes in, thread events out.
 *
 * The events of exec streams are those of {@linkcode JsonlDecoder}. A line of a session file
 * becomes the events that it describes, often one, sometimes none or several: those that
 * `codex exec --json` would have written for that session, and more
 * ({@linkcode SessionItemContents}; docs/events.md). A failed line is a failed outcome in its
 * place.
 *
 * Memory is bounded by the longest line, the largest block, and the unfinished calls: see
 * {@linkcode EventDecoder}.
 *
 * @example The commands of a log
 * ```ts
 * import { isItemType, JsonlEvents } from "@codexpipe/codexpipe";
 * import { assertEquals } from "@std/assert";
 *
 * const item = {
 *   id: "item_0",
 *   type: "command_execution",
 *   command: "ls",
 *   aggregated_output: "",
 *   exit_code: null,
 *   status: "in_progress",
 * };
 * const line = { type: "item.started", thread_id: "t", item };
 * const commands: string[] = [];
 * const events = new JsonlEvents();
 * events.feed(new TextEncoder().encode(`${JSON.stringify(line)}\n`), (outcome) => {
 *   if (!outcome.ok || outcome.value.type !== "item.started") return;
 *   const event = outcome.value;
 *   if (isItemType(event, "command_execution")) commands.push(event.content.command);
 * });
 *
 * assertEquals(commands, ["ls"]);
 * ```
 */
export class JsonlEvents extends JsonlStage<Outcome<ThreadEvent>> {
  /**
   * Constructs a new instance.
   *
   * @param options The dialect, the limits, and the treatment of failures.
   * @throws {RangeError} If the limit is not a whole number from 1 to 2^29 - 24, or another option
   *   has an unknown value.
   * @throws {TypeError} If `engine` is `wasm`, and WebAssembly with SIMD cannot run here.
   */
  constructor(options: JsonlEventsOptions = {}) {
    const except = [...IDLE_LINES, ...options.except ?? []];
    const records = new JsonlRecords({ ...options, except });
    super(records, compose(records, new EventDecoder(options)));
  }
}

/** The capacity that is kept for output; the events of a block of usual size fit. */
const KEPT_CAPACITY = 1 << 20;

/**
 * Converts JSONL of any dialect to the JSONL of its events: {@linkcode JsonlEvents} from bytes to
 * bytes. Events of exec streams and app-servers have the text that {@linkcode JsonlNormalizer}
 * writes. Events of session files, notices of the protocol up to 0.43, and each `turn.completed`
 * that becomes `turn.failed` are encoded anew: there `1.0` becomes `1`, except in the arguments of
 * calls, but counts beyond 2^53 stay exact. The events of a block are emitted as one block, which is
 * reused: copy it if it must outlast the call.
 *
 * @example A session file as events
 * ```ts
 * import { JsonlEventWriter } from "@codexpipe/codexpipe";
 * import { assertEquals } from "@std/assert";
 *
 * let text = "";
 * const writer = new JsonlEventWriter();
 * const block = new TextEncoder().encode('{"type":"thread.resumed","id":"t"}\n');
 * writer.feed(block, (bytes) => text += new TextDecoder().decode(bytes));
 *
 * assertEquals(text, '{"type":"thread.started","thread_id":"t","id":"t"}\n');
 * ```
 */
export class JsonlEventWriter extends JsonlStage<Uint8Array<ArrayBuffer>> {
  /**
   * Constructs a new instance.
   *
   * @param options The dialect, the limits, and the treatment of failures.
   * @throws {RangeError} If the limit is not a whole number from 1 to 2^29 - 24, or another option
   *   has an unknown value.
   * @throws {TypeError} If `engine` is `wasm`, and WebAssembly with SIMD cannot run here.
   */
  constructor(options: JsonlOptions = {}) {
    const onError = options.onError ?? "report";
    const events = new JsonlEvents({ ...options, onError });
    const out = new ByteWriter();
    const write = (outcome: Outcome<ThreadEvent>): void => {
      if (outcome.ok) {
        out.text(outcome.text ?? "");
        out.byte(LF);
      } else out.all(encodeOutcome(outcome));
    };
    super(events, {
      feed(block, emit): void {
        try {
          events.feed(block, write);
        } finally {
          out.release(emit, KEPT_CAPACITY);
        }
      },
      flush(emit): void {
        try {
          events.flush(write);
        } finally {
          out.release(emit, KEPT_CAPACITY);
        }
      },
    });
  }
}

/**
 * {@linkcode JsonlEvents} as a stream, for `pipeThrough`.
 *
 * With `onError: "stop"` the stream errors with the error of the first line that failed,
 * once the outcomes before it have been read.
 */
export class JsonlEventsStream {
  /** The outcomes. */
  readonly readable: ReadableStream<Outcome<ThreadEvent>>;
  /** Accepts the bytes. */
  readonly writable: WritableStream<Uint8Array>;

  /**
   * Constructs a new instance.
   *
   * @param options The dialect, the limits, and the treatment of failures.
   * @throws {RangeError} If the limit is not a whole number from 1 to 2^29 - 24, or another option
   *   has an unknown value.
   * @throws {TypeError} If `engine` is `wasm`, and WebAssembly with SIMD cannot run here.
   *
   * @example The event types of a log
   * ```ts
   * import { JsonlEventsStream } from "@codexpipe/codexpipe";
   * import { assertEquals } from "@std/assert";
   *
   * const log = new Blob(['{"type":"thread.started","thread_id":"t"}\n']);
   * const events = await Array.fromAsync(log.stream().pipeThrough(new JsonlEventsStream()));
   *
   * assertEquals(events.map((outcome) => outcome.ok && outcome.value.type), ["thread.started"]);
   * ```
   */
  constructor(options: JsonlEventsOptions = {}) {
    const events = new JsonlEvents(options);
    const blocks = new TransformStream<Uint8Array, Uint8Array>();
    this.writable = blocks.writable;
    this.readable = streamOf(new Batches(events, blocks.readable.getReader()));
  }
}

/**
 * Converts anything that Codex writes to events, for `for await`: the stdout of `codex exec
 * --json`, the `readable` of a session file, or any other bytes of JSONL. See {@linkcode
 * JsonlEvents} for the events of each line.
 *
 * Nothing is read before the first outcome is requested, and no block before the outcomes of the
 * previous block have been consumed. Leaving the loop cancels the source. An error of the source is
 * thrown. With `onError: "stop"`, the error of the first failed line is thrown, after the outcomes
 * before it have been consumed.
 *
 * @param source The bytes, in blocks of any size.
 * @param options The dialect, the limits, and the treatment of failures.
 * @returns The outcomes, in order.
 * @throws {RangeError} If the limit is not a whole number from 1 to 2^29 - 24, or another option
 *   has an unknown value.
 * @throws {TypeError} If `engine` is `wasm`, and WebAssembly with SIMD cannot run here, or the
 *   source is neither a stream nor an async iterable.
 *
 * @example The events of a child process
 * ```ts ignore
 * import { decodeEvents } from "@codexpipe/codexpipe";
 *
 * const command = new Deno.Command("codex", {
 *   args: ["exec", "--json", "fix the tests"],
 *   stdout: "piped",
 * });
 * for await (const outcome of decodeEvents(command.spawn().stdout)) {
 *   if (outcome.ok) console.log(outcome.value.type);
 *   else console.error(`line ${outcome.line}: ${outcome.error.message}`);
 * }
 * ```
 *
 * @example The first failure ends the iteration
 * ```ts
 * import { decodeEvents, LineError } from "@codexpipe/codexpipe";
 * import { assertEquals, assertRejects } from "@std/assert";
 *
 * const log = new Blob(['{"type":"error","message":"m"}\nnot JSON\n']);
 * const types: string[] = [];
 * await assertRejects(async () => {
 *   for await (const outcome of decodeEvents(log.stream(), { onError: "stop" })) {
 *     if (outcome.ok) types.push(outcome.value.type);
 *   }
 * }, LineError, "Line 2: ");
 *
 * assertEquals(types, ["error"]);
 * ```
 */
export function decodeEvents(
  source: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
  options: JsonlEventsOptions = {},
): AsyncGenerator<Outcome<ThreadEvent>, void, void> {
  const events = new JsonlEvents(options);
  return new BatchIterator(new Batches(events, readerOf(source)));
}

function readerOf<T>(
  source: ReadableStream<T> | AsyncIterable<T>,
): BlockReader<T> {
  // A caller in JavaScript may pass any value.
  const input: unknown = source;
  if (typeof input === "object" && input !== null) {
    if (Symbol.asyncIterator in source) return iterableReader(source);
    if ("getReader" in source) {
      // In engines such as Safari's, streams are not iterable.
      const stream: ReadableStream<T> = source;
      return stream.getReader();
    }
  }
  throw new TypeError(
    `Cannot read events: the source is ${
      wordsOf(input)
    }, expected a stream or an async iterable of bytes`,
  );
}

/** Reads an iterable. Its iterator is created by the first read. */
function iterableReader<T>(iterable: AsyncIterable<T>): BlockReader<T> {
  let iterator: AsyncIterator<T> | undefined;
  return {
    read(): Promise<IteratorResult<T>> {
      iterator ??= iterable[Symbol.asyncIterator]();
      return iterator.next();
    },
    async cancel(reason?: unknown): Promise<void> {
      await iterator?.return?.(reason);
    },
  };
}
