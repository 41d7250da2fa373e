/** Holds the decoder of rollout lines to captured files and to its promises. */

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

Deno.test("the session files are all there", () => {
  assert(ROLLOUTS.length >= 463, `only ${ROLLOUTS.length} files`);
  // The first CLI left none.
  assertEquals(byVersion.size, 17);
});

for (const [version, files] of byVersion) {
  Deno.test(`decodeRolloutLine() decodes each line that ${version} wrote, and it is encoded as it was`, () => {
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

const REFUSED = [
  {
    name: "no JSON",
    text: "{",
    message: undefined,
    issues: undefined,
  },
  {
    name: "no object",
    text: "[]",
    message: "Cannot decode the record: it is a list, expected an object",
    issues: [{ path: "", message: "a list, expected an object" }],
  },
  {
    name: "no type",
    text: '{"payload":{}}',
    message: "Cannot decode the record: type is absent, expected a string",
    issues: [{ path: "type", message: "absent, expected a string" }],
  },
  {
    name: "a type that is no string",
    text: '{"type":3,"payload":{}}',
    message: "Cannot decode the record: type is a number, expected a string",
    issues: [{ path: "type", message: "a number, expected a string" }],
  },
  {
    name: "an unknown type without a payload",
    text: '{"type":"dream"}',
    message: "Cannot decode dream: payload is absent, expected an object",
    issues: [{ path: "payload", message: "absent, expected an object" }],
  },
  {
    name: "an unknown type with a list for its payload",
    text: '{"type":"dream\\n","payload":[]}',
    message: 'Cannot decode "dream\\n": payload is a list, expected an object',
    issues: [{ path: "payload", message: "a list, expected an object" }],
  },
  {
    name: "a known type with null for its payload",
    text: '{"type":"compacted","payload":null}',
    message: "Cannot decode compacted: payload is null, expected an object",
    issues: [{ path: "payload", message: "null, expected an object" }],
  },
  {
    name: "an item without a type",
    text: `${ITEM}{"role":"user"}}`,
    message:
      "Cannot decode response_item: payload.type is absent, expected a string",
    issues: [{ path: "payload.type", message: "absent, expected a string" }],
  },
  {
    name: "all that is wrong, each with its path",
    text:
      '{"timestamp":1,"ordinal":"7","type":"response_item","payload":{"type":"message",' +
      '"content":[{"type":"input_text","text":"a"},{"type":"output_text"},3]}}',
    message:
      "Cannot decode response_item message: timestamp is a number, expected a string",
    issues: [
      { path: "timestamp", message: "a number, expected a string" },
      { path: "ordinal", message: "a string, expected a number or null" },
      { path: "payload.role", message: "absent, expected a string" },
      { path: "payload.content[1].text", message: "absent, expected a string" },
      { path: "payload.content[2]", message: "a number, expected an object" },
    ],
  },
  {
    name: "a value that may be of one of some sorts",
    text:
      `${ITEM}{"type":"function_call_output","call_id":"c","output":false}}`,
    message: "Cannot decode response_item function_call_output: " +
      "payload.output is a boolean, expected a string or a list of objects or an object or null",
    issues: [{
      path: "payload.output",
      message:
        "a boolean, expected a string or a list of objects or an object or null",
    }],
  },
  {
    name: "a field of an item in an event",
    text:
      `${EVENT}{"type":"item_completed","item":{"type":"CommandExecution","id":"1","command":"ls"}}}`,
    message:
      "Cannot decode event_msg item_completed: payload.item.command is a string, expected a list of strings",
    issues: [{
      path: "payload.item.command",
      message: "a string, expected a list of strings",
    }],
  },
  {
    name: "a value under a name that is data",
    text:
      `${EVENT}{"type":"patch_apply_begin","call_id":"c","changes":{"a":"delete","__proto__":1}}}`,
    message: "Cannot decode event_msg patch_apply_begin: " +
      "payload.changes.__proto__ is a number, expected a string or an object",
    issues: [{
      path: "payload.changes.__proto__",
      message: "a number, expected a string or an object",
    }],
  },
] satisfies {
  name: string;
  text: string;
  message: string | undefined;
  issues: { path: string; message: string }[] | undefined;
}[];

for (const { name, text, message, issues } of REFUSED) {
  Deno.test(`decodeRolloutLine() refuses: ${name}`, () => {
    const decoded = decodeRolloutLine(text);
    assert(!decoded.ok);
    assertEquals(decoded.error.kind, issues === undefined ? "json" : "typed");
    assertEquals(decoded.error.issues, issues);
    if (message === undefined) return;
    assertEquals(decoded.error.message, message);
    assertEquals(decoded.error.field, issues?.[0]?.path);
  });
}

const DEEP = 10_000;

const ADMITTED = [
  { name: "a line of an unknown type", text: '{"type":"dream","payload":{}}' },
  {
    name: "a line with a record type",
    text: '{"type":"state","payload":{"record_type":"state"}}',
  },
  { name: "an unknown event", text: `${EVENT}{"type":"dream","message":3}}` },
  { name: "an unknown item", text: `${ITEM}{"type":"dream","content":3}}` },
  {
    name: "an unknown item of a turn",
    text: `${EVENT}{"type":"item_completed","item":{"type":"Dream","id":3}}}`,
  },
  {
    name: "an unknown part of a message",
    text:
      `${ITEM}{"type":"message","role":"user","content":[{"type":"dream","text":3}]}}`,
  },
  {
    name: "types that are names of every object",
    text: '{"type":"constructor","payload":{"type":"__proto__"}}',
  },
  {
    name: "an event of a type that is a name of every object",
    text: `${EVENT}{"type":"toString"}}`,
  },
  {
    name: "keys that are names of every object",
    text:
      '{"type":"compacted","__proto__":{"type":3},"payload":{"message":"m","constructor":1,"__proto__":null,"10":1,"":2}}',
  },
  {
    name: "null where a field may be absent",
    text:
      '{"type":"session_meta","ordinal":null,"payload":{"id":"i","timestamp":"t","git":null,"cwd":null}}',
  },
  {
    name: "the header of a bare file",
    text:
      '{"timestamp":"t","type":"session_meta","payload":{"id":"i","timestamp":"t","instructions":null}}',
  },
  {
    name: "an event of a fork",
    text:
      '{"type":"event","payload":{"id":"1","event_seq":2,"order":{"request_ordinal":1},"msg":{"type":"agent_message","message":"yo"}}}',
  },
  {
    name: "an output as old files have it",
    text:
      `${ITEM}{"type":"function_call_output","call_id":"c","output":{"content":"o","success":true}}}`,
  },
  {
    name: "numbers that JavaScript rounds",
    text:
      '{"ordinal":9007199254740993,"type":"token_usage_record","payload":{"thread_id":"t","usage":{"input_tokens":1e400,"output_tokens":1.0}}}',
  },
  {
    name: "two keys of one name",
    text: '{"type":"compacted","payload":{"message":1,"message":"m"}}',
  },
  {
    name: "values nested 10,000 deep",
    text: `{"type":"world_state","payload":{"full":true,"state":{"a":${
      "[".repeat(DEEP) + "]".repeat(DEEP)
    }}}}`,
  },
] satisfies { name: string; text: string }[];

for (const { name, text } of ADMITTED) {
  Deno.test(`decodeRolloutLine() admits: ${name}`, () => {
    const decoded = decodeRolloutLine(text);
    assertEquals(decoded.ok ? undefined : decoded.error, undefined);
    const record: unknown = JSON.parse(text);
    const again = decodeRolloutLine(record);
    assert(again.ok);
    assertStrictEquals<unknown>(again.value, record);
  });
}

Deno.test("decodeRolloutLine() admits any object under a type that is not known", () => {
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

Deno.test("decodeRolloutLine() names what is wrong with a damaged line, and changes nothing", () => {
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

Deno.test("decodeRolloutLine() names a hundred faults at most", () => {
  const content = new Array(1_000_000).fill(0);
  const payload = { type: "message", role: "user", content };
  const decoded = decodeRolloutLine({ type: "response_item", payload });
  assert(!decoded.ok);
  assertEquals(decoded.error.issues?.length, 100);
});

Deno.test("isRolloutLine() admits fields that are not named, wherever they are", () => {
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
