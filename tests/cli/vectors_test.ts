/** Holds `codexpipe normalize` to the vectors that are whole inputs. */

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

/** What a line becomes. */
interface Expected {
  /** The event. */
  readonly ok?: unknown;
  /** Its exact text. */
  readonly ser?: string;
  /** Or the kind of the failure. */
  readonly error?: string;
  /** Or nothing, since it is blank. */
  readonly skip?: true;
  /** The number of the line, in reader records. */
  readonly line?: number;
}

interface ReaderVector {
  readonly name: string;
  readonly rule: string;
  readonly bytes_b64: string;
  readonly expect: readonly Expected[];
  readonly options?: { maxLineBytes: number };
}

/** Fails unless the command answers each line as expected, failures in band. */
async function assertAnswers(
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
    await assertAnswers(
      bytes,
      expect,
      limit === undefined ? [] : [`--max-line-bytes=${limit}`],
    );
  });
}

for (const name of namesIn(`${FOLDER}golden/`)) {
  if (!name.endsWith(".input.jsonl")) continue;
  Deno.test(`codexpipe normalize gives the golden records of ${name}`, async () => {
    await assertAnswers(
      readFixture(`${FOLDER}golden/${name}`),
      readJsonl(
        `${FOLDER}golden/${name.replace(".input.", ".expect.")}`,
      ) as Expected[],
    );
  });
}
