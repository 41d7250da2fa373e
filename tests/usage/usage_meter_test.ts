/** The usage of handmade session files and streams. */

import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { EventReader } from "../../lib/events/event_reader.ts";
import type { Failure } from "../../lib/outcome.ts";
import { Calendar } from "../../lib/usage/source_ledger.ts";
import { UsageMeter, type UsageMeterOptions } from "../../lib/usage/usage.ts";
import { namesIn, readFixture } from "../fixtures.ts";
import fc from "../property_seed.ts";
import { byteByByte, decode, encode } from "../running.ts";
import { counts, LINES, metered, TIME, totalOf } from "./meters.ts";

const DAYS = [
  ["UTC", "2026-11-20T23:59:59.999Z", "2026-11-20"],
  ["utc", "2026-11-21T00:00:00.000Z", "2026-11-21"],
  ["Asia/Tokyo", "2026-11-20T14:59:59.999Z", "2026-11-20"],
  ["Asia/Tokyo", "2026-11-20T15:00:00.000Z", "2026-11-21"],
  ["America/New_York", "2026-03-08T04:59:59.000Z", "2026-03-07"],
  ["America/New_York", "2026-03-09T03:59:59.000Z", "2026-03-08"],
  ["Asia/Kathmandu", "2026-11-20T18:14:59.000Z", "2026-11-20"],
  ["Asia/Kathmandu", "2026-11-20T18:15:00.000Z", "2026-11-21"],
] satisfies [string, string, string][];

for (const [zone, time, day] of DAYS) {
  Deno.test(`Calendar returns ${day} for ${time} in ${zone}`, () => {
    assertEquals(new Calendar(zone).dayOf(Date.parse(time)), day);
  });
}

/** Ids of UUID version 7, as Codex makes them; the times in them are in this order. */
const PARENT = "01a1f998-5ed9-73e1-ab03-ae5d4cf3b43c";
const PARENT_TURN = "01a1f998-5ee8-7790-ac0e-f0e935d388f3";
const CHILD = "01a1f998-5f1d-7a62-b041-acc1b3a62c8f";
const CHILD_TURN = "01a1f998-5f38-7ab3-b5d7-cab88876d162";

/** The lines of a stream with one turn. */
function stream(thread: string, usage: string): string[] {
  return [
    `{"type":"thread.started","thread_id":"${thread}"}`,
    '{"type":"turn.started"}',
    `{"type":"turn.completed","usage":${usage}}`,
  ];
}

/** The rows of one file as lists: turn id, model, day, input tokens. */
function rowsOf(
  content: readonly string[],
  options: UsageMeterOptions = {},
): (string | number | null)[][] {
  const meter = metered([{ name: "f", content }], options);
  return meter.rows().map(({ turn_id, model, day, input_tokens }) => [
    turn_id,
    model,
    day,
    Number(input_tokens),
  ]);
}

Deno.test("UsageMeter counts the events of a session as its lines", () => {
  const lines = [
    LINES.meta("t"),
    LINES.prompt(),
    LINES.context("m"),
    LINES.count(counts(1200)),
    LINES.count(counts(2400), counts(1200)),
    LINES.prompt(),
    LINES.count(counts(3600), counts(1200)),
  ];
  const reader = new EventReader();
  const events: string[] = [];
  for (const [at, line] of lines.entries()) {
    reader.read(JSON.parse(line), { line: at + 1 }, (event) => {
      events.push(JSON.stringify(event));
    });
  }
  assertEquals(rowsOf(lines), [
    ["synthetic-turn-1", "m", "2026-11-20", 2400],
    ["synthetic-turn-2", "m", "2026-11-20", 1200],
  ]);
  assertEquals(rowsOf(events), rowsOf(lines));
});

Deno.test("UsageMeter counts exactly with 64 bits and beyond", () => {
  const large = "9007199254740993";
  const inputs = [
    {
      name: "exec",
      content: stream("a", counts(large, 1, "18446744073709551615")),
    },
    {
      name: "file",
      content: [LINES.meta("b"), LINES.count(counts(large, large, 3, 1))],
    },
    {
      name: "record",
      content: [
        LINES.meta("c"),
        LINES.record(counts(large), { thread_id: "c", turn_id: "1" }),
      ],
    },
  ];
  const rows = metered(inputs).rows();
  assertEquals(rows.map((row) => row.input_tokens), [
    9007199254740993n,
    9007199254740993n,
    9007199254740993n,
  ]);
  assertEquals(rows[0]?.output_tokens, 18446744073709551615n);
  assertEquals(rows[0]?.total_tokens, 18455751272964292608n);
  assertEquals(rows[1]?.cached_input_tokens, 9007199254740993n);
});

