/**
 * The usage that the old dialect spreads over its token counts (normalize.md P11).
 */

import { ByteWriter } from "../../json/byte_writer.ts";
import { ZERO } from "../../json/bytes.ts";
import { sliceOf } from "../../json/literal.ts";
import type { JsonReader } from "../../json/reader.ts";
import { isJsonText, savedPairs, savedText } from "../../json/saved.ts";
import { decodeUtf8 } from "../../json/utf8.ts";
import { JsonObject, JsonSlice } from "../../json/value.ts";

/** The counts of a request, in the order in which their sums are written. */
const COUNTS = [
  "input_tokens",
  "cached_input_tokens",
  "output_tokens",
  "reasoning_output_tokens",
  "total_tokens",
] as const;
const PLAIN_DIGITS_REGEXP = /^[0-9]+$/;
/** Digits beyond this are no count; adding them up would take long. */
const MAX_DIGITS = 1000;

/** Remembers the usage of a thread until a turn ends. */
export class OldUsage {
  readonly #reader: JsonReader;
  /** By count, the sum of what single requests said. */
  readonly #sums: (number | bigint | undefined)[] = COUNTS.map(() => undefined);
  readonly #total = new ByteWriter(256);
  #hasTotal = false;

  /** Constructs a new instance. */
  constructor(reader: JsonReader) {
    this.#reader = reader;
  }

  /** Totals replace what is remembered, the counts of single requests add up. */
  count(line: JsonObject): void {
    const info = line.get("info");
    if (info?.kind === "object") {
      const total = this.#reader.members(info).get("total_token_usage");
      if (total instanceof JsonSlice && total.kind === "object") {
        this.#setTotal(total);
      }
      return;
    }
    for (let i = 0; i < COUNTS.length; i++) {
      const value = line.get(COUNTS[i] ?? "");
      if (value instanceof JsonSlice) this.#add(i, value);
    }
  }

  /** Replaces what is remembered. */
  #setTotal({ bytes, start, end }: JsonSlice): void {
    this.clear();
    this.#total.clear(256);
    this.#total.range(bytes, start, end);
    this.#hasTotal = true;
  }

  /** Adds a count to what is remembered, by its place; what is no count is left out. */
  #add(place: number, { bytes, start, end }: JsonSlice): void {
    if (start === end || end - start > MAX_DIGITS) return;
    let count = 0;
    for (let at = start; at < end; at++) {
      const digit = (bytes[at] ?? 0) - ZERO;
      if (digit < 0 || digit > 9) return;
      count = 10 * count + digit;
    }
    const before = this.#sums[place] ?? 0;
    const sum = typeof before === "number" ? before + count : Infinity;
    this.#sums[place] = Number.isSafeInteger(sum)
      ? sum
      : BigInt(before) + BigInt(decodeUtf8(bytes, start, end));
  }

  /** Gives a line the remembered usage unless it has its own. */
  give(line: JsonObject): void {
    if (line.live("usage") !== undefined) return;
    const usage = new JsonObject();
    for (let i = 0; i < COUNTS.length; i++) {
      const sum = this.#sums[i];
      if (sum !== undefined) usage.set(COUNTS[i] ?? "", numberValue(sum));
    }
    if (usage.size > 0) line.set("usage", usage);
    else if (this.#hasTotal) {
      line.set("usage", sliceOf(this.#total.view(), "object"));
    }
  }

  /** Writes down what is remembered. */
  save(): unknown {
    return {
      total: this.#hasTotal
        ? decodeUtf8(this.#total.view(), 0, this.#total.length)
        : null,
      sums: COUNTS.flatMap((name, i) => {
        const sum = this.#sums[i];
        return sum === undefined ? [] : [[name, String(sum)]];
      }),
    };
  }

  /** Goes on from what was written down. */
  load(saved: unknown): void {
    this.clear();
    const total = savedText(saved, "total");
    if (total !== undefined && isJsonText(total, "object")) {
      this.#total.clear(256);
      this.#total.text(total);
      this.#hasTotal = true;
    }
    for (const [name, sum] of savedPairs(saved, "sums")) {
      const i = COUNTS.findIndex((count) => count === name);
      const isSum = typeof sum === "string" && PLAIN_DIGITS_REGEXP.test(sum);
      if (i !== -1 && isSum) this.#sums[i] = BigInt(sum);
    }
  }

  /** Forgets what is remembered. */
  clear(): void {
    this.#hasTotal = false;
    this.#sums.fill(undefined);
  }
}

function numberValue(value: number | bigint): JsonSlice {
  return sliceOf(new TextEncoder().encode(String(value)), "number");
}
