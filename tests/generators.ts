/**
 * Random inputs for property tests.
 *
 * @module
 */

import fc from "./property_seed.ts";

/** A character of a JSON string, in any spelling. */
const CHARACTER = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(..."abcXYZ019 _-/{}[],:") },
  fc.constantFrom("é", "你", "😀", "\u2028", "\u007f", "\u0085", "\ufeff"),
  fc.constantFrom('\\"', "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t"),
  fc.tuple(fc.nat(0xffff), fc.boolean()).filter(([unit]) =>
    unit < 0xd800 || unit > 0xdfff
  ).map(([unit, upper]) => unicodeEscape(unit, upper)),
  fc.integer({ min: 0x10000, max: 0x10ffff }).map((code) =>
    [...String.fromCodePoint(code).split("")].map((half) =>
      unicodeEscape(half.charCodeAt(0), false)
    ).join("")
  ),
);

const WHITE_SPACE = fc.oneof(
  { weight: 3, arbitrary: fc.constant("") },
  fc.constantFrom(" ", "\t", "\n", "\r", "  \t"),
);

/** A JSON string, in any spelling. */
export const JSON_STRING: fc.Arbitrary<string> = fc.array(CHARACTER, {
  maxLength: 8,
}).map((characters) => `"${characters.join("")}"`);

/** A key, sometimes one that is special in a plain JavaScript object. */
export const JSON_KEY: fc.Arbitrary<string> = fc.oneof(
  JSON_STRING,
  fc.constantFrom(
    '"a"',
    '"b"',
    '"__proto__"',
    '"constructor"',
    '"toString"',
    '"10"',
    '"2"',
    '""',
    `"${"k".repeat(70)}"`,
  ),
);

/** A JSON number, in any spelling. */
export const JSON_NUMBER: fc.Arbitrary<string> = fc.stringMatching(
  /^-?(?:0|[1-9][0-9]{0,20})(?:\.[0-9]{1,6})?(?:[eE][+-]?[0-9]{1,3})?$/,
);

/** The text of any JSON value, in any spelling. */
export const JSON_TEXT: fc.Arbitrary<string> = fc.letrec<{ value: string }>(
  (tie) => {
    const padded = fc.tuple(WHITE_SPACE, tie("value"), WHITE_SPACE).map(
      (parts) => parts.join(""),
    );
    const member = fc.tuple(WHITE_SPACE, JSON_KEY, WHITE_SPACE, padded).map(
      ([before, key, after, value]) => `${before}${key}${after}:${value}`,
    );
    return {
      value: fc.oneof(
        { maxDepth: 5, depthIdentifier: "json" },
        JSON_STRING,
        JSON_NUMBER,
        fc.constantFrom("true", "false", "null", "[]", "{}", "[ ]", "{\t}"),
        fc.array(padded, { maxLength: 5, depthIdentifier: "json" }).map(
          (elements) => `[${elements.join(",")}]`,
        ),
        fc.array(member, { maxLength: 6, depthIdentifier: "json" }).map(
          (members) => `{${members.join(",")}}`,
        ),
      ),
    };
  },
).value;

