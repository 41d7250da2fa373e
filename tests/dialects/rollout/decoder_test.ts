/** Decoding of captured, handmade and damaged rollout lines. */

import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { encodeOutcome } from "../../../lib/lines/jsonl_encoder.ts";
import {
  decodeRolloutLine,
  isRolloutLine,
} from "../../../lib/dialects/rollout/decoder.ts";
import { JSON_KEY, JSON_TEXT } from "../../generators.ts";
import fc from "../../property_seed.ts";
import { decode } from "../../running.ts";
import { DAMAGED, LINES, normalizedFile, ROLLOUTS } from "./lines.ts";

const byVersion = Map.groupBy(ROLLOUTS, ({ version }) => version);

Deno.test("ROLLOUTS has all captured session files", () => {
  assert(ROLLOUTS.length >= 463, `only ${ROLLOUTS.length} files`);
  // The first CLI wrote no session files.
  assertEquals(byVersion.size, 17);
});

for (const [version, files] of byVersion) {
  Deno.test(`decodeRolloutLine() and encodeOutcome() keep each line of ${version} byte for byte`, () => {
    let lines = 0;
    for (const file of files) {
      for (const outcome of normalizedFile(file)) {
        const where = `${file.path}:${outcome.line}`;
        if (!outcome.ok) {
          assert(file.path.includes("/torn_resume/"), where);
          assertEquals(outcome.error.kind, "json", where);
          continue;
        }
        const { value: text, line, offset } = outcome;
        const decoded = decodeRolloutLine(text);
        assert(decoded.ok, decoded.ok ? "" : decoded.error.message + where);
        const { value } = decoded;
        const success = { ok: true, line, offset, value, text } as const;
        assertEquals(decode(encodeOutcome(success)), `${text}\n`, where);
        lines += 1;
      }
    }
    assert(lines > 100, `only ${lines} lines`);
  });
}

const EVENT = '{"type":"event_msg","payload":';
const ITEM = '{"type":"response_item","payload":';

/** Records, their names in messages, and all their issues. */
const REFUSED: readonly (readonly [
  name: string,
  text: string,
  label: string,
  ...issues: string[],
])[] = [
  ["a list", "[]", "the record", "it is a list, expected an object"],
  [
    "no type",
    '{"payload":{}}',
    "the record",
    "type is absent, expected a string",
  ],
  [
    "a type that is not a string",
    '{"type":3,"payload":{}}',
    "the record",
    "type is a number, expected a string",
  ],
  [
    "an unknown type without a payload",
    '{"type":"dream"}',
    "dream",
    "payload is absent, expected an object",
  ],
  [
    "an unknown type with a list for its payload",
    '{"type":"dream\\n","payload":[]}',
    '"dream\\n"',
    "payload is a list, expected an object",
  ],
  [
    "a known type with null for its payload",
    '{"type":"compacted","payload":null}',
    "compacted",
    "payload is null, expected an object",
  ],
  [
    "an item without a type",
    `${ITEM}{"role":"user"}}`,
    "response_item",
    "payload.type is absent, expected a string",
  ],
  [
    "all faults of a record, each with its path",
    '{"timestamp":1,"ordinal":"7","type":"response_item","payload":{"type":"message",' +
    '"content":[{"type":"input_text","text":"a"},{"type":"output_text"},3]}}',
    "response_item message",
    "timestamp is a number, expected a string",
    "ordinal is a string, expected a number or null",
    "payload.role is absent, expected a string",
    "payload.content[1].text is absent, expected a string",
    "payload.content[2] is a number, expected an object",
  ],
  [
    "a value of a union of types",
    `${ITEM}{"type":"function_call_output","call_id":"c","output":false}}`,
    "response_item function_call_output",
    "payload.output is a boolean, expected a string or a list of objects or an object or null",
  ],
  [
    "a field of an item in an event",
    `${EVENT}{"type":"item_completed","item":{"type":"CommandExecution","id":"1","command":"ls"}}}`,
    "event_msg item_completed",
    "payload.item.command is a string, expected a list of strings",
  ],
  [
    "a value of a map with any keys",
    `${EVENT}{"type":"patch_apply_begin","call_id":"c","changes":{"a":"delete","__proto__":1}}}`,
    "event_msg patch_apply_begin",
    "payload.changes.__proto__ is a number, expected a string or an object",
  ],
];

for (const [name, text, label, ...issues] of REFUSED) {
  Deno.test(`decodeRolloutLine() refuses: ${name}`, () => {
    const decoded = decodeRolloutLine(text);
    assert(!decoded.ok);
    const { kind, message, field, issues: actual = [] } = decoded.error;
    assertEquals(
      actual.map(({ path, message }) => `${path || "it"} is ${message}`),
      issues,
    );
    assertEquals([kind, field], ["typed", actual[0]?.path]);
    assertEquals(message, `Cannot decode ${label}: ${issues[0]}`);
  });
}

Deno.test("decodeRolloutLine() fails with kind json for a text that is not JSON", () => {
  const decoded = decodeRolloutLine("{");
  assert(!decoded.ok);
  assertEquals(decoded.error.kind, "json");
  assertEquals(decoded.error.issues, undefined);
});

const DEEP = 10_000;