const RUNS = [
  { name: "one run", usages: [5], auto: 5, thread: 5, process: 5 },
  {
    name: "runs that grow",
    usages: [5, 7, 9],
    auto: 9,
    thread: 9,
    process: 21,
  },
  {
    name: "runs that grow, in another order",
    usages: [7, 9, 5],
    auto: 9,
    thread: 9,
    process: 21,
  },
  {
    name: "runs with equal counts",
    usages: [5, 5],
    auto: 5,
    thread: 5,
    process: 10,
  },
  {
    name: "runs of which two have no tokens",
    usages: [0, 5, 0],
    auto: 5,
    thread: 5,
    process: 5,
  },
] as const;

for (const { name, usages, auto, thread, process } of RUNS) {
  Deno.test(`UsageMeter adds up the streams of a thread: ${name}`, () => {
    const inputs = usages.map((input, i) => ({
      name: `${i}`,
      content: stream("t", counts(input)),
    }));
    const totals = (["auto", "thread", "process"] as const).map((runCounters) =>
      totalOf(metered(inputs, { runCounters }))[0]
    );
    assertEquals(totals, [auto, thread, process]);
  });
}

Deno.test("UsageMeter adds up runs if in no order all counts grow, also with runCounters thread", () => {
  const inputs = [counts(5, 0, 9), counts(7, 0, 3)].map((usage, i) => ({
    name: `${i}`,
    content: stream("t", usage),
  }));
  assertEquals(totalOf(metered(inputs)).slice(0, 4), [12, 0, 0, 12]);
  const meter = metered(inputs, { runCounters: "thread", explain: true });
  assertEquals(totalOf(meter).slice(0, 4), [12, 0, 0, 12]);
  assertEquals(meter.derivations().map(({ rule }) => rule).sort(), [
    "restarted",
    "thread",
  ]);
});

Deno.test("UsageMeter adds up runs that shrink within one stream", () => {
  const content = [...stream("t", counts(7)), ...stream("t", counts(5))];
  assertEquals(totalOf(metered([{ name: "f", content }]))[0], 12);
});

Deno.test("UsageMeter skips the stream of a thread whose session file it has read", () => {
  const file = {
    name: "file",
    content: [LINES.meta("t"), LINES.turn("1"), LINES.count(counts(5))],
  };
  const run = { name: "run", content: stream("t", counts(99)) };
  for (const inputs of [[file, run], [run, file]]) {
    const meter = metered(inputs, { explain: true });
    assertEquals(totalOf(meter)[0], 5);
    const rules = meter.derivations().map(({ source, rule }) => [source, rule]);
    assertEquals(
      rules.sort(),
      [["file", "first"], ["run", "filed"]],
    );
  }
});

Deno.test("UsageMeter counts the turns of two copies of a file once, by the longer copy of each turn", () => {
  const whole = [
    LINES.meta("t"),
    LINES.turn("1"),
    LINES.count(counts(5)),
    LINES.count(counts(8), counts(3)),
    LINES.turn("2"),
    LINES.count(counts(10), counts(2)),
  ];
  const copies = [
    { name: "torn", content: whole.slice(0, 3) },
    { name: "whole", content: whole },
  ];
  assertEquals(totalOf(metered(copies))[0], 10);
  assertEquals(totalOf(metered(copies.toReversed()))[0], 10);
});

Deno.test("UsageMeter counts turns that a sub-agent copied from its parent only for the parent", () => {
  const parent = [
    LINES.meta(PARENT),
    LINES.turn(PARENT_TURN),
    LINES.count(counts(5)),
    LINES.count(counts(9), counts(4)),
  ];
  const child = [
    LINES.meta(CHILD, {
      forked_from_id: PARENT,
      source: {
        subagent: { thread_spawn: { parent_thread_id: PARENT, depth: 1 } },
      },
    }),
    LINES.meta(PARENT),
    LINES.turn(PARENT_TURN),
    LINES.count(counts(5)),
    LINES.turn(CHILD_TURN),
    LINES.count(counts(5)),
    LINES.count(counts(6), counts(1)),
  ];
  const inputs = [
    { name: "parent", content: parent },
    { name: "child", content: child },
  ];
  const rows = metered(inputs).rows();
  assertEquals(
    rows.map((row) => [
      row.thread_id,
      row.parent_thread_id,
      Number(row.input_tokens),
    ]),
    [[PARENT, null, 9], [CHILD, PARENT, 1]],
  );
  // The child counts the same without the file of its parent.
  assertEquals(totalOf(metered(inputs.slice(1)))[0], 1);
});

