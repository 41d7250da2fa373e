import { assert, assertEquals } from "@std/assert";
import { Normalizer } from "../../../lib/dialects/normalizer.ts";
import type { Outcome } from "../../../lib/outcome.ts";
import type { JsonlNormalizerOptions } from "../../../lib/pipeline/pipeline.ts";
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

const ID = "5973b6c0-94b8-487b-a530-2aeb6098ae0e";
const OTHER_TIME = "2026-11-20T15:50:00.000Z";
/** The name of a file, and the time in it. */
const FILE_NAME = `rollout-2026-11-20T15-40-01-${ID}.jsonl`;
const FILE_TIME = "2026-11-20T15:40:01.000Z";

/** Writes the first line of a file as releases up to 0.29 did. */
function header(time = TIME, rest = '"instructions":null'): string {
  return `{"id":"${ID}","timestamp":"${time}",${rest}}`;
}

/** Gives the first outcome, and fails if there are others. */
function only(outcomes: readonly Outcome<string>[]): Outcome<string> {
  const [outcome] = outcomes;
  assertEquals(outcomes.length, 1);
  assert(outcome !== undefined);
  return outcome;
}

// The shapes of lines (D.2).

const KEPT_LINES = [
  {
    name: "timestamp, type and payload",
    line:
      '{"timestamp":"2025-09-24T07:04:31.123Z","type":"session_meta","payload":{"id":"0199","timestamp":"2025-09-24T07:04:31.100Z","cwd":"/w","originator":"codex_cli_rs","cli_version":"0.40.0","source":"cli","git":{"commit_hash":"abc"}}}',
  },
  {
    name: "an event",
    line: wrapped("event_msg", '{"type":"user_message","message":"hi"}'),
  },
  {
    name: "an ordinal",
    line:
      `{"timestamp":"${TIME}","ordinal":7,"type":"event_msg","payload":{"type":"item_completed","thread_id":"t","turn_id":"t1","item":{"type":"AgentMessage","id":"a1","content":[{"type":"Text","text":"hi"}]},"completed_at_ms":1}}`,
  },
  {
    name: "metadata beside a payload",
    line:
      `{"timestamp":"${TIME}","type":"response_item","payload":{"type":"message"},"metadata":{}}`,
  },
  {
    name: "an event of the fork, wrapped once more",
    line: wrapped(
      "event",
      '{"id":"0","event_seq":1,"order":{"request_ordinal":1},"msg":{"type":"agent_message","message":"yo"}}',
    ),
  },
  {
    name: "results and durations as serde spells them",
    line: wrapped(
      "event_msg",
      '{"type":"mcp_tool_call_end","duration":{"secs":1,"nanos":0},"result":{"Ok":{"content":[]}}}',
    ),
  },
  { name: "a type that is not known", line: wrapped("brand_new", '{"a":1}') },
  { name: "an empty type", line: wrapped("") },
  {
    name: "keys in another order, and more of them",
    line:
      `{"payload":{"type":"message"},"x":[1,{"y":null}],"type":"response_item","z":"","timestamp":"${TIME}"}`,
  },
  {
    name: "white space",
    line: `{ "timestamp" :\t"${TIME}" , "type":"compacted","payload":{ } }`,
  },
  {
    name: "64-bit integers and other spellings of numbers",
    line: wrapped(
      "event_msg",
      '{"n":[9007199254740993,18446744073709551615,-9223372036854775808,1.0,-0.0,1e+21,1E400,123456789012345678901234567890]}',
    ),
  },
  {
    name: "escapes and raw characters",
    line: wrapped(
      "event_msg",
      '{"text":"\\u00e9 é \\/ / \\ud83d\\ude80 🚀 \u007f\u0085\u2028\ufeff \\u0000"}',
    ),
  },
  {
    name: "duplicate keys",
    line:
      `{"timestamp":"${TIME}","type":"message","type":"event_msg","payload":1,"payload":{"a":1,"a":2}}`,
  },
  {
    name: "hostile keys",
    line: wrapped(
      "event_msg",
      '{"10":1,"2":2,"__proto__":{"type":"x"},"constructor":null,"":0,"hasOwnProperty":1}',
    ).replace("{", '{"__proto__":null,"toString":1,"1":0,'),
  },
  {
    name: "a time that is none",
    line: wrapped("event_msg", "{}", "yesterday"),
  },
  {
    name: "a time of any length",
    line: wrapped("event_msg", "{}", `${TIME}${"0".repeat(10_000)}`),
  },
  {
    name: "a time in another form",
    line: wrapped("event_msg", "{}", "2026-11-20T15:49:48+05:30"),
  },
] satisfies { name: string; line: string }[];

