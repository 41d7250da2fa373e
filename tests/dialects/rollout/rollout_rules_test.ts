import { assert, assertEquals } from "@std/assert";
import { Normalizer } from "../../../lib/dialects/normalizer.ts";
import type { Failure } from "../../../lib/outcome.ts";
import { equalJson, linesOf } from "../../fixtures.ts";
import {
  rolloutAnswers,
  rolloutBytes,
  rolloutLines,
  rolloutText,
  TIME,
  wrapped,
} from "../../rollouts.ts";
import {
  byteByByte,
  concat,
  decode,
  emitted,
  encode,
  everySplit,
} from "../../running.ts";
import { testCases } from "../cases.ts";

const ID = "5973b6c0-94b8-487b-a530-2aeb6098ae0e";
const OTHER_TIME = "2026-11-20T15:50:00.000Z";
/** The name of a session file, with its time. */
const FILE_NAME = `rollout-2026-11-20T15-40-01-${ID}.jsonl`;
const META_TIME = "2026-11-20T15:49:40.000Z";
const UNTIMED_META =
  `{"type":"session_meta","payload":{"timestamp":"${META_TIME}"}}`;
const UNKNOWN_ITEM = '{"type":"brand_new_call","call_id":"c"}';

/** The first line of a session file of releases up to 0.29. */
function header(time = TIME, rest = '"instructions":null'): string {
  return `{"id":"${ID}","timestamp":"${time}",${rest}}`;
}

testCases("rollout.txt", "RolloutRules", { from: "rollout" });

Deno.test("RolloutRules drop the white space around a wrapped line", () => {
  const line = wrapped("event_msg");
  assertEquals(rolloutText(` \t${line}\t \r\n`), `${line}\n`);
});

// Times of lines without a time (history.md C.0).

/** The times of records; `undefined` for a record without a time. */
function timesOf(
  lines: readonly string[],
  options: { fileName?: string } = {},
): unknown[] {
  return rolloutLines(lines, options).flatMap((outcome) => {
    if (!outcome.ok) return [];
    const record: { timestamp?: unknown } = JSON.parse(outcome.value);
    return [record.timestamp];
  });
}

const UNTIMED = '{"type":"event_msg","payload":{}}';

Deno.test("RolloutRules carry the time of a glued record", () => {
  const glued = `{"a${wrapped("event_msg", "{}", OTHER_TIME)}`;
  assertEquals(
    timesOf([wrapped("event_msg"), glued, UNTIMED]).at(-1),
    OTHER_TIME,
  );
});

Deno.test("RolloutRules keep a time of any length, and do not carry one that is too long", () => {
  const long = wrapped("event_msg", "{}", `${TIME}${"0".repeat(20_000)}`);
  assertEquals(rolloutAnswers([wrapped("event_msg"), long])[1], long);
  assertEquals(timesOf([wrapped("event_msg"), long, UNTIMED]).at(-1), TIME);
});

Deno.test("RolloutRules.reset() clears times and the form of the file, but not its name", () => {
  const normalizer = new Normalizer({ from: "rollout", fileName: FILE_NAME });
  const answer = (value: string): string => {
    const [outcome] = emitted(normalizer, [
      { ok: true, line: 1, offset: 0, value },
    ]);
    return outcome?.ok ? outcome.value : "failed";
  };
  const fresh = answer(UNTIMED);
  answer(UNTIMED_META);
  answer(wrapped("event_msg"));
  answer(header());
  assertEquals(answer(UNKNOWN_ITEM).includes(TIME), true);
  normalizer.reset();
  assertEquals(answer(UNKNOWN_ITEM), "failed");
  assertEquals(answer(UNTIMED), fresh);
});

