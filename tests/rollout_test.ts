/** Tests the rules for session files: with captured files, and properties with random ones. */

import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { openStream } from "../lib/files/open.ts";
import { isBlank } from "../lib/lines/blank.ts";
import { encodeOutcome } from "../lib/lines/jsonl_encoder.ts";
import { LineSplitter } from "../lib/lines/line_splitter.ts";
import {
  Normalizer,
  type NormalizerOptions,
} from "../lib/dialects/normalizer.ts";
import type { Outcome } from "../lib/outcome.ts";
import type { JsonlOptions } from "../lib/pipeline/line_answers.ts";
import { JsonlNormalizerStream } from "../lib/pipeline/pipeline.ts";
import { compose } from "../lib/stage.ts";
import { type CapturedFile, linesOf, readCapturedFiles } from "./fixtures.ts";
import { type Chunked, chunkings } from "./generators.ts";
import fc from "./property_seed.ts";
import {
  rolloutBytes,
  rolloutFiles,
  rolloutLines,
  TIME,
  wrapped,
} from "./rollouts.ts";
import {
  assertSameText,
  byteByByte,
  concat,
  decode,
  emitted,
  encode,
  once,
} from "./running.ts";
import { unzstd } from "./sources.ts";

/** The releases that wrote bare lines. */
const BARE_VERSION_REGEXP = /^0\.(?:8|20|25|29)\./;
/** The releases that begin a new line after a torn one. */
const LF_FIRST_REGEXP = /^0\.1(?:4[5-9]|[5-9]\d)\./;

const rollouts = readCapturedFiles(/^(?:archived-)?rollout-.*\.jsonl$/);
const packed = readCapturedFiles(/^(?:archived-)?rollout-.*\.jsonl\.zst$/);
const byVersion = Map.groupBy(rollouts, ({ version }) => version);

/** Returns the options for a captured file: with detection, and its name. */
function optionsOf({ name }: CapturedFile): JsonlOptions {
  return { from: "auto", fileName: name };
}

/** Returns the outcomes of lines that are split before they are normalized. */
function split(
  chunks: Iterable<Uint8Array>,
  options: NormalizerOptions,
): Outcome<string>[] {
  return emitted(compose(new LineSplitter(), new Normalizer(options)), chunks);
}