for (const { name, line } of KEPT_LINES) {
  Deno.test(`RolloutRules keep the source text of a wrapped line: ${name}`, () => {
    assertEquals(rolloutAnswers([line]), [line]);
    assertEquals(rolloutText(`${line}\n`), `${line}\n`);
  });
}

Deno.test("RolloutRules drop the white space around a wrapped line", () => {
  const line = wrapped("event_msg");
  assertEquals(rolloutText(` \t${line}\t \r\n`), `${line}\n`);
});

const BARE_LINES = [
  {
    name: "the header, as session_meta",
    line: header(TIME, '"instructions":null,"git":{"commit_hash":"abc"}'),
    type: "session_meta",
  },
  { name: "a record_type", line: '{"record_type":"state"}', type: "state" },
  {
    name: "a record_type with more",
    line: '{"record_type":"state","previous_response_id":null}',
    type: "state",
  },
  {
    name: "a message",
    line:
      '{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}',
    type: "response_item",
  },
  {
    name: "a message of the first CLI, its type at the end",
    line: '{"role":"user","content":[],"type":"message"}',
    type: "response_item",
  },
  {
    name: "an item with numbers, escapes and duplicate keys",
    line: '{"type":"reasoning", "n":1.0,"n":9007199254740993,"t":"\\u00e9"}',
    type: "response_item",
  },
] satisfies { name: string; line: string; type: string }[];

for (const { name, line, type } of BARE_LINES) {
  Deno.test(`RolloutRules wrap a bare line as it is: ${name}`, () => {
    const [, answer] = rolloutAnswers([header(), line]);
    assertEquals(
      answer,
      `{"timestamp":"${TIME}","type":"${type}","payload":${line}}`,
    );
  });
}

const ITEM_TYPES = [
  "message",
  "agent_message",
  "reasoning",
  "local_shell_call",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "tool_search_call",
  "tool_search_output",
  "web_search_call",
  "image_generation_call",
  "ghost_snapshot",
  "additional_tools",
  "compaction",
  "compaction_trigger",
  "other",
];

for (const type of ITEM_TYPES) {
  Deno.test(`RolloutRules wrap a bare ${type} wherever it stands`, () => {
    const line = `{"type":"${type}","id":"x"}`;
    const [first] = rolloutAnswers([line]);
    const [, later] = rolloutAnswers([wrapped("event_msg"), line]);
    assertEquals(first, `{"type":"response_item","payload":${line}}`);
    assertEquals(
      later,
      `{"timestamp":"${TIME}","type":"response_item","payload":${line}}`,
    );
  });
}

// R1, R2: no record.

const NO_RECORDS = [
  { name: "a list", line: "[1]", message: "the line is a list" },
  { name: "a string", line: '"x"', message: "the line is a string" },
  { name: "a number", line: "1", message: "the line is a number" },
  { name: "a boolean", line: "true", message: "the line is a boolean" },
  { name: "null", line: "null", message: "the line is null" },
] satisfies { name: string; line: string; message: string }[];

for (const { name, line, message } of NO_RECORDS) {
  Deno.test(`RolloutRules refuse what is no object (R1): ${name}`, () => {
    const outcome = only(rolloutLines([line]));
    assert(!outcome.ok);
    assertEquals(outcome.error, {
      kind: "normalize",
      message: `Cannot normalize the line: ${message}, expected an object`,
    });
    assertEquals(outcome.raw, line);
  });
}

