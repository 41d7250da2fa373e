/** What normalize.md says of the current dialects, where no vector says it. */

import { assert, assertEquals } from "@std/assert";
import { LineNumberer } from "../../../lib/lines/line_numberer.ts";
import {
  Normalizer,
  type NormalizerOptions,
} from "../../../lib/dialects/normalizer.ts";
import type { Outcome } from "../../../lib/outcome.ts";
import { answerOf, answers, normalizeLines } from "../../running.ts";

/** Lines, and what becomes of each: its text, or the kind of its failure. */
interface Case {
  readonly name: string;
  readonly lines: readonly string[];
  readonly expected: readonly string[];
  readonly options?: NormalizerOptions;
}

/** A thread and a turn that are open, so that a case is about its own lines. */
const OPEN = { initialThreadId: "T", initialTurnId: "U" };
const IDS = '"thread_id":"T","turn_id":"U"';

/** An agent message in a stream whose ids are of interest. */
const ITEM =
  '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"x"}}';
/** What becomes of it. */
function item(ids: string): string {
  return `{"type":"item.completed",${ids},"item_id":"i","status":"completed","item_type":"agent_message","content":{"text":"x"}}`;
}
const THREAD = '{"type":"thread.started","thread_id":"T"}';
const TURN = '{"type":"turn.started","turn_id":"U"}';
const TURN_EVENT = `{"type":"turn.started",${IDS}}`;

function testAll(rules: string, cases: readonly Case[]): void {
  for (const { name, lines, expected, options = {} } of cases) {
    Deno.test(`ExecRules, ${rules}: ${name}`, () => {
      assertEquals(answers(lines, options), expected);
    });
  }
}

testAll("JSON", [
  {
    name: "the last of two values counts, at the place of the first (J2)",
    lines: ['{"type":"error","x":1,"message":"a","y":0,"x":2.0,"message":"b"}'],
    expected: ['{"type":"error","message":"b","x":2.0,"y":0}'],
  },
  {
    name: "a key in another spelling is the same key (J2)",
    lines: ['{"type":"error","message":"a","m\\u0065ssage":"b"}'],
    expected: ['{"type":"error","message":"b"}'],
  },
  {
    name: "the last of two types counts (J2)",
    lines: [
      '{"type":"error","type":null,"message":"m"}',
      '{"type":null,"type":"error","message":"m"}',
    ],
    expected: ["normalize", '{"type":"error","message":"m"}'],
  },
  {
    name: "doubled keys of an item and of its payload (J2)",
    lines: [
      '{"type":"item.completed","item":{"id":"i","type":"error","z":1,"message":"a","message":"b","z":2}}',
      '{"type":"item.completed","item_id":"i","item_type":"error","content":{"message":"a","z":1,"message":"b","z":2}}',
    ],
    expected: [
      `{"type":"item.completed",${IDS},"item_id":"i","status":"completed","item_type":"error","content":{"message":"b"},"z":2}`,
      `{"type":"item.completed",${IDS},"item_id":"i","status":"completed","item_type":"error","content":{"message":"b","z":2}}`,
    ],
    options: OPEN,
  },
  {
    name: "doubled keys of an error and of a todo item (J2)",
    lines: [
      '{"type":"item.failed","item_id":"i","error":{"message":"a","message":"b"}}',
      '{"type":"item.started","item_id":"i","item_type":"todo_list","content":{"items":[{"title":"a","title":"b"}]}}',
    ],
    expected: [
      `{"type":"item.failed",${IDS},"item_id":"i","error":{"message":"b"}}`,
      `{"type":"item.started",${IDS},"item_id":"i","status":"in_progress","item_type":"todo_list","content":{"items":[{"title":"b","completed":false}]}}`,
    ],
    options: OPEN,
  },
  {
    name:
      "deeper objects keep their text, doubled keys and white space included (J2, O4)",
    lines: [
      '{ "type" : "error" , "message" : "m" , "x" : { "a" : 1 , "a" : [ 2.0 ] } }',
    ],
    expected: [
      '{"type":"error","message":"m","x":{ "a" : 1 , "a" : [ 2.0 ] }}',
    ],
  },
  {
    name: "escapes of values stay as they are spelled (J7, O4)",
    lines: [
      '{"type":"error","message":"\\u0000\\u0041\\/\\u00e9\\ud83d\\ude80"}',
    ],
    expected: [
      '{"type":"error","message":"\\u0000\\u0041\\/\\u00e9\\ud83d\\ude80"}',
    ],
  },
  {
    name: "keys at rewritten levels are written with minimal escaping (O4)",
    lines: [
      '{"type":"error","message":"m","\\u0061\\/\\u00e9":1,"\\u0022\\u0000":2,"x":{"\\u0061":3}}',
    ],
    expected: [
      '{"type":"error","message":"m","a/é":1,"\\"\\u0000":2,"x":{"\\u0061":3}}',
    ],
  },
  {
    name: "hostile keys keep their places at every rewritten level (J8)",
    lines: [
      '{"10":1,"type":"turn.failed","__proto__":{"a":1},"":2,"error":{"9":3,"__proto__":4,"message":"m","constructor":5,"1":6},"length":7,"2":8}',
      '{"type":"item.completed","3":0,"item":{"id":"i","toString":1,"type":"error","2":2,"message":"m","__proto__":3,"1":4}}',
    ],
    expected: [
      `{"type":"turn.failed",${IDS},"error":{"message":"m","9":3,"__proto__":4,"constructor":5,"1":6},"10":1,"__proto__":{"a":1},"":2,"length":7,"2":8}`,
      '{"type":"item.completed","thread_id":"T","item_id":"i","status":"completed","item_type":"error","content":{"message":"m"},"3":0,"toString":1,"2":2,"__proto__":3,"1":4}',
    ],
    options: OPEN,
  },
  {
    name: "the words of a type may be spelled with escapes (T4 compares texts)",
    lines: [
      '{"type":"err\\u006fr","message":"m"}',
      '{"\\u0074ype":"error","message":"m"}',
      '{"type":"item.completed","item":{"id":"i","type":"assistant\\u005fmessage","te\\u0078t":"x"}}',
      '{"type":"item.completed","item":{"id":"i","type":"agent\\u005fmessage","text":"x"}}',
    ],
    expected: [
      '{"type":"error","message":"m"}',
      '{"type":"error","message":"m"}',
      item(IDS),
      item(IDS).replace("agent_message", "agent\\u005fmessage"),
    ],
    options: OPEN,
  },
]);

for (const depth of [1_000, 9_990]) {
  Deno.test(`ExecRules keeps ${depth} containers in each place where a value can be (J4)`, () => {
    const deep = `${"[".repeat(depth)}${"]".repeat(depth)}`;
    const lines = [
      `{"type":"error","message":"m","x":${deep}}`,
      `{"type":"turn.completed","turn_id":"U","usage":${deep}}`,
      `{"type":"item.completed","item":{"id":"i","type":"mcp_tool_call","server":"s","tool":"t","result":${deep}}}`,
      `{"type":"item.completed","item":{"id":"i","type":"other","content":${deep}}}`,
      `{"msg":{"type":"token_count","info":${deep}}}`,
    ];
    const got = answers(lines, OPEN);
    assertEquals(got.length, lines.length);
    for (const answer of got) {
      assert(answer.includes(deep), answer.slice(0, 80));
    }
  });
}