const ADMITTED = [
  ["a line of an unknown type", '{"type":"dream","payload":{}}'],
  [
    "a line with a record type",
    '{"type":"state","payload":{"record_type":"state"}}',
  ],
  ["an unknown event", `${EVENT}{"type":"dream","message":3}}`],
  ["an unknown item", `${ITEM}{"type":"dream","content":3}}`],
  [
    "an unknown item of a turn",
    `${EVENT}{"type":"item_completed","item":{"type":"Dream","id":3}}}`,
  ],
  [
    "an unknown part of a message",
    `${ITEM}{"type":"message","role":"user","content":[{"type":"dream","text":3}]}}`,
  ],
  [
    "types with the names of inherited members",
    '{"type":"constructor","payload":{"type":"__proto__"}}',
  ],
  [
    "an event with the name of an inherited member",
    `${EVENT}{"type":"toString"}}`,
  ],
  [
    "keys with the names of inherited members",
    '{"type":"compacted","__proto__":{"type":3},"payload":{"message":"m","constructor":1,"__proto__":null,"10":1,"":2}}',
  ],
  [
    "null where a field may be absent",
    '{"type":"session_meta","ordinal":null,"payload":{"id":"i","timestamp":"t","git":null,"cwd":null}}',
  ],
  [
    "the header of a bare file",
    '{"timestamp":"t","type":"session_meta","payload":{"id":"i","timestamp":"t","instructions":null}}',
  ],
  [
    "an event of a fork",
    '{"type":"event","payload":{"id":"1","event_seq":2,"order":{"request_ordinal":1},"msg":{"type":"agent_message","message":"yo"}}}',
  ],
  [
    "an output in the form of old files",
    `${ITEM}{"type":"function_call_output","call_id":"c","output":{"content":"o","success":true}}}`,
  ],
  [
    "numbers that JavaScript rounds",
    '{"ordinal":9007199254740993,"type":"token_usage_record","payload":{"thread_id":"t","usage":{"input_tokens":1e400,"output_tokens":1.0}}}',
  ],
  [
    "duplicate keys",
    '{"type":"compacted","payload":{"message":1,"message":"m"}}',
  ],
  [
    "values nested 10,000 deep",
    `{"type":"world_state","payload":{"full":true,"state":{"a":${
      "[".repeat(DEEP) + "]".repeat(DEEP)
    }}}}`,
  ],
] as const;

for (const [name, text] of ADMITTED) {
  Deno.test(`decodeRolloutLine() admits: ${name}`, () => {
    const decoded = decodeRolloutLine(text);
    assertEquals(decoded.ok ? undefined : decoded.error, undefined);
    const record: unknown = JSON.parse(text);
    const again = decodeRolloutLine(record);
    assert(again.ok);
    assertStrictEquals<unknown>(again.value, record);
  });
}

Deno.test("decodeRolloutLine() admits any object of an unknown type", () => {
  const member = fc.tuple(JSON_KEY, JSON_TEXT).map(([key, value]) =>
    `${key}:${value}`
  );
  const object = fc.array(member, { maxLength: 5 }).map((members) =>
    `{${members.join(",")}}`
  );
  fc.assert(
    fc.property(
      fc.string().filter((type) => !/^\w*$/.test(type)),
      object,
      fc.constantFrom("response_item", "event_msg", undefined),
      (type, text, outer) => {
        const word = JSON.stringify(type);
        const line = outer === undefined
          ? `{"type":${word},"payload":${text}}`
          : `{"type":"${outer}","payload":{"a":${text},"type":${word}}}`;
        assert(decodeRolloutLine(line).ok, line);
      },
    ),
  );
});

Deno.test("decodeRolloutLine() reports the issues of a damaged line, and does not change it", () => {
  let refused = 0;
  fc.assert(
    fc.property(DAMAGED, (line) => {
      const before = JSON.stringify(line);
      const decoded = decodeRolloutLine(line);
      assertEquals(JSON.stringify(line), before);
      assertEquals(decoded.ok, isRolloutLine(line));
      if (decoded.ok) return assertStrictEquals<unknown>(decoded.value, line);
      refused += 1;
      const { kind, message, issues = [] } = decoded.error;
      assertEquals(kind, "typed");
      assert(message.startsWith("Cannot decode "), message);
      assert(issues.length > 0);
      for (const issue of issues) assert(issue.message.includes("expected"));
    }),
    { numRuns: 3_000 },
  );
  assert(refused > 300, `only ${refused} refused`);
});

Deno.test("decodeRolloutLine() reports at most 100 issues", () => {
  const content = new Array(1_000_000).fill(0);
  const payload = { type: "message", role: "user", content };
  const decoded = decodeRolloutLine({ type: "response_item", payload });
  assert(!decoded.ok);
  assertEquals(decoded.error.issues?.length, 100);
});

Deno.test("isRolloutLine() admits unknown fields at any depth", () => {
  for (const text of LINES) {
    const line: unknown = JSON.parse(
      text,
      (_, value) =>
        typeof value === "object" && value !== null && !Array.isArray(value) &&
          typeof value.type === "string"
          ? { ...value, added_later: [{ type: 3 }] }
          : value,
    );
    assert(isRolloutLine(line), text);
  }
});
