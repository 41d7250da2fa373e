/** What normalize.md section 7 says of the old dialect, where no vector says it. */

import { assertEquals } from "@std/assert";
import {
  Normalizer,
  type NormalizerOptions,
} from "../../../lib/dialects/normalizer.ts";
import { JSON_STRING } from "../../generators.ts";
import fc from "../../property_seed.ts";
import { answers } from "../../running.ts";

/** Lines, and what becomes of each: its text, or the kind of its failure. */
interface Case {
  readonly name: string;
  readonly lines: readonly string[];
  readonly expected: readonly string[];
  readonly options?: NormalizerOptions;
}

const CONFIG = '{"model":"m","provider":"p","workdir":"w"}';
/** The same as the n-th thread of a stream. */
function configEvent(n: number): string {
  return `{"type":"thread.started","thread_id":"synthetic-thread-${n}",${
    CONFIG.slice(1)
  }`;
}
/** A thread and a turn that are open. */
const OPEN = { initialThreadId: "T", initialTurnId: "U" };
const IDS = '"thread_id":"T","turn_id":"U"';
const THREAD = '{"type":"thread.started","thread_id":"T"}';
const TURN = '{"type":"turn.started","turn_id":"U"}';
const TURN_EVENT = `{"type":"turn.started",${IDS}}`;

/** A message line. */
function message(type: string, fields = ""): string {
  return `{"msg":{"type":"${type}"${fields === "" ? "" : `,${fields}`}}}`;
}

/** An item event of the open turn: what stands before and behind its type. */
function event(
  what: string,
  id: string,
  rest: { status?: string; type: string; more?: string; ids?: string },
): string {
  const { status, type, more = "", ids = IDS } = rest;
  const written = status === undefined ? "" : `"status":"${status}",`;
  return `{"type":"item.${what}",${ids},"item_id":"${id}",${written}"item_type":"${type}"${
    more === "" ? "" : `,${more}`
  }}`;
}

function completed(
  id: string,
  type: string,
  more = "",
  { status = "completed", ids = IDS } = {},
): string {
  return event("completed", id, { status, type, more, ids });
}

function text(id: string, type: string, value: string): string {
  return completed(id, type, `"content":{"text":"${value}"}`);
}

function delta(id: string, type: string, value: string): string {
  return event("delta", id, {
    type,
    more: `"delta":{"text_delta":"${value}"}`,
  });
}

function testAll(rule: string, cases: readonly Case[]): void {
  for (const { name, lines, expected, options = OPEN } of cases) {
    Deno.test(`OldDialect, ${rule}: ${name}`, () => {
      assertEquals(answers(lines, options), expected);
    });
  }
}

testAll("recognition", [
  {
    name: "msg comes before a config, a config before a prompt",
    lines: [
      `{"msg":{"type":"error","message":"e"},"prompt":"x",${CONFIG.slice(1)}`,
      `{"prompt":"x",${CONFIG.slice(1)}`,
      '{"prompt":"x","model":"m"}',
    ],
    expected: [
      '{"type":"error","message":"e","prompt":"x","model":"m","provider":"p","workdir":"w"}',
      '{"type":"thread.started","thread_id":"synthetic-thread-1","prompt":"x","model":"m","provider":"p","workdir":"w"}',
      '{"type":"item.completed","thread_id":"synthetic-thread-1","item_id":"item_0","status":"completed","item_type":"user_message","content":{"text":"x"},"model":"m"}',
    ],
    options: {},
  },
  {
    name: "a msg must be an object with a string type",
    lines: [
      "null",
      '"error"',
      "5",
      "[]",
      "{}",
      '{"type":null}',
      '{"type":5}',
      '{"type":["error"]}',
    ]
      .map((msg) => `{"msg":${msg},"prompt":"x"}`),
    expected: new Array(8).fill("normalize"),
  },
  {
    name: "a config has three strings, a prompt is one",
    lines: [
      '{"model":"m","provider":"p"}',
      '{"model":"m","workdir":"w"}',
      '{"provider":"p","workdir":"w"}',
      '{"model":"m","provider":"p","workdir":null}',
      '{"model":5,"provider":"p","workdir":"w"}',
      '{"prompt":["x"]}',
      '{"prompt":null}',
      "{}",
      '{"Msg":{"type":"error","message":"e"}}',
    ],
    expected: new Array(9).fill("normalize"),
  },
  {
    name: "words may be spelled with escapes, and the last of two counts (J2)",
    lines: [
      '{"m\\u0073g":{"type":"err\\u006fr","message":"e"}}',
      '{"msg":5,"msg":{"type":"warning","type":"error","message":"a","message":"b"}}',
      '{"msg":{"type":"error","message":"e"},"msg":5}',
    ],
    expected: [
      '{"type":"error","message":"e"}',
      '{"type":"error","message":"b"}',
      "normalize",
    ],
  },
]);

testAll("P1 config and prompt", [
  {
    name: "a usable thread id of the line names the thread, its id does not",
    lines: [
      '"thread_id":" a "',
      '"conversation_id":"b"',
      '"session_id":"c","thread_id":5',
      '"id":"d"',
      '"thread_id":" ","id":"d"',
    ]
      .map((field) => `{${field},${CONFIG.slice(1)}`),
    expected: [
      '"thread_id":"a"',
      '"thread_id":"b","conversation_id":"b"',
      '"thread_id":"c","session_id":"c"',
      '"thread_id":"synthetic-thread-1","id":"d"',
      '"thread_id":"synthetic-thread-2","id":"d"',
    ].map((fields) => `{"type":"thread.started",${fields},${CONFIG.slice(1)}`),
  },
  {
    name:
      "only threads without a name are numbered, through threads of all dialects",
    lines: [
      CONFIG,
      THREAD,
      `{"session_id":"s",${CONFIG.slice(1)}`,
      message("session_configured", '"session_id":"r"'),
      CONFIG,
    ],
    expected: [
      configEvent(1),
      THREAD,
      '{"type":"thread.started","thread_id":"s","session_id":"s","model":"m","provider":"p","workdir":"w"}',
      '{"type":"thread.started","thread_id":"r","session_id":"r"}',
      configEvent(2),
    ],
  },
  {
    name: "a config closes the turn; a prompt within a turn belongs to it",
    lines: ['{"prompt":"a"}', CONFIG, '{"z":1,"prompt":"b","id":"x"}'],
    expected: [
      text("item_0", "user_message", "a"),
      configEvent(1),
      completed(
        "item_0",
        "user_message",
        '"content":{"text":"b"},"z":1,"id":"x"',
        {
          ids: '"thread_id":"synthetic-thread-1"',
        },
      ),
    ],
  },
  {
    name: "a prompt without a thread fails and still uses up its item id",
    lines: ['{"prompt":"a"}', '{"prompt":"b","thread_id":"X"}'],
    expected: [
      "normalize",
      completed("item_1", "user_message", '"content":{"text":"b"}', {
        ids: '"thread_id":"X"',
      }),
    ],
    options: {},
  },
]);