/** Returns the text of a file, with LF at its end. */
function endedText(bytes: Uint8Array): string {
  const text = decode(bytes);
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

Deno.test("the captured session files are all there", () => {
  assertEquals(rollouts.length, 463);
  assertEquals(packed.length, 2);
  assertEquals(byVersion.size, 17);
  assertEquals(
    rollouts.filter(({ name }) => name.startsWith("archived-")).length,
    3,
  );
  assertEquals(
    rollouts.filter(({ path }) => path.includes("/torn_resume/")).length,
    14,
  );
});

for (const [version, files] of byVersion) {
  const isTorn = ({ path }: CapturedFile) => path.includes("/torn_resume/");
  const torn = files.filter(isTorn);
  const runs = once(() =>
    files.map((file) => ({
      ...file,
      ...rolloutBytes([file.bytes], optionsOf(file)),
    }))
  );
  const whole = once(() => runs().filter((file) => !isTorn(file)));

  Deno.test(`RolloutRules make a record with type, payload and timestamp of each line of ${version}`, () => {
    for (const file of whole()) {
      const { output, failures } = file;
      assertEquals(failures, [], file.path);
      const lines = linesOf(output);
      assertEquals(lines.length, linesOf(file.bytes).length, file.path);
      for (const line of lines) {
        const { type, timestamp, payload }: Record<string, unknown> = JSON
          .parse(line);
        assertEquals(typeof type, "string", file.path);
        assert(typeof payload === "object" && payload !== null, file.path);
        assert(!Array.isArray(payload), file.path);
        assert(typeof timestamp === "string", file.path);
        assert(
          /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(timestamp),
          file.path,
        );
      }
    }
  });

  if (BARE_VERSION_REGEXP.test(version)) {
    Deno.test(`RolloutRules wrap the lines of ${version} and set the time of the header`, () => {
      for (const file of whole()) {
        const lines = linesOf(file.bytes);
        const { timestamp }: { timestamp: string } = JSON.parse(lines[0] ?? "");
        const expected = lines.map((line, i) => {
          const { record_type }: { record_type?: string } = JSON.parse(line);
          const type = i === 0
            ? "session_meta"
            : record_type ?? "response_item";
          return wrapped(type, line, timestamp);
        });
        assertSameText(
          linesOf(file.output).join("\n"),
          expected.join("\n"),
          file.path,
        );
      }
    });
  } else {
    Deno.test(`RolloutRules do not change the lines of ${version}`, () => {
      for (const { output, bytes, path } of whole()) {
        assertSameText(decode(output), endedText(bytes), path);
      }
    });
  }

  if (torn.length > 0) {
    Deno.test(`RolloutRules lose the torn record of ${version} and no other`, () => {
      for (const file of torn) {
        const { output, failures } = rolloutBytes([file.bytes], {
          ...optionsOf(file),
          onError: "drop",
        });
        const [failure] = failures;
        assertEquals(failures.length, 1, file.path);
        assert(failure?.raw !== undefined, file.path);
        assertEquals(failure.error.kind, "json", file.path);
        assert(failure.raw.startsWith('{"timestamp":"'), file.path);
        assert(!failure.raw.includes('{"timestamp":"', 1), file.path);

        // The output is the input without the torn part, and without its LF if it had one.
        const text = decode(file.bytes);
        const lf = LF_FIRST_REGEXP.test(version) ? "\n" : "";
        const rest = text.replace(failure.raw + lf, "");
        assertEquals(rest.length, text.length - (failure.raw + lf).length);
        assertSameText(decode(output), rest, file.path);
        assertEquals(
          decode(file.bytes.subarray(failure.offset)).startsWith(failure.raw),
          true,
          file.path,
        );
        assertEquals(
          failure.line,
          decode(file.bytes.subarray(0, failure.offset)).split("\n").length,
          file.path,
        );
      }
    });
  }

  Deno.test(`RolloutRules do not change their own output for ${version}`, () => {
    for (const { output, path } of runs()) {
      const again = rolloutBytes([output], { from: "auto" }).output;
      assertSameText(decode(again), decode(output), path);
    }
  });

  Deno.test(`RolloutRules read the lines of ${version} alike as strings and as bytes`, () => {
    for (const file of runs()) {
      const { output, failures } = file;
      const outcomes = split([file.bytes], optionsOf(file));
      assertSameText(
        decode(concat(outcomes.map((outcome) => encodeOutcome(outcome)))),
        decode(output),
        file.path,
      );
      assertEquals<unknown>(outcomes.filter(({ ok }) => !ok), failures);
    }
  });
}

Deno.test("RolloutRules read the output of the first CLI: bare items without times", () => {
  const files = readCapturedFiles(/^stdout\.jsonl$/).filter(({ version }) =>
    version === "0.1.2505172129"
  );
  assertEquals(files.length, 6);
  for (const { bytes, path } of files) {
    const { output, failures } = rolloutBytes([bytes], { from: "auto" });
    assertEquals(failures, [], path);
    assertEquals(
      linesOf(output),
      linesOf(bytes).map((line) =>
        `{"type":"response_item","payload":${line}}`
      ),
      path,
    );
  }
});

for (const { path, name, bytes } of packed) {
  Deno.test(`openStream() unpacks ${path}`, async () => {
    const content = unzstd(bytes);
    const url = new URL(`../testdata/captures/${path}`, import.meta.url);
    const options = { from: "auto", fileName: name } as const;
    const normalized = (await openStream(fileURLToPath(url)))
      .pipeThrough(new JsonlNormalizerStream(options));
    const text = await new Response(normalized).text();
    assertEquals(text, decode(rolloutBytes([content], options).output));
    assertEquals(text, endedText(content));
  });
}

Deno.test("RolloutRules change nothing before the place where a captured file is cut off", () => {
  const files = fc.constantFrom(
    ...rollouts.filter(({ bytes }) => bytes.length < 100_000),
  );
  fc.assert(
    fc.property(files, fc.nat(100_000), (file, place) => {
      const cut = file.bytes.subarray(0, place % (file.bytes.length + 1));
      const whole = split([file.bytes], optionsOf(file));
      const outcomes = split([cut], optionsOf(file));
      const lastLine = decode(cut.subarray(0, cut.lastIndexOf(0x0a) + 1))
        .split("\n").length;
      const kept = whole.filter(({ line }) => line < lastLine);
      assertEquals(outcomes.slice(0, kept.length), kept);
      const rest = outcomes.slice(kept.length);
      const isCutAtEnd = rest.every(({ ok }) => ok);
      if (isCutAtEnd) {
        assertEquals(rest, whole.slice(kept.length, kept.length + rest.length));
      } else assertEquals(rest.length, 1);
    }),
    { numRuns: 200 },
  );
});

const SMALLEST = [...byVersion.values()].map((files) =>
  files.toSorted((a, b) => a.bytes.length - b.bytes.length)[0]
).filter((file) => file !== undefined);

for (const file of SMALLEST) {
  Deno.test(`RolloutRules fail once at most wherever ${file.path} is cut off`, () => {
    // A file of up to 2,000 bytes is cut everywhere, a longer one mostly around its line ends.
    const { bytes } = file;
    const whole = decode(rolloutBytes([bytes], optionsOf(file)).output);
    for (let end = 0; end <= bytes.length; end++) {
      const isNearEnd = bytes.subarray(Math.max(0, end - 3), end + 3)
        .includes(0x0a);
      if (bytes.length > 2_000 && !isNearEnd && end % 61 !== 0) continue;
      const { output, failures } = rolloutBytes(
        [bytes.subarray(0, end)],
        { ...optionsOf(file), onError: "drop" },
      );
      const text = decode(output);
      assertEquals(whole.slice(0, text.length), text, `cut at ${end}`);
      assert(failures.length <= 1, `cut at ${end}`);
    }
  });
}

Deno.test("RolloutRules read captured files alike however they are cut into chunks", () => {
  const files = fc.constantFrom(
    ...rollouts.filter(({ bytes }) => bytes.length < 50_000),
  ).chain((file) =>
    chunkings(fc.constant(file.bytes)).map((cut): [CapturedFile, Chunked] => [
      file,
      cut,
    ])
  );
  fc.assert(
    fc.property(files, ([file, { bytes, chunks }]) => {
      assertEquals(
        runOf(chunks, optionsOf(file)),
        runOf([bytes], optionsOf(file)),
      );
    }),
    { numRuns: 100 },
  );
});

// Properties, with files that no release has written.

const ID = "5973b6c0-94b8-487b-a530-2aeb6098ae0e";
const FILE_NAME = `rollout-2026-11-20T15-40-01-${ID}.jsonl`;
const FILE_TIME = "2026-11-20T15:40:01.000Z";

/** Returns the result for bytes, in a form that can be compared. */
function runOf(
  chunks: Iterable<Uint8Array>,
  options: JsonlOptions,
): unknown {
  const { output, failures, records } = rolloutBytes(chunks, options);
  return { output: decode(output), failures, records };
}

Deno.test("RolloutRules read input alike however it is cut into chunks", () => {
  const options = { fileName: FILE_NAME };
  fc.assert(
    fc.property(
      chunkings(rolloutFiles({ tearsCharacters: true })),
      ({ bytes, chunks }) => {
        const whole = runOf([bytes], options);
        assertEquals(runOf(chunks, options), whole);
        assertEquals(runOf(byteByByte(bytes), options), whole);
      },
    ),
    { numRuns: 200 },
  );
});

Deno.test("RolloutRules do not change their own output, failures in band included", () => {
  fc.assert(
    fc.property(
      rolloutFiles({ tearsCharacters: true }),
      fc.constantFrom<JsonlOptions>({}, { fileName: FILE_NAME }),
      (bytes, options) => {
        const { output } = rolloutBytes([bytes], options);
        assertEquals(
          decode(rolloutBytes([output], options).output),
          decode(output),
        );
      },
    ),
    { numRuns: 400 },
  );
});

Deno.test("RolloutRules read lines alike as strings and as bytes", () => {
  const options = { from: "rollout", fileName: FILE_NAME } as const;
  fc.assert(
    fc.property(rolloutFiles({ tearsCharacters: false }), (bytes) => {
      const outcomes = split([bytes], options);
      const { output, failures } = rolloutBytes([bytes], options);
      assertEquals(
        decode(concat(outcomes.map((outcome) => encodeOutcome(outcome)))),
        decode(output),
      );
      assertEquals<unknown>(outcomes.filter(({ ok }) => !ok), failures);
    }),
    { numRuns: 400 },
  );
});

Deno.test("RolloutRules emit one outcome for each line, or two if a record was glued to it", () => {
  fc.assert(
    fc.property(rolloutFiles({ tearsCharacters: false }), (bytes) => {
      const outcomes = split([bytes], { from: "rollout" });
      const byLine = Map.groupBy(outcomes, ({ line }) => line);
      let offset = 0;
      decode(bytes).split("\n").forEach((text, i) => {
        const answers = byLine.get(i + 1) ?? [];
        const [first, second] = answers;
        if (isBlank(i === 0 ? text.replace(/^\ufeff/, "") : text)) {
          assertEquals(answers, []);
        } else if (second === undefined) assertEquals(answers.length, 1);
        else {
          assertEquals(answers.length, 2);
          assert(first !== undefined);
          assertEquals([first.ok, second.ok], [false, true]);
          assertEquals(first.offset, offset);
          assert(second.offset > offset);
        }
        offset += encode(text).length + 1;
      });
      assertEquals(outcomes.map(({ line }) => line).toSorted((a, b) => a - b), [
        ...outcomes.map(({ line }) => line),
      ]);
    }),
    { numRuns: 300 },
  );
});

Deno.test("RolloutRules change nothing before the place where a file was cut off", () => {
  fc.assert(
    fc.property(
      rolloutFiles({ tearsCharacters: true }),
      fc.nat(100_000),
      (bytes, place) => {
        const cut = bytes.subarray(0, place % (bytes.length + 1));
        const lineStart = cut.lastIndexOf(0x0a) + 1;
        const before = rolloutBytes([cut.subarray(0, lineStart)]);
        const kept = decode(before.output);
        const whole = decode(rolloutBytes([bytes]).output);
        assertEquals(whole.slice(0, kept.length), kept);
        const { output, failures } = rolloutBytes([cut]);
        assertEquals(decode(output).slice(0, kept.length), kept);
        assert(failures.length - before.failures.length <= 1);
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("RolloutRules set the times of lines by the rule, in any order of lines", () => {
  const metaTime = "2026-11-20T15:49:40.000Z";
  const otherTime = "2026-11-20T15:50:00.000Z";
  const lines = fc.array(
    fc.constantFrom<{ line: string; own?: string; session?: string }>(
      { line: wrapped("event_msg"), own: TIME },
      { line: wrapped("event_msg", "{}", otherTime), own: otherTime },
      { line: '{"type":"event_msg","payload":{}}' },
      {
        line: `{"type":"session_meta","payload":{"timestamp":"${metaTime}"}}`,
        session: metaTime,
      },
      {
        line:
          '{"timestamp":5,"type":"session_meta","payload":{"timestamp":"2026-11-20T15:30:00Z"}}',
        session: "2026-11-20T15:30:00.000Z",
      },
      {
        line: wrapped("session_meta", `{"timestamp":"${metaTime}"}`),
        own: TIME,
        session: metaTime,
      },
      { line: `{"id":"${ID}","timestamp":"${otherTime}"}`, own: otherTime },
      { line: '{"record_type":"state"}' },
      { line: '{"type":"message"}' },
    ),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(lines, fc.boolean(), (rows, isNamed) => {
      let last: string | undefined;
      let session: string | undefined;
      const expected = rows.map((row) => {
        session ??= row.session;
        last = row.own ?? last;
        return last ?? session ?? (isNamed ? FILE_TIME : undefined);
      });
      const outcomes = rolloutLines(
        rows.map(({ line }) => line),
        isNamed ? { fileName: FILE_NAME } : {},
      );
      assertEquals(
        outcomes.map((outcome) => {
          if (!outcome.ok) return outcome.error.kind;
          const record: { timestamp?: unknown } = JSON.parse(outcome.value);
          return record.timestamp;
        }),
        expected,
      );
    }),
    { numRuns: 500 },
  );
});
