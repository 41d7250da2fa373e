import { assertEquals } from "@std/assert";
import { HistoryState } from "../../../lib/history/history_state.ts";
import {
  prettyJson,
  resultPreview,
  toolArguments,
} from "../../../lib/history/mapping/tools.ts";
import fc from "../../property_seed.ts";

Deno.test("resultPreview() names content that is not text", () => {
  const preview = resultPreview([
    { type: "text", text: "a\r\n\n b" },
    { type: "image", data: "" },
    { type: "input_image", image_url: "" },
    { type: "inputImage", imageUrl: "" },
    { type: "audio", data: "" },
    { type: "input_audio" },
    { type: "inputAudio" },
    { type: "resource_link", uri: "file:///y" },
    { type: "resource", resource: { uri: "file:///x" } },
    {},
  ]);
  assertEquals(preview?.lines, [
    "a",
    " b",
    "<image content>",
    "<image content>",
    "<image content>",
    "<audio content>",
    "<audio content>",
    "<audio content>",
    "link: file:///y",
    "embedded resource: file:///x",
  ]);
  assertEquals(resultPreview(["", { type: "text", text: " \n" }]), null);
});

Deno.test("resultPreview() keeps the last 16,000 characters of a long text", () => {
  const whole = resultPreview(["😀".repeat(16_000)]);
  assertEquals([whole?.lines[0]?.length, whole?.truncated], [32_000, false]);
  const cut = resultPreview(["x" + "😀".repeat(16_000)]);
  assertEquals([cut?.lines[0]?.length, cut?.truncated], [32_000, true]);
});

Deno.test("prettyJson() indents like JSON.stringify()", () => {
  const value = fc.oneof(
    fc.array(fc.jsonValue()),
    fc.dictionary(fc.string(), fc.jsonValue()),
  );
  fc.assert(fc.property(value, (json) => {
    const text = JSON.stringify(json);
    assertEquals(prettyJson(text), JSON.stringify(JSON.parse(text), null, 2));
  }));
});

Deno.test("prettyJson() shows escaped letters", () => {
  assertEquals(
    prettyJson('["\\u65e5\\u672c \\ud83d\\ude00", "\\u0007\\ud83d\\\\u65e5"]'),
    '[\n  "日本 😀",\n  "\\u0007\\ud83d\\\\u65e5"\n]',
  );
});

Deno.test("prettyJson() keeps the text of numbers and the order of keys", () => {
  assertEquals(
    prettyJson(' {"2":1.0,"1":[9007199254740993],"1":{}}\n'),
    '{\n  "2": 1.0,\n  "1": [\n    9007199254740993\n  ],\n  "1": {}\n}',
  );
  for (
    const text of [
      '"a"',
      "1",
      "{",
      "[1] x",
      "",
      "[".repeat(200) + "]".repeat(200),
    ]
  ) {
    assertEquals(prettyJson(text), undefined);
  }
});

const ARGUMENTS =
  '{"limit":1.0,"big":9007199254740993,"e":1E2,"10":true,"2":[1],"s":"x","n":null}';
/** The names and values, in the order of ARGUMENTS. */
const EXACT = [
  ["limit", "1.0"],
  ["big", "9007199254740993"],
  ["e", "1E2"],
  ["10", "true"],
  ["2", [1]],
  ["s", "x"],
  ["n", "null"],
];

function pairs(args: ReturnType<typeof toolArguments>): unknown[] {
  return args.map(({ name, value }) => [
    name,
    value.type === "text" ? value.text : value.type === "json" && value.value,
  ]);
}

Deno.test("toolArguments() keeps the text of numbers and the order of keys", () => {
  assertEquals(
    pairs(toolArguments(JSON.parse(ARGUMENTS), ARGUMENTS)),
    EXACT,
  );
});

Deno.test("toolArguments() returns one argument for a value that is not an object", () => {
  assertEquals(pairs(toolArguments(1, " 1.0 ")), [["args", "1.0"]]);
  assertEquals(pairs(toolArguments([1], "[1]")), [["items", [1]]]);
  assertEquals(pairs(toolArguments("no JSON")), [["args", "no JSON"]]);
  assertEquals(pairs(toolArguments({}, "{}")), []);
});

Deno.test("toolArguments() writes numbers as JavaScript does if it has no text", () => {
  assertEquals(pairs(toolArguments({ big: 1.0, s: "x" })), [
    ["big", "1"],
    ["s", "x"],
  ]);
});

Deno.test("toolArguments() keeps all arguments if the text does not match them", () => {
  const value = { a: 1, b: "x" };
  for (
    const other of ['{"a":1.0}', '{"c":1.0}', '{"\ufffd":1.0,"a":1.0}', "{}"]
  ) {
    assertEquals(pairs(toolArguments(value, other)), [
      ["a", "1"],
      ["b", "x"],
    ]);
  }
  // A lone surrogate cannot be encoded as UTF-8, but JSON.parse accepts it.
  assertEquals(
    pairs(
      toolArguments({ "\ud800": 1, b: "x" }, '{"\ud800":1.0,"b":"x"}'),
    ),
    [
      ["\ud800", "1"],
      ["b", "x"],
    ],
  );
});

const CALLS = [
  {
    name: "an item of an exec stream",
    text:
      `{"type":"item.started","item_id":"i","item_type":"mcp_tool_call","content":{"server_name":"s","tool_name":"t","arguments":${ARGUMENTS}}}`,
  },
  {
    name: "a function call with arguments as text",
    text:
      `{"type":"response_item","payload":{"type":"function_call","name":"f","call_id":"c","arguments":${
        JSON.stringify(ARGUMENTS)
      }}}`,
  },
  {
    name: "a function call with arguments as an object",
    text:
      `{"type":"response_item","payload":{"type":"function_call","name":"f","call_id":"c","arguments":${ARGUMENTS}}}`,
  },
  {
    name: "an event of an MCP call",
    text:
      `{"type":"event_msg","payload":{"type":"mcp_tool_call_begin","call_id":"c","invocation":{"server":"s","tool":"t","arguments":${ARGUMENTS}}}}`,
  },
  {
    name: "an event of a dynamic tool",
    text:
      `{"type":"event_msg","payload":{"type":"dynamic_tool_call_request","call_id":"c","tool":"t","arguments":${ARGUMENTS}}}`,
  },
  {
    name: "an event of the fork",
    text:
      `{"type":"event","payload":{"id":"1","msg":{"type":"custom_tool_call_begin","call_id":"c","tool_name":"t","parameters":${ARGUMENTS}}}}`,
  },
  {
    name: "an item of a paginated rollout",
    meta: '{"type":"session_meta","payload":{"history_mode":"paginated"}}',
    text:
      `{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"McpToolCall","id":"c","server":"s","tool":"t","arguments":${ARGUMENTS}}}}`,
  },
];

for (const { name, meta, text } of CALLS) {
  Deno.test(`HistoryState keeps the JSON text of the arguments of ${name}`, () => {
    const state = new HistoryState();
    if (meta !== undefined) state.apply(JSON.parse(meta), meta);
    state.apply(JSON.parse(text), text);
    const [record] = state.snapshot().records;
    const { arguments: args } = record?.payload as {
      arguments: ReturnType<typeof toolArguments>;
    };
    assertEquals(pairs(args), EXACT);
  });
}