Deno.test("UsageMeter counts no tokens for a fork before its first turn, context or prompt", () => {
  const beginnings = [
    [LINES.turn(CHILD_TURN)],
    [LINES.context("gpt-5")],
    [LINES.prompt()],
    [LINES.context("gpt-5"), LINES.prompt()],
  ];
  for (const beginning of beginnings) {
    const content = [
      LINES.meta(CHILD, { forked_from_id: PARENT }),
      LINES.count(counts(900), counts(0)),
      LINES.count(counts(930), counts(30)),
      ...beginning,
      LINES.count(counts(930), counts(30)),
      LINES.count(counts(970), counts(40)),
    ];
    const meter = metered([{ name: "f", content }], { explain: true });
    assertEquals(totalOf(meter)[0], 40);
    assertEquals(
      meter.derivations().map(({ rule }) => rule),
      ["replayed", "replayed", "repeated", "grown"],
    );
  }
});

Deno.test("UsageMeter counts the usage record of a fork before its first turn", () => {
  const content = [
    LINES.meta(CHILD, { forked_from_id: PARENT }),
    LINES.record(counts(40), { thread_id: CHILD, turn_id: CHILD_TURN }),
    LINES.turn(CHILD_TURN),
  ];
  assertEquals(totalOf(metered([{ name: "f", content }]))[0], 40);
});

Deno.test("UsageMeter counts a usage record of a fork without a thread id only if its turn is the fork's", () => {
  const countOf = (turn: string, ...before: readonly string[]) => {
    const content = [
      LINES.meta(CHILD, { forked_from_id: PARENT }),
      ...before,
      LINES.record(counts(40), { turn_id: turn }),
      LINES.turn(CHILD_TURN),
    ];
    return totalOf(metered([{ name: "f", content }]))[0] ?? 0;
  };
  // After a second header, a record with the id of an earlier turn was copied.
  for (const before of [[], [LINES.meta(PARENT)]]) {
    assertEquals(countOf(CHILD_TURN, ...before), 40);
    assertEquals(countOf(PARENT_TURN, ...before), 0);
  }
});

Deno.test("UsageMeter recognizes copied lines by the pause after them where turns have no ids", () => {
  const later = (seconds: number): string =>
    new Date(Date.parse(TIME) + seconds * 1000).toISOString();
  const content = [
    LINES.meta("11111111-1111-4111-8111-111111111111"),
    LINES.meta("22222222-2222-4222-8222-222222222222"),
    LINES.prompt(),
    LINES.count(counts(5), counts(5), later(0.5)),
    LINES.count(counts(9), counts(4), later(1.2)),
    LINES.prompt().replace(TIME, later(60)),
    LINES.count(counts(10), counts(1), later(61)),
    LINES.count(counts(12), counts(2), later(61.5)),
  ];
  const meter = metered([{ name: "f", content }], { explain: true });
  assertEquals(totalOf(meter)[0], 3);
  assertEquals(meter.derivations().map(({ rule }) => rule), [
    "replayed",
    "replayed",
    "grown",
    "grown",
  ]);
});

Deno.test("UsageMeter counts from the first prompt after a pause of any length", () => {
  const later = (ms: number): string =>
    new Date(Date.parse(TIME) + ms).toISOString();
  const content = [
    LINES.meta("11111111-1111-4111-8111-111111111111"),
    LINES.meta("22222222-2222-4222-8222-222222222222"),
    LINES.prompt().replace(TIME, later(1)),
    LINES.count(counts(5), counts(5), later(2)),
    LINES.prompt().replace(TIME, later(40)),
    LINES.count(counts(6), counts(1), later(41)),
  ];
  assertEquals(rowsOf(content), [["synthetic-turn-2", null, "2026-11-20", 1]]);
});