const UNTYPED = [
  { name: "no members", line: "{}" },
  { name: "other members only", line: '{"a":1,"msg":"x"}' },
  { name: "a payload without a type", line: '{"payload":{}}' },
  {
    name: "a time and a payload",
    line: `{"timestamp":"${TIME}","payload":{}}`,
  },
  { name: "half of a header: id", line: `{"id":"${ID}","instructions":null}` },
  { name: "half of a header: timestamp", line: `{"timestamp":"${TIME}"}` },
  { name: "a record_type that is no string", line: '{"record_type":1}' },
  { name: "a type that is a number", line: '{"type":1,"payload":{}}' },
  { name: "a type that is null", line: '{"type":null,"payload":{}}' },
  {
    name: "a type that is null, in what else were a header",
    line: `{"type":null,"id":"${ID}","timestamp":"${TIME}"}`,
  },
  {
    name: "an own __proto__ with a type in it",
    line: '{"__proto__":{"type":"event_msg"},"payload":{}}',
  },
  { name: "a type that is spelled another way", line: '{"Type":"message"}' },
] satisfies { name: string; line: string }[];

for (const { name, line } of UNTYPED) {
  Deno.test(`RolloutRules refuse what has no type (R2): ${name}`, () => {
    for (const before of [[], [header()], [wrapped("event_msg")]]) {
      const outcome = rolloutLines([...before, line]).at(-1);
      assert(outcome !== undefined && !outcome.ok);
      assertEquals(outcome.error.kind, "normalize");
      assertEquals(outcome.error.field, "type");
      assertEquals(outcome.raw, line);
    }
  });
}

// R3, R4: with and without a payload.

const BARE_FILE_STARTS = [
  { name: "a header", lines: [header()] },
  { name: "a record_type", lines: ['{"record_type":"state"}'] },
  { name: "a bare item", lines: ['{"type":"message"}'] },
  {
    name: "a header and lines that fail",
    lines: [header(), "{", "[]", '{"type":"event_msg","payload":1}'],
  },
] satisfies { name: string; lines: string[] }[];
const UNKNOWN_ITEM = '{"type":"brand_new_call","call_id":"c"}';

for (const { name, lines } of BARE_FILE_STARTS) {
  Deno.test(`RolloutRules take an unknown type for an item (R3) after ${name}`, () => {
    const answers = rolloutAnswers([...lines, UNKNOWN_ITEM, UNKNOWN_ITEM]);
    for (const answer of answers.slice(-2)) {
      assert(
        answer.endsWith(`"type":"response_item","payload":${UNKNOWN_ITEM}}`),
        answer,
      );
    }
  });
}

const WRAPPED_FILE_STARTS = [
  { name: "at the start of a file", lines: [] },
  { name: "after a wrapped line", lines: [wrapped("session_meta")] },
  {
    name: "in a file that has gone over to wrapped lines",
    lines: [header(), '{"type":"message"}', wrapped("event_msg")],
  },
] satisfies { name: string; lines: string[] }[];

for (const { name, lines } of WRAPPED_FILE_STARTS) {
  Deno.test(`RolloutRules refuse an unknown type without payload (R4) ${name}`, () => {
    assertEquals(rolloutAnswers([...lines, UNKNOWN_ITEM]).at(-1), "typed");
  });
}

const LINE_TYPES = [
  "session_meta",
  "response_item",
  "inter_agent_communication",
  "inter_agent_communication_metadata",
  "compacted",
  "turn_context",
  "world_state",
  "event_msg",
  "token_usage_record",
];

for (const type of LINE_TYPES) {
  Deno.test(`RolloutRules ask for the payload of a ${type} in every file (R4)`, () => {
    for (const before of [[], [header()], [wrapped("event_msg")]]) {
      const answers = rolloutAnswers([...before, `{"type":"${type}"}`]);
      assertEquals(answers.at(-1), "typed");
    }
  });
}