testAll("P3 messages", [
  {
    name: "a submission id that is null does not stay on items (E7, O3)",
    lines: [
      '{"id":null,"msg":{"type":"warning","message":"w"}}',
      '{"id":"0","msg":{"type":"warning","message":"w","id":null,"x":null}}',
      '{"prompt":"p","id":null}',
      '{"id":null,"msg":{"type":"error","message":"e"}}',
    ],
    expected: [
      completed("item_0", "error", '"content":{"message":"w"}'),
      completed("item_1", "error", '"content":{"message":"w"},"x":null'),
      text("item_2", "user_message", "p"),
      '{"type":"error","message":"e","id":null}',
    ],
  },
  {
    name:
      "fields of msg replace those of the line where they stand, new ones follow",
    lines: [
      '{"a":1,"id":"1","msg":{"z":2,"type":"turn_diff","a":null,"y":3},"b":4}',
    ],
    expected: [
      completed("item_0", "turn_diff", '"a":null,"id":"1","b":4,"z":2,"y":3'),
    ],
  },
  {
    name:
      "a field named msg inside msg is an unknown field, however many there are",
    lines: [
      '{"msg":{"type":"turn_diff","msg":1,"x":2}}',
      `{"msg":{"msg":1,"type":"turn_diff"},${
        Array.from({ length: 20 }, (_, i) => `"k${i}":${i}`)
      }}`,
    ],
    expected: [
      completed("item_0", "turn_diff", '"msg":1,"x":2'),
      completed(
        "item_1",
        "turn_diff",
        `${Array.from({ length: 20 }, (_, i) => `"k${i}":${i}`)},"msg":1`,
      ),
    ],
  },
  {
    name: "nothing is flattened, and id is no item id",
    lines: [
      '{"id":"7","msg":{"type":"agent_message","message":"m","item":{"id":"x","type":"error","message":"n"}}}',
      '{"id":"8","msg":{"type":"exec_command_begin","call_id":"c","command":"ls","item":{"id":"x"}}}',
    ],
    expected: [
      completed(
        "item_0",
        "agent_message",
        '"content":{"text":"m"},"id":"7","item":{"id":"x","type":"error","message":"n"}',
      ),
      event("started", "c", {
        status: "in_progress",
        type: "command_execution",
        more: '"content":{"command":"ls"},"id":"8","item":{"id":"x"}',
      }),
    ],
  },
  {
    name: "the id of a line is the turn of turn lines, and no turn of items",
    lines: [
      CONFIG,
      '{"id":" 1 ","msg":{"type":"task_started"}}',
      '{"id":"2","msg":{"type":"agent_message","message":"m"}}',
      '{"id":"3","msg":{"type":"agent_message","message":"m","turn_id":"V"}}',
      '{"id":"4","msg":{"type":"task_complete","id":"5"}}',
      '{"id":"6","msg":{"type":"agent_message","message":"m"}}',
    ],
    expected: [
      configEvent(1),
      '{"type":"turn.started","thread_id":"synthetic-thread-1","turn_id":"1","id":" 1 "}',
      completed("item_0", "agent_message", '"content":{"text":"m"},"id":"2"', {
        ids: '"thread_id":"synthetic-thread-1","turn_id":"1"',
      }),
      completed("item_1", "agent_message", '"content":{"text":"m"},"id":"3"', {
        ids: '"thread_id":"synthetic-thread-1","turn_id":"V"',
      }),
      '{"type":"turn.completed","thread_id":"synthetic-thread-1","turn_id":"5","id":"5"}',
      completed("item_2", "agent_message", '"content":{"text":"m"},"id":"6"', {
        ids: '"thread_id":"synthetic-thread-1"',
      }),
    ],
    options: {},
  },
  {
    name: "new item ids start again with every thread line, of any dialect",
    lines: [
      message("turn_diff"),
      message("turn_diff"),
      THREAD,
      message("turn_diff"),
      message("session_configured", '"session_id":"T"'),
      message("turn_diff"),
      '{"type":"thread.started"}',
      message("turn_diff"),
      TURN,
      message("turn_diff"),
    ],
    expected: [
      completed("item_0", "turn_diff"),
      completed("item_1", "turn_diff"),
      THREAD,
      completed("item_0", "turn_diff", "", { ids: '"thread_id":"T"' }),
      '{"type":"thread.started","thread_id":"T","session_id":"T"}',
      completed("item_0", "turn_diff", "", { ids: '"thread_id":"T"' }),
      "normalize",
      completed("item_1", "turn_diff", "", { ids: '"thread_id":"T"' }),
      TURN_EVENT,
      completed("item_2", "turn_diff"),
    ],
  },
  {
    name: "its own typed failures come before the search for ids",
    lines: [
      message("exec_command_begin", '"command":["ls"]'),
      message("plan_update", '"plan":5'),
      message("patch_apply_begin", '"call_id":"c","changes":{"a":1}'),
      message("brand_new"),
      message("agent_message"),
    ],
    expected: ["typed", "typed", "typed", "typed", "normalize"],
    options: {},
  },
  {
    name: "a status that a line brings itself is kept",
    lines: [
      message("agent_message", '"message":"m","status":"s"'),
      message(
        "exec_command_end",
        '"call_id":"c","exit_code":1,"status":"declined"',
      ),
      message("patch_apply_end", '"call_id":"c","success":false,"status":"s"'),
      message(
        "mcp_tool_call_end",
        '"call_id":"c","result":{"Err":"e"},"status":"s"',
      ),
      message("exec_command_end", '"call_id":"c","exit_code":1,"status":null'),
      message("turn_diff", '"status":"s"'),
    ],
    expected: [
      completed("item_0", "agent_message", '"content":{"text":"m"}', {
        status: "s",
      }),
      completed(
        "c",
        "command_execution",
        '"content":{"command":"","exit_code":1}',
        { status: "declined" },
      ),
      completed(
        "c",
        "file_change",
        '"content":{"changes":[]},"success":false',
        { status: "s" },
      ),
      completed(
        "c",
        "mcp_tool_call",
        '"content":{"server_name":"","tool_name":"","error":{"message":"e"}}',
        { status: "s" },
      ),
      completed(
        "c",
        "command_execution",
        '"content":{"command":"","exit_code":1}',
        { status: "failed" },
      ),
      completed("item_1", "turn_diff", "", { status: "s" }),
    ],
  },
]);

testAll("turn lines", [
  {
    name: "both names of each",
    lines: [
      message("task_started", '"turn_id":"a","model_context_window":1.0'),
      message("task_complete", '"last_agent_message":null'),
      message("turn_started", '"turn_id":"b"'),
      message("turn_complete"),
    ],
    expected: [
      '{"type":"turn.started","thread_id":"T","turn_id":"a","model_context_window":1.0}',
      '{"type":"turn.completed","thread_id":"T","turn_id":"a","last_agent_message":null}',
      '{"type":"turn.started","thread_id":"T","turn_id":"b"}',
      '{"type":"turn.completed","thread_id":"T","turn_id":"b"}',
    ],
  },
  {
    name: "the reason of an abort is moved into its error",
    lines: [
      '"reason":"interrupted","x":1',
      '"reason":5',
      '"reason":null',
      '"x":1',
      '"error":{"message":"e"}',
      '"message":"m"',
    ]
      .map((fields) => message("turn_aborted", `"turn_id":"V",${fields}`)),
    expected: [
      '{"type":"turn.failed","thread_id":"T","turn_id":"V","error":{"message":"interrupted"},"x":1}',
      "typed",
      "typed",
      "typed",
      '{"type":"turn.failed","thread_id":"T","turn_id":"V","error":{"message":"e"}}',
      '{"type":"turn.failed","thread_id":"T","turn_id":"V","error":{"message":"m"}}',
    ],
  },
]);