const REVIEWS = [
  {
    name: "that counts its own totals",
    counts: [counts(5), "enter", undefined, counts(3), "leave", counts(6)],
    lasts: [counts(5), "", undefined, counts(3), "", counts(1)],
    total: 9,
  },
  {
    name: "that continues the totals of the thread",
    counts: [counts(5), "enter", counts(8), "leave", counts(9)],
    lasts: [counts(5), "", counts(3), "", counts(1)],
    total: 9,
  },
  {
    name: "that continues the totals, before the first count of the thread",
    counts: ["enter", counts(3), "leave", counts(4)],
    lasts: ["", counts(3), "", counts(1)],
    total: 4,
  },
  {
    name: "without an end",
    counts: [counts(5), "enter", counts(3), "context", counts(6)],
    lasts: [counts(5), "", counts(3), "", counts(1)],
    total: 9,
  },
] satisfies {
  name: string;
  counts: (string | undefined)[];
  lasts: (string | undefined)[];
  total: number;
}[];

for (const { name, counts: totals, lasts, total } of REVIEWS) {
  Deno.test(`UsageMeter counts a review ${name}`, () => {
    const event = (type: string): string =>
      `{"timestamp":"${TIME}","type":"event_msg","payload":{"type":"${type}"}}`;
    const lines = totals.map((count, i) => {
      if (count === "enter") return event("entered_review_mode");
      if (count === "leave") return event("exited_review_mode");
      if (count === "context") return LINES.context("m");
      return LINES.count(count, lasts[i]);
    });
    const content = [LINES.meta("t"), LINES.prompt(), ...lines];
    assertEquals(totalOf(metered([{ name: "f", content }]))[0], total);
  });
}

Deno.test("UsageMeter skips usage records of another thread", () => {
  const record = (thread_id: string, input: number): string =>
    LINES.record(counts(input), { thread_id, turn_id: "1" });
  const content = [LINES.meta("t"), record("other", 7), record("t", 5)];
  assertEquals(rowsOf(content), [["1", null, "2026-11-20", 5]]);
});

Deno.test("UsageMeter counts a total once that a failed turn repeats (0.136 to 0.145)", () => {
  const content = [
    LINES.meta("t"),
    LINES.turn("1"),
    LINES.count(counts(5)),
    LINES.turn("2"),
    // The turn fails before its first request, or while its context is compacted.
    LINES.count(counts(5)),
    LINES.turn("3"),
    LINES.count(counts(9), counts(4)),
  ];
  assertEquals(totalOf(metered([{ name: "f", content }]))[0], 9);
});

Deno.test("UsageMeter counts a recorded total once that a failed turn repeats (0.155)", () => {
  const numbered = (text: string): string =>
    text.replace('","type"', '","ordinal":1,"type"');
  const content = [
    LINES.meta("t"),
    LINES.turn("1"),
    LINES.record(counts(5), { thread_id: "t", turn_id: "1" }),
    LINES.count(counts(5)),
    LINES.turn("2"),
    LINES.count(counts(5)),
  ].map(numbered);
  assertEquals(totalOf(metered([{ name: "f", content }]))[0], 5);
});

Deno.test("UsageMeter splits a turn by model and by day", () => {
  const content = [
    LINES.meta("t"),
    LINES.turn("1"),
    LINES.context("small", "1"),
    LINES.count(counts(5), counts(5), "2026-11-20T23:59:59.999Z"),
    LINES.context("large", "1"),
    LINES.count(counts(7), counts(2), "2026-11-20T23:59:59.999Z"),
    LINES.count(counts(8), counts(1), "2026-11-21T00:00:00.000Z"),
    LINES.count(counts(12), counts(4), "2026-11-21T00:00:01.000Z"),
  ];
  assertEquals(rowsOf(content), [
    ["1", "small", "2026-11-20", 5],
    ["1", "large", "2026-11-20", 2],
    ["1", "large", "2026-11-21", 5],
  ]);
  assertEquals(rowsOf(content, { timeZone: "Asia/Tokyo" }), [
    ["1", "small", "2026-11-21", 5],
    ["1", "large", "2026-11-21", 7],
  ]);
});