/** Types that the rules for exec lines know, and some that they do not. */
const EVENT_TYPES = [
  "thread.started",
  "thread.resumed",
  "session.created",
  "turn.started",
  "turn.completed",
  "turn.failed",
  "item.started",
  "item.created",
  "item.delta",
  "item.updated",
  "item.completed",
  "item.failed",
  "error",
  "line.failed",
  "item.exploded",
];
const ITEM_TYPES = [
  "agent_message",
  "assistant_message",
  "reasoning",
  "command_execution",
  "file_change",
  "mcp_tool_call",
  "web_search",
  "todo_list",
  "error",
  "collab_tool_call",
];
const MESSAGE_TYPES = [
  "session_configured",
  "task_started",
  "task_complete",
  "turn_aborted",
  "error",
  "agent_message",
  "agent_message_delta",
  "agent_reasoning",
  "agent_reasoning_delta",
  "agent_reasoning_raw_content_delta",
  "agent_reasoning_section_break",
  "exec_command_begin",
  "exec_command_output_delta",
  "exec_command_end",
  "patch_apply_begin",
  "patch_apply_end",
  "mcp_tool_call_begin",
  "mcp_tool_call_end",
  "web_search_begin",
  "web_search_end",
  "plan_update",
  "stream_error",
  "user_message",
  "token_count",
  "brand_new",
];
/** Fields, with values that the rules accept. */
const SUITABLE: readonly (readonly [string, string])[] = Object.entries({
  thread_id: ['"a"', '" padded "'],
  turn_id: ['"a"', '"b"'],
  session_id: ['"a"'],
  id: ['"a"', '"b"'],
  item_id: ['"a"', '""'],
  call_id: ['"c"', '"d"'],
  index: ["1", "1.0"],
  status: ['"failed"', '"declined"'],
  snapshot: ["false"],
  text: ['"a"', '"\\ud83d\\ude80"'],
  delta: [
    '"a"',
    '{"text_delta":"t","zeta":1.0}',
    '{"command":["ls"],"err":"e"}',
  ],
  content: [
    '"a"',
    '{"text":"t","text":"u"}',
    '{"command":"c","output":"o","z":1}',
  ],
  command: ['"ls"', '["ls","a b"]'],
  exit_code: ["0", "-1", "1.0"],
  stdout: ['"a"'],
  aggregated_output: ['"b"'],
  output: ['"c"'],
  stderr: ['"a"'],
  err: ['"b"'],
  path: ['"p"'],
  file_path: ['"q"'],
  changes: [
    '[{"path":"p","kind":"add"}]',
    '{"p":{"add":{"n":1.0}},"q":"delete"}',
  ],
  diff: ['"@@"'],
  patch: ['"@@"'],
  server: ['"s"'],
  server_name: ['"n"'],
  tool: ['"t"'],
  arguments: ['{"n":1.0,"n":2}', "[]"],
  invocation: [
    '{"server":"s","tool":"t","arguments":{"10":1,"2":2}}',
    '{"server":"s","tool":"t","type":"x","item_type":"y"}',
  ],
  result: ['{"Ok":{"isError":true}}', '{"Err":"e"}', '"x"'],
  error: ['"e"', '{"message":"m","code":1.0,"zeta":null}'],
  query: ['"q"', '""'],
  action: ['{"type":"search"}'],
  results: ["[]"],
  items: ['[{"title":"t","completed":true},{"text":"u","10":1,"2":2}]'],
  plan: ['[{"step":"s","status":"completed"}]'],
  message: ['"m"'],
  code: ["1.50", '"E"'],
  reason: ['"interrupted"'],
  usage: ['{"input_tokens":9007199254740993}'],
  info: ['{"total_token_usage":{"input_tokens":9007199254740993}}', "null"],
  input_tokens: ["5"],
  stream: ['"stdout"'],
  chunk: ['"aGk="', "[240,159]", "[1e-400]"],
  success: ["true", "false"],
  input_text: ['"a"'],
  last_item_id: ['"a"'],
}).flatMap(([name, values]) =>
  values.map((value): [string, string] => [name, value])
);
/** Fields that are unknown in most places, and names that are special in plain objects. */
const UNKNOWN = [
  ...["conversation_id", "change", "tool_name", "text_delta", "item", "type"],
  ...["__proto__", "constructor", "10", "2", "", "extra", "t\\u0065xt"],
];
const VALUES = [
  ...['"a"', '""', '" \\t"', "null", "true", "0", "1.5", "1e400", "[]", "{}"],
  ...['["a"]', '{"text":"t"}', '{"message":"m"}', '[{"path":5}]', '{"p":1}'],
];

function objectOf(
  fields: readonly (readonly [string, string])[],
  more: readonly string[] = [],
): string {
  return `{${[
    ...more,
    ...fields.map(([name, value]) => `"${name}":${value}`),
  ]}}`;
}

/** Returns the JSON text of the required fields of an item type. */
function neededBy(itemType: string): string[] {
  const text = NEEDED.get(itemType);
  return text === undefined ? [] : [text];
}

const FIELDS = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...SUITABLE) },
    {
      weight: 1,
      arbitrary: fc.tuple(
        fc.constantFrom(...UNKNOWN, ...SUITABLE.map(([name]) => name)),
        fc.constantFrom(...VALUES),
      ),
    },
  ),
  { maxLength: 6 },
);
/** The required fields of most item types, as JSON text. */
const NEEDED = new Map([
  ["agent_message", '"text":"x"'],
  ["assistant_message", '"text":"x"'],
  ["reasoning", '"text":"x"'],
  ["command_execution", '"command":"x"'],
  ["file_change", '"path":"x"'],
  ["mcp_tool_call", '"server":"x","tool":"y"'],
  ["web_search", '"query":"x"'],
  ["error", '"message":"x"'],
]);
const ITEM_FIELDS = fc.tuple(fc.constantFrom(...ITEM_TYPES), FIELDS);

/** An item line of the current dialects, flat or nested, valid or not. */
export const ITEM_LINE: fc.Arbitrary<string> = fc.oneof(
  fc.tuple(fc.constantFrom(...EVENT_TYPES.slice(6, 12)), ITEM_FIELDS).map(
    ([type, [itemType, fields]]) =>
      objectOf([
        ["id", '"i"'],
        ...fields,
        ["item_type", `"${itemType}"`],
        ["type", `"${type}"`],
      ], neededBy(itemType)),
  ),
  fc.tuple(fc.constantFrom(...EVENT_TYPES.slice(6, 12)), FIELDS, ITEM_FIELDS)
    .map(([type, outer, [itemType, fields]]) => {
      const inner = objectOf([
        ["id", '"i"'],
        ["type", `"${itemType}"`],
        ...fields.filter(([name]) => name !== "type"),
      ], neededBy(itemType));
      return objectOf([...outer, ["type", `"${type}"`], ["item", inner]]);
    }),
);