const BAD_PAYLOADS = [
  { name: "null", payload: "null", state: "null" },
  { name: "a list", payload: "[{}]", state: "a list" },
  { name: "a string", payload: '"{}"', state: "a string" },
  { name: "a number", payload: "0", state: "a number" },
  { name: "a boolean", payload: "false", state: "a boolean" },
] satisfies { name: string; payload: string; state: string }[];

for (const { name, payload, state } of BAD_PAYLOADS) {
  Deno.test(`RolloutRules refuse a payload that is no object (R4): ${name}`, () => {
    for (const type of ["event_msg", "brand_new", "message"]) {
      const line = wrapped(type, payload);
      for (const before of [[], [header()]]) {
        const outcome = rolloutLines([...before, line]).at(-1);
        assert(outcome !== undefined && !outcome.ok);
        assertEquals(outcome.error, {
          kind: "typed",
          message:
            `Cannot decode "${type}": payload is ${state}, expected an object`,
          field: "payload",
        });
        assertEquals(outcome.raw, line);
      }
    }
  });
}

Deno.test("RolloutRules look at the last of two payloads (R4)", () => {
  const line = '{"type":"event_msg","payload":{},"payload":null}';
  assertEquals(rolloutAnswers([line]), ["typed"]);
});

// The time of lines that say none (history.md C.0).

/** The times that records were given; `undefined` stands for none. */
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
const META_TIME = "2026-11-20T15:49:40.000Z";
const UNTIMED_META =
  `{"type":"session_meta","payload":{"timestamp":"${META_TIME}"}}`;

const CARRIED = [
  { name: "none, if nothing names one", lines: [UNTIMED], last: undefined },
  {
    name: "the file name's, before any other",
    lines: [UNTIMED],
    fileName: FILE_NAME,
    last: FILE_TIME,
  },
  {
    name: "the session's rather than the file name's",
    lines: [UNTIMED_META, UNTIMED],
    fileName: FILE_NAME,
    last: META_TIME,
  },
  {
    name: "the last one seen rather than the session's",
    lines: [UNTIMED_META, wrapped("event_msg"), UNTIMED],
    fileName: FILE_NAME,
    last: TIME,
  },
  {
    name: "the last one, of several",
    lines: [
      wrapped("event_msg"),
      wrapped("event_msg", "{}", OTHER_TIME),
      UNTIMED,
    ],
    last: OTHER_TIME,
  },
  {
    name: "the last one also where time went back",
    lines: [
      wrapped("event_msg", "{}", OTHER_TIME),
      wrapped("event_msg"),
      UNTIMED,
    ],
    last: TIME,
  },
  {
    name: "the first session's, of several",
    lines: [
      UNTIMED_META,
      `{"type":"session_meta","payload":{"timestamp":"${OTHER_TIME}"}}`,
      UNTIMED,
    ],
    last: META_TIME,
  },
  {
    name: "the session's own line has it already",
    lines: [UNTIMED_META],
    fileName: FILE_NAME,
    last: META_TIME,
  },
  {
    name: "the header's",
    lines: [header(), '{"type":"message"}'],
    fileName: FILE_NAME,
    last: TIME,
  },
  {
    name: "the header's, for the header itself",
    lines: [wrapped("event_msg", "{}", OTHER_TIME), header()],
    last: TIME,
  },
  {
    name: "the header's, behind a file that came before",
    lines: [wrapped("event_msg", "{}", OTHER_TIME), header(), UNTIMED],
    last: TIME,
  },
  {
    name: "the header's, with the Z that it falsely has",
    lines: [header("2026-11-20T16:09:12.822Z"), '{"record_type":"state"}'],
    last: "2026-11-20T16:09:12.822Z",
  },
  {
    name: "the file name's, if the header's is no string",
    lines: ['{"id":"x","timestamp":1795190988}', UNTIMED],
    fileName: FILE_NAME,
    last: FILE_TIME,
  },
  {
    name: "a bare item's own",
    lines: [header(), `{"type":"message","timestamp":"${OTHER_TIME}"}`],
    last: OTHER_TIME,
  },
  {
    name: "a bare item's own, for the next line",
    lines: [
      header(),
      `{"type":"message","timestamp":"${OTHER_TIME}"}`,
      UNTIMED,
    ],
    last: OTHER_TIME,
  },
  {
    name: "the last of two times of one line",
    lines: [
      `{"timestamp":"${OTHER_TIME}","type":"x","timestamp":"${TIME}","payload":{}}`,
      UNTIMED,
    ],
    last: TIME,
  },
  {
    name: "the time of a line that was found glued to another",
    lines: [
      wrapped("event_msg"),
      `{"a${wrapped("event_msg", "{}", OTHER_TIME)}`,
      UNTIMED,
    ],
    last: OTHER_TIME,
  },
  {
    name: "not the time of a line that failed",
    lines: [
      wrapped("event_msg"),
      wrapped("event_msg", "1", OTHER_TIME),
      UNTIMED,
    ],
    last: TIME,
  },
  {
    name: "not the time inside of a payload",
    lines: [
      wrapped("event_msg"),
      `{"type":"event_msg","payload":{"timestamp":"${OTHER_TIME}"}}`,
    ],
    last: TIME,
  },
  {
    name: "a time that is spelled with escapes",
    lines: [
      wrapped("event_msg", "{}", "\\u0032026-11-20T15:49:48.041Z"),
      UNTIMED,
    ],
    last: TIME,
  },
  {
    name: "in UTC, with milliseconds",
    lines: [
      wrapped("event_msg", "{}", "2026-11-20T21:19:48.0419+05:30"),
      UNTIMED,
    ],
    last: TIME,
  },
  {
    name: "as it was written, if it is no time",
    lines: [wrapped("event_msg", "{}", 'a \\"day\\"'), UNTIMED],
    last: 'a "day"',
  },
  {
    name: "of the last line whose time is not too long to be one",
    lines: [
      wrapped("event_msg"),
      wrapped("event_msg", "{}", "x".repeat(20_000)),
      UNTIMED,
    ],
    last: TIME,
  },
] satisfies {
  name: string;
  lines: string[];
  fileName?: string;
  last: string | undefined;
}[];