const RAW = "agent_reasoning_raw_content";

testAll("P4, P5 texts", [
  {
    name: "a full text closes the oldest open item, a delta goes to the newest",
    lines: [
      message("agent_reasoning_delta", '"delta":"a"'),
      message("agent_reasoning_section_break"),
      message("agent_reasoning_delta", '"delta":"b"'),
      message("agent_reasoning", '"text":"A"'),
      message("agent_reasoning_delta", '"delta":"c"'),
      message("agent_reasoning", '"text":"B"'),
      message("agent_reasoning", '"text":"C"'),
      message("agent_reasoning_delta", '"delta":"d"'),
    ],
    expected: [
      delta("item_0", "reasoning", "a"),
      completed("item_1", "agent_reasoning_section_break"),
      delta("item_2", "reasoning", "b"),
      text("item_0", "reasoning", "A"),
      delta("item_2", "reasoning", "c"),
      text("item_2", "reasoning", "B"),
      text("item_3", "reasoning", "C"),
      delta("item_4", "reasoning", "d"),
    ],
  },
  {
    name:
      "two breaks open one further item, and one before the first delta opens one",
    lines: [
      message("agent_reasoning_section_break"),
      message("agent_reasoning_delta", '"delta":"a"'),
      message("agent_reasoning_section_break"),
      message("agent_reasoning_section_break"),
      message("agent_reasoning_delta", '"delta":"b"'),
      message("agent_reasoning_delta", '"delta":"c"'),
      message("agent_reasoning", '"text":"A"'),
      message("agent_reasoning", '"text":"B"'),
    ],
    expected: [
      completed("item_0", "agent_reasoning_section_break"),
      delta("item_1", "reasoning", "a"),
      completed("item_2", "agent_reasoning_section_break"),
      completed("item_3", "agent_reasoning_section_break"),
      delta("item_4", "reasoning", "b"),
      delta("item_4", "reasoning", "c"),
      text("item_1", "reasoning", "A"),
      text("item_4", "reasoning", "B"),
    ],
  },
  {
    name: "messages, reasoning and raw thoughts are open side by side",
    lines: [
      message("agent_message_delta", '"delta":"m"'),
      message("agent_reasoning_delta", '"delta":"r"'),
      message(`${RAW}_delta`, '"delta":"w"'),
      message("agent_reasoning_section_break"),
      message("agent_message_delta", '"delta":"m"'),
      message(`${RAW}_delta`, '"delta":"w"'),
      message("agent_reasoning_delta", '"delta":"s"'),
      message(RAW, '"text":"W"'),
      message("agent_reasoning", '"text":"R"'),
      message("agent_message", '"message":"M"'),
    ],
    expected: [
      delta("item_0", "agent_message", "m"),
      delta("item_1", "reasoning", "r"),
      delta("item_2", RAW, "w"),
      completed("item_3", "agent_reasoning_section_break"),
      delta("item_0", "agent_message", "m"),
      delta("item_2", RAW, "w"),
      delta("item_4", "reasoning", "s"),
      text("item_2", RAW, "W"),
      text("item_1", "reasoning", "R"),
      text("item_0", "agent_message", "M"),
    ],
  },
  {
    name:
      "open items and the break mark are forgotten at a turn line of any dialect",
    lines: [
      message("agent_message_delta", '"delta":"a"'),
      message("task_complete"),
      message("agent_message_delta", '"delta":"b"'),
      TURN,
      message("agent_message", '"message":"c"'),
      message("agent_reasoning_delta", '"delta":"d"'),
      message("agent_reasoning_section_break"),
      TURN,
      message("agent_reasoning_delta", '"delta":"e"'),
      message("agent_reasoning_delta", '"delta":"f"'),
      message("agent_reasoning", '"text":"g"'),
      message("agent_reasoning", '"text":"h"'),
    ],
    expected: [
      delta("item_0", "agent_message", "a"),
      `{"type":"turn.completed",${IDS}}`,
      event("delta", "item_1", {
        type: "agent_message",
        more: '"delta":{"text_delta":"b"}',
        ids: '"thread_id":"T"',
      }),
      TURN_EVENT,
      text("item_2", "agent_message", "c"),
      delta("item_3", "reasoning", "d"),
      completed("item_4", "agent_reasoning_section_break"),
      TURN_EVENT,
      delta("item_5", "reasoning", "e"),
      delta("item_5", "reasoning", "f"),
      text("item_5", "reasoning", "g"),
      text("item_6", "reasoning", "h"),
    ],
  },
  {
    name:
      "open items are forgotten at a thread line, and outlive one that names no thread",
    lines: [
      message("agent_message_delta", '"delta":"a"'),
      '{"type":"thread.started"}',
      message("agent_message_delta", '"delta":"b"'),
      '{"type":"thread.resumed","thread_id":"T"}',
      message("agent_message", '"message":"c","turn_id":"U"'),
      message("agent_message", '"message":"d","turn_id":"U"'),
    ],
    expected: [
      delta("item_0", "agent_message", "a"),
      "normalize",
      delta("item_0", "agent_message", "b"),
      THREAD,
      text("item_0", "agent_message", "c"),
      text("item_1", "agent_message", "d"),
    ],
  },
  {
    name:
      "open items outlive a turn line that finds no ids, and no other failing one",
    lines: [
      message("agent_message_delta", '"delta":"a","turn_id":"U"'),
      message("task_complete"),
      message("agent_message_delta", '"delta":"b","turn_id":"U"'),
      '{"type":"turn.failed","turn_id":"U"}',
      message("agent_message", '"message":"c","turn_id":"U"'),
    ],
    expected: [
      delta("item_0", "agent_message", "a"),
      "normalize",
      delta("item_0", "agent_message", "b"),
      "typed",
      text("item_1", "agent_message", "c"),
    ],
    options: { initialThreadId: "T" },
  },
  {
    name:
      "texts that are no strings fail, and what they opened or closed stays so (C15)",
    lines: [
      message("agent_message_delta"),
      message("agent_message_delta", '"delta":5'),
      message("agent_message", '"message":null'),
      message("agent_message", '"message":"m"'),
      message(RAW),
      message(RAW, '"text":5'),
    ],
    expected: [
      "typed",
      "typed",
      "typed",
      text("item_1", "agent_message", "m"),
      completed("item_2", RAW, '"content":{}'),
      completed("item_3", RAW, '"content":{"text":5}'),
    ],
  },
]);

function chunk(value: string, { stream = "stdout", call = "c" } = {}): string {
  return message(
    "exec_command_output_delta",
    `"call_id":"${call}","stream":"${stream}","chunk":${value}`,
  );
}

function output(
  value: string,
  { stream = "stdout", call = "c", ids = IDS } = {},
): string {
  return event("delta", call, {
    type: "command_execution",
    more: `"delta":{"${stream}":${JSON.stringify(value)}}`,
    ids,
  });
}