Deno.test("UsageMeter starts a turn at each prompt where turns have no ids", () => {
  const content = [
    LINES.meta("t"),
    LINES.prompt(),
    LINES.context("m"),
    LINES.count(counts(5)),
    LINES.context("m"),
    LINES.count(counts(7), counts(2)),
    LINES.prompt(),
    LINES.count(counts(8), counts(1)),
  ];
  assertEquals(rowsOf(content), [
    ["synthetic-turn-1", "m", "2026-11-20", 7],
    ["synthetic-turn-2", "m", "2026-11-20", 1],
  ]);
});

Deno.test("UsageMeter counts the tokens of codex mcp-server for the turn in progress", () => {
  const bytes = readFixture("app-server/0.98.0/mcp_server/stdout.jsonl");
  const rows = rowsOf(decode(bytes).split("\n"));
  assertEquals(rows.map(([turn]) => turn), ["3"]);
});

Deno.test("UsageMeter starts no turn at an image that the model looks at (0.98)", () => {
  const folder = "app-server/0.98.0/viewimage/home/";
  const [name = ""] = namesIn(folder);
  const rows = rowsOf(decode(readFixture(folder + name)).split("\n"));
  assertEquals(rows.map(([turn]) => turn), ["synthetic-turn-1"]);
});

Deno.test("UsageMeter starts no turn at a prompt within a turn with an id", () => {
  const content = [
    LINES.meta("t"),
    LINES.turn("1"),
    LINES.prompt(),
    LINES.count(counts(5)),
  ];
  assertEquals(rowsOf(content), [["1", null, "2026-11-20", 5]]);
});

Deno.test("UsageMeter counts from since, included, to until, excluded", () => {
  const content = [
    LINES.meta("t"),
    LINES.turn("1"),
    LINES.count(counts(5), counts(5), "2026-11-20T10:00:00.000Z"),
    LINES.count(counts(7), counts(2), "2026-11-20T11:00:00.000Z"),
    LINES.count(counts(8), counts(1), "2026-11-20T12:00:00.000Z"),
  ];
  const inputs = [
    { name: "file", content },
    { name: "run", content: stream("other", counts(99)) },
  ];
  const meter = metered(inputs, {
    since: Date.parse("2026-11-20T11:00:00Z"),
    until: Date.parse("2026-11-20T12:00:00Z"),
    explain: true,
  });
  assertEquals(totalOf(meter)[0], 2);
  assertEquals(meter.untimed, 1);
  assertEquals(meter.derivations().map(({ rule }) => rule), [
    "outside",
    "grown",
    "outside",
    "untimed",
  ]);
});

Deno.test("UsageMeter counts streams without their first lines separately", () => {
  const content = [`{"type":"turn.completed","usage":${counts(5)}}`];
  const inputs = [{ name: "a", content }, { name: "b", content }];
  const rows = metered(inputs).rows();
  assertEquals(
    rows.map((row) => [row.thread_id, row.turn_id, Number(row.input_tokens)]),
    [[null, null, 5], [null, null, 5]],
  );
});

Deno.test("UsageMeter reads the model and directory of the old dialect", () => {
  const content = [
    '{"sandbox":"danger-full-access","workdir":"/w","model":"gpt-5","provider":"openai"}',
    '{"prompt":"go"}',
    '{"id":"0","msg":{"type":"task_started"}}',
    `{"id":"0","msg":{"type":"token_count","input_tokens":5,"output_tokens":1}}`,
    `{"id":"0","msg":{"type":"token_count","input_tokens":5,"output_tokens":1}}`,
    '{"id":"0","msg":{"type":"task_complete"}}',
  ];
  const meter = metered([{ name: "f", content }], { explain: true });
  const [row] = meter.rows();
  assertEquals([row?.model, row?.cwd, row?.day], ["gpt-5", "/w", null]);
  assertEquals(totalOf(meter), [10, 0, 0, 2, 0]);
  assertEquals(meter.derivations().map(({ rule }) => rule), [
    "request",
    "request",
    "summed",
  ]);
});

Deno.test("UsageMeter counts all requests of a forked thread in the old dialect, whose processes count from zero", () => {
  const content = [
    '{"id":"0","msg":{"type":"session_configured","session_id":"t","forked_from_id":"p"}}',
    `{"id":"0","msg":{"type":"token_count","info":{"total_token_usage":${
      counts(5)
    },"last_token_usage":${counts(5)}}}}`,
  ];
  assertEquals(totalOf(metered([{ name: "f", content }]))[0], 5);
});