for (const row of CARRIED) {
  const { name, lines, last } = row;
  Deno.test(`RolloutRules give the carried time: ${name}`, () => {
    const options = "fileName" in row ? { fileName: row.fileName } : {};
    assertEquals(timesOf(lines, options).at(-1), last);
  });
}

for (const time of ["null", "1795190988", "true", "[]", '{"secs":1}']) {
  Deno.test(`RolloutRules put the carried time in the place of ${time}`, () => {
    const line = `{"type":"x","timestamp":${time},"payload":{"a": 1}, "b":1.0}`;
    assertEquals(rolloutAnswers([wrapped("event_msg"), line, line]).slice(1), [
      `{"timestamp":"${TIME}","type":"x","payload":{"a": 1},"b":1.0}`,
      `{"timestamp":"${TIME}","type":"x","payload":{"a": 1},"b":1.0}`,
    ]);
    assertEquals(rolloutAnswers([line]), [
      '{"type":"x","payload":{"a": 1},"b":1.0}',
    ]);
    assertEquals(
      rolloutAnswers([
        `{"timestamp":${time},"type":"session_meta","payload":{"cliVersion":"1"}}`,
      ]),
      ['{"type":"session_meta","payload":{"cli_version":"1"}}'],
    );
  });
}

Deno.test("RolloutRules put a time first, and keep order, keys and source texts", () => {
  const line =
    '{"10":1.0,"type":"event_msg","__proto__":{"a" : 1},"2":9007199254740993,"payload":{ "b":[1 ,2],"b":3},"":"\\u00e9","x":1,"x":2}';
  assertEquals(rolloutAnswers([line], { fileName: FILE_NAME }), [
    `{"timestamp":"${FILE_TIME}","10":1.0,"type":"event_msg","__proto__":{"a" : 1},"2":9007199254740993,"payload":{ "b":[1 ,2],"b":3},"":"\\u00e9","x":2}`,
  ]);
});

