/** The tables of normalize.md section 5, with values of every kind. */

import { assertEquals } from "@std/assert";
import { answers } from "../../running.ts";

/** An open thread and turn. */
const OPEN = { initialThreadId: "T", initialTurnId: "U" };
const IDS = '"thread_id":"T","turn_id":"U"';

/** The states of a member. */
const PRESENCE = ["absent", "null", "live"] as const;

/** Values of every JSON type, and of the special forms that fields require. */
const SAMPLES = [
  '"s"',
  '""',
  "1",
  "-0",
  "1.0",
  "120e-1",
  "1e400",
  "12345678901234567890",
  "1.5",
  "1e-1",
  "true",
  "false",
  "{}",
  '{"message":"m"}',
  "[]",
  '["a","b c"]',
  '["a",1]',
  "[{}]",
  '[{"path":"p"}]',
  '[{"path":"p","x":[ 1.0 ]},{"path":"","kind":5}]',
  '[{"path":5}]',
  '[{"path":null}]',
  '[{"path":"p"},1]',
  '[{"title":"t","completed":true}]',
  "[null]",
];

/** By kind of field (section 5): returns the text that is written for a value, if it is allowed. */
const KINDS: Readonly<Record<string, (value: string) => string | undefined>> = {
  string: (value) => value.startsWith('"') ? value : undefined,
  boolean: (value) => /^(?:true|false)$/.test(value) ? value : undefined,
  whole: (value) =>
    /^-?[0-9]/.test(value) && !["1.5", "1e-1"].includes(value)
      ? value
      : undefined,
  code: (value) => /^["0-9-]/.test(value) ? value : undefined,
  any: (value) => value,
  command: (value) =>
    new Map([["[]", '""'], ['["a","b c"]', `"a 'b c'"`]]).get(value) ??
      KINDS.string?.(value),
  changes: (value) =>
    ["[]", '[{"path":"p"}]', '[{"path":"p","x":[ 1.0 ]},{"path":"","kind":5}]']
        .includes(value)
      ? value
      : undefined,
  todos: (value) =>
    ["[]", '[{"title":"t","completed":true}]'].includes(value)
      ? value
      : undefined,
};

/** A row of the tables in section 5. */
interface Field {
  readonly name: string;
  readonly kind: string;
  readonly aliases?: readonly string[];
}

const OUTPUT: readonly Field[] = [
  { name: "stdout", kind: "string", aliases: ["aggregated_output", "output"] },
  { name: "stderr", kind: "string", aliases: ["error_output", "err"] },
];

/** The payloads of section 5: their fields in output order, and the required fields of content. */
const PAYLOADS: Readonly<
  Record<string, { fields: readonly Field[]; required: readonly string[] }>
> = {
  agent_message: {
    fields: [{ name: "text", kind: "string" }],
    required: ["text"],
  },
  reasoning: { fields: [{ name: "text", kind: "string" }], required: ["text"] },
  command_execution: {
    fields: [
      { name: "command", kind: "command" },
      { name: "exit_code", kind: "whole" },
      ...OUTPUT,
    ],
    required: ["command"],
  },
  file_change: {
    fields: [
      { name: "path", kind: "string", aliases: ["file_path"] },
      { name: "change", kind: "string" },
      { name: "diff", kind: "string", aliases: ["patch"] },
      { name: "changes", kind: "changes" },
      { name: "exit_code", kind: "whole" },
      ...OUTPUT,
    ],
    required: ["path"],
  },
  mcp_tool_call: {
    fields: [
      { name: "server_name", kind: "string", aliases: ["server"] },
      { name: "tool_name", kind: "string", aliases: ["tool"] },
      { name: "arguments", kind: "any" },
      { name: "result", kind: "any" },
      { name: "error", kind: "any" },
      { name: "status", kind: "string" },
    ],
    required: ["server_name", "tool_name"],
  },
  web_search: {
    fields: [
      { name: "id", kind: "string" },
      { name: "query", kind: "string" },
      { name: "action", kind: "any" },
      { name: "results", kind: "any" },
      { name: "status", kind: "string" },
    ],
    required: ["query"],
  },
  todo_list: {
    fields: [{ name: "items", kind: "todos" }],
    required: [],
  },
  error: {
    fields: [
      { name: "message", kind: "string" },
      { name: "code", kind: "code" },
    ],
    required: ["message"],
  },
};

/** A valid value for a field. */
function validValue({ kind }: Field): string {
  return SAMPLES.find((value) => KINDS[kind]?.(value) !== undefined) ?? "null";
}

/** The JSON text of members. */
function payloadText(members: readonly (readonly [string, string])[]): string {
  return `{${members.map(([name, value]) => `"${name}":${value}`)}}`;
}

for (const [type, { fields, required }] of Object.entries(PAYLOADS)) {
  const isText = type === "agent_message" || type === "reasoning";
  const completed = (content: string): string =>
    `{"type":"item.completed",${IDS},"item_id":"i","status":"completed","item_type":"${type}","content":${content}}`;
  const delta = (payload: string): string =>
    `{"type":"item.delta",${IDS},"item_id":"i","item_type":"${type}","delta":${payload}}`;
  const needed = fields.filter(({ name }) => required.includes(name));

  Deno.test(`ExecRules accepts the values of section 5 in the fields of ${type} (F:${type})`, () => {
    for (const field of fields) {
      for (const value of SAMPLES) {
        const write = KINDS[field.kind];
        const text = write?.(value);
        const members = fields.filter(({ name }) =>
          name === field.name || required.includes(name)
        );
        const source = payloadText(
          members.map((one) => [
            one.name,
            one === field ? value : validValue(one),
          ]),
        );
        const expected = payloadText(members.map((one) => [
          one.name,
          one === field ? text ?? "" : KINDS[one.kind]?.(validValue(one)) ?? "",
        ]));
        const line =
          `{"type":"item.completed","item_id":"i","item_type":"${type}","content":${source}}`;
        assertEquals(
          answers([line], OPEN),
          [text === undefined ? "typed" : completed(expected)],
          line,
        );
      }
    }
  });

  Deno.test(`ExecRules requires the fields of ${type}, and reads null as absent (F:${type})`, () => {
    const all = needed.map((field) => [field.name, validValue(field)] as const);
    const spread = (members: readonly (readonly [string, string])[]) =>
      `{"type":"item.completed","item_id":"i","item_type":"${type}","content":${
        payloadText(members)
      }}`;
    for (const [missing] of all) {
      const others = all.filter(([name]) => name !== missing);
      assertEquals(answers([spread(others)], OPEN), ["typed"], missing);
      assertEquals(
        answers([spread([...others, [missing, "null"]])], OPEN),
        ["typed"],
        missing,
      );
    }
    const nulls = fields.filter(({ name }) => !required.includes(name))
      .flatMap(({ name, aliases = [] }) => [name, ...aliases])
      .map((name) => [name, "null"] as const);
    const good = answers([spread(all)], OPEN);
    assertEquals(answers([spread([...nulls, ...all])], OPEN), good);
    assertEquals(good[0]?.startsWith("{"), true);
    for (const content of ["[]", "5", "true", '["a"]']) {
      const line =
        `{"type":"item.completed","item_id":"i","item_type":"${type}","content":${content}}`;
      assertEquals(answers([line], OPEN), ["typed"], line);
    }
  });

  Deno.test(`ExecRules writes the fields of ${type} in order, and unknown fields after them (O1)`, () => {
    const known = fields.map((field) =>
      [field.name, validValue(field)] as const
    );
    const source = payloadText([
      ["zeta", "1"],
      ...known.toReversed(),
      ["10", "null"],
      ["alpha", "[ 2.0 ]"],
    ]);
    const line =
      `{"type":"item.completed","item_id":"i","item_type":"${type}","content":${source}}`;
    const written = fields.map((field) =>
      [field.name, KINDS[field.kind]?.(validValue(field)) ?? ""] as const
    );
    const expected = payloadText([
      ...written,
      ["zeta", "1"],
      ["10", "null"],
      ["alpha", "[ 2.0 ]"],
    ]);
    assertEquals(answers([line], OPEN), [completed(expected)]);
  });

  Deno.test(`ExecRules reads the first live name of each field of ${type}, and keeps the other names (F:aliases)`, () => {
    for (const field of fields) {
      const names = [field.name, ...field.aliases ?? []];
      if (names.length === 1) continue;
      const others = needed.filter((one) => one !== field);
      // Each name is absent, null or live; the digits of `code` in base 3 are these states.
      for (let code = 0; code < 3 ** names.length; code++) {
        const states = names.map((_, i) =>
          PRESENCE[Math.floor(code / 3 ** i) % 3] ?? "absent"
        );
        const members = names.flatMap((name, i) =>
          states[i] === "absent"
            ? []
            : [[name, states[i] === "null" ? "null" : `"v${i}"`] as const]
        );
        const first = states.indexOf("live");
        const source = payloadText([
          ...members.toReversed(),
          ...others.map((one) => [one.name, validValue(one)] as const),
        ]);
        const line =
          `{"type":"item.completed","item_id":"i","item_type":"${type}","content":${source}}`;
        const isMissing = first === -1 && required.includes(field.name);
        const known = fields.flatMap((one) => {
          if (one !== field) {
            return others.includes(one)
              ? [[one.name, validValue(one)] as const]
              : [];
          }
          return first === -1 ? [] : [[field.name, `"v${first}"`] as const];
        });
        const rest = members.filter(([name, value]) =>
          value !== "null" && name !== names[first]
        ).toReversed();
        // The value is written in the place of the field.
        const expected = payloadText([...known, ...rest]);
        assertEquals(
          answers([line], OPEN),
          [isMissing ? "typed" : completed(expected)],
          line,
        );
      }
    }
  });

  if (!isText) {
    const hasRequired = type === "error";

    Deno.test(`ExecRules ${hasRequired ? "requires the same fields" : "requires no field"} in deltas of ${type} (F:${type})`, () => {
      const line = (payload: string): string =>
        `{"type":"item.delta","item_id":"i","item_type":"${type}","delta":${payload}}`;
      assertEquals(
        answers([line("{}")], OPEN),
        [hasRequired ? "typed" : delta("{}")],
      );
      assertEquals(
        answers([line('{"zeta":1}')], OPEN),
        [hasRequired ? "typed" : delta('{"zeta":1}')],
      );
      for (const field of fields) {
        for (const value of SAMPLES) {
          const text = KINDS[field.kind]?.(value);
          const others = hasRequired
            ? needed.filter((one) => one !== field)
            : [];
          const members = fields.filter((one) =>
            one === field || others.includes(one)
          );
          const source = payloadText(
            members.map((one) => [
              one.name,
              one === field ? value : validValue(one),
            ]),
          );
          const expected = payloadText(
            members.map((one) => [
              one.name,
              one === field ? text ?? "" : validValue(one),
            ]),
          );
          assertEquals(
            answers([line(source)], OPEN),
            [text === undefined ? "typed" : delta(expected)],
            line(source),
          );
        }
      }
    });
  } else {
    Deno.test(`ExecRules requires the text of a delta of ${type}, under either name (D4)`, () => {
      const line = (payload: string): string =>
        `{"type":"item.delta","item_id":"i","item_type":"${type}","delta":${payload}}`;
      assertEquals(
        answers(
          [
            '{"text_delta":"a","text":"b"}',
            '{"text_delta":null,"text":"b","x":1}',
            '{"text_delta":5,"text":"b"}',
            '{"text":5}',
            '{"text":null}',
            "{}",
            "[]",
          ].map(line),
          OPEN,
        ),
        [
          delta('{"text_delta":"a","text":"b"}'),
          delta('{"text_delta":"b","x":1}'),
          "typed",
          "typed",
          "typed",
          "typed",
          "typed",
        ],
      );
    });
  }
}

/** Fields of events other than ids and payloads: the kind, the line and the event for a value. */
const EVENT_FIELDS = [
  {
    field: "turn.started input_text",
    kind: "string",
    line: (value: string) =>
      `{"type":"turn.started","turn_id":"U","input_text":${value}}`,
    event: (text: string) =>
      `{"type":"turn.started",${IDS},"input_text":${text}}`,
  },
  {
    field: "turn.completed last_item_id",
    kind: "string",
    line: (value: string) =>
      `{"last_item_id":${value},"type":"turn.completed"}`,
    event: (text: string) =>
      `{"type":"turn.completed",${IDS},"last_item_id":${text}}`,
  },
  {
    field: "turn.completed usage",
    kind: "any",
    line: (value: string) => `{"usage":${value},"type":"turn.completed"}`,
    event: (text: string) => `{"type":"turn.completed",${IDS},"usage":${text}}`,
  },
  {
    field: "turn.failed usage",
    kind: "any",
    line: (value: string) =>
      `{"error":{"message":"m"},"usage":${value},"type":"turn.failed"}`,
    event: (text: string) =>
      `{"type":"turn.failed",${IDS},"usage":${text},"error":{"message":"m"}}`,
  },
  {
    field: "turn.failed error.code",
    kind: "code",
    line: (value: string) =>
      `{"error":{"code":${value},"message":"m"},"type":"turn.failed"}`,
    event: (text: string) =>
      `{"type":"turn.failed",${IDS},"error":{"message":"m","code":${text}}}`,
  },
  {
    field: "item.failed error.message",
    kind: "string",
    line: (value: string) =>
      `{"error":{"message":${value}},"type":"item.failed","id":"i"}`,
    event: (text: string) =>
      `{"type":"item.failed",${IDS},"item_id":"i","error":{"message":${text}}}`,
  },
  {
    field: "item.failed index",
    kind: "whole",
    line: (value: string) =>
      `{"error":"e","index":${value},"type":"item.failed","item_id":"i"}`,
    event: (text: string) =>
      `{"type":"item.failed",${IDS},"item_id":"i","index":${text},"error":{"message":"e"}}`,
  },
  {
    field: "item.started item_id",
    kind: "string",
    line: (value: string) =>
      `{"item_type":"x","type":"item.started","item_id":${value}}`,
    event: (text: string) =>
      `{"type":"item.started",${IDS},"item_id":${text},"status":"in_progress","item_type":"x"}`,
  },
  {
    field: "item.started index",
    kind: "whole",
    line: (value: string) =>
      `{"item_type":"x","index":${value},"type":"item.started","item_id":"i"}`,
    event: (text: string) =>
      `{"type":"item.started",${IDS},"item_id":"i","index":${text},"status":"in_progress","item_type":"x"}`,
  },
  {
    field: "item.completed status",
    kind: "string",
    line: (value: string) =>
      `{"item_type":"x","status":${value},"type":"item.completed","item_id":"i"}`,
    event: (text: string) =>
      `{"type":"item.completed",${IDS},"item_id":"i","status":${text},"item_type":"x"}`,
  },
  {
    field: "item.delta status",
    kind: "string",
    line: (value: string) =>
      `{"item_type":"x","delta":1,"status":${value},"type":"item.delta","item_id":"i"}`,
    event: (text: string) =>
      `{"type":"item.delta",${IDS},"item_id":"i","status":${text},"item_type":"x","delta":1}`,
  },
  {
    field: "item.delta snapshot",
    kind: "boolean",
    line: (value: string) =>
      `{"item_type":"x","delta":1,"snapshot":${value},"type":"item.delta","item_id":"i"}`,
    event: (text: string) =>
      `{"type":"item.delta",${IDS},"item_id":"i","item_type":"x","snapshot":${text},"delta":1}`,
  },
  {
    field: "error message",
    kind: "string",
    line: (value: string) => `{"message":${value},"type":"error"}`,
    event: (text: string) => `{"type":"error","message":${text}}`,
  },
  {
    field: "error code",
    kind: "code",
    line: (value: string) => `{"code":${value},"message":"m","type":"error"}`,
    event: (text: string) => `{"type":"error","message":"m","code":${text}}`,
  },
] satisfies {
  field: string;
  kind: string;
  line: (value: string) => string;
  event: (text: string) => string;
}[];

for (const { field, kind, line, event } of EVENT_FIELDS) {
  Deno.test(`ExecRules accepts only a ${kind} as ${field}`, () => {
    for (const value of SAMPLES) {
      const text = KINDS[kind]?.(value);
      assertEquals(
        answers([line(value)], OPEN),
        [text === undefined ? "typed" : event(text)],
        line(value),
      );
    }
  });
}