Deno.test("UsageMeter counts in the event lines of a fork of Codex", () => {
  const event = (msg: string): string =>
    `{"timestamp":"${TIME}","type":"event","payload":{"id":"0","event_seq":1,"msg":${msg}}}`;
  const content = [
    LINES.meta("t"),
    event('{"type":"task_started"}'),
    event(
      `{"type":"token_count","info":{"total_token_usage":${
        counts(5)
      },"last_token_usage":${counts(5)}}}`,
    ),
  ];
  assertEquals(rowsOf(content), [["synthetic-turn-1", null, "2026-11-20", 5]]);
});

for (
  const { torn, kinds } of [
    {
      torn: '"type":"event_msg","payload":{"type":"token_count","in',
      kinds: ["json"],
    },
    { torn: '"type":"response_i', kinds: [] },
  ]
) {
  Deno.test(`UsageMeter counts a record glued to a record torn at ${torn.slice(-8)}`, () => {
    const failures: Failure[] = [];
    const glued = `{"timestamp":"2026-11-20T15:00:00.000Z",${torn}` +
      LINES.count(counts(5));
    const meter = metered(
      [{ name: "f", content: [LINES.meta("t"), LINES.turn("1"), glued] }],
      {},
      failures,
    );
    assertEquals(totalOf(meter)[0], 5);
    // A torn record is reported only if it would have been counted.
    assertEquals(failures.map(({ line }) => line), kinds.map(() => 3));
    assertEquals(failures.map(({ error }) => error.kind), kinds);
  });
}

const HOSTILE = [
  {
    name: "negative and fractional counts",
    usage: '{"input_tokens":-1,"output_tokens":1.5}',
  },
  {
    name: "strings as counts",
    usage: '{"input_tokens":"5","output_tokens":null}',
  },
  { name: "a list", usage: "[1,2]" },
  { name: "null", usage: "null" },
  {
    name: "names of prototypes",
    usage: '{"__proto__":{"input_tokens":5},"constructor":1}',
  },
  {
    name: "a count beyond the range of a double",
    usage: '{"input_tokens":1e400}',
  },
] satisfies { name: string; usage: string }[];

for (const { name, usage } of HOSTILE) {
  Deno.test(`UsageMeter counts no tokens for ${name}`, () => {
    const meter = metered(
      [
        { name: "run", content: stream("t", usage) },
        { name: "file", content: [LINES.meta("u"), LINES.count(usage)] },
      ],
      {},
      [],
    );
    assertEquals(totalOf(meter).every((number) => number === 0), true);
  });
}

Deno.test("UsageMeter reports only unreadable lines that hold the name of a counted type", () => {
  const failures: Failure[] = [];
  metered(
    [{
      name: "f",
      content: [LINES.meta("t"), "torn", '{"token_count"', '{"type":"x'],
    }],
    {},
    failures,
  );
  // The first and the third broken line hold no such name.
  assertEquals(failures.map(({ line }) => line), [3]);
});

for (
  const name of [
    ...['"session_meta"', '"session_configured"', '"session.created"'],
    ...['"thread.started"', '"thread.resumed"', '"workdir":'],
    ...['"turn_context"', '"task_started"', '"turn_started"'],
    ...['"turn.started"', '"turn.completed"', '"turn.failed"'],
    ...['"task_complete"', '"turn_complete"', '"turn_aborted"'],
    ...['"user_message"', '"entered_review_mode"', '"exited_review_mode"'],
    ...['"token_count"', '"token_usage_record"', '"line.failed"'],
    '"thread/settings/updated"',
  ]
) {
  Deno.test(`UsageMeter reports a torn line with ${name}`, () => {
    const failures: Failure[] = [];
    const content = ['{"torn', `{${name} torn`];
    metered([{ name: "f", content }], {}, failures);
    assertEquals(failures.map(({ line }) => line), [2]);
  });
}

/** Makes the message of an app-server with the tokens of a thread and of its last request. */
function serverCount(total: number, last: number): string {
  const tokenUsage = {
    total: { inputTokens: total },
    last: { inputTokens: last },
  };
  const params = { threadId: "t", turnId: "1", tokenUsage };
  return JSON.stringify({ method: "thread/tokenUsage/updated", params });
}

