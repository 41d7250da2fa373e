/**
 * What words of the rules stand for, looked up by words of the input.
 */

const BUCKETS = 64;

/**
 * A map of a few words that can be asked for any text.
 *
 * A `Map` that is asked for a text makes the engine keep its own copy of it, found or not, among
 * what is old: 20 MB in a stream of 65 MB whose types never come again.
 */
export class WordTable<T> {
  readonly #buckets: ((readonly [word: string, value: T])[] | undefined)[] =
    new Array(BUCKETS);

  /** Constructs a new instance of words and what they stand for. */
  constructor(entries: Iterable<readonly [word: string, value: T]>) {
    for (const entry of entries) {
      (this.#buckets[bucketOf(entry[0])] ??= []).push(entry);
    }
  }

  /** What a text stands for; nothing, if it is none of the words. */
  get(text: string): T | undefined {
    const bucket = this.#buckets[bucketOf(text)];
    if (bucket === undefined) return undefined;
    for (const entry of bucket) {
      if (entry[0] === text) return entry[1];
    }
    return undefined;
  }
}

/** The words of the rules differ in length, or where they begin or end. */
function bucketOf(text: string): number {
  const { length } = text;
  if (length === 0) return 0;
  const last = text.charCodeAt(length - 1);
  return (length + 7 * text.charCodeAt(0) + 11 * last) & (BUCKETS - 1);
}
