/** Tests the normalizer with the vectors of its specification. */

import { assert, assertEquals } from "@std/assert";
import type { FailureKind } from "../lib/errors.ts";
import { LineNumberer } from "../lib/lines/line_numberer.ts";
import { encodeOutcome } from "../lib/lines/jsonl_encoder.ts";
import { LineSplitter } from "../lib/lines/line_splitter.ts";
import { Normalizer } from "../lib/dialects/normalizer.ts";
import type { Outcome } from "../lib/outcome.ts";
import { compose } from "../lib/stage.ts";
import {
  equalJson,
  linesOf,
  namesIn,
  readFixture,
  readJsonl,
} from "./fixtures.ts";
import {
  answerOf,
  byteByByte,
  concat,
  emitted,
  encode,
  normalizeBytes,
  normalizeLines,
} from "./running.ts";

const FOLDER = "vectors/normalize/";

/** The expected outcome of a line. */
interface Expected {
  /** The event, if the line becomes one. */
  readonly ok?: unknown;
  /** The exact text of the event. */
  readonly ser?: string;
  /** The kind of the failure, if the line fails. */
  readonly error?: FailureKind;
  /** Whether the line is skipped, because it is blank. */
  readonly skip?: true;
  /** The number of the line, in reader records. */
  readonly line?: number;
}

interface Vector {
  readonly name: string;
  readonly rule: string;
  readonly input: readonly string[];
  readonly expect: readonly Expected[];
  readonly options?: { initialThreadId?: string; initialTurnId?: string };
  readonly reset_before?: readonly number[];
}

interface ReaderVector {
  readonly name: string;
  readonly rule: string;
  readonly bytes_b64: string;
  readonly expect: readonly Expected[];
  readonly options?: { maxLineBytes: number };
}

/** Throws unless an outcome is the expected one. */
function assertOutcome(
  outcome: Outcome<string> | undefined,
  expected: Expected,
  where: string,
): void {
  assert(outcome !== undefined, `${where}: no outcome`);
  if (expected.error !== undefined) {
    assertEquals(answerOf(outcome), expected.error, where);
    return;
  }
  assert(outcome.ok, `${where}: ${answerOf(outcome)}`);
  const event: unknown = JSON.parse(outcome.value);
  assert(
    equalJson(event, expected.ok),
    `${where}: got ${outcome.value.slice(0, 500)}`,
  );
  if (expected.ser !== undefined) {
    assertEquals(outcome.value, expected.ser, where);
  }
}

/** Throws unless the outcomes are the expected ones, in order, each on its line. */
function assertOutcomes(
  outcomes: readonly Outcome<string>[],
  expected: readonly Expected[],
): void {
  expected.forEach((entry, i) => {
    assertOutcome(outcomes[i], entry, `record ${i}`);
    assertEquals(outcomes[i]?.line, entry.line, `record ${i}`);
  });
  assertEquals(outcomes.length, expected.length);
}

/** Parses records with failures in band as outcomes. */
function outcomesOf(
  output: Uint8Array,
  lines: readonly (number | undefined)[],
): Outcome<string>[] {
  return linesOf(output).map((value, i) => {
    const record: { type: unknown; line: number; error: { kind: string } } =
      JSON.parse(value);
    const line = lines[i] ?? 0;
    if (record.type !== "line.failed") {
      return { ok: true, line, offset: 0, value };
    }
    assertEquals(record.line, line);
    const { kind } = record.error;
    if (!isKind(kind)) throw new TypeError(`Cannot be a kind: ${kind}`);
    return { ok: false, line, offset: 0, error: { kind, message: "" } };
  });
}

function isKind(kind: string): kind is FailureKind {
  return ["utf8", "line_too_long", "json", "normalize", "typed"]
    .includes(kind);
}

const vectors = readJsonl(`${FOLDER}vectors.jsonl`) as Vector[];
const readerVectors = readJsonl(
  `${FOLDER}reader_vectors.jsonl`,
) as ReaderVector[];
const goldens = namesIn(`${FOLDER}golden/`).filter((name) =>
  name.endsWith(".input.jsonl")
).map((name) => name.replace(".input.jsonl", ""));

Deno.test("all vectors are there", () => {
  assert(vectors.length >= 331, "vectors.jsonl");
  assert(readerVectors.length >= 20, "reader_vectors.jsonl");
  assert(goldens.length >= 40, "golden/");
});

