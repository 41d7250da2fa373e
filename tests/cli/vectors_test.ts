import { assert, assertEquals } from "@std/assert";
import {
  equalJson,
  linesOf,
  namesIn,
  readFixture,
  readJsonl,
} from "../fixtures.ts";
import { encode } from "../running.ts";
import { call } from "./memory.ts";

const FOLDER = "vectors/normalize/";

/** The expected result of a line. */
interface Expected {
  /** The event as a value. */
  readonly ok?: unknown;
  /** The exact text of the event. */
  readonly ser?: string;
  /** The kind of the failure, if the line fails. */
  readonly error?: string;
  /** Present if the line is blank, and has no record. */
  readonly skip?: true;
  /** The number of the line; only in reader_vectors.jsonl. */
  readonly line?: number;
}

interface ReaderVector {
  readonly name: string;
  readonly rule: string;
  readonly bytes_b64: string;
  readonly expect: readonly Expected[];
  readonly options?: { maxLineBytes: number };
}

/** Throws unless the command writes the expected record of each line, with failures in band. */
async function assertRecords(
  stdin: Uint8Array,
  expected: readonly Expected[],
  options: readonly string[] = [],
): Promise<void> {
  const args = ["normalize", "--from=exec", "--on-error=inline", ...options];
  const { stdout, stderr, status } = await call(args, { stdin });
  assertEquals([status, stderr], [0, ""]);
  const lines = linesOf(encode(stdout));
  expected.forEach((entry, i) => {
    const text = lines[i] ?? "null";
    const record: {
      type?: unknown;
      line?: unknown;
      error?: { kind?: unknown };
    } | null = JSON.parse(text);
    if (entry.error === undefined) {
      assert(equalJson(record, entry.ok), `record ${i}: ${text}`);
    } else {
      const { type, error, line } = record ?? {};
      assertEquals([type, error?.kind], ["line.failed", entry.error], text);
      assertEquals(line, entry.line, text);
    }
    if (entry.ser !== undefined) assertEquals(text, entry.ser);
  });
  assertEquals(lines.length, expected.length);
}

const readerVectors = readJsonl(
  `${FOLDER}reader_vectors.jsonl`,
) as ReaderVector[];

for (const { name, rule, bytes_b64, expect, options } of readerVectors) {
  Deno.test(`codexpipe normalize follows ${rule}: ${name}`, async () => {
    const bytes = Uint8Array.from(atob(bytes_b64), (c) => c.charCodeAt(0));
    const limit = options?.maxLineBytes;
    await assertRecords(
      bytes,
      expect,
      limit === undefined ? [] : [`--max-line-bytes=${limit}`],
    );
  });
}

for (const name of namesIn(`${FOLDER}golden/`)) {
  if (!name.endsWith(".input.jsonl")) continue;
  Deno.test(`codexpipe normalize writes the golden records of ${name}`, async () => {
    await assertRecords(
      readFixture(`${FOLDER}golden/${name}`),
      readJsonl(
        `${FOLDER}golden/${name.replace(".input.", ".expect.")}`,
      ) as Expected[],
    );
  });
}
