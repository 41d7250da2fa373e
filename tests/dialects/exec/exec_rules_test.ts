/** The rules for the current exec dialects, in cases that the vectors lack. */

import {
  assert,
  assertEquals,
  assertNotStrictEquals,
  assertStrictEquals,
} from "@std/assert";
import { itemTypeValue } from "../../../lib/dialects/exec/event_writer.ts";
import { LineNumberer } from "../../../lib/lines/line_numberer.ts";
import {
  Normalizer,
  type NormalizerOptions,
} from "../../../lib/dialects/normalizer.ts";
import type { Outcome } from "../../../lib/outcome.ts";
import { answerOf, answers, normalizeLines } from "../../running.ts";
import { testCases } from "../cases.ts";

/** An open thread and turn, so that a case needs no lines that start them. */
const OPEN = { initialThreadId: "T", initialTurnId: "U" };
const IDS = '"thread_id":"T","turn_id":"U"';

testCases("exec.txt", "ExecRules", OPEN);

for (const depth of [1_000, 9_990]) {
  Deno.test(`ExecRules keeps ${depth} nested lists in each place of a value (J4)`, () => {
    const deep = `${"[".repeat(depth)}${"]".repeat(depth)}`;
    const lines = [
      `{"type":"error","message":"m","x":${deep}}`,
      `{"type":"turn.completed","turn_id":"U","usage":${deep}}`,
      `{"type":"item.completed","item":{"id":"i","type":"mcp_tool_call","server":"s","tool":"t","result":${deep}}}`,
      `{"type":"item.completed","item":{"id":"i","type":"other","content":${deep}}}`,
      `{"msg":{"type":"token_count","info":${deep}}}`,
    ];
    const actual = answers(lines, OPEN);
    assertEquals(actual.length, lines.length);
    for (const answer of actual) {
      assert(answer.includes(deep), answer.slice(0, 80));
    }
  });
}

Deno.test("ExecRules keeps the text and the message of an in-band failure (T6)", () => {
  const text =
    '{"type":"line.failed", "line":1.0,"line":2,"error":{"message":"old","kind":"json"},"10":1,"2":2}';
  const [outcome] = normalizeLines([` \t${text} \r`]);
  assert(outcome !== undefined && !outcome.ok);
  assertEquals(outcome.error, { kind: "json", message: "old" });
  assertEquals([outcome.inBand, outcome.raw], [text, text]);
  assertEquals([outcome.line, outcome.offset], [1, 2]);
});

/** The types whose lines need a thread id, with their required fields. */
const THREADED = [
  { type: "turn.started", rest: '"turn_id":"u"' },
  { type: "turn.completed", rest: '"turn_id":"u"' },
  { type: "turn.failed", rest: '"turn_id":"u","error":"e"' },
  { type: "item.started", rest: '"item_id":"i","item_type":"x"' },
  { type: "item.delta", rest: '"item_id":"i","item_type":"x"' },
  { type: "item.completed", rest: '"item_id":"i","item_type":"x"' },
  { type: "item.failed", rest: '"item_id":"i","error":"e"' },
];

/** Returns the thread id that is written for a line, or the kind of its failure. */
function threadOf(line: string, options: NormalizerOptions = {}): string {
  const [answer = ""] = answers([line], options);
  return /^\{"type":"[^"]*","thread_id":("[^"]*")/.exec(answer)?.[1] ?? answer;
}

for (const { type, rest } of THREADED) {
  Deno.test(`ExecRules reads the thread id of ${type} from three names, in order (C2, C12, C13)`, () => {
    const threadIn = (fields: string): string =>
      threadOf(`{"type":"${type}",${rest},${fields}}`);
    assertEquals(
      threadIn('"session_id":"c","conversation_id":"b","thread_id":"a"'),
      '"a"',
    );
    assertEquals(threadIn('"session_id":"c","conversation_id":"b"'), '"b"');
    assertEquals(threadIn('"session_id":"c"'), '"c"');
    for (
      const unusable of [
        "null",
        "5",
        "true",
        "{}",
        '["x"]',
        '""',
        '" \\t"',
        '"\\u0085\\u3000"',
      ]
    ) {
      assertEquals(
        threadIn(
          `"thread_id":${unusable},"conversation_id":${unusable},"session_id":" c "`,
        ),
        '"c"',
        unusable,
      );
      assertEquals(threadIn(`"thread_id":${unusable}`), "normalize", unusable);
    }
    // A byte order mark is not white space, so this id is not blank.
    assertEquals(threadIn('"thread_id":"\\ufeff"'), '"\ufeff"');
  });

  Deno.test(`ExecRules does not read id as the thread id of ${type} (C12)`, () => {
    assertEquals(threadOf(`{"type":"${type}",${rest},"id":"x"}`), "normalize");
    assertEquals(
      threadOf(`{"type":"${type}",${rest},"id":"x"}`, OPEN),
      '"T"',
    );
  });

  Deno.test(`ExecRules replaces the ids of ${type} and keeps the other keys (C14)`, () => {
    const [answer = ""] = answers(
      [`{"type":"${type}","b":1,"session_id":"s","thread_id":7,${rest},"conversation_id":null,"a":2}`],
      OPEN,
    );
    assert(answer.startsWith(`{"type":"${type}","thread_id":"s","turn_id":`));
    assert(
      answer.endsWith(',"b":1,"session_id":"s","conversation_id":null,"a":2}'),
    );
  });
}