testAll("P6 chunks", [
  {
    name: "base64 in the standard alphabet, padding required",
    lines: [
      '"YQ=="',
      '"YWI="',
      '"YWJj"',
      '"YWJjZA=="',
      '""',
      '"+/+/"',
      '"Pz8/"',
      '"YWI\\u003d"',
      '"Pz8\\/"',
    ]
      .map((value) => chunk(value)),
    expected: [
      "a",
      "ab",
      "abc",
      "abcd",
      "",
      "\ufffd\ufffd\ufffd",
      "???",
      "ab",
      "???",
    ]
      .map((value) => output(value)),
  },
  {
    name: "what is no base64",
    lines: [
      "YQ",
      "YQ=",
      "YQ===",
      "=",
      "====",
      "=YWJ",
      "Y=Q=",
      "YQ==YQ==",
      "YQ==\\n",
      " YQ==",
      "Y Q=",
      "Pz8_",
      "Pj4-",
      "YWJé",
      "YWJ\\u0000",
      "YWJ,",
      "é",
    ].map((value) => chunk(`"${value}"`)),
    expected: new Array(17).fill("typed"),
  },
  {
    name: "bytes as a list of numbers from 0 to 255",
    lines: [
      "[]",
      "[104,105]",
      "[0,127]",
      "[1.04e2]",
      "[195,169]",
      " [ 104 , 105 ] ",
    ]
      .map((value) => chunk(value)),
    expected: ["", "hi", "\0\u007f", "h", "é", "hi"].map((value) =>
      output(value)
    ),
  },
  {
    name: "what is no list of bytes",
    lines: [
      "[256]",
      "[-1]",
      "[1.5]",
      "[1e-400]",
      "[64.99999999999999999999]",
      '["1"]',
      "[null]",
      "[[1]]",
      "[1e3]",
      "{}",
      "null",
      "5",
      "true",
    ]
      .map((value) => chunk(value)),
    expected: new Array(13).fill("typed"),
  },
  {
    name: "only stdout and stderr are streams",
    lines: ['"stdin"', '"Stdout"', '""', "null", "5", '["stdout"]'].map((
      stream,
    ) =>
      message(
        "exec_command_output_delta",
        `"call_id":"c","stream":${stream},"chunk":""`,
      )
    ).concat(message("exec_command_output_delta", '"call_id":"c","chunk":""')),
    expected: new Array(7).fill("typed"),
  },
  {
    name: "a call id must be a string",
    lines: ['"call_id":5,', '"call_id":null,', ""].map((field) =>
      message(
        "exec_command_output_delta",
        `${field}"stream":"stdout","chunk":""`,
      )
    ),
    expected: ["typed", "typed", "typed"],
  },
  {
    name: "an unfinished character waits for the next chunk, byte by byte",
    lines: [0xf0, 0x9f, 0x98, 0x80, 0x21].map((byte) => chunk(`[${byte}]`)),
    expected: ["", "", "", "😀", "!"].map((value) => output(value)),
  },
  {
    name: "base64 may be spelled with escapes behind letters that are plain",
    lines: [chunk('"YWJj\\u005a\\u0047\\u0056\\u006d"')],
    expected: [output("abcdef")],
  },
  {
    name: "each stream of each call has its own decoder",
    lines: [
      chunk("[195]"),
      chunk("[226,130]", { stream: "stderr" }),
      chunk("[240,159]", { call: "d" }),
      chunk("[169]"),
      chunk("[172]", { stream: "stderr" }),
      chunk("[152,128]", { call: "d" }),
    ],
    expected: [
      output(""),
      output("", { stream: "stderr" }),
      output("", { call: "d" }),
      output("é"),
      output("€", { stream: "stderr" }),
      output("😀", { call: "d" }),
    ],
  },
  {
    name: "invalid bytes become U+FFFD, a byte order mark is kept",
    lines: [
      "[239,187,191,97]",
      "[255,97]",
      "[195,97]",
      "[239,187,191]",
      "[192,175]",
    ]
      .map((value) => chunk(value)),
    expected: ["\ufeffa", "\ufffda", "\ufffda", "\ufeff", "\ufffd\ufffd"]
      .map((value) => output(value)),
  },
  {
    name: "a bad chunk leaves what is unfinished alone",
    lines: [chunk("[195]"), chunk('"?"'), chunk("[300]"), chunk("[169]")],
    expected: [output(""), "typed", "typed", output("é")],
  },
  {
    name: "the end of a call drops its decoders, and no other's",
    lines: [
      chunk("[195]"),
      chunk("[195]", { call: "d" }),
      message("exec_command_end", '"call_id":"c"'),
      chunk("[169]"),
      chunk("[169]", { call: "d" }),
    ],
    expected: [
      output(""),
      output("", { call: "d" }),
      completed("c", "command_execution", '"content":{"command":""}'),
      output("\ufffd"),
      output("é", { call: "d" }),
    ],
  },
  {
    name: "decoders are forgotten at a thread line, and not at a turn line",
    lines: [chunk("[195]"), TURN, chunk("[169,195]"), THREAD, chunk("[169]")],
    expected: [
      output(""),
      TURN_EVENT,
      output("é"),
      THREAD,
      output("\ufffd", { ids: '"thread_id":"T"' }),
    ],
  },
  {
    name: "other fields of a chunk stay, stream and chunk do not",
    lines: [
      '{"id":"1","msg":{"type":"exec_command_output_delta","z":1,"call_id":"c","stream":"stdout","chunk":"YQ==","a":2}}',
    ],
    expected: [
      event("delta", "c", {
        type: "command_execution",
        more: '"delta":{"stdout":"a"},"id":"1","z":1,"a":2',
      }),
    ],
  },
]);