for (const fork of ['"preview":"Hi"', '"preview":"","forkedFromId":"p"']) {
  const thread = `{"id":1,"result":{"thread":{"id":"t",${fork}}}}`;

  Deno.test(`UsageMeter does not count totals that an app-server repeats for {${fork}}`, () => {
    const content = [thread, serverCount(50, 20), serverCount(75, 25)];
    assertEquals(totalOf(metered([{ name: "f", content }]))[0], 25);
  });

  Deno.test(`UsageMeter counts the first request of {${fork}} if an app-server repeats no total`, () => {
    // The turn of a thread whose earlier turns failed, and of any thread in 0.148 to 0.152.
    const turn =
      '{"method":"turn/started","params":{"threadId":"t","turn":{"id":"1","items":[],"itemsView":"notLoaded"}}}';
    const content = [thread, turn, serverCount(25, 25), serverCount(75, 50)];
    assertEquals(totalOf(metered([{ name: "f", content }]))[0], 75);
    // A fork that 0.171 resumes: no count repeats the usage from before.
    const resumed = [thread, turn, serverCount(60, 10), serverCount(75, 15)];
    assertEquals(totalOf(metered([{ name: "f", content: resumed }]))[0], 25);
  });
}

Deno.test("UsageMeter counts the turns of an app-server with the settings that they began with", () => {
  const message = (method: string, params: object): string =>
    JSON.stringify({ method, params: { threadId: "t", ...params } });
  const turn = (id: string): string =>
    message("turn/started", { turn: { id, items: [] } });
  const count = (turnId: string, total: number, last: number): string =>
    message("thread/tokenUsage/updated", {
      turnId,
      tokenUsage: {
        total: { inputTokens: total },
        last: { inputTokens: last },
      },
    });
  const content = [
    '{"id":1,"result":{"thread":{"id":"t"},"model":"a","cwd":"/w"}}',
    turn("1"),
    count("1", 10, 10),
    message("thread/settings/updated", {
      threadSettings: { model: "b", cwd: "/x" },
    }),
    count("1", 30, 20),
    turn("2"),
    count("2", 35, 5),
    turn("3"),
    count("3", 36, 1),
  ];
  const rows = metered([{ name: "f", content }]).rows();
  assertEquals(
    rows.map((row) => [row.turn_id, row.model, row.cwd, row.input_tokens]),
    [["1", "a", "/w", 30n], ["2", "b", "/x", 5n], ["3", "b", "/x", 1n]],
  );
});

Deno.test("UsageMeter counts the usage of a failed turn", () => {
  const content = ["turn.completed", "turn.failed"].flatMap((type) => [
    `{"type":"thread.started","thread_id":"${type}"}`,
    `{"type":"${type}","turn_id":"1","usage":${counts(5)},"error":"No"}`,
  ]);
  assertEquals(totalOf(metered([{ name: "f", content }]))[0], 10);
});

Deno.test("UsageMeter counts lines with unknown members and without known ones", () => {
  const content = [
    LINES.meta("t"),
    `{"timestamp":"${TIME}","type":"turn_context","payload":{"model":"gpt-6","approval_policy":{"new":1}}}`,
    LINES.turn("1"),
    LINES.count(counts(5)).replace('"info"', '"rate_limits":7,"info"'),
    LINES.record(counts(4)),
  ];
  assertEquals(rowsOf(content), [["1", "gpt-6", "2026-11-20", 9]]);
});

Deno.test("UsageMeter dates a line without a time string by the last time before it", () => {
  const content = [
    LINES.meta("t"),
    LINES.turn("1"),
    LINES.count(counts(5)),
    LINES.count(counts(9), counts(4)),
  ].map((line, i) =>
    i === 0
      ? line.replace(`"${TIME}"`, "1795190988041")
      : line.replace(`"${TIME}"`, ["null", "{}", "1795190988041"][i - 1] ?? "")
  );
  assertEquals(rowsOf(content), [["1", null, "2026-11-20", 9]]);
});

