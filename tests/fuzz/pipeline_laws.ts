/**
 * Laws of normalizing and decoding: they hold however broken a stream is.
 *
 * @module
 */

import { assert } from "@std/assert";
import { JsonlDecoder } from "../../lib/pipeline/event_pipeline.ts";
import { type Fields, isObject } from "../../lib/json/fields.ts";
import { isUtf8 } from "../../lib/json/utf8.ts";
import { isBlank } from "../../lib/lines/blank.ts";
import { encodeOutcome } from "../../lib/lines/jsonl_encoder.ts";
import { LineSplitter } from "../../lib/lines/line_splitter.ts";
import { Normalizer } from "../../lib/dialects/normalizer.ts";
import type { JsonlOptions } from "../../lib/pipeline/line_answers.ts";
import { JsonlNormalizer } from "../../lib/pipeline/pipeline.ts";
import { compose } from "../../lib/stage.ts";
import {
  assertSameText,
  concat,
  decode,
  emitted,
  encode,
  isJson,
  normalizeLines,
  outputOf,
} from "../running.ts";
import type { Law } from "./law.ts";
import { chunksOf, type Random } from "./random.ts";

const LF = 0x0a;
/** A byte order mark in UTF-8. */
const BOM = [0xef, 0xbb, 0xbf];
/** Matches numbers that may be infinite in JavaScript, which encodes those as null. */
const HUGE_REGEXP = /\de\+?\d{3}/i;

/** A stream, normalized with its failures in band. */
interface Normalized {
  readonly text: string;
  readonly stage: JsonlNormalizer;
}

function normalize(
  chunks: Iterable<Uint8Array>,
  options: JsonlOptions = {},
): Normalized {
  const stage = new JsonlNormalizer({ onError: "inline", ...options });
  const text = decode(outputOf(stage, chunks));
  return { text, stage };
}

/** Parses the records of normalized text. */
function recordsOf({ text }: Normalized): Fields[] {
  const lines = text.split("\n");
  assert(lines.pop() === "", "the last line has no end");
  return lines.map((line) => {
    const record: unknown = JSON.parse(line);
    assert(isObject(record), `no object: ${line.slice(0, 200)}`);
    return record;
  });
}