for (const vector of vectors) {
  const { name, rule, input, expect, options = {} } = vector;

  Deno.test(`Normalizer follows ${rule}: ${name}`, () => {
    const normalizer = new Normalizer({ from: "exec", ...options });
    let numberer = new LineNumberer();
    input.forEach((line, i) => {
      if (vector.reset_before?.includes(i)) {
        normalizer.reset();
        numberer = new LineNumberer();
      }
      const outcomes: Outcome<string>[] = [];
      numberer.feed(
        line,
        (numbered) =>
          normalizer.feed(numbered, (outcome) => outcomes.push(outcome)),
      );
      const expected = expect[i] ?? {};
      const where = `line ${i}`;
      if (expected.skip === true) assertEquals(outcomes, [], where);
      else {
        assertEquals(outcomes.length, 1, where);
        assertOutcome(outcomes[0], expected, where);
      }
    });
    assertEquals(input.length, expect.length);
  });

  // Not for events with an object named `item`, which E4 keeps: it would be flattened (O3).
  const events = expect.flatMap(({ ok }) => ok === undefined ? [] : [ok]);
  if (!events.some(hasItem)) {
    Deno.test(`Normalizer follows O3 on the events of ${rule}: ${name}`, () => {
      for (const outcome of outcomesWithResets(vector)) {
        if (!outcome.ok) continue;
        assertEquals(
          normalizeLines([outcome.value]).map(answerOf),
          [outcome.value],
        );
      }
    });
  }

  if (
    vector.reset_before === undefined &&
    input.every((line) => !line.includes("\n"))
  ) {
    Deno.test(`JsonlNormalizer follows ${rule}: ${name}`, () => {
      const bytes = encode(input.join("\n"));
      const output = normalizeBytes([bytes], options);
      const expected = expect.map((entry, i) => ({ ...entry, line: i + 1 }))
        .filter(({ skip }) => skip !== true);
      assertOutcomes(
        outcomesOf(output, expected.map(({ line }) => line)),
        expected,
      );
      const encoded = normalizeLines(input, options).map(encodeOutcome);
      assertEquals(
        new TextDecoder().decode(output),
        new TextDecoder().decode(concat(encoded)),
      );
    });
  }
}

for (const { name, rule, bytes_b64, expect, options = {} } of readerVectors) {
  const bytes = Uint8Array.from(atob(bytes_b64), (c) => c.charCodeAt(0));

  Deno.test(`LineSplitter follows ${rule}: ${name}`, () => {
    for (const chunks of [[bytes], byteByByte(bytes)]) {
      const stage = compose(
        new LineSplitter(options),
        new Normalizer({ from: "exec" }),
      );
      assertOutcomes(emitted(stage, chunks), expect);
    }
  });

  Deno.test(`JsonlNormalizer follows ${rule}: ${name}`, () => {
    for (const chunks of [[bytes], byteByByte(bytes)]) {
      const output = normalizeBytes(chunks, options);
      assertOutcomes(
        outcomesOf(output, expect.map(({ line }) => line)),
        expect,
      );
    }
  });
}

for (const name of goldens) {
  const bytes = readFixture(`${FOLDER}golden/${name}.input.jsonl`);
  const expect = readJsonl(
    `${FOLDER}golden/${name}.expect.jsonl`,
  ) as Expected[];

  Deno.test(`Normalizer emits the golden records of ${name}`, () => {
    const stage = compose(new LineSplitter(), new Normalizer({ from: "exec" }));
    assertOutcomes(emitted(stage, [bytes]), expect);
  });

  Deno.test(`JsonlNormalizer writes the golden records of ${name}`, () => {
    const output = normalizeBytes([bytes]);
    assertOutcomes(outcomesOf(output, expect.map(({ line }) => line)), expect);
  });
}

/** Runs a vector, with a new normalizer at each of its resets. */
function outcomesWithResets(
  { input, options = {}, reset_before = [] }: Vector,
): Outcome<string>[] {
  const starts = [0, ...reset_before];
  return starts.flatMap((start, i) =>
    normalizeLines(input.slice(start, starts[i + 1]), options)
  );
}

function hasItem(event: unknown): boolean {
  return typeof event === "object" && event !== null && "item" in event &&
    typeof event.item === "object" && event.item !== null;
}