for (
  const { name, line } of [
    {
      name: "a total that is a string, beside a last request that is a number",
      line: LINES.count('{"input_tokens":"5","output_tokens":1}', counts(1)),
    },
    {
      name: "a total that is a string",
      line: LINES.count('{"input_tokens":"5","output_tokens":1}'),
    },
    {
      name: "a count with another name",
      line: LINES.count('{"input":5,"output_tokens":1}'),
    },
    {
      name: "totals with other names",
      line: LINES.count(counts(5)).replaceAll("_token_usage", "_usage"),
    },
    {
      name: "a record without counts",
      line:
        `{"timestamp":"${TIME}","type":"token_usage_record","payload":{"thread_id":"t"}}`,
    },
  ]
) {
  Deno.test(`UsageMeter reports that it cannot count ${name}`, () => {
    const failures: Failure[] = [];
    const content = [LINES.meta("t"), LINES.turn("1"), line];
    const meter = metered([{ name: "f", content }], {}, failures);
    assertEquals(meter.rows(), []);
    assertEquals(failures.map(({ line, error }) => [line, error.kind]), [
      [3, "typed"],
    ]);
    assertMatch(failures[0]?.error.message ?? "", /^Cannot count the tokens: /);
  });
}

for (
  const usage of [
    '{"prompt_tokens":7,"completion_tokens":1}',
    '{"input_tokens":"7","output_tokens":"1"}',
    `{"gpt-6":${counts(5)}}`,
    `[${counts(5)}]`,
  ]
) {
  Deno.test(`UsageMeter reports that it cannot count the usage of a turn: ${usage}`, () => {
    const failures: Failure[] = [];
    const content = [
      '{"type":"thread.started","thread_id":"t"}',
      '{"type":"turn.started"}',
      `{"type":"turn.completed","usage":${usage}}`,
      '{"type":"turn.started"}',
      '{"type":"turn.completed"}',
      '{"type":"turn.started"}',
      '{"type":"turn.completed","usage":null}',
    ];
    const meter = metered([{ name: "f", content }], {}, failures);
    assertEquals(meter.rows(), []);
    assertEquals(failures.map(({ line }) => line), [3]);
    assertMatch(failures[0]?.error.message ?? "", /^Cannot count the tokens: /);
  });
}

Deno.test("UsageMeter takes linear time for a turn that changes its model at each request", () => {
  // In quadratic time this would take a minute.
  const requests = Array.from({ length: 40_000 }, (_, at) => [
    LINES.context(`m${at % 20_000}`, "1"),
    LINES.count(counts(at + 1), counts(1)),
  ]);
  const rows = rowsOf([LINES.meta("t"), LINES.turn("1"), ...requests.flat()]);
  assertEquals(rows.length, 20_000);
  assertEquals(rows.at(-1), ["1", "m19999", "2026-11-20", 2]);
});

Deno.test("UsageMeter counts the same for any chunking", () => {
  const content = encode(
    [
      LINES.meta("t"),
      LINES.turn("1"),
      LINES.prompt("é😀".repeat(50)),
      LINES.count(counts(5)),
      LINES.count(counts(9), counts(4)),
    ].join("\r\n"),
  );
  const whole = metered([{ name: "f", content }]).rows();
  const meter = new UsageMeter();
  const source = meter.open("f");
  for (const chunk of byteByByte(content)) source.feed(chunk, () => {});
  source.flush(() => {});
  assertEquals(meter.rows(), whole);
  assertEquals(totalOf(meter)[0], 9);
});

Deno.test("UsageMeter's rows equal the sum of its derivations in damaged captures", () => {
  const capture = readFixture(
    "captures/0.160.0/agents/rollout-2026-11-20T15-43-06-01a1f9a0-2ee6-7d00-8835-a1ed37d4f773.jsonl",
  );
  const damage = fc.record({
    at: fc.nat({ max: capture.length - 1 }),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }),
  });
  fc.assert(
    fc.property(fc.array(damage, { maxLength: 20 }), (damages) => {
      const content = capture.slice();
      for (const { at, bytes } of damages) {
        content.set(bytes.subarray(0, content.length - at), at);
      }
      const failures: Failure[] = [];
      const meter = metered(
        [{ name: "f", content }],
        { explain: true },
        failures,
      );
      const total = meter.derivations().reduce(
        (sum, { tokens }) => sum + tokens.total_tokens,
        0n,
      );
      const rows = meter.rows().reduce(
        (sum, { total_tokens }) => sum + total_tokens,
        0n,
      );
      assertEquals(rows, total);
    }),
    { numRuns: 50 },
  );
});

Deno.test("UsageMeter refuses an unknown time zone and a limit of zero", () => {
  assertThrows(() => new UsageMeter({ timeZone: "Mars/Olympus" }), RangeError);
  assertThrows(
    () => new UsageMeter().open("f", { maxLineBytes: 0 }),
    RangeError,
  );
});