Deno.test("RolloutRules normalize the example of the specification", () => {
  const git =
    '{"branch": "main","commit": "abc123","dirty": false,"remote": "origin"}';
  const meta =
    `{"id":"${ID}","timestamp":"2025-10-01T12:00:00.000Z","cwd":"/home/user/project","originator":"chrome-extension","cliVersion":"1.0.0","instructions":"Help me debug","git":${git}}`;
  const [answer] = rolloutAnswers([wrapped("session_meta", meta)]);
  const record: { payload: unknown } = JSON.parse(answer ?? "");
  assert(equalJson(record.payload, {
    id: ID,
    timestamp: "2025-10-01T12:00:00.000Z",
    cwd: "/home/user/project",
    originator: "chrome-extension",
    cli_version: "1.0.0",
    instructions: "Help me debug",
    git: {
      branch: "main",
      commit_hash: "abc123",
      dirty: false,
      repository_url: "origin",
    },
  }));
});

// R5: records that are glued to torn ones.

const GLUED = wrapped("event_msg", '{"type":"task_started"}', OTHER_TIME);
const TORN = `{"timestamp":"${TIME}","type":"response_item","payload":{"t":"é`;

const TORN_PARTS = [
  { name: "a line that was cut inside of a string", torn: TORN },
  { name: "a line that was cut inside of a key", torn: '{"timest' },
  { name: "a line that was cut after a colon", torn: '{"timestamp":' },
  { name: "a line that was cut in the time", torn: '{"timestamp":"2026-1' },
  { name: "one byte", torn: "{" },
  { name: "text", torn: "Killed" },
  { name: "two torn lines", torn: TORN + TORN },
  { name: "a whole record", torn: wrapped("event_msg") },
  {
    name: "a string with the start of a record",
    torn: '{"type":"message","text":"{\\"timestamp\\":\\"2026',
  },
  { name: "white space, and a line", torn: `  ${TORN}` },
] satisfies { name: string; torn: string }[];

/** The failure of a torn line 2. */
function tornAt(offset: number, raw: string): Failure {
  const message =
    "Cannot parse the line as JSON: it is torn, and another record follows";
  return { ok: false, line: 2, offset, raw, error: { kind: "json", message } };
}

for (const { name, torn } of TORN_PARTS) {
  Deno.test(`RolloutRules separate a record from ${name} (R5)`, () => {
    const first = wrapped("session_meta");
    const outcomes = rolloutLines([first, torn + GLUED, UNTIMED]);
    const offset = encode(first).length + 1;
    assertEquals(outcomes.length, 4);
    assertEquals(outcomes[1], tornAt(offset, torn));
    assertEquals(outcomes[2], {
      ok: true,
      line: 2,
      offset: offset + encode(torn).length,
      value: GLUED,
    });
    assertEquals(outcomes[3]?.line, 3);
  });

  Deno.test(`JsonlNormalizer writes the failure, then the record glued to ${name} (R5)`, () => {
    const first = wrapped("session_meta");
    const bytes = encode(`${first}\n${torn}${GLUED}\r\n${first}\n`);
    const { output, failures, records } = rolloutBytes([bytes]);
    const lines = linesOf(output);
    assertEquals(lines.length, 4);
    assertEquals([lines[0], lines[2], lines[3]], [first, GLUED, first]);
    const { ok: _, ...failure } = tornAt(encode(first).length + 1, torn);
    assertEquals(JSON.parse(lines[1] ?? ""), {
      type: "line.failed",
      ...failure,
    });
    assertEquals(failures, [{ ok: false, ...failure }]);
    assertEquals(records, 3);
  });
}

Deno.test("RolloutRules find a glued record after a line cut at any byte (R5)", () => {
  const line = encode(wrapped("response_item", '{"text":"a \\"é\\" 🚀 \\\\"}'));
  const glued = encode(GLUED);
  for (let cut = 1; cut <= line.length; cut++) {
    const torn = line.slice(0, cut);
    const { output, failures } = rolloutBytes([concat([torn, glued])]);
    assertEquals(linesOf(output).at(-1), GLUED, `cut at ${cut}`);
    const [failure] = failures;
    assert(failure !== undefined, `cut at ${cut}`);
    assertEquals(failures.length, 1);
    assertEquals(
      failure.rawBytes ?? encode(failure.raw ?? ""),
      torn,
      `cut at ${cut}`,
    );
  }
});

