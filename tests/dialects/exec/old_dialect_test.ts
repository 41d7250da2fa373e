/** The rules for the old dialect, in cases that the vectors lack. */

import { assert, assertEquals } from "@std/assert";
import { Normalizer } from "../../../lib/dialects/normalizer.ts";
import { JSON_STRING } from "../../generators.ts";
import fc from "../../property_seed.ts";
import { answers } from "../../running.ts";
import { testCases } from "../cases.ts";

/** An open thread and turn. */
const OPEN = { initialThreadId: "T", initialTurnId: "U" };

testCases("old_exec.txt", "OldDialect", OPEN);

/** A message line of the old dialect. */
function message(type: string, fields = ""): string {
  return `{"msg":{"type":"${type}"${fields === "" ? "" : `,${fields}`}}}`;
}

/** An item event of the call "c" in the open turn. */
function event(type: string, fields: string): string {
  return `{"type":"item.${type}","thread_id":"T","turn_id":"U","item_id":"c",${fields}}`;
}

Deno.test("OldDialect decodes chunks of any bytes like one streaming decoder (P6)", () => {
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
        event(
          "delta",
          `"item_type":"command_execution","delta":{"stdout":${
            JSON.stringify(
              decoder.decode(Uint8Array.from(values), { stream: true }),
            )
          }}`,
        )
      );
      const lines = pieces.map(([values, isBase64]) =>
        message(
          "exec_command_output_delta",
          `"call_id":"c","stream":"stdout","chunk":${
            isBase64
              ? `"${btoa(String.fromCharCode(...values))}"`
              : `[${values}]`
          }`,
        )
      );
      assertEquals(answers(lines, OPEN), expected);
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("OldDialect joins words of any spelling into a command as a shell reads them (P6)", () => {
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
      const rest = `"item_type":"command_execution","content":{"command":${
        JSON.stringify(joined)
      }}`;
      assertEquals(
        answers([
          message("exec_command_begin", `"call_id":"c","command":[${list}]`),
          message("exec_command_end", '"call_id":"c"'),
        ], OPEN),
        [
          event("started", `"status":"in_progress",${rest}`),
          event("completed", `"status":"completed",${rest}`),
        ],
      );
    }),
    { numRuns: 1_000 },
  );
});

/** Lines that each open state that no line ends. */
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
  Deno.test(`OldDialect saves at most 1.5 MB for ${name} that never end`, () => {
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
    assert(saved.length < 1_500_000, `${saved.length}`);
  });
}

Deno.test("OldDialect keeps 5,000 open commands", () => {
  const count = 5_000;
  const ids = Array.from({ length: count }, (_, n) => `"call_id":"c${n}"`);
  const lines = [
    ...ids.map((id, n) =>
      message("exec_command_begin", `${id},"command":["echo","${n}"]`)
    ),
    ...ids.map((id) => message("exec_command_end", id)),
  ];
  const ends = answers(lines, OPEN).slice(count);
  for (const [n, end] of ends.entries()) {
    assert(end.endsWith(`"content":{"command":"echo ${n}"}}`), end);
  }
});

Deno.test("OldDialect adds up counts of up to 1,000 digits (P11)", () => {
  const count = (digits: number, name: string): string =>
    message("token_count", `"${name}":${"9".repeat(digits)}`);
  const lines = [
    count(1000, "input_tokens"),
    count(1001, "output_tokens"),
    count(100_000, "output_tokens"),
    message("task_complete"),
  ];
  assertEquals(
    JSON.stringify(answers(lines, OPEN).at(-1)).includes("output_tokens"),
    false,
  );
  assert(answers(lines, OPEN).at(-1)?.includes(`:${"9".repeat(1000)}}`));
});