/** The laws of normalizing and decoding. */
export const PIPELINE_LAWS: readonly Law[] = [
  {
    name: "each line that is not blank has one outcome, in order",
    check(stream): void {
      const expected = linesOf(stream).length;
      const normalized = normalize([stream]);
      const { kind, records, failures } = normalized.stage;
      const written = recordsOf(normalized).length;
      // In session files, a torn line with a record glued to it has two outcomes.
      const isRight = kind === "rollout"
        ? written >= expected && written <= 2 * expected
        : written === expected;
      const answers = records + failures;
      assert(
        isRight && answers === written,
        `${expected} lines, ${answers} answers, ${written} lines written`,
      );
    },
  },
  {
    name: "how the stream is cut into chunks does not matter",
    check(stream, random): void {
      const { text } = normalize([stream]);
      assertSameText(normalize(chunksOf(stream, random)).text, text);
    },
  },
  {
    name: "the stages one by one write what all of them together write",
    check(stream, random): void {
      // A record glued to a line that is torn inside of a character is found in the bytes of the
      // line, which the splitter does not emit.
      if (!isUtf8(stream, 0, stream.length)) return;
      const lines = compose(new LineSplitter(), new Normalizer());
      const outcomes = emitted(lines, chunksOf(stream, random));
      const text = decode(concat(outcomes.map(encodeOutcome)));
      assertSameText(text, normalize([stream]).text);
    },
  },
  {
    name: "WebAssembly writes what JavaScript writes, under any limit",
    check(stream, random): void {
      const limit = random.oneIn(4)
        ? { maxLineBytes: 1 + random.below(3_000) }
        : {};
      const { text } = normalize([stream], { ...limit, engine: "js" });
      const chunks = [...chunksOf(stream, random)];
      for (const blocks of [[stream], chunks]) {
        const fast = normalize(blocks, { ...limit, engine: "wasm" });
        assertSameText(fast.text, text);
      }
    },
  },
  {
    name: "normalized lines do not change when they are normalized again",
    check(stream): void {
      const { text, stage } = normalize([stream]);
      const from = stage.kind === "rollout" ? "rollout" : "exec";
      for (const line of text.split("\n")) {
        if (line === "" || isFailed(line)) continue;
        if (isReadAnew(line)) continue;
        const [again] = normalizeLines([line], { from });
        const text = again?.ok ? again.value : String(again?.error.message);
        assertSameText(text, line);
      }
    },
  },
  {
    name:
      "a normalizer that resumes from saved state writes what the first one does",
    check(stream, random): void {
      // State is saved between lines, not within one.
      const at = stream.lastIndexOf(LF, random.below(stream.length)) + 1;
      const [head, tail] = [stream.subarray(0, at), stream.subarray(at)];
      const first = new JsonlNormalizer({ onError: "inline" });
      first.feed(head, () => {});
      const saved: unknown = JSON.parse(JSON.stringify(first.save()));
      // A new stage drops a byte order mark at its start; inside of an input it is damage (L5).
      const hasMark = BOM.every((byte, place) => tail[place] === byte);
      const rest = hasMark ? tail.subarray(BOM.length) : tail;
      const expected = decode(outputOf(first, [rest]));
      const resumed = normalize([tail], { resume: saved });
      // Line numbers and offsets begin anew.
      const uncounted = (text: string): string =>
        text.replace(
          /^\{"type":"line\.failed","line":\d+,"offset":\d+/gm,
          "",
        );
      assertSameText(
        uncounted(resumed.text),
        uncounted(expected),
      );
    },
  },
  {
    name:
      "a line belongs to the thread that it names, or to one named since the last start of a thread",
    check(stream): void {
      const normalized = normalize([stream]);
      if (normalized.stage.kind !== "exec") return;
      const lines = linesOf(stream);
      let named = new Set<unknown>();
      for (const [i, record] of recordsOf(normalized).entries()) {
        // In an error, `thread_id` is an unknown field.
        if (record.type === "line.failed" || record.type === "error") continue;
        const { thread_id: thread } = record;
        if (record.type === "thread.started") named = new Set();
        for (const id of stringsIn(lines[i] ?? "")) named.add(id);
        const isSynthetic = typeof thread === "string" &&
          thread.startsWith("synthetic-thread-");
        assert(
          thread === undefined || isSynthetic || named.has(thread),
          `line ${i + 1} has the thread ${String(thread)}`,
        );
      }
    },
  },
  {
    name: "unknown members change nothing, however many there are",
    check(stream, random): void {
      const lines = normalize([stream]).text.split("\n");
      const padded = normalize([padLines(stream, random)]).text;
      for (const line of padded.split("\n")) {
        const expected = lines.shift() ?? "";
        // A failed line is written with its padding.
        if (expected !== "" && isFailed(expected)) {
          assert(isFailed(line), `is no failure: ${line}`);
        } else assertSameText(unpadded(line), expected);
      }
    },
  },
  {
    name: "decoded events equal the normalized lines, and can be decoded again",
    check(stream, random): void {
      const { text, stage } = normalize([stream]);
      const lines = text.split("\n");
      const decoder = new JsonlDecoder();
      for (const outcome of emitted(decoder, [stream])) {
        const line = lines.shift() ?? "";
        if (!outcome.ok) {
          // Lines of session files are checked only by the decoder.
          assert(
            isFailed(line) || stage.kind !== "exec",
            `is no failure: ${line.slice(0, 500)}`,
          );
          continue;
        }
        const written = JSON.stringify(outcome.value);
        assertSameText(written, JSON.stringify(JSON.parse(line)));
        // A line that looks like a failure in band is passed through without a check.
        const isOdd = HUGE_REGEXP.test(line) || isFailed(line);
        if (isOdd || isReadAnew(line) || !random.oneIn(4)) continue;
        const from = stage.kind === "rollout" ? "rollout" : "exec";
        const [again] = emitted(new JsonlDecoder({ from }), [encode(written)]);
        // Compared as text, because 0 and -0 differ as values.
        const value = again?.ok ? again.value : again?.error;
        assertSameText(JSON.stringify(value), written);
      }
    },
  },
];

/** Members without meaning; so many that the kernel does not learn their names. */
const PADS = Array.from({ length: 70 }, (_, i) => `"pad${i}":0`).join();
/** Matches the beginnings of objects with members that the rules read. */
const OPENED_REGEXP = /^\s*\{(?=\s*")|"(?:item|msg|payload)":\{(?=")/g;

/** Returns the stream with the members of `PADS` in some objects of its records. */
function padLines(stream: Uint8Array, random: Random): Uint8Array {
  const lines: Uint8Array[] = [];
  for (let start = 0; start < stream.length;) {
    const end = stream.indexOf(LF, start) + 1 || stream.length;
    const line = stream.subarray(start, end);
    start = end;
    const isRecord = isUtf8(line, 0, line.length) && isJson(decode(line));
    lines.push(
      isRecord
        ? encode(
          decode(line).replace(
            OPENED_REGEXP,
            (start) => random.oneIn(2) ? start : `${start}${PADS},`,
          ),
        )
        : line,
    );
  }
  return concat(lines);
}

function unpadded(line: string): string {
  return line.replaceAll(`,${PADS}`, "").replaceAll(`${PADS},`, "");
}

/** Whether a line is a failure in band. */
function isFailed(line: string): boolean {
  const record: unknown = JSON.parse(line);
  return isObject(record) && record.type === "line.failed";
}

/**
 * Whether a normalized line changes when it is normalized again: if it has an object named
 * "item", which would be flattened (E4), or if it is an item of the old protocol whose submission
 * id was null, which was kept because it is no item id there (P3, E7).
 */
function isReadAnew(line: string): boolean {
  const record: unknown = JSON.parse(line);
  if (!isObject(record)) return false;
  const { type, item, id } = record;
  return isObject(item) ||
    (id === null && typeof type === "string" && type.startsWith("item."));
}

/** Returns the lines that are not blank, with replacement characters for invalid UTF-8. */
function linesOf(stream: Uint8Array): string[] {
  const text = new TextDecoder("utf-8").decode(stream);
  return text.split("\n").filter((line) => !isBlank(line));
}

/** Returns every string in a line of JSON. */
function stringsIn(line: string): Set<string> {
  const strings = new Set<string>();
  try {
    JSON.parse(line, (_key, value: unknown) => {
      if (typeof value === "string") {
        // White space around an id does not count (normalize.md).
        const edge = /^\p{White_Space}+|\p{White_Space}+$/gu;
        strings.add(value).add(value.replace(edge, ""));
      }
      if (typeof value === "number") strings.add(String(value));
      return value;
    });
  } catch {
    // A line that is not JSON has no strings.
  }
  return strings;
}