Deno.test("RolloutRules keep all bytes of a torn character before a glued record (R5, L7)", () => {
  const torn = concat([encode('{"text":"'), Uint8Array.of(0xf0, 0x9f)]);
  const { output, failures, records } = rolloutBytes([
    concat([encode("{}\n"), torn, encode(`${GLUED}\n`)]),
  ]);
  assertEquals(records, 1);
  assertEquals(failures[1], {
    ok: false,
    line: 2,
    offset: 3,
    raw: '{"text":"\ufffd',
    rawBytes: torn,
    error: {
      kind: "utf8",
      message: "Cannot decode the line: its bytes are not valid UTF-8",
    },
  });
  const [, failed, record] = linesOf(output);
  assertEquals(record, GLUED);
  const { raw_base64 }: { raw_base64: string } = JSON.parse(failed ?? "");
  assertEquals(Uint8Array.from(atob(raw_base64), (c) => c.charCodeAt(0)), torn);
});

Deno.test("RolloutRules do not split a line whose last record is not UTF-8 (R5, L7)", () => {
  const line = concat([
    encode(`${TORN}{"timestamp":"${TIME}","type":"x","payload":{"a":"`),
    Uint8Array.of(0xc3),
    encode('"}}'),
  ]);
  const { failures, records } = rolloutBytes([line]);
  assertEquals(failures.map(({ error, rawBytes }) => [error.kind, rawBytes]), [
    ["utf8", line],
  ]);
  assertEquals(records, 0);
});

for (const onError of ["report", "drop"] as const) {
  Deno.test(`JsonlNormalizer writes a glued record with onError "${onError}" (R5)`, () => {
    assertEquals(rolloutText(`${TORN}${GLUED}`, { onError }), `${GLUED}\n`);
  });
}

// T6: failures that an earlier run reported.

Deno.test("RolloutRules keep failure records of an earlier run unchanged (T6)", () => {
  const failed =
    '{"type":"line.failed","line":3,"offset":9,"error":{"kind":"utf8","message":"no"}, "raw":"é","n":1.0}';
  const lines = [wrapped("event_msg"), failed, UNTIMED];
  const outcome = rolloutLines(lines)[1];
  assert(outcome !== undefined && !outcome.ok);
  assertEquals(outcome.inBand, failed);
  assertEquals(outcome.error, { kind: "utf8", message: "no" });
  assertEquals(outcome.line, 2);
  const { output, failures, records } = rolloutBytes([
    encode(`${lines[0]}\n ${failed}\r\n${lines[0]}\n`),
  ]);
  assertEquals(decode(output), `${lines[0]}\n${failed}\n${lines[0]}\n`);
  assertEquals([failures.length, records], [1, 2]);
});

Deno.test("RolloutRules take no time or form from failure records of an earlier run (T6)", () => {
  const failed =
    `{"timestamp":"${OTHER_TIME}","type":"line.failed","error":{"kind":"json"},"payload":{}}`;
  assertEquals(timesOf([wrapped("event_msg"), failed, UNTIMED]), [TIME, TIME]);
  const [, , answer] = rolloutAnswers([header(), failed, UNKNOWN_ITEM]);
  assert(answer?.includes(UNKNOWN_ITEM));
});

// R7: line ends, blank lines and byte order marks.

const LINES = [
  {
    name: "CRLF and a last line without an end",
    text: `${GLUED}\r\n${GLUED}`,
    expected: `${GLUED}\n${GLUED}\n`,
  },
  {
    name: "blank lines",
    text: `\n \t\n${GLUED}\n\u3000\n\u0085\r\n${GLUED}\n\n`,
    expected: `${GLUED}\n${GLUED}\n`,
  },
  {
    name: "one byte order mark",
    text: `\ufeff${GLUED}\n`,
    expected: `${GLUED}\n`,
  },
  {
    name: "separators that end no line",
    text: `${wrapped("x", '{"t":"\u2028\u2029\u0085"}')}\n`,
    expected: `${wrapped("x", '{"t":"\u2028\u2029\u0085"}')}\n`,
  },
] satisfies { name: string; text: string; expected: string }[];