/** Strings and numbers to replace others by. */
const OTHER_STRINGS = [
  ...[
    '"a"',
    '"b"',
    '""',
    '" "',
    '" padded "',
    '"\\u0061"',
    '"é"',
    '"T"',
    '"U"',
  ],
  ...ITEM_TYPES.map((type) => `"${type}"`),
  ...EVENT_TYPES.slice(6, 12).map((type) => `"${type}"`),
];
const OTHER_NUMBERS = ["0", "7", "1.0", "1.5", "-0", "1e400", "12e-1"];

/** A line, and others of the same shape, with other strings, numbers and booleans. */
export function variations(
  lines: fc.Arbitrary<string>,
): fc.Arbitrary<string[]> {
  const choices = fc.array(fc.array(fc.nat(999), { maxLength: 12 }), {
    maxLength: 6,
  });
  return fc.tuple(lines, choices).map(([line, variants]) => [
    line,
    ...variants.map((numbers) => {
      let place = 0;
      return line.replaceAll(
        /([:[,])("(?:\\.|[^"\\])*"(?!:)|-?\d[\d.e+-]*|true|false)/g,
        (whole, before: string, value: string) => {
          const number = numbers[place++] ?? 0;
          if (number % 2 === 0) return whole;
          return before + otherValue(value, number >> 1);
        },
      );
    }),
  ]);
}

function otherValue(value: string, number: number): string {
  if (value === "true" || value === "false") {
    return number % 2 === 0 ? "true" : "false";
  }
  const others = value.startsWith('"') ? OTHER_STRINGS : OTHER_NUMBERS;
  return others[number % others.length] ?? value;
}

/** An exec line that the rules rewrite, valid or not. */
export const EXEC_LINE: fc.Arbitrary<string> = fc.oneof(
  fc.tuple(fc.constantFrom(...EVENT_TYPES), FIELDS).map(([type, fields]) =>
    objectOf([...fields, ["type", `"${type}"`]])
  ),
  ITEM_LINE,
  fc.tuple(fc.constantFrom(...MESSAGE_TYPES), FIELDS).map(([type, fields]) => {
    const inner = objectOf([
      ["call_id", '"c"'],
      ...fields,
      ["type", `"${type}"`],
    ]);
    return objectOf([["id", '"1"'], ["msg", inner]]);
  }),
  fc.constantFrom(
    '{"type":"thread.started","thread_id":"T1"}',
    '{"type":"thread.started","thread_id":"T2"}',
    '{"type":"turn.started"}',
    '{"type":"turn.completed","usage":{"input_tokens":1}}',
    '{"model":"m","provider":"p","workdir":"w"}',
    '{"prompt":"p"}',
  ),
);

/** Bytes, whole and in chunks. */
export interface Chunked {
  /** All bytes. */
  readonly bytes: Uint8Array;
  /** The same bytes in chunks, some of them empty. */
  readonly chunks: readonly Uint8Array[];
}

/** Bytes, with any way to cut them into chunks. */
export function chunkings(
  inputs: fc.Arbitrary<Uint8Array>,
): fc.Arbitrary<Chunked> {
  return fc.tuple(inputs, fc.array(fc.nat(1_000_000), { maxLength: 12 })).map(
    ([bytes, cuts]) => {
      const places = cuts.map((cut) => cut % (bytes.length + 1))
        .sort((a, b) => a - b);
      const ends = [...places, bytes.length];
      const chunks = ends.map((end, i) =>
        bytes.subarray(places[i - 1] ?? 0, end)
      );
      return { bytes, chunks };
    },
  );
}

/** Bytes with one byte replaced, inserted or deleted. */
export function mutations(
  inputs: fc.Arbitrary<Uint8Array>,
): fc.Arbitrary<Uint8Array> {
  const value = fc.oneof(
    fc.nat(255),
    fc.constantFrom(...'"\\{}[],:0-1.eEtfnu \n\r\0').map((c) =>
      c.charCodeAt(0)
    ),
  );
  return fc.tuple(
    inputs,
    fc.nat(1_000_000),
    value,
    fc.constantFrom("replace", "insert", "delete"),
  ).map(([bytes, place, byte, how]) => {
    const at = place % (bytes.length + (how === "insert" ? 1 : 0) || 1);
    const mutated = [...bytes];
    mutated.splice(
      at,
      how === "insert" ? 0 : 1,
      ...(how === "delete" ? [] : [byte]),
    );
    return Uint8Array.from(mutated);
  });
}

function unicodeEscape(unit: number, isUpper: boolean): string {
  const digits = unit.toString(16).padStart(4, "0");
  return `\\u${isUpper ? digits.toUpperCase() : digits}`;
}