Deno.test("Normalizer.reset() restores ids, numbers and seeds (C17)", () => {
  const lines = [
    '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"x"}}',
    '{"type":"turn.started"}',
    '{"model":"m","provider":"p","workdir":"w"}',
    '{"msg":{"type":"exec_command_begin","call_id":"c","command":["ls"]}}',
    '{"msg":{"type":"exec_command_output_delta","call_id":"c","stream":"stdout","chunk":"4g=="}}',
    '{"msg":{"type":"exec_command_end","call_id":"c"}}',
    '{"msg":{"type":"token_count","input_tokens":5}}',
    '{"msg":{"type":"exec_command_begin","call_id":"d","command":["ls"]}}',
    '{"msg":{"type":"agent_message_delta","delta":"x"}}',
    "oops",
  ];
  // Lines whose records would show state of the lines above.
  const probes = [
    '{"msg":{"type":"exec_command_end","call_id":"d"}}',
    '{"msg":{"type":"agent_message","message":"x"}}',
    '{"msg":{"type":"task_complete"}}',
  ];
  const normalizer = new Normalizer({ from: "exec", ...OPEN });
  const run = (texts: readonly string[]): string[] => {
    const outcomes: Outcome<string>[] = [];
    const numberer = new LineNumberer();
    for (const text of texts) {
      numberer.feed(
        text,
        (line) => normalizer.feed(line, (outcome) => outcomes.push(outcome)),
      );
    }
    return outcomes.map(answerOf);
  };
  const first = run(lines);
  normalizer.reset();
  const second = run(probes);
  normalizer.reset();
  assertEquals(run(lines), first);
  assertEquals(second, answers(probes, OPEN));
  assert(first[0]?.includes('"thread_id":"T","turn_id":"U"'));
});

/** The states of a member: absent, null, or an id. */
const PRESENCE = ["absent", "null", "live"] as const;
type Presence = typeof PRESENCE[number];

function member(name: string, state: Presence, value: string): string[] {
  if (state === "absent") return [];
  return [`"${name}":${state === "null" ? "null" : `"${value}"`}`];
}

for (const innerItemId of PRESENCE) {
  for (const innerId of PRESENCE) {
    Deno.test(`ExecRules finds the item id for any outer ids if the inner item_id is ${innerItemId} and the inner id ${innerId} (E7)`, () => {
      for (const outerItemId of PRESENCE) {
        for (const outerId of PRESENCE) {
          const inner = [
            ...member("item_id", innerItemId, "ii"),
            ...member("id", innerId, "i"),
            '"type":"t"',
          ];
          const outer = [
            ...member("item_id", outerItemId, "oi"),
            ...member("id", outerId, "o"),
            '"type":"item.started"',
            `"item":{${inner}}`,
          ];
          const candidates: (string | undefined)[] = [
            innerItemId === "live" ? "ii" : undefined,
            innerId === "live" ? "i" : undefined,
            innerItemId === "absent" && outerItemId === "live"
              ? "oi"
              : undefined,
            innerId === "absent" && outerId === "live" ? "o" : undefined,
          ];
          const id = candidates.find((candidate) => candidate !== undefined);
          const spare = candidates.filter((candidate) =>
            candidate !== id && (candidate === "i" || candidate === "o")
          );
          const rest = spare.map((value) => `,"id":"${value}"`).join("");
          const expected = id === undefined
            ? "typed"
            : `{"type":"item.started",${IDS},"item_id":"${id}","status":"in_progress","item_type":"t"${rest}}`;
          assertEquals(answers([`{${outer}}`], OPEN), [expected], `{${outer}}`);
          // A flat line has the same result as an item without ids.
          if (innerItemId === "absent" && innerId === "absent") {
            const flat = [...outer.slice(0, -1), '"item_type":"t"'];
            assertEquals(answers([`{${flat}}`], OPEN), [expected], `{${flat}}`);
          }
        }
      }
    });
  }
}

Deno.test("itemTypeValue() stores short words only", () => {
  assertStrictEquals(itemTypeValue("plan"), itemTypeValue("plan"));
  for (const type of ["x".repeat(100), 'a"b', "é"]) {
    assertNotStrictEquals(itemTypeValue(type), itemTypeValue(type));
  }
});

Deno.test("ExecRules quotes at most a part of a bad line in a message", () => {
  const secret = "sk-secret".repeat(20);
  const outcomes = normalizeLines([
    `{"type":"${secret}"}`,
    `{"type":"error","message":["${secret}"]}`,
    `{"msg":{"type":"${secret}"}}`,
    `"${secret}"`,
    `{"type":"error","message":"${secret}"`,
  ]);
  for (const outcome of outcomes) {
    assert(!outcome.ok);
    assert(outcome.error.message.length < 160, outcome.error.message);
    assert(!outcome.error.message.includes(secret));
  }
});