testAll("type", [
  {
    name: "no type but null is no old line (T1)",
    lines: [
      '{"type":null,"msg":{"type":"error","message":"m"}}',
      '{"type":null,"prompt":"p"}',
      '{"type":null,"model":"m","provider":"p","workdir":"w"}',
    ],
    expected: ["normalize", "normalize", "normalize"],
  },
  {
    name: "a line with a type is never an old line (T1)",
    lines: [
      '{"type":"error","msg":{"type":"error","message":"m"}}',
      '{"type":"error","message":"a","msg":{"type":"error","message":"m"}}',
    ],
    expected: [
      "typed",
      '{"type":"error","message":"a","msg":{"type":"error","message":"m"}}',
    ],
  },
  {
    name:
      "assistant_message is an alias on every item line with a payload (T2)",
    lines: ["started", "delta", "completed"].map((what) =>
      `{"type":"item.${what}","item_id":"i","item_type":"assistant_message","text":"x"}`
    ),
    expected: [
      `{"type":"item.started",${IDS},"item_id":"i","status":"in_progress","item_type":"agent_message","content":{"text":"x"}}`,
      `{"type":"item.delta",${IDS},"item_id":"i","item_type":"agent_message","snapshot":true,"delta":{"text_delta":"x"}}`,
      `{"type":"item.completed",${IDS},"item_id":"i","status":"completed","item_type":"agent_message","content":{"text":"x"}}`,
    ],
    options: OPEN,
  },
  {
    name: "assistant_message is no alias on item.failed (T2)",
    lines: [
      '{"type":"item.failed","item":{"id":"i","type":"assistant_message","error":"e"}}',
    ],
    expected: [
      `{"type":"item.failed",${IDS},"item_id":"i","error":{"message":"e"},"item_type":"assistant_message"}`,
    ],
    options: OPEN,
  },
  {
    name: "an unknown type asks for no context and changes none (T3, T5)",
    lines: [
      THREAD,
      TURN,
      '{"type":"turn.paused","thread_id":"X","turn_id":"Y"}',
      '{"type":"thread.ended","thread_id":"X"}',
      '{"type":"item.exploded","thread_id":"X","item":{"id":"i"}}',
      ITEM,
    ],
    expected: [
      THREAD,
      TURN_EVENT,
      "typed",
      "typed",
      "typed",
      item(IDS),
    ],
  },
  {
    name: "types are compared exactly (T4)",
    lines: [
      "Thread.started",
      "thread.started ",
      "thread_started",
      "THREAD.STARTED",
      "item",
      "item.",
      "line.failed ",
    ]
      .map((type) => JSON.stringify({ type, thread_id: "T", message: "m" })),
    expected: new Array(7).fill("typed"),
  },
  {
    name: "a failure in band passes with the kind that it says (T6)",
    lines: ["utf8", "line_too_long", "json", "normalize", "typed"].map((kind) =>
      `{"type":"line.failed","line":3,"error":{"kind":"${kind}","message":"m"}}`
    ),
    expected: ["utf8", "line_too_long", "json", "normalize", "typed"],
  },
  {
    name: "a failure in band that says no known kind counts as typed (T6)",
    lines: [
      '{"type":"line.failed"}',
      '{"type":"line.failed","error":null}',
      '{"type":"line.failed","error":"json"}',
      '{"type":"line.failed","error":{"kind":"other","message":"m"}}',
      '{"type":"line.failed","error":{"kind":7}}',
    ],
    expected: ["typed", "typed", "typed", "typed", "typed"],
  },
  {
    name: "a failure in band changes nothing (T6)",
    lines: [
      THREAD,
      TURN,
      '{"type":"line.failed","thread_id":"X","turn_id":"Y","error":{"kind":"typed","message":"m"},"raw":"{}"}',
      ITEM,
    ],
    expected: [THREAD, TURN_EVENT, "typed", item(IDS)],
  },
]);

Deno.test("ExecRules, type: a failure in band keeps its text and says its message (T6)", () => {
  const text =
    '{"type":"line.failed", "line":1.0,"line":2,"error":{"message":"old","kind":"json"},"10":1,"2":2}';
  const [outcome] = normalizeLines([` \t${text} \r`]);
  assert(outcome !== undefined && !outcome.ok);
  assertEquals(outcome.error, { kind: "json", message: "old" });
  assertEquals([outcome.inBand, outcome.raw], [text, text]);
  assertEquals([outcome.line, outcome.offset], [1, 2]);
});

/** The lines that look for a thread, with room for fields. */
const SEEKERS = [
  { type: "turn.started", rest: '"turn_id":"u"' },
  { type: "turn.completed", rest: '"turn_id":"u"' },
  { type: "turn.failed", rest: '"turn_id":"u","error":"e"' },
  { type: "item.started", rest: '"item_id":"i","item_type":"x"' },
  { type: "item.delta", rest: '"item_id":"i","item_type":"x"' },
  { type: "item.completed", rest: '"item_id":"i","item_type":"x"' },
  { type: "item.failed", rest: '"item_id":"i","error":"e"' },
];

/** The thread that a line is written with, or the kind of its failure. */
function threadOf(line: string, options: NormalizerOptions = {}): string {
  const [answer = ""] = answers([line], options);
  return /^\{"type":"[^"]*","thread_id":("[^"]*")/.exec(answer)?.[1] ?? answer;
}

