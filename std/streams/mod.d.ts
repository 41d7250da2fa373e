/** What {@linkcode TextLineStream} takes for the end of a line. */
export interface TextLineStreamOptions {
  /**
   * Let a lone `\r` end a line too.
   *
   * @default {false}
   */
  allowCR?: boolean;
}

/** Cuts text into lines at `\n` and `\r\n`, without their ends. */
export class TextLineStream extends TransformStream<string, string> {
  /**
   * Constructs a new instance.
   *
   * @param options The choice of line ends.
   */
  constructor(options?: TextLineStreamOptions);
}

/**
 * Reads a stream to its end and gives it as one text.
 *
 * @param stream The text, or its UTF-8 bytes.
 * @returns The whole text.
 */
export function toText(
  stream: ReadableStream<string> | ReadableStream<Uint8Array>,
): Promise<string>;

/**
 * Reads a stream to its end and parses it as one JSON text.
 *
 * @param stream The text, or its UTF-8 bytes.
 * @returns The value, unchecked.
 */
export function toJson(
  stream: ReadableStream<string> | ReadableStream<Uint8Array>,
): Promise<unknown>;

/**
 * Reads a stream to its end and gives it as one array.
 *
 * @param stream The bytes.
 * @returns All the bytes.
 */
export function toBytes(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<Uint8Array<ArrayBuffer>>;

/**
 * Joins streams in the order in which their chunks arrive.
 *
 * @typeParam T The type of a chunk.
 * @param streams The streams to read at the same time.
 * @returns The stream of all their chunks, which ends with the last of them.
 */
export function mergeReadableStreams<T>(
  ...streams: ReadableStream<T>[]
): ReadableStream<T>;

/**
 * Joins streams end to end: each is read to its end before the next.
 *
 * @typeParam T The type of a chunk.
 * @param streams The streams, in order; at least one.
 * @returns The stream of all their chunks.
 */
export function concatReadableStreams<T>(
  ...streams: ReadableStream<T>[]
): ReadableStream<T>;

/**
 * Makes a transform stream of a generator function.
 *
 * @typeParam I The type of a chunk that goes in.
 * @typeParam O The type of a chunk that comes out.
 * @param transformer Reads the chunks and yields others.
 * @param writableStrategy The queue in front of the transformer.
 * @param readableStrategy The queue behind it.
 * @returns The two ends, as `pipeThrough` takes them.
 */
export function toTransformStream<I, O>(
  transformer: (source: ReadableStream<I>) => Iterable<O> | AsyncIterable<O>,
  writableStrategy?: QueuingStrategy<I>,
  readableStrategy?: QueuingStrategy<O>,
): TransformStream<I, O>;