for (const { name, text, expected } of LINES) {
  Deno.test(`RolloutRules split lines like all dialects (R7): ${name}`, () => {
    const bytes = encode(text);
    for (const chunks of [[bytes], byteByByte(bytes), ...everySplit(bytes)]) {
      const { output, failures } = rolloutBytes(chunks);
      assertEquals(decode(output), expected);
      assertEquals(failures, []);
    }
  });
}

const BAD_LINES = [
  { name: "a second byte order mark", text: `\ufeff\ufeff{}`, kind: "json" },
  { name: "U+200B, which is not blank", text: "\u200b", kind: "json" },
  {
    name: "a surrogate escape without a partner",
    text: wrapped("x", '{"t":"\\ud800"}'),
    kind: "json",
  },
] satisfies { name: string; text: string; kind: string }[];

for (const { name, text, kind } of BAD_LINES) {
  Deno.test(`RolloutRules refuse lines like all dialects (R7): ${name}`, () => {
    const { failures } = rolloutBytes([encode(text)]);
    assertEquals(failures.map(({ error }) => error.kind), [kind]);
  });
}

Deno.test("RolloutRules refuse a line over the limit and read the next one (R7)", () => {
  const { failures, output } = rolloutBytes(
    [encode(`${wrapped("x", `{"long":"${".".repeat(50)}"}`)}\n${GLUED}\n`)],
    { maxLineBytes: GLUED.length, onError: "drop" },
  );
  assertEquals(failures.map(({ error }) => error.kind), ["line_too_long"]);
  assertEquals(decode(output), `${GLUED}\n`);
});

// Deep, long and many lines.

for (const depth of [1_000, 9_998]) {
  Deno.test(`RolloutRules keep a payload nested ${depth} deep`, () => {
    const line = wrapped(
      "x",
      `{"a":${'{"b":['.repeat(depth / 2)}${"]}".repeat(depth / 2)}}`,
    );
    assertEquals(rolloutAnswers([line]), [line]);
  });
}

for (const depth of [10_000, 20_000, 200_000]) {
  Deno.test(`RolloutRules refuse a payload nested ${depth} deep and read the next line`, () => {
    const line = wrapped(
      "x",
      `{"a":${'{"b":['.repeat(depth / 2)}${"]}".repeat(depth / 2)}}`,
    );
    const { failures, output } = rolloutBytes([encode(`${line}\n${GLUED}`)], {
      onError: "drop",
    });
    assertEquals(failures.map(({ error }) => error.kind), ["json"]);
    assertEquals(decode(output), `${GLUED}\n`);
  });
}

Deno.test("RolloutRules keep a line of 30 MB, with and without torn bytes before it", () => {
  const line = encode(wrapped("x", `{"t":"${"é".repeat(15_000_000)}"}`));
  const { output, failures } = rolloutBytes([
    line,
    encode("\n"),
    encode(TORN),
    line.subarray(0, 1_000_000),
    line.subarray(1_000_000),
  ], { onError: "drop" });
  assertEquals(failures.map(({ raw }) => raw), [TORN]);
  assertEquals(output.length, 2 * line.length + 2);
  for (const start of [0, line.length + 1]) {
    let at = 0;
    while (at < line.length && output[start + at] === line[at]) at += 1;
    assertEquals(at, line.length);
  }
});

Deno.test("RolloutRules fail 100,000 lines of text in linear time", () => {
  // A search of all earlier lines for each line would take minutes.
  const lines = 100_000;
  const { failures } = rolloutBytes(
    [encode("plain text 123\n".repeat(lines))],
    {
      onError: "drop",
    },
  );
  assertEquals(failures.length, lines);
});