Deno.test("OldDialect, P6 chunks: any bytes are decoded as by one streaming decoder, however they are cut", () => {
  const bytes = fc.array(
    fc.oneof(
      fc.nat(255),
      fc.constantFrom(...new TextEncoder().encode("aé€😀\ufeff")),
      fc.constantFrom(0x80, 0xc0, 0xe0, 0xed, 0xf0, 0xf4, 0xf5),
    ),
    { maxLength: 4 },
  );
  const chunks = fc.array(fc.tuple(bytes, fc.boolean()), { maxLength: 8 });
  fc.assert(
    fc.property(chunks, (pieces) => {
      const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
      const expected = pieces.map(([values]) =>
        output(decoder.decode(Uint8Array.from(values), { stream: true }))
      );
      const lines = pieces.map(([values, isBase64]) =>
        chunk(
          isBase64
            ? `"${btoa(String.fromCharCode(...values))}"`
            : `[${values}]`,
        )
      );
      assertEquals(answers(lines, OPEN), expected);
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("OldDialect, P6 commands: words are joined as a shell would read them, however they are spelled", () => {
  const blank = fc.constantFrom("", " ", "\t", "  ");
  const spelled = fc.array(fc.tuple(JSON_STRING, blank, blank), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(spelled, (words) => {
      const list = words.map((parts) => `${parts[1]}${parts[0]}${parts[2]}`);
      const joined = words.map(([word]) => String(JSON.parse(word)))
        .map((word) =>
          /^[\w@%+=:,./-]+$/.test(word)
            ? word
            : `'${word.replaceAll("'", `'"'"'`)}'`
        ).join(" ");
      assertEquals(
        answers([
          message("exec_command_begin", `"call_id":"c","command":[${list}]`),
          message("exec_command_end", '"call_id":"c"'),
        ], OPEN),
        [
          event("started", "c", {
            status: "in_progress",
            type: "command_execution",
            more: `"content":{"command":${JSON.stringify(joined)}}`,
          }),
          completed(
            "c",
            "command_execution",
            `"content":{"command":${JSON.stringify(joined)}}`,
          ),
        ],
      );
    }),
    { numRuns: 1_000 },
  );
});

const BEGIN = message(
  "exec_command_begin",
  '"call_id":"c","command":["ls","-l"]',
);
const BEGUN = event("started", "c", {
  status: "in_progress",
  type: "command_execution",
  more: '"content":{"command":"ls -l"}',
});
function end(fields = "", call = "c"): string {
  return message("exec_command_end", `"call_id":"${call}"${fields}`);
}
function ended(content: string, status = "completed"): string {
  return completed("c", "command_execution", `"content":{${content}}`, {
    status,
  });
}

testAll("P6 commands", [
  {
    name: "an end has the command of its begin, once",
    lines: [BEGIN, end(), end()],
    expected: [BEGUN, ended('"command":"ls -l"'), ended('"command":""')],
  },
  {
    name: "an end of another kind leaves the begin alone",
    lines: [BEGIN, message("patch_apply_end", '"call_id":"c"'), end()],
    expected: [
      BEGUN,
      completed("c", "file_change", '"content":{"changes":[]}'),
      ended('"command":"ls -l"'),
    ],
  },
  {
    name: "a command that the end brings itself wins",
    lines: [BEGIN, end(',"command":"own"'), BEGIN, end(',"command":null')],
    expected: [
      BEGUN,
      ended('"command":"own"'),
      BEGUN,
      ended('"command":"ls -l"'),
    ],
  },
  {
    name: "a command may be a string already",
    lines: [
      message("exec_command_begin", '"call_id":"c","command":"\\u006cs"'),
      end(),
    ],
    expected: [
      BEGUN.replace("ls -l", "\\u006cs"),
      ended('"command":"\\u006cs"'),
    ],
  },
  {
    name: "the last begin of a call id counts",
    lines: [
      BEGIN,
      message("exec_command_begin", '"call_id":"c","command":["pwd"]'),
      end(),
    ],
    expected: [BEGUN, BEGUN.replace("ls -l", "pwd"), ended('"command":"pwd"')],
  },
  {
    name: "begins are forgotten at a thread line, and not at a turn line",
    lines: [BEGIN, TURN, end(), BEGIN, THREAD, end(',"turn_id":"U"')],
    expected: [
      BEGUN,
      TURN_EVENT,
      ended('"command":"ls -l"'),
      BEGUN,
      THREAD,
      ended('"command":""'),
    ],
  },
  {
    name: "all open begins are forgotten at a thread line",
    lines: [
      BEGIN,
      message("exec_command_begin", '"call_id":"d","command":["pwd"]'),
      THREAD,
      end(',"turn_id":"U"'),
      end(',"turn_id":"U"').replace('"c"', '"d"'),
    ],
    expected: [
      BEGUN,
      BEGUN.replace('"c"', '"d"').replace("ls -l", "pwd"),
      THREAD,
      ended('"command":""'),
      ended('"command":""').replace('"c"', '"d"'),
    ],
  },
  {
    name: "a begin that failed for want of a thread is remembered (C15)",
    lines: [
      BEGIN,
      message("exec_command_end", '"call_id":"c","thread_id":"X"'),
    ],
    expected: [
      "normalize",
      completed("c", "command_execution", '"content":{"command":"ls -l"}', {
        ids: '"thread_id":"X"',
      }),
    ],
    options: {},
  },
  {
    name: "the status follows a numeric exit code, in any spelling",
    lines: [
      "0",
      "-0",
      "0.0",
      "0e7",
      "0.00E-3",
      "1",
      "-1",
      "1e-0",
      "100",
      "10.0",
    ]
      .map((code) => end(`,"exit_code":${code}`)),
    expected: [
      ...["0", "-0", "0.0", "0e7", "0.00E-3"].map((code) =>
        ended(`"command":"","exit_code":${code}`)
      ),
      ...["1", "-1", "1e-0", "100", "10.0"].map((code) =>
        ended(`"command":"","exit_code":${code}`, "failed")
      ),
    ],
  },
  {
    name:
      "without an exit code the status is the default, with a bad one the line fails",
    lines: [
      "",
      ',"exit_code":null',
      ',"exit_code":"0"',
      ',"exit_code":0.5',
      ',"exit_code":true',
    ]
      .map((code) => end(code)),
    expected: [
      ended('"command":""'),
      ended('"command":""'),
      "typed",
      "typed",
      "typed",
    ],
  },
  {
    name: "a command that is no command fails at its begin and at its end",
    lines: [
      message("exec_command_begin", '"call_id":"c","command":[1]'),
      end(),
    ],
    expected: ["typed", "typed"],
  },
  {
    name:
      "a begin of a call id says all that is known, also behind other calls",
    lines: [
      message(
        "mcp_tool_call_begin",
        '"call_id":"c","server":"s","tool":"t","arguments":1',
      ),
      BEGIN.replace('"c"', '"d"'),
      message("mcp_tool_call_begin", '"call_id":"c","server":"s","tool":"u"'),
      BEGIN.replace('"c"', '"d"'),
      message("mcp_tool_call_end", '"call_id":"c"'),
    ],
    expected: [
      event("started", "c", {
        status: "in_progress",
        type: "mcp_tool_call",
        more: '"content":{"server_name":"s","tool_name":"t","arguments":1}',
      }),
      BEGUN.replace('"item_id":"c"', '"item_id":"d"'),
      event("started", "c", {
        status: "in_progress",
        type: "mcp_tool_call",
        more: '"content":{"server_name":"s","tool_name":"u"}',
      }),
      BEGUN.replace('"item_id":"c"', '"item_id":"d"'),
      completed(
        "c",
        "mcp_tool_call",
        '"content":{"server_name":"s","tool_name":"u"}',
      ),
    ],
  },
  {
    name: "calls of different kinds with one id are different calls",
    lines: [
      BEGIN,
      message("patch_apply_begin", '"call_id":"c","changes":{"a":"delete"}'),
      message("mcp_tool_call_begin", '"call_id":"c","server":"s","tool":"t"'),
      message("patch_apply_end", '"call_id":"c"'),
      message("mcp_tool_call_end", '"call_id":"c"'),
      end(),
    ],
    expected: [
      BEGUN,
      event("started", "c", {
        status: "in_progress",
        type: "file_change",
        more: '"content":{"changes":[{"path":"a","kind":"delete"}]}',
      }),
      event("started", "c", {
        status: "in_progress",
        type: "mcp_tool_call",
        more: '"content":{"server_name":"s","tool_name":"t"}',
      }),
      completed(
        "c",
        "file_change",
        '"content":{"changes":[{"path":"a","kind":"delete"}]}',
      ),
      completed(
        "c",
        "mcp_tool_call",
        '"content":{"server_name":"s","tool_name":"t"}',
      ),
      ended('"command":"ls -l"'),
    ],
  },
]);

function patch(changes: string): string {
  return message("patch_apply_begin", `"call_id":"c","changes":${changes}`);
}
function patched(changes: string): string {
  return event("started", "c", {
    status: "in_progress",
    type: "file_change",
    more: `"content":{"changes":${changes}}`,
  });
}

testAll("P7 patches", [
  {
    name: "the map of changes becomes a list, in order, values as they are",
    lines: [
      patch("{}"),
      patch(
        '{"b":{"add":{ "content" : "x\\u0041" }},"10":{"update":{"n":1.0,"move_path":null}},"":"delete","a\\"b":{"x y":{}}}',
      ),
      patch('{"a":"delete","a":{"add":{}}}'),
      patch('{"a":{"add":{"n":1},"add":{"n":2}}}'),
    ],
    expected: [
      patched("[]"),
      patched(
        '[{"path":"b","kind":"add","content":"x\\u0041"},{"path":"10","kind":"update","n":1.0,"move_path":null},{"path":"","kind":"delete"},{"path":"a\\"b","kind":"x y"}]',
      ),
      patched('[{"path":"a","kind":"add"}]'),
      patched('[{"path":"a","kind":"add","n":2}]'),
    ],
  },
  {
    name: "any other entry fails",
    lines: [
      '"add"',
      '"Delete"',
      "null",
      "5",
      "[]",
      "{}",
      '{"add":null}',
      '{"add":"x"}',
      '{"add":{},"update":{}}',
    ]
      .map((entry) => patch(`{"ok":"delete","a":${entry}}`)),
    expected: new Array(9).fill("typed"),
  },
  {
    name: "changes that are a list already stay, others fail",
    lines: ['[{"path":"p","x":1}]', "[5]", '"x"', "null", "7"].map(patch)
      .concat(message("patch_apply_begin", '"call_id":"c"')),
    expected: [patched('[{"path":"p","x":1}]'), ...new Array(5).fill("typed")],
  },
  {
    name: "an end has the changes of its begin, once, unless it brings its own",
    lines: [
      patch('{"a":"delete"}'),
      message("patch_apply_end", '"call_id":"c","success":true,"stdout":"o"'),
      message("patch_apply_end", '"call_id":"c","success":false'),
      message("patch_apply_end", '"call_id":"c","changes":{"b":{"add":{}}}'),
    ],
    expected: [
      patched('[{"path":"a","kind":"delete"}]'),
      completed(
        "c",
        "file_change",
        '"content":{"changes":[{"path":"a","kind":"delete"}],"stdout":"o"},"success":true',
      ),
      completed(
        "c",
        "file_change",
        '"content":{"changes":[]},"success":false',
        { status: "failed" },
      ),
      completed(
        "c",
        "file_change",
        '"content":{"changes":[{"path":"b","kind":"add"}]}',
      ),
    ],
  },
  {
    name: "a success that is no boolean says nothing of the status",
    lines: ['"false"', "null", "0"].map((success) =>
      message("patch_apply_end", `"call_id":"c","success":${success}`)
    ),
    expected: ['"false"', "null", "0"].map((success) =>
      completed(
        "c",
        "file_change",
        `"content":{"changes":[]},"success":${success}`,
      )
    ),
  },
]);

function toolEnd(fields: string): string {
  return message(
    "mcp_tool_call_end",
    `"call_id":"c","server":"s","tool":"t",${fields}`,
  );
}
function tooled(rest: string, status = "completed"): string {
  return completed(
    "c",
    "mcp_tool_call",
    `"content":{"server_name":"s","tool_name":"t"${rest}}`,
    { status },
  );
}

testAll("P8 tools", [
  {
    name: "results of every shape",
    lines: [
      '"result":{"Ok":{"content":[1.0]}}',
      '"result":{"Ok":null}',
      '"result":{"Ok":"x"}',
      '"result":{"Ok":{"isError":true}}',
      '"result":{"Ok":{"is_error":true,"isError":false}}',
      '"result":{"Ok":{"isError":"true"}}',
      '"result":{"Err":"down"}',
      '"result":{"Err":{"message":"down","x":1}}',
      '"result":{"Err":null}',
      '"result":{"Ok":1,"Err":2}',
      '"result":{"other":1}',
      '"result":{}',
      '"result":"text"',
      '"result":null',
      '"error":"e"',
    ].map(toolEnd),
    expected: [
      tooled(',"result":{"content":[1.0]}'),
      tooled(""),
      tooled(',"result":"x"'),
      tooled(',"result":{"isError":true}', "failed"),
      tooled(',"result":{"is_error":true,"isError":false}', "failed"),
      tooled(',"result":{"isError":"true"}'),
      tooled(',"error":{"message":"down"}', "failed"),
      tooled(',"error":{"message":"down","x":1}', "failed"),
      tooled("", "failed"),
      tooled(',"result":{"Ok":1,"Err":2}'),
      tooled(',"result":{"other":1}'),
      tooled(',"result":{}'),
      tooled(',"result":"text"'),
      tooled(""),
      tooled(',"error":"e"'),
    ],
  },
  {
    name: "an end has what its begin said and it does not, once",
    lines: [
      message(
        "mcp_tool_call_begin",
        '"call_id":"c","invocation":{"server":"s","tool":"t","arguments":{"n":1.0},"x":1}',
      ),
      message("mcp_tool_call_end", '"call_id":"c","tool":"u"'),
      message("mcp_tool_call_end", '"call_id":"c"'),
    ],
    expected: [
      event("started", "c", {
        status: "in_progress",
        type: "mcp_tool_call",
        more:
          '"content":{"server_name":"s","tool_name":"t","arguments":{"n":1.0}},"x":1',
      }),
      completed(
        "c",
        "mcp_tool_call",
        '"content":{"server_name":"s","tool_name":"u","arguments":{"n":1.0}}',
      ),
      completed(
        "c",
        "mcp_tool_call",
        '"content":{"server_name":"","tool_name":""}',
      ),
    ],
  },
  {
    name: "the type of an event stays its own, whatever an invocation holds",
    lines: [
      message(
        "mcp_tool_call_begin",
        '"call_id":"c","invocation":{"server":"s","tool":"t","type":"x","y":1}',
      ),
      toolEnd('"invocation":{"\\u0074ype":{},"type":"x"}'),
    ],
    expected: [
      event("started", "c", {
        status: "in_progress",
        type: "mcp_tool_call",
        more: '"content":{"server_name":"s","tool_name":"t"},"y":1',
      }),
      completed(
        "c",
        "mcp_tool_call",
        '"content":{"server_name":"s","tool_name":"t"}',
      ),
    ],
  },
  {
    name: "an invocation that is no object is an unknown field",
    lines: [
      message(
        "mcp_tool_call_begin",
        '"call_id":"c","server":"s","tool":"t","invocation":"x"',
      ),
      toolEnd('"invocation":null'),
    ],
    expected: [
      event("started", "c", {
        status: "in_progress",
        type: "mcp_tool_call",
        more: '"content":{"server_name":"s","tool_name":"t"},"invocation":"x"',
      }),
      completed(
        "c",
        "mcp_tool_call",
        '"content":{"server_name":"s","tool_name":"t"},"invocation":null',
      ),
    ],
  },
  {
    name: "a begin needs a server and a tool",
    lines: [
      message(
        "mcp_tool_call_begin",
        '"call_id":"c","invocation":{"server":"s"}',
      ),
    ],
    expected: ["typed"],
  },
]);

testAll("P9 searches", [
  {
    name: "a begin has an empty query if it brings none, an end must bring one",
    lines: [
      message("web_search_begin", '"call_id":"c"'),
      message("web_search_begin", '"call_id":"c","query":null'),
      message("web_search_begin", '"call_id":"c","query":"q"'),
      message(
        "web_search_end",
        '"call_id":"c","query":"q","action":{"type":"search"}',
      ),
      message("web_search_end", '"call_id":"c"'),
      message("web_search_begin", '"query":"q"'),
    ],
    expected: [
      ...["", "", "q"].map((query) =>
        event("started", "c", {
          status: "in_progress",
          type: "web_search",
          more: `"content":{"query":"${query}"}`,
        })
      ),
      completed(
        "c",
        "web_search",
        '"content":{"query":"q","action":{"type":"search"}}',
      ),
      "typed",
      "typed",
    ],
  },
]);

function plan(steps: string): string {
  return message("plan_update", `"plan":${steps},"explanation":"e"`);
}
function planned(id: string, items: string): string {
  return event("started", id, {
    status: "in_progress",
    type: "todo_list",
    more: `"content":{"items":${items}},"explanation":"e"`,
  });
}
function replanned(id: string, items: string): string {
  return event("delta", id, {
    type: "todo_list",
    more: `"snapshot":true,"delta":{"items":${items}},"explanation":"e"`,
  });
}

testAll("P10 plans", [
  {
    name: "steps become items, and keep what else they hold",
    lines: [
      plan(
        '[{"step":"a","status":"completed","n":1.0},{"status":"in_progress","step":"b"},{"step":"c","status":"Completed"},{"step":"d"},{"step":"e","completed":true,"status":"pending"}]',
      ),
    ],
    expected: [
      planned(
        "item_0",
        '[{"title":"a","completed":true,"status":"completed","n":1.0},{"title":"b","completed":false,"status":"in_progress"},{"title":"c","completed":false,"status":"Completed"},{"title":"d","completed":false},{"title":"e","completed":false,"status":"pending"}]',
      ),
    ],
  },
  {
    name:
      "the first plan of a turn opens an item, later ones are snapshots of it",
    lines: [
      plan("[]"),
      message("turn_diff"),
      plan("[]"),
      TURN,
      plan("[]"),
      '{"type":"turn.completed"}',
      TURN,
      plan("[]"),
    ],
    expected: [
      planned("item_0", "[]"),
      completed("item_1", "turn_diff"),
      replanned("item_0", "[]"),
      TURN_EVENT,
      planned("item_2", "[]"),
      `{"type":"turn.completed",${IDS}}`,
      TURN_EVENT,
      planned("item_3", "[]"),
    ],
  },
  {
    name: "a plan that is no list of objects uses up no item id",
    lines: ["5", "null", "{}", "[5]", '[{"step":"a"},"b"]', "[[]]"].map(plan)
      .concat(message("plan_update"), plan("[]")),
    expected: [...new Array(7).fill("typed"), planned("item_0", "[]")],
  },
  {
    name: "a step without a text fails, and the plan counts as the first (C15)",
    lines: [plan('[{"status":"pending"}]'), plan('[{"step":5}]'), plan("[]")],
    expected: ["typed", "typed", replanned("item_0", "[]")],
  },
]);

function count(fields: string): string {
  return message("token_count", fields);
}
function counted(id: number, fields: string): string {
  return completed(`item_${id}`, "token_count", fields);
}
function usageOf(counts: readonly string[], type = "task_complete"): string {
  const got = answers(
    [...counts.map(count), message(type, '"reason":"r"')],
    OPEN,
  );
  return /"usage":.*?\}(?=[,}])/.exec(got.at(-1) ?? "")?.[0] ?? "none";
}

for (
  const { name, counts, expected } of [
    { name: "none without a count", counts: [], expected: "none" },
    {
      name: "the sums of requests, in their order, exactly",
      counts: [
        '"total_tokens":9007199254740993,"input_tokens":1',
        '"total_tokens":9007199254740993,"output_tokens":2,"cached_input_tokens":0,"other":5',
        '"reasoning_output_tokens":18446744073709551616',
      ],
      expected:
        '"usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":2,"reasoning_output_tokens":18446744073709551616,"total_tokens":18014398509481986}',
    },
    {
      name: "nothing of what is not spelled as plain digits",
      counts: [
        '"input_tokens":1.0,"cached_input_tokens":-1,"output_tokens":1e2,"reasoning_output_tokens":"5","total_tokens":null',
      ],
      expected: "none",
    },
    {
      name: "only the plain digits among others",
      counts: [
        '"input_tokens":1.0,"output_tokens":007',
        '"input_tokens":1.0,"output_tokens":7',
      ],
      expected: '"usage":{"output_tokens":7}',
    },
    {
      name: "the last total",
      counts: [
        '"info":{"total_token_usage":{"b":1.0,"a":2},"last_token_usage":{"a":9}}',
        '"info":{"total_token_usage":{ "b" : 3.0 , "a":4}}',
      ],
      expected: '"usage":{ "b" : 3.0 , "a":4}',
    },
    {
      name: "a total instead of the sums so far",
      counts: [
        '"input_tokens":5',
        '"info":{"total_token_usage":{"input_tokens":1}}',
      ],
      expected: '"usage":{"input_tokens":1}',
    },
    {
      name: "a total that later counts beside an info leave alone",
      counts: [
        '"info":{"total_token_usage":{"input_tokens":1}}',
        '"info":{"total_token_usage":null},"input_tokens":5',
        '"info":{},"input_tokens":5',
        '"info":null',
      ],
      expected: '"usage":{"input_tokens":1}',
    },
    {
      name: "the last of two totals in one line (J2)",
      counts: [
        '"info":{"total_token_usage":{"a":1},"total_token_usage":{"a":2}}',
      ],
      expected: '"usage":{"a":2}',
    },
  ] satisfies { name: string; counts: string[]; expected: string }[]
) {
  Deno.test(`OldDialect, P11 usage: a turn ends with ${name}`, () => {
    for (const type of ["task_complete", "turn_complete", "turn_aborted"]) {
      assertEquals(usageOf(counts, type), expected, type);
    }
  });
}

testAll("P11 usage", [
  {
    name: "a usage that the line brings itself is kept, unless it is null",
    lines: [
      count('"input_tokens":5'),
      message("task_complete", '"usage":{"own":1}'),
      message("task_complete", '"turn_id":"V","usage":null'),
    ],
    expected: [
      counted(0, '"input_tokens":5'),
      `{"type":"turn.completed",${IDS},"usage":{"own":1}}`,
      '{"type":"turn.completed","thread_id":"T","turn_id":"V","usage":{"input_tokens":5}}',
    ],
  },
  {
    name: "it is remembered over turns and forgotten at a thread line",
    lines: [
      count('"input_tokens":5'),
      message("task_complete"),
      TURN,
      count('"input_tokens":6'),
      message("task_complete"),
      THREAD,
      message("task_complete", '"turn_id":"V"'),
      count('"info":{"total_token_usage":{"a":1}}'),
      THREAD,
      message("task_complete", '"turn_id":"V"'),
    ],
    expected: [
      counted(0, '"input_tokens":5'),
      `{"type":"turn.completed",${IDS},"usage":{"input_tokens":5}}`,
      TURN_EVENT,
      counted(1, '"input_tokens":6'),
      `{"type":"turn.completed",${IDS},"usage":{"input_tokens":11}}`,
      THREAD,
      '{"type":"turn.completed","thread_id":"T","turn_id":"V"}',
      completed(
        "item_0",
        "token_count",
        '"info":{"total_token_usage":{"a":1}}',
        {
          ids: '"thread_id":"T"',
        },
      ),
      THREAD,
      '{"type":"turn.completed","thread_id":"T","turn_id":"V"}',
    ],
  },
  {
    name: "turn lines of the current dialect are not given it",
    lines: [count('"input_tokens":5'), '{"type":"turn.completed"}'],
    expected: [
      counted(0, '"input_tokens":5'),
      `{"type":"turn.completed",${IDS}}`,
    ],
  },
]);

const NOTICES = [
  "token_count",
  "background_event",
  "turn_diff",
  "agent_reasoning_section_break",
  "exec_approval_request",
  "apply_patch_approval_request",
  "get_history_entry_response",
  "mcp_list_tools_response",
  "list_custom_prompts_response",
  "conversation_path",
  "conversation_history",
  "entered_review_mode",
  "exited_review_mode",
  "shutdown_complete",
];

for (const type of NOTICES) {
  Deno.test(`OldDialect, P12 notices: ${type} is an item of that name that keeps its fields`, () => {
    assertEquals(
      answers(
        [`{"id":"1","msg":{"type":"${type}","call_id":"c","text":"t","message":"m","n":1.0,"z":null}}`],
        OPEN,
      ),
      [completed(
        "item_0",
        type,
        '"id":"1","call_id":"c","text":"t","message":"m","n":1.0,"z":null',
      )],
    );
  });
}

testAll("P12, P13 other messages", [
  {
    name: "stream errors and warnings are items, errors are events",
    lines: [
      message("stream_error", '"message":"m","code":1,"x":2'),
      message("warning", '"message":"w"'),
      message("warning"),
      message("error", '"message":"e","code":"c","thread_id":"X"'),
      message("error"),
    ],
    expected: [
      completed("item_0", "error", '"content":{"message":"m","code":1},"x":2'),
      completed("item_1", "error", '"content":{"message":"w"}'),
      "typed",
      '{"type":"error","message":"e","code":"c","thread_id":"X"}',
      "typed",
    ],
  },
  {
    name: "errors need no thread",
    lines: [
      message("error", '"message":"e"'),
      message("warning", '"message":"w"'),
    ],
    expected: ['{"type":"error","message":"e"}', "normalize"],
    options: {},
  },
  {
    name: "a user message is an item",
    lines: [
      message("user_message", '"message":"m","kind":"plain"'),
      message("user_message"),
    ],
    expected: [
      completed(
        "item_0",
        "user_message",
        '"content":{"text":"m"},"kind":"plain"',
      ),
      completed("item_1", "user_message", '"content":{}'),
    ],
  },
  {
    name:
      "anything else fails and uses up nothing, names of the current dialect included",
    lines: [
      "brand_new",
      "",
      "Error",
      "error_delta",
      "_delta",
      "agent_message_other",
      "agent_messagefoobar",
      "user_message_delta",
      "thread.started",
      "item.completed",
      "line.failed",
      "constructor",
      "__proto__",
    ]
      .map((type) => message(type, '"message":"m","session_id":"s"'))
      .concat(message("turn_diff")),
    expected: [
      ...new Array(13).fill("typed"),
      completed("item_0", "turn_diff"),
    ],
  },
  {
    name: "a session is configured by its session id",
    lines: [
      message("session_configured", '"session_id":" s ","model":"m"'),
      message("session_configured"),
      message("turn_diff"),
    ],
    expected: [
      '{"type":"thread.started","thread_id":"s","session_id":" s ","model":"m"}',
      "normalize",
      completed("item_0", "turn_diff", "", { ids: '"thread_id":"s"' }),
    ],
  },
]);

/** Things that lines of the old dialect open and that no line ends. */
const NEVER_ENDING: Readonly<Record<string, (n: number) => string>> = {
  "commands": (n) =>
    message(
      "exec_command_begin",
      `"call_id":"c${n}","command":["echo","${"x".repeat(200)}"]`,
    ),
  "patches": (n) =>
    message(
      "patch_apply_begin",
      `"call_id":"c${n}","changes":{"${"x".repeat(200)}":"delete"}`,
    ),
  "characters in the output of commands": (n) =>
    message(
      "exec_command_output_delta",
      `"call_id":"${"c".repeat(100)}${n}","stream":"stdout","chunk":"4pyT4pw="`,
    ),
  "reasonings": (n) =>
    n % 2 === 0
      ? message("agent_reasoning_section_break")
      : message("agent_reasoning_delta", '"delta":"d"'),
};

for (const [name, line] of Object.entries(NEVER_ENDING)) {
  Deno.test(`OldDialect remembers no more of ${name} that never end than it has room for`, () => {
    const normalizer = new Normalizer({ from: "exec", ...OPEN });
    for (let n = 0; n < 12_000; n++) {
      normalizer.feed({
        ok: true,
        line: n,
        offset: 0,
        value: line(n),
        text: line(n),
      }, (outcome) => {
        assertEquals(outcome.ok, true);
      });
    }
    const saved = JSON.stringify(normalizer.save());
    assertEquals(saved.length < 1_500_000, true, `${saved.length}`);
  });
}

Deno.test("OldDialect remembers thousands of open commands", () => {
  const count = 5_000;
  const ids = Array.from({ length: count }, (_, n) => `"call_id":"c${n}"`);
  const lines = [
    ...ids.map((id, n) =>
      message("exec_command_begin", `${id},"command":["echo","${n}"]`)
    ),
    ...ids.map((id) => message("exec_command_end", id)),
  ];
  assertEquals(
    answers(lines, OPEN).slice(count),
    ids.map((_, n) =>
      completed(
        `c${n}`,
        "command_execution",
        `"content":{"command":"echo ${n}"}`,
      )
    ),
  );
});

Deno.test("OldDialect takes two spellings of a call's id for one", () => {
  assertEquals(
    answers([
      message("exec_command_begin", '"call_id":"\\u0063","command":["ls"]'),
      message("exec_command_end", '"call_id":"c"'),
    ], OPEN).at(-1),
    completed("c", "command_execution", '"content":{"command":"ls"}'),
  );
});

Deno.test("OldDialect reads a list of bytes however its numbers are spelled", () => {
  for (
    const list of [
      "[104,105]",
      " [ 104 , 105 ] ",
      "[1.04e2,105.0]",
      "[104,1050e-1]",
    ]
  ) {
    const line = message(
      "exec_command_output_delta",
      `"call_id":"c","stream":"stdout","chunk":${list}`,
    );
    assertEquals(answers([line], OPEN), [
      event("delta", "c", {
        type: "command_execution",
        more: '"delta":{"stdout":"hi"}',
      }),
    ]);
  }
  for (
    const list of ["[256]", "[104,-1]", "[1.5]", '["1"]', "[1e3]", "[[1]]"]
  ) {
    const line = message(
      "exec_command_output_delta",
      `"call_id":"c","stream":"stdout","chunk":${list}`,
    );
    assertEquals(answers([line], OPEN), ["typed"]);
  }
});