for (const { type, rest } of SEEKERS) {
  Deno.test(`ExecRules looks for the thread of ${type} under three names, in order (C2, C12, C13)`, () => {
    const found = (fields: string): string =>
      threadOf(`{"type":"${type}",${rest},${fields}}`);
    assertEquals(
      found('"session_id":"c","conversation_id":"b","thread_id":"a"'),
      '"a"',
    );
    assertEquals(found('"session_id":"c","conversation_id":"b"'), '"b"');
    assertEquals(found('"session_id":"c"'), '"c"');
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
        found(
          `"thread_id":${unusable},"conversation_id":${unusable},"session_id":" c "`,
        ),
        '"c"',
        unusable,
      );
      assertEquals(found(`"thread_id":${unusable}`), "normalize", unusable);
    }
    // Not blank: a byte order mark is no white space.
    assertEquals(found('"thread_id":"\\ufeff"'), '"\ufeff"');
  });

  Deno.test(`ExecRules never takes id for the thread of ${type} (C12)`, () => {
    assertEquals(threadOf(`{"type":"${type}",${rest},"id":"x"}`), "normalize");
    assertEquals(
      threadOf(`{"type":"${type}",${rest},"id":"x"}`, OPEN),
      '"T"',
    );
  });

  Deno.test(`ExecRules writes the ids of ${type} over what stood there and keeps the other keys (C14)`, () => {
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

testAll("context", [
  {
    name: "the id of a thread line comes from id last (C12)",
    lines: ["started", "resumed"].flatMap((what) => [
      `{"type":"thread.${what}","id":" d "}`,
      `{"type":"thread.${what}","id":"d","session_id":"c"}`,
    ]),
    expected: [
      '{"type":"thread.started","thread_id":"d","id":" d "}',
      '{"type":"thread.started","thread_id":"c","id":"d","session_id":"c"}',
      '{"type":"thread.started","thread_id":"d","id":" d "}',
      '{"type":"thread.started","thread_id":"c","id":"d","session_id":"c"}',
    ],
  },
  {
    name: "the turn of a turn line comes from turn_id, else from id (C2, C12)",
    lines: [
      '{"type":"turn.started","id":"b","turn_id":" "}',
      '{"type":"turn.completed","id":5,"turn_id":"a"}',
      '{"type":"turn.failed","id":"c","error":"e"}',
    ],
    expected: [
      '{"type":"turn.started","thread_id":"T","turn_id":"b","id":"b"}',
      '{"type":"turn.completed","thread_id":"T","turn_id":"a","id":5}',
      '{"type":"turn.failed","thread_id":"T","turn_id":"c","error":{"message":"e"},"id":"c"}',
    ],
    options: OPEN,
  },
  {
    name: "the turn of an item comes from turn_id only (C2)",
    lines: ['{"type":"item.failed","item_id":"i","id":"x","error":"e"}'],
    expected: [
      `{"type":"item.failed",${IDS},"item_id":"i","error":{"message":"e"},"id":"x"}`,
    ],
    options: OPEN,
  },
  {
    name: "thread.resumed of the same thread closes the turn too (C4)",
    lines: [THREAD, TURN, '{"type":"session.created","session_id":"T"}', ITEM],
    expected: [
      THREAD,
      TURN_EVENT,
      '{"type":"thread.started","thread_id":"T","session_id":"T"}',
      item('"thread_id":"T"'),
    ],
  },
  {
    name: "the end of another turn closes the current one (C5)",
    lines: [
      THREAD,
      TURN,
      '{"type":"turn.completed","turn_id":"other"}',
      ITEM,
      '{"type":"turn.completed"}',
    ],
    expected: [
      THREAD,
      TURN_EVENT,
      '{"type":"turn.completed","thread_id":"T","turn_id":"other"}',
      item('"thread_id":"T"'),
      "normalize",
    ],
  },
  {
    name:
      "the end of a turn in another thread makes that thread the current one (C6)",
    lines: [
      THREAD,
      '{"type":"turn.completed","thread_id":"X","turn_id":"Y"}',
      '{"type":"turn.failed","thread_id":"Z","turn_id":"Y","error":"e"}',
      ITEM,
    ],
    expected: [
      THREAD,
      '{"type":"turn.completed","thread_id":"X","turn_id":"Y"}',
      '{"type":"turn.failed","thread_id":"Z","turn_id":"Y","error":{"message":"e"}}',
      item('"thread_id":"Z"'),
    ],
  },
  {
    name: "no item line changes the context, item.failed neither (C3)",
    lines: [
      THREAD,
      TURN,
      ...["started", "delta", "completed", "failed"].map((what) =>
        `{"type":"item.${what}","thread_id":"X","turn_id":"Y","item_id":"i","item_type":"x","error":"e"}`
      ),
      ITEM,
    ],
    expected: [
      THREAD,
      TURN_EVENT,
      '{"type":"item.started","thread_id":"X","turn_id":"Y","item_id":"i","status":"in_progress","item_type":"x","error":"e"}',
      '{"type":"item.delta","thread_id":"X","turn_id":"Y","item_id":"i","item_type":"x","snapshot":true,"error":"e"}',
      '{"type":"item.completed","thread_id":"X","turn_id":"Y","item_id":"i","status":"completed","item_type":"x","error":"e"}',
      '{"type":"item.failed","thread_id":"X","turn_id":"Y","item_id":"i","error":{"message":"e"},"item_type":"x"}',
      item(IDS),
    ],
  },
  {
    name: "error lines and failed lines change nothing",
    lines: [
      THREAD,
      TURN,
      '{"type":"error","message":"m","thread_id":"X","turn_id":"Y"}',
      '{"type":"error","thread_id":"X"}',
      '{"thread_id":"X"',
      '[{"type":"thread.started","thread_id":"X"}]',
      '{"thread_id":"X"}',
      ITEM,
    ],
    expected: [
      THREAD,
      TURN_EVENT,
      '{"type":"error","message":"m","thread_id":"X","turn_id":"Y"}',
      "typed",
      "json",
      "normalize",
      "normalize",
      item(IDS),
    ],
  },
  {
    name:
      "synthetic turn numbers are plain decimals, however many there are (C7)",
    lines: [THREAD, ...new Array(11).fill('{"type":"turn.started"}')],
    expected: [
      THREAD,
      ...Array.from(
        { length: 11 },
        (_, i) =>
          `{"type":"turn.started","thread_id":"T","turn_id":"synthetic-turn-${
            i + 1
          }"}`,
      ),
    ],
  },
  {
    name:
      "an unusable own turn is as good as none: a synthetic one is used (C7, C13)",
    lines: [THREAD, '{"type":"turn.started","turn_id":" ","id":3}'],
    expected: [
      THREAD,
      '{"type":"turn.started","thread_id":"T","turn_id":"synthetic-turn-1","id":3}',
    ],
  },
  {
    name:
      "a turn end without a turn changes nothing, even if it names a thread (C10)",
    lines: [
      THREAD,
      '{"type":"turn.completed","thread_id":"X"}',
      ITEM,
    ],
    expected: [THREAD, "normalize", item('"thread_id":"T"')],
  },
  {
    name: "a turn end without a thread leaves the turn open (C9)",
    lines: [
      '{"type":"turn.completed"}',
      '{"type":"turn.completed","thread_id":"T"}',
    ],
    expected: [
      "normalize",
      '{"type":"turn.completed","thread_id":"T","turn_id":"U"}',
    ],
    options: { initialTurnId: "U" },
  },
  {
    name:
      "a thread line without an id changes nothing, its other fields neither (C11)",
    lines: [
      THREAD,
      TURN,
      '{"type":"thread.started","thread_id":" ","turn_id":"Y"}',
      '{"type":"session.created","session_id":[]}',
      ITEM,
    ],
    expected: [THREAD, TURN_EVENT, "normalize", "normalize", item(IDS)],
  },
  {
    name: "what a failing turn line did to the state stays done (C15)",
    lines: [
      THREAD,
      '{"type":"turn.started","thread_id":"X","turn_id":"Y","input_text":5}',
      ITEM,
      '{"type":"turn.completed","last_item_id":5}',
      ITEM,
    ],
    expected: [
      THREAD,
      "typed",
      item('"thread_id":"X","turn_id":"Y"'),
      "typed",
      item('"thread_id":"X"'),
    ],
  },
  {
    name:
      "bare lines belong to the thread and turn of the last turn line (C16)",
    lines: [
      '{"type":"turn.started","thread_id":"A","turn_id":"a"}',
      '{"type":"turn.started","thread_id":"B","turn_id":"b"}',
      ITEM,
      '{"type":"item.completed","thread_id":"A","item_id":"i","item_type":"agent_message","text":"x"}',
      '{"type":"turn.completed","thread_id":"A","turn_id":"a"}',
      ITEM,
    ],
    expected: [
      '{"type":"turn.started","thread_id":"A","turn_id":"a"}',
      '{"type":"turn.started","thread_id":"B","turn_id":"b"}',
      item('"thread_id":"B","turn_id":"b"'),
      item('"thread_id":"A","turn_id":"b"'),
      '{"type":"turn.completed","thread_id":"A","turn_id":"a"}',
      item('"thread_id":"A"'),
    ],
  },
  {
    name: "the first thread line replaces both seeds (C18)",
    lines: [ITEM, '{"type":"thread.started","thread_id":"X"}', ITEM],
    expected: [
      item(IDS),
      '{"type":"thread.started","thread_id":"X"}',
      item('"thread_id":"X"'),
    ],
    options: OPEN,
  },
  {
    name: "seeds are trimmed and may hold anything (C18)",
    lines: [ITEM],
    expected: [item('"thread_id":"a\\"b","turn_id":"é\\n 😀"')],
    options: { initialThreadId: '\u3000a"b\u0085', initialTurnId: " é\n 😀 " },
  },
  {
    name: "a seeded turn holds for a thread that a line names itself (C18)",
    lines: [
      '{"type":"item.failed","thread_id":"X","item_id":"i","error":"e"}',
      ITEM,
    ],
    expected: [
      '{"type":"item.failed","thread_id":"X","turn_id":"U","item_id":"i","error":{"message":"e"}}',
      "normalize",
    ],
    options: { initialTurnId: "U" },
  },
]);

Deno.test("Normalizer.reset() restores a new parser: ids, numbers, seeds (C17)", () => {
  const lines = [
    ITEM,
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
  // What would show anything that was left over from the lines above.
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

testAll("flatten", [
  {
    name:
      "a field inside takes the place of the outer one, new ones follow (E3)",
    lines: [
      '{"y":1,"type":"item.completed","x":2,"item":{"b":3,"x":4,"id":"i","type":"t","y":null,"a":5},"z":6}',
    ],
    expected: [
      `{"type":"item.completed",${IDS},"item_id":"i","status":"completed","item_type":"t","y":null,"x":4,"z":6,"b":3,"a":5}`,
    ],
    options: OPEN,
  },
  {
    name: "null inside hides a known field outside (E3)",
    lines: [
      '{"type":"item.completed","status":"failed","index":3,"content":{"text":"o"},"item":{"id":"i","type":"agent_message","status":null,"index":null,"content":null}}',
    ],
    expected: ["typed"],
    options: OPEN,
  },
  {
    name: "a field named item inside item is an unknown field of any kind (E4)",
    lines: ['"x"', "null", "[1]", '{"id":"y","type":"z"}'].map((value) =>
      `{"a":1,"type":"item.completed","item":{"id":"i","item":${value},"type":"t","b":2}}`
    ),
    expected: ['"x"', "null", "[1]", '{"id":"y","type":"z"}'].map((value) =>
      `{"type":"item.completed",${IDS},"item_id":"i","status":"completed","item_type":"t","a":1,"item":${value},"b":2}`
    ),
    options: OPEN,
  },
  {
    name: "it stands behind the outer fields, however many there are (E4)",
    lines: [
      `{"type":"item.completed","item":{"id":"i","item":1,"type":"t"},${
        Array.from({ length: 20 }, (_, i) => `"k${i}":${i}`)
      }}`,
    ],
    expected: [
      `{"type":"item.completed",${IDS},"item_id":"i","status":"completed","item_type":"t",${
        Array.from({ length: 20 }, (_, i) => `"k${i}":${i}`)
      },"item":1}`,
    ],
    options: OPEN,
  },
  {
    name: "an item that is no object is an unknown field in its place (E5)",
    lines: ["null", "[1]", '"s"', "3", "false"].map((value) =>
      `{"type":"item.completed","a":1,"item":${value},"id":"i","item_type":"t","b":2}`
    ),
    expected: ["null", "[1]", '"s"', "3", "false"].map((value) =>
      `{"type":"item.completed",${IDS},"item_id":"i","status":"completed","item_type":"t","a":1,"item":${value},"b":2}`
    ),
    options: OPEN,
  },
  {
    name: "type wins over item_type unless it is null (E6)",
    lines: [
      '"type":"t","item_type":"u"',
      '"item_type":"u","type":"t"',
      '"item_type":null,"type":"t"',
      '"type":null,"item_type":"u"',
      '"type":null',
      '"type":null,"item_type":null',
      '"type":5,"item_type":"u"',
    ].map((fields) => `{"type":"item.started","item":{"id":"i",${fields}}}`),
    expected: ["t", "t", "t", "u"].map((type) =>
      `{"type":"item.started",${IDS},"item_id":"i","status":"in_progress","item_type":"${type}"}`
    ).concat("typed", "typed", "typed"),
    options: OPEN,
  },
  {
    name: "the item type inside replaces the one outside (E3, E8)",
    lines: [
      '{"type":"item.started","item_type":"o","item":{"id":"i","type":"t"}}',
      '{"type":"item.started","item_type":"o","item":{"id":"i","item_type":"t"}}',
      '{"type":"item.started","item_type":"o","item":{"id":"i"}}',
      '{"type":"item.started","item_type":"o","item":{"id":"i","type":null}}',
    ],
    expected: ["t", "t", "o"].map((type) =>
      `{"type":"item.started",${IDS},"item_id":"i","status":"in_progress","item_type":"${type}"}`
    ).concat("typed"),
    options: OPEN,
  },
  {
    name: "item.failed is flattened too",
    lines: [
      '{"type":"item.failed","x":1,"item":{"id":"i","type":"t","error":{"message":"m"},"x":2,"index":4,"turn_id":" V "}}',
    ],
    expected: [
      '{"type":"item.failed","thread_id":"T","turn_id":"V","item_id":"i","index":4,"error":{"message":"m"},"x":2,"item_type":"t"}',
    ],
    options: OPEN,
  },
]);

/** What can stand under a name: nothing, null, or an id. */
const PRESENCE = ["absent", "null", "live"] as const;
type Presence = typeof PRESENCE[number];

function member(name: string, state: Presence, value: string): string[] {
  if (state === "absent") return [];
  return [`"${name}":${state === "null" ? "null" : `"${value}"`}`];
}

for (const innerItemId of PRESENCE) {
  for (const innerId of PRESENCE) {
    Deno.test(`ExecRules finds the item id where item_id inside is ${innerItemId} and id inside is ${innerId}, whatever is outside (E7)`, () => {
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
          // A flat line is the same with nothing inside.
          if (innerItemId === "absent" && innerId === "absent") {
            const flat = [...outer.slice(0, -1), '"item_type":"t"'];
            assertEquals(answers([`{${flat}}`], OPEN), [expected], `{${flat}}`);
          }
        }
      }
    });
  }
}

testAll("item ids", [
  {
    name: "an item id is neither trimmed nor required to be non-blank (E7)",
    lines: ['" x "', '""', '"\\u3000"'].map((id) =>
      `{"type":"item.started","item":{"id":${id},"type":"t"}}`
    ),
    expected: ['" x "', '""', '"\\u3000"'].map((id) =>
      `{"type":"item.started",${IDS},"item_id":${id},"status":"in_progress","item_type":"t"}`
    ),
    options: OPEN,
  },
  {
    name: "the first of doubled ids names the item, the last one stays (E9)",
    lines: [
      '"id":"a","id":"b"',
      '"id":"a","id":"b","id":"c"',
      '"id":"a","id":null,"id":"c"',
      '"item_id":null,"id":"a","id":"b"',
      '"id":"a","id":7',
    ].map((ids) => `{"type":"item.started","item":{${ids},"type":"t"}}`),
    expected: ['"b"', '"c"', '"c"', '"b"', "7"].map((id) =>
      `{"type":"item.started",${IDS},"item_id":"a","status":"in_progress","item_type":"t","id":${id}}`
    ),
    options: OPEN,
  },
  {
    name:
      "a null behind the first of doubled ids is no id to keep (E9, F:aliases)",
    lines: [
      '{"type":"item.started","id":"o","item":{"id":"a","id":null,"type":"t"}}',
    ],
    expected: [
      `{"type":"item.started",${IDS},"item_id":"a","status":"in_progress","item_type":"t"}`,
    ],
    options: OPEN,
  },
  {
    name:
      "an id that is there once and not used is not gathered by a web search (E7)",
    lines: [
      '{"type":"item.started","item":{"item_id":"a","id":"ws","type":"web_search","query":"q"}}',
      '{"type":"item.started","item_id":"a","id":"ws","item_type":"web_search","query":"q"}',
      '{"type":"item.started","id":"ws","item":{"item_id":"a","type":"web_search","query":"q"}}',
    ],
    expected: new Array(3).fill(
      `{"type":"item.started",${IDS},"item_id":"a","status":"in_progress","item_type":"web_search","content":{"query":"q"},"id":"ws"}`,
    ),
    options: OPEN,
  },
  {
    name: "the last one counts if the first is no string (E9, J2)",
    lines: ["null", "7", "{}"].map((first) =>
      `{"type":"item.started","item":{"id":${first},"type":"t","id":"b"}}`
    ),
    expected: new Array(3).fill(
      `{"type":"item.started",${IDS},"item_id":"b","status":"in_progress","item_type":"t"}`,
    ),
    options: OPEN,
  },
  {
    name: "a live item_id beside doubled ids names the item (E9, E7)",
    lines: [
      '{"type":"item.started","item":{"id":"a","item_id":"x","id":"b","type":"t"}}',
    ],
    expected: [
      `{"type":"item.started",${IDS},"item_id":"x","status":"in_progress","item_type":"t","id":"b"}`,
    ],
    options: OPEN,
  },
  {
    name: "doubled ids inside win over ids outside (E9, E3)",
    lines: [
      '{"id":"o","item_id":"p","type":"item.started","item":{"id":"a","id":"b","type":"t"}}',
    ],
    expected: [
      `{"type":"item.started",${IDS},"item_id":"a","status":"in_progress","item_type":"t","id":"b"}`,
    ],
    options: OPEN,
  },
  {
    name: "the second id of a web search goes into what is gathered (E9)",
    lines: [
      '{"type":"item.updated","item":{"id":"a","type":"web_search","id":"ws","query":"q"}}',
      '{"type":"item.started","item":{"id":"a","type":"web_search","id":"ws","query":"q","content":null}}',
      '{"type":"item.started","item":{"id":"a","type":"web_search","id":"ws"}}',
      '{"type":"item.started","item":{"id":"a","type":"web_search","id":7,"query":"q"}}',
      '{"type":"item.started","item":{"id":"a","type":"web_search","id":null,"query":"q"}}',
    ],
    expected: [
      `{"type":"item.delta",${IDS},"item_id":"a","item_type":"web_search","snapshot":true,"delta":{"id":"ws","query":"q"}}`,
      `{"type":"item.started",${IDS},"item_id":"a","status":"in_progress","item_type":"web_search","content":{"id":"ws","query":"q"}}`,
      "typed",
      "typed",
      `{"type":"item.started",${IDS},"item_id":"a","status":"in_progress","item_type":"web_search","content":{"query":"q"}}`,
    ],
    options: OPEN,
  },
  {
    name: "the second id of a failed item stays an unknown field (E9, S14)",
    lines: [
      '{"type":"item.failed","item":{"id":"a","type":"web_search","id":"ws","query":"q","error":"e"}}',
    ],
    expected: [
      `{"type":"item.failed",${IDS},"item_id":"a","error":{"message":"e"},"id":"ws","item_type":"web_search","query":"q"}`,
    ],
    options: OPEN,
  },
]);

testAll("payload", [
  {
    name: "names that lose stay behind, null ones disappear (S5)",
    lines: [
      '{"type":"item.completed","item":{"id":"i","type":"command_execution","output":"c","stdout":null,"aggregated_output":"b","command":"x","err":null,"stderr":"e","error_output":"f","exit_code":null,"cwd":null}}',
      '{"type":"item.completed","item":{"id":"i","type":"file_change","file_path":"b","path":"a","patch":"q","diff":null,"change":null}}',
      '{"type":"item.completed","item":{"id":"i","type":"mcp_tool_call","server":"b","server_name":"a","tool":"u","tool_name":null,"arguments":null,"result":0}}',
    ],
    expected: [
      `{"type":"item.completed",${IDS},"item_id":"i","status":"completed","item_type":"command_execution","content":{"command":"x","stdout":"b","stderr":"e"},"output":"c","error_output":"f","cwd":null}`,
      `{"type":"item.completed",${IDS},"item_id":"i","status":"completed","item_type":"file_change","content":{"path":"a","diff":"q"},"file_path":"b"}`,
      `{"type":"item.completed",${IDS},"item_id":"i","status":"completed","item_type":"mcp_tool_call","content":{"server_name":"a","tool_name":"u","result":0},"server":"b"}`,
    ],
    options: OPEN,
  },
  {
    name: "status and fields of other types are not gathered (S4, S7)",
    lines: [
      '{"type":"item.completed","item":{"id":"i","type":"mcp_tool_call","server":"s","tool":"t","status":"failed","text":"x","command":"c"}}',
      '{"type":"item.completed","item":{"id":"i","type":"web_search","query":"q","status":"failed","items":[]}}',
      '{"type":"item.completed","item":{"id":"i","type":"todo_list","items":[],"text":"x"}}',
      '{"type":"item.completed","item":{"id":"i","type":"reasoning","text":"x","message":"m","code":1}}',
    ],
    expected: [
      `{"type":"item.completed",${IDS},"item_id":"i","status":"failed","item_type":"mcp_tool_call","content":{"server_name":"s","tool_name":"t"},"text":"x","command":"c"}`,
      `{"type":"item.completed",${IDS},"item_id":"i","status":"failed","item_type":"web_search","content":{"query":"q"},"items":[]}`,
      `{"type":"item.completed",${IDS},"item_id":"i","status":"completed","item_type":"todo_list","content":{"items":[]},"text":"x"}`,
      `{"type":"item.completed",${IDS},"item_id":"i","status":"completed","item_type":"reasoning","content":{"text":"x"},"message":"m","code":1}`,
    ],
    options: OPEN,
  },
  {
    name: "a payload that is there stops gathering, even an empty one (S5)",
    lines: ["{}", "false", "0", "[]"].map((content) =>
      `{"type":"item.completed","item":{"id":"i","type":"command_execution","content":${content},"command":"x"}}`
    ),
    expected: ["typed", "typed", "typed", "typed"],
    options: OPEN,
  },
  {
    name: "an open type keeps its fields, and a payload of any kind (S13)",
    lines: [
      '{"type":"item.started","item":{"id":"i","type":"x","text":"t","message":"m","command":"c"}}',
      ...["0", '"s"', "[]", "{}", "false"].map((content) =>
        `{"type":"item.started","item":{"id":"i","type":"x","content":${content}}}`
      ),
      '{"type":"item.started","item":{"id":"i","type":"x","content":null}}',
    ],
    expected: [
      `{"type":"item.started",${IDS},"item_id":"i","status":"in_progress","item_type":"x","text":"t","message":"m","command":"c"}`,
      ...["0", '"s"', "[]", "{}", "false"].map((content) =>
        `{"type":"item.started",${IDS},"item_id":"i","status":"in_progress","item_type":"x","content":${content}}`
      ),
      `{"type":"item.started",${IDS},"item_id":"i","status":"in_progress","item_type":"x"}`,
    ],
    options: OPEN,
  },
  {
    name: "a string is the text of a text item, in any spelling (S6, D3)",
    lines: ["agent_message", "reasoning", "assistant_message"].flatMap((
      type,
    ) => [
      `{"type":"item.completed","item":{"id":"i","type":"${type}","content":"\\u0041"}}`,
      `{"type":"item.delta","item_id":"i","item_type":"${type}","delta":""}`,
      `{"type":"item.updated","item_id":"i","item_type":"${type}","content":"x"}`,
    ]),
    expected: ["agent_message", "reasoning", "agent_message"].flatMap((
      type,
    ) => [
      `{"type":"item.completed",${IDS},"item_id":"i","status":"completed","item_type":"${type}","content":{"text":"\\u0041"}}`,
      `{"type":"item.delta",${IDS},"item_id":"i","item_type":"${type}","delta":{"text_delta":""}}`,
      `{"type":"item.delta",${IDS},"item_id":"i","item_type":"${type}","delta":{"text_delta":"x"}}`,
    ]),
    options: OPEN,
  },
  {
    name: "a string is no payload of the other known types (S6, D5)",
    lines: [
      "command_execution",
      "file_change",
      "mcp_tool_call",
      "web_search",
      "todo_list",
      "error",
    ]
      .flatMap((type) => [
        `{"type":"item.completed","item_id":"i","item_type":"${type}","content":"s"}`,
        `{"type":"item.delta","item_id":"i","item_type":"${type}","delta":"s"}`,
      ]),
    expected: new Array(12).fill("typed"),
    options: OPEN,
  },
  {
    name:
      "content of a delta is an unknown field beside a live delta, null included (D2)",
    lines: [
      '{"type":"item.delta","item_id":"i","item_type":"x","content":null,"delta":1}',
      '{"type":"item.delta","item_id":"i","item_type":"x","delta":1,"content":"c"}',
    ],
    expected: [
      `{"type":"item.delta",${IDS},"item_id":"i","item_type":"x","delta":1,"content":null}`,
      `{"type":"item.delta",${IDS},"item_id":"i","item_type":"x","delta":1,"content":"c"}`,
    ],
    options: OPEN,
  },
  {
    name:
      "a delta without delta and content is a snapshot, whatever its type (D8)",
    lines: [
      '{"type":"item.updated","item":{"id":"i","type":"x","delta":null,"content":null,"a":1}}',
      '{"type":"item.delta","item_id":"i","item_type":"x","snapshot":false}',
    ],
    expected: [
      `{"type":"item.delta",${IDS},"item_id":"i","item_type":"x","snapshot":true,"a":1}`,
      `{"type":"item.delta",${IDS},"item_id":"i","item_type":"x","snapshot":true}`,
    ],
    options: OPEN,
  },
  {
    name:
      "a snapshot that a line brings is a boolean of deltas, and unknown elsewhere (D8)",
    lines: [
      '{"type":"item.delta","item_id":"i","item_type":"x","delta":1,"snapshot":false}',
      '{"type":"item.delta","item_id":"i","item_type":"x","content":1,"snapshot":true}',
      '{"type":"item.delta","item_id":"i","item_type":"x","delta":1,"snapshot":null}',
      '{"type":"item.delta","item_id":"i","item_type":"x","delta":1,"snapshot":"yes"}',
      '{"type":"item.started","item_id":"i","item_type":"x","snapshot":"yes"}',
    ],
    expected: [
      `{"type":"item.delta",${IDS},"item_id":"i","item_type":"x","snapshot":false,"delta":1}`,
      `{"type":"item.delta",${IDS},"item_id":"i","item_type":"x","snapshot":true,"delta":1}`,
      `{"type":"item.delta",${IDS},"item_id":"i","item_type":"x","delta":1}`,
      "typed",
      `{"type":"item.started",${IDS},"item_id":"i","status":"in_progress","item_type":"x","snapshot":"yes"}`,
    ],
    options: OPEN,
  },
  {
    name: "delta is an unknown field where content is the payload (D7)",
    lines: [
      '{"type":"item.completed","item_id":"i","item_type":"x","delta":null,"content":1}',
      '{"type":"item.started","item_id":"i","item_type":"agent_message","delta":"d","text":"x"}',
    ],
    expected: [
      `{"type":"item.completed",${IDS},"item_id":"i","status":"completed","item_type":"x","content":1,"delta":null}`,
      `{"type":"item.started",${IDS},"item_id":"i","status":"in_progress","item_type":"agent_message","content":{"text":"x"},"delta":"d"}`,
    ],
    options: OPEN,
  },
]);

testAll("typed decode", [
  {
    name: "required fields of items that are absent or null (F:item)",
    lines: [
      '{"type":"item.started","item_type":"x"}',
      '{"type":"item.started","item_type":"x","item_id":null}',
      '{"type":"item.started","item_id":"i"}',
      '{"type":"item.started","item_id":"i","item_type":null}',
      '{"type":"item.delta","item_id":"i","delta":1}',
      '{"type":"item.failed","error":"e"}',
    ],
    expected: ["typed", "typed", "typed", "typed", "typed", "typed"],
    options: OPEN,
  },
  {
    name:
      "status has a default on item.started and item.completed only (F:status, F:delta)",
    lines: ["started", "completed", "delta", "failed"].map((what) =>
      `{"type":"item.${what}","item_id":"i","item_type":"x","status":null,"delta":1,"error":"e"}`
    ),
    expected: [
      `{"type":"item.started",${IDS},"item_id":"i","status":"in_progress","item_type":"x","delta":1,"error":"e"}`,
      `{"type":"item.completed",${IDS},"item_id":"i","status":"completed","item_type":"x","delta":1,"error":"e"}`,
      `{"type":"item.delta",${IDS},"item_id":"i","item_type":"x","delta":1,"error":"e"}`,
      `{"type":"item.failed",${IDS},"item_id":"i","error":{"message":"e"},"item_type":"x","status":null,"delta":1}`,
    ],
    options: OPEN,
  },
  {
    name: "shapes of the error of a failure (Error)",
    lines: [
      '"error":"boom","message":"m","code":1',
      '"error":"","x":1',
      '"error":null,"message":"m","code":null',
      '"x":1,"code":"c","message":"m","y":2',
      '"error":{"message":"m","code":null,"z":null,"y":1}',
      '"error":{"message":null},"message":"m"',
      '"error":{},"message":"m"',
      '"error":5,"message":"m"',
      '"error":[],"message":"m"',
      '"error":false,"message":"m"',
      '"message":5',
      '"message":null',
      '"message":"m","code":true',
      '"code":1',
    ].map((fields) => `{"type":"item.failed","item_id":"i",${fields}}`),
    expected: [
      '"error":{"message":"boom"},"message":"m","code":1',
      '"error":{"message":""},"x":1',
      '"error":{"message":"m"},"code":null',
      '"error":{"message":"m","code":"c"},"x":1,"y":2',
      '"error":{"message":"m","z":null,"y":1}',
    ].map((fields) => `{"type":"item.failed",${IDS},"item_id":"i",${fields}}`)
      .concat(new Array(9).fill("typed")),
    options: OPEN,
  },
  {
    name: "a message beside a nested failure is its error (Error)",
    lines: [
      '{"type":"item.failed","code":7,"item":{"id":"i","message":"inside","type":"x"}}',
    ],
    expected: [
      `{"type":"item.failed",${IDS},"item_id":"i","error":{"message":"inside","code":7},"item_type":"x"}`,
    ],
    options: OPEN,
  },
  {
    name: "a command as a list is quoted for a shell (F:command_execution)",
    lines: [
      '["a","A9_@%+=:,./-"]',
      '[""]',
      '["","",""]',
      '["a b","c\\"d","e\\\\f"]',
      '["\'"]',
      '["it\'s","\'\'"]',
      '["é","$HOME","~","a\\nb","*","a;b","\\u0041"]',
      "[]",
    ].map((command) =>
      `{"type":"item.started","item":{"id":"i","type":"command_execution","command":${command}}}`
    ),
    expected: [
      "a A9_@%+=:,./-",
      "''",
      "'' '' ''",
      `'a b' 'c"d' 'e\\f'`,
      `''"'"''`,
      `'it'"'"'s' ''"'"''"'"''`,
      "'é' '$HOME' '~' 'a\nb' '*' 'a;b' A",
      "",
    ].map((command) =>
      `{"type":"item.started",${IDS},"item_id":"i","status":"in_progress","item_type":"command_execution","content":{"command":${
        JSON.stringify(command)
      }}}`
    ),
    options: OPEN,
  },
  {
    name: "todo items are checked and completed one by one (F:todo_list)",
    lines: [
      '[{"x":1,"completed":null,"text":"a","10":2},{"title":"b","text":"c","completed":true},{"title":"","completed":false}]',
      '[{"title":"a"},5]',
      '[{"title":"a"},null]',
      '[["title"]]',
      '[{"title":5}]',
      '[{"title":null,"completed":true}]',
      '[{"title":"a","completed":"yes"}]',
      '[{"title":"a","completed":1}]',
    ].map((items) =>
      `{"type":"item.updated","item":{"id":"i","type":"todo_list","items":${items}}}`
    ),
    expected: [
      `{"type":"item.delta",${IDS},"item_id":"i","item_type":"todo_list","snapshot":true,"delta":{"items":[{"title":"a","completed":false,"x":1,"10":2},{"title":"b","completed":true,"text":"c"},{"title":"","completed":false}]}}`,
      ...new Array(7).fill("typed"),
    ],
    options: OPEN,
  },
  {
    name:
      "a file change needs a path or changes, in a delta neither (F:file_change)",
    lines: [
      '{"type":"item.started","item_id":"i","item_type":"file_change","content":{"changes":[]}}',
      '{"type":"item.started","item_id":"i","item_type":"file_change","content":{"file_path":"p"}}',
      '{"type":"item.started","item_id":"i","item_type":"file_change","content":{"path":null,"changes":null,"file_path":null,"diff":"d"}}',
      '{"type":"item.delta","item_id":"i","item_type":"file_change","delta":{"diff":"d"}}',
    ],
    expected: [
      `{"type":"item.started",${IDS},"item_id":"i","status":"in_progress","item_type":"file_change","content":{"changes":[]}}`,
      `{"type":"item.started",${IDS},"item_id":"i","status":"in_progress","item_type":"file_change","content":{"path":"p"}}`,
      "typed",
      `{"type":"item.delta",${IDS},"item_id":"i","item_type":"file_change","delta":{"diff":"d"}}`,
    ],
    options: OPEN,
  },
]);

testAll("lines of one shape", [
  {
    name: "each is checked by itself, however deep the difference lies",
    lines: [
      '"command_execution","command":["a","b"]',
      '"command_execution","command":["a","c d"]',
      '"command_execution","command":["a",1]',
      '"file_change","changes":[{"path":"p","kind":"k"}]',
      '"file_change","changes":[{"path":"q","kind":"k"}]',
      '"file_change","changes":[{"path":5,"kind":"k"}]',
      '"todo_list","items":[{"title":"a"}]',
      '"todo_list","items":[{"title":"b"}]',
      '"todo_list","items":[{"title":5}]',
      '"todo_list","items":[{"other":"a"}]',
      '"mcp_tool_call","server":"s","tool":"t","result":{"a":[1]}',
      '"mcp_tool_call","server":"s","tool":"t","result":{"a":[2.0]}',
    ].flatMap((fields) =>
      // Twice: the second one could be made like the first.
      new Array(2).fill(
        `{"type":"item.started","item":{"id":"i","type":${fields}}}`,
      )
    ),
    expected: [
      '"command_execution","content":{"command":"a b"}',
      `"command_execution","content":{"command":"a 'c d'"}`,
      undefined,
      '"file_change","content":{"changes":[{"path":"p","kind":"k"}]}',
      '"file_change","content":{"changes":[{"path":"q","kind":"k"}]}',
      undefined,
      '"todo_list","content":{"items":[{"title":"a","completed":false}]}',
      '"todo_list","content":{"items":[{"title":"b","completed":false}]}',
      undefined,
      undefined,
      '"mcp_tool_call","content":{"server_name":"s","tool_name":"t","result":{"a":[1]}}',
      '"mcp_tool_call","content":{"server_name":"s","tool_name":"t","result":{"a":[2.0]}}',
    ].flatMap((fields) =>
      new Array(2).fill(
        fields === undefined
          ? "typed"
          : `{"type":"item.started",${IDS},"item_id":"i","status":"in_progress","item_type":${fields}}`,
      )
    ),
    options: OPEN,
  },
]);

testAll("output", [
  {
    name: "fields of an event in table order, unknown ones in input order (O1)",
    lines: [
      '{"z":1,"usage":{"b":1},"last_item_id":"l","turn_id":"V","type":"turn.completed","a":2,"thread_id":"X","id":"w"}',
      '{"delta":1,"snapshot":true,"z":1,"item_type":"x","status":"s","index":2,"item_id":"i","turn_id":"V","a":2,"thread_id":"X","type":"item.delta"}',
      '{"z":1,"content":1,"item_type":"x","status":"s","index":2,"item_id":"i","turn_id":"V","a":2,"thread_id":"X","type":"item.created"}',
    ],
    expected: [
      '{"type":"turn.completed","thread_id":"X","turn_id":"V","last_item_id":"l","usage":{"b":1},"z":1,"a":2,"id":"w"}',
      '{"type":"item.delta","thread_id":"X","turn_id":"V","item_id":"i","index":2,"status":"s","item_type":"x","snapshot":true,"delta":1,"z":1,"a":2}',
      '{"type":"item.started","thread_id":"X","turn_id":"V","item_id":"i","index":2,"status":"s","item_type":"x","content":1,"z":1,"a":2}',
    ],
  },
  {
    name: "known fields that are null are left out, unknown ones are not (O2)",
    lines: [
      '{"type":"turn.started","turn_id":"V","input_text":null,"usage":null}',
      '{"type":"error","message":"m","code":null,"thread_id":null,"turn_id":null}',
      '{"type":"thread.started","thread_id":"X","turn_id":null,"session_id":null,"id":null}',
    ],
    expected: [
      '{"type":"turn.started","thread_id":"T","turn_id":"V","usage":null}',
      '{"type":"error","message":"m","thread_id":null,"turn_id":null}',
      '{"type":"thread.started","thread_id":"X","turn_id":null,"session_id":null,"id":null}',
    ],
    options: OPEN,
  },
  {
    name: "many fields keep their order",
    lines: [
      `{"type":"error",${
        Array.from({ length: 60 }, (_, i) => `"k${59 - i}":${i}`)
      },"message":"m","code":1}`,
    ],
    expected: [
      `{"type":"error","message":"m","code":1,${
        Array.from({ length: 60 }, (_, i) => `"k${59 - i}":${i}`)
      }}`,
    ],
  },
]);

Deno.test("ExecRules says where a line failed and what was expected", () => {
  const problems = normalizeLines(
    [
      '{"type":"turn.failed","turn_id":"U","error":{"message":5}}',
      '{"type":"item.started","item":{"id":"i","type":"command_execution","command":["a",1]}}',
      '{"type":"item.started","item":{"id":"i","type":"todo_list","items":[{"title":"t"},{"completed":true}]}}',
      '{"type":"item.started","item":{"id":"i","type":"command_execution","command":"c","exit_code":1.5}}',
      '{"type":"item.started","item":{"id":"i","type":"command_execution","command":"c","exit_code":"1"}}',
      '{"type":"item.started","item":{"id":"i","type":"error","message":"m","code":true}}',
      '{"type":"item.started","item":{"id":"i","type":"command_execution","command":{}}}',
      '{"type":"item.started","item":{"id":"i","type":"file_change","changes":{}}}',
      '{"type":"item.delta","item_id":"i","item_type":"x","delta":1,"snapshot":0}',
      '{"type":"turn.failed","turn_id":"U","error":[]}',
      '{"type":"item.started","item":{"id":"i","type":"todo_list","items":[5]}}',
      '{"type":"item.started","item":{"id":"i","type":"error","content":"s"}}',
      '{"type":"item.started","item":{"id":"i","type":"error"}}',
      '{"type":"item.started","item":{"id":"i","type":"file_change","diff":"d"}}',
      `{"type":"${"x".repeat(50)}"}`,
      '{"type":5}',
      "[1]",
      '{"x":1}',
      '{"type":"thread.started"}',
      '{"type":"turn.completed"}',
    ],
    { initialThreadId: "T" },
  ).map((outcome) =>
    !outcome.ok && [outcome.error.field, outcome.error.message]
  );
  assertEquals(problems, [
    [
      "error.message",
      "Cannot decode turn.failed: error.message is a number, expected a string",
    ],
    [
      "content.command[1]",
      "Cannot decode item.started: content.command[1] is a number, expected a string",
    ],
    [
      "content.items[1].title",
      "Cannot decode item.started: content.items[1].title is absent, expected a string",
    ],
    [
      "content.exit_code",
      "Cannot decode item.started: content.exit_code is a number, expected a whole number",
    ],
    [
      "content.exit_code",
      "Cannot decode item.started: content.exit_code is a string, expected a whole number",
    ],
    [
      "content.code",
      "Cannot decode item.started: content.code is a boolean, expected a string or a number",
    ],
    [
      "content.command",
      "Cannot decode item.started: content.command is an object, expected a string or a list of strings",
    ],
    [
      "content.changes",
      "Cannot decode item.started: content.changes is an object, expected a list of objects",
    ],
    [
      "snapshot",
      "Cannot decode item.delta: snapshot is a number, expected true or false",
    ],
    ["error", "Cannot decode turn.failed: error is a list, expected an object"],
    [
      "content.items[0]",
      "Cannot decode item.started: content.items[0] is a number, expected an object",
    ],
    [
      "content",
      "Cannot decode item.started: content is a string, expected an object",
    ],
    [
      "content",
      "Cannot decode item.started: content is absent, expected an object",
    ],
    [
      "content.path",
      "Cannot decode item.started: content.path is absent, and so is changes, expected a string",
    ],
    [
      "type",
      `Cannot decode a record of type "${
        "x".repeat(39)
      }…": this type is not known`,
    ],
    [
      "type",
      'Cannot normalize the line: "type" is a number, expected a string',
    ],
    [
      undefined,
      "Cannot normalize the line: the line is a list, expected an object",
    ],
    ["type", 'Cannot normalize the line: it has no "type"'],
    ["thread_id", "Cannot normalize the line: thread.started names no thread"],
    [
      "turn_id",
      "Cannot normalize the line: turn.completed names no turn, and none is open",
    ],
  ]);
});

Deno.test("ExecRules never writes the whole of a bad line into a message", () => {
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