Deno.test("RolloutRules.reset() forgets times and shape, but not the name of the file", () => {
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

// R6: fields that were renamed.

const RENAMES = [
  {
    name: "cliVersion",
    meta: '{"id":"x","cliVersion":"1.0.0","cwd":"/w"}',
    expected: '{"id":"x","cli_version":"1.0.0","cwd":"/w"}',
  },
  {
    name: "git.commit and git.remote",
    meta:
      '{"git":{"branch":"main","commit":"abc123","dirty":false,"remote":"origin"},"cwd":"/w"}',
    expected:
      '{"git":{"branch":"main","commit_hash":"abc123","dirty":false,"repository_url":"origin"},"cwd":"/w"}',
  },
  {
    name: "all three, whatever they hold",
    meta: '{"git":{"remote":[ 1.0 ],"commit":null},"cliVersion":{"a" : 1}}',
    expected:
      '{"git":{"repository_url":[ 1.0 ],"commit_hash":null},"cli_version":{"a" : 1}}',
  },
  {
    name: "not where the current name is there too",
    meta:
      '{"cliVersion":"old","cli_version":"new","git":{"commit":"a","commit_hash":"b","repository_url":null,"remote":"r"}}',
    expected: undefined,
  },
  {
    name: "one, while the other has its current name already",
    meta:
      '{"cli_version":"new", "cliVersion":"old","git":{ "commit":"a","repository_url":"u","remote":"r" }}',
    expected:
      '{"cli_version":"new","cliVersion":"old","git":{"commit_hash":"a","repository_url":"u","remote":"r"}}',
  },
  {
    name: "the last of two of one name, where the first stood",
    meta: '{"cliVersion":"1","a":1,"cliVersion":"2"}',
    expected: '{"cli_version":"2","a":1}',
  },
  {
    name: "a name that is spelled with escapes",
    meta: '{"cli\\u0056ersion":"1"}',
    expected: '{"cli_version":"1"}',
  },
  {
    name: "the source text of all other values",
    meta:
      '{"n":9007199254740993,"f":1.0,"s":"\\u00e9é","d":{"a":1 , "a":2},"10":0,"2":0,"__proto__":[1],"cliVersion":"1"}',
    expected:
      '{"n":9007199254740993,"f":1.0,"s":"\\u00e9é","d":{"a":1 , "a":2},"10":0,"2":0,"__proto__":[1],"cli_version":"1"}',
  },
  {
    name: "nothing that is deeper or elsewhere",
    meta:
      '{"commit":"a","remote":"b","x":{"cliVersion":1,"git":{"commit":1}},"git":[{"commit":1}]}',
    expected: undefined,
  },
  {
    name: "nothing in a git that is null",
    meta: '{"git":null}',
    expected: undefined,
  },
] satisfies { name: string; meta: string; expected: string | undefined }[];

for (const { name, meta, expected = meta } of RENAMES) {
  Deno.test(`RolloutRules rename in place (R6): ${name}`, () => {
    assertEquals(rolloutAnswers([wrapped("session_meta", meta)]), [
      wrapped("session_meta", expected),
    ]);
  });

  Deno.test(`RolloutRules rename in lines without a time, too (R6): ${name}`, () => {
    assertEquals(
      rolloutAnswers([
        wrapped("event_msg"),
        `{"type":"session_meta","payload":${meta},"ordinal":0}`,
      ]).at(-1),
      `{"timestamp":"${TIME}","type":"session_meta","payload":${expected},"ordinal":0}`,
    );
  });
}

Deno.test("RolloutRules rename in a bare header (R6)", () => {
  const old = header(TIME, '"cliVersion":"1","git":{"commit":"a","n":1.0}');
  const current = header(
    TIME,
    '"cli_version":"1","git":{"commit_hash":"a","n":1.0}',
  );
  assertEquals(rolloutAnswers([old]), [wrapped("session_meta", current)]);
});

for (const type of LINE_TYPES.filter((type) => type !== "session_meta")) {
  Deno.test(`RolloutRules rename nothing in a ${type} (R6)`, () => {
    const line = wrapped(type, '{"cliVersion":"1","git":{"commit":"a"}}');
    assertEquals(rolloutAnswers([line]), [line]);
  });
}

Deno.test("RolloutRules read the example of the contract", () => {
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
  { name: "one that was cut inside of a key", torn: '{"timest' },
  { name: "one that was cut behind a colon", torn: '{"timestamp":' },
  { name: "one that was cut in the time", torn: '{"timestamp":"2026-1' },
  { name: "one byte", torn: "{" },
  { name: "text", torn: "Killed" },
  { name: "two torn lines", torn: TORN + TORN },
  { name: "a whole record", torn: wrapped("event_msg") },
  {
    name: "a string that holds what a record begins with",
    torn: '{"type":"message","text":"{\\"timestamp\\":\\"2026',
  },
  { name: "white space, and a line", torn: `  ${TORN}` },
] satisfies { name: string; torn: string }[];

for (const { name, torn } of TORN_PARTS) {
  Deno.test(`RolloutRules tell a record apart from ${name} (R5)`, () => {
    const first = wrapped("session_meta");
    const outcomes = rolloutLines([first, torn + GLUED, UNTIMED]);
    const offset = encode(first).length + 1;
    assertEquals(outcomes.length, 4);
    assertEquals(outcomes[1], {
      ok: false,
      line: 2,
      offset,
      raw: torn,
      error: {
        kind: "json",
        message:
          "Cannot parse the line as JSON: it is torn, and another record follows",
      },
    });
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
    const failed: { type: unknown; line: unknown; raw: unknown } = JSON.parse(
      lines[1] ?? "",
    );
    assertEquals([failed.type, failed.line, failed.raw], [
      "line.failed",
      2,
      torn,
    ]);
    assertEquals(failures.map(({ line, offset, raw }) => [line, offset, raw]), [
      [2, encode(first).length + 1, torn],
    ]);
    assertEquals(records, 3);
  });
}

const NOT_GLUED = [
  { name: "is torn, too", line: TORN + TORN },
  { name: "has no payload", line: `${TORN}{"timestamp":"${TIME}","type":"x"}` },
  { name: "has a payload that is a list", line: TORN + wrapped("x", "[]") },
  {
    name: "has no type",
    line: `${TORN}{"timestamp":"${TIME}","payload":{}}`,
  },
  {
    name: "has a type that is no string",
    line: `${TORN}{"timestamp":"${TIME}","type":1,"payload":{}}`,
  },
  { name: "has something behind it", line: `${TORN}${GLUED}}` },
  { name: "is bare", line: `${TORN}{"type":"message"}` },
  {
    name: "begins with another key",
    line: `${TORN}{"type":"x","timestamp":"${TIME}","payload":{}}`,
  },
  {
    name: "begins with white space",
    line: `${TORN}{ "timestamp":"${TIME}","type":"x","payload":{}}`,
  },
  {
    name: "is a string inside of a line that is damaged elsewhere",
    line:
      `{"a":"{\\"timestamp\\":\\"x\\",\\"type\\":\\"y\\",\\"payload\\":{}}",}`,
  },
  {
    name: "is a member of a line that is damaged elsewhere",
    line: `{"a":${GLUED},}`,
  },
  { name: "is all there is, and damaged", line: GLUED.slice(0, -1) },
] satisfies { name: string; line: string }[];

for (const { name, line } of NOT_GLUED) {
  Deno.test(`RolloutRules leave a line whole where what seems glued ${name} (R5)`, () => {
    const outcome = only(rolloutLines([line]));
    assert(!outcome.ok);
    assertEquals(outcome.error.kind, "json");
    assertEquals(outcome.raw, line);
    const { failures, records } = rolloutBytes([encode(line)]);
    assertEquals(failures, [outcome]);
    assertEquals(records, 0);
  });
}

Deno.test("RolloutRules do not look for a second record in a line that is JSON (R5)", () => {
  const line =
    `{"a":"b","timestamp":{"timestamp":"x","type":"y","payload":{}}}`;
  assertEquals(rolloutAnswers([line]), ["normalize"]);
  assertEquals(rolloutAnswers([`[${GLUED}]`]), ["normalize"]);
});

Deno.test("RolloutRules find a glued record behind any cut of a line (R5)", () => {
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

Deno.test("RolloutRules leave a line whole whose last record is not UTF-8 (R5, L7)", () => {
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

const ON_ERROR = [
  { onError: "report", expected: `${GLUED}\n` },
  { onError: "drop", expected: `${GLUED}\n` },
] satisfies { onError: JsonlNormalizerOptions["onError"]; expected: string }[];

for (const { onError, expected } of ON_ERROR) {
  Deno.test(`JsonlNormalizer writes a glued record with onError "${onError}" (R5)`, () => {
    assertEquals(rolloutText(`${TORN}${GLUED}`, { onError }), expected);
  });
}

// T6: failures that an earlier run reported.

Deno.test("RolloutRules pass failures that an earlier run reported, as they are (T6)", () => {
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

Deno.test("RolloutRules learn nothing from failures that an earlier run reported (T6)", () => {
  const failed =
    `{"timestamp":"${OTHER_TIME}","type":"line.failed","error":{"kind":"json"},"payload":{}}`;
  assertEquals(timesOf([wrapped("event_msg"), failed, UNTIMED]), [TIME, TIME]);
  const [, , answer] = rolloutAnswers([header(), failed, UNKNOWN_ITEM]);
  assert(answer?.includes(UNKNOWN_ITEM));
});

// R7: lines are lines, whatever stands on them.

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
  Deno.test(`RolloutRules read lines as all dialects do (R7): ${name}`, () => {
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
  { name: "U+200B is not blank", text: "\u200b", kind: "json" },
  {
    name: "a surrogate escape without a partner",
    text: wrapped("x", '{"t":"\\ud800"}'),
    kind: "json",
  },
] satisfies { name: string; text: string; kind: string }[];

for (const { name, text, kind } of BAD_LINES) {
  Deno.test(`RolloutRules refuse a line as all dialects do (R7): ${name}`, () => {
    const { failures } = rolloutBytes([encode(text)]);
    assertEquals(failures.map(({ error }) => error.kind), [kind]);
  });
}

Deno.test("RolloutRules refuse lines over the limit and read on (R7)", () => {
  const { failures, output } = rolloutBytes(
    [encode(`${wrapped("x", `{"long":"${".".repeat(50)}"}`)}\n${GLUED}\n`)],
    { maxLineBytes: GLUED.length, onError: "drop" },
  );
  assertEquals(failures.map(({ error }) => error.kind), ["line_too_long"]);
  assertEquals(decode(output), `${GLUED}\n`);
});

// What is deep, long or much.

for (const depth of [1_000, 9_998]) {
  Deno.test(`RolloutRules keep a payload that nests ${depth} deep`, () => {
    const line = wrapped(
      "x",
      `{"a":${'{"b":['.repeat(depth / 2)}${"]}".repeat(depth / 2)}}`,
    );
    assertEquals(rolloutAnswers([line]), [line]);
  });
}

for (const depth of [10_000, 20_000, 200_000]) {
  Deno.test(`RolloutRules answer a payload that nests ${depth} deep`, () => {
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

Deno.test("RolloutRules keep a line of 30 MB, torn bytes before it or not", () => {
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

Deno.test("RolloutRules answer a block of lines that are no JSON in linear time", () => {
  // Were all lines before it searched for each of them, this would take minutes.
  const lines = 100_000;
  const { failures } = rolloutBytes(
    [encode("plain text 123\n".repeat(lines))],
    {
      onError: "drop",
    },
  );
  assertEquals(failures.length, lines);
});
