/** Tests our output against its JSON Schemas, with a foreign validator. */

import { assert, assertEquals } from "@std/assert";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as v from "valibot";
import { isThreadEvent } from "../lib/dialects/exec/decoder.ts";
import { isRolloutLine } from "../lib/dialects/rollout/decoder.ts";
import { SCHEMAS } from "../lib/schema.ts";
import { DAMAGED as DAMAGED_EVENTS } from "./dialects/exec/records.ts";
import { DAMAGED as DAMAGED_LINES } from "./dialects/rollout/lines.ts";
import { HistoryState } from "../lib/history/history_state.ts";
import type { CodexRecord } from "../lib/dialects/decoder.ts";
import type { StreamKind } from "../lib/dialects/dialect_names.ts";
import { jsonSchemaOf, jsonSchemaOfAll } from "../lib/json_schema.ts";
import { JsonlNormalizer } from "../lib/pipeline/pipeline.ts";
import { JSON_SCHEMA_NAMES, type JsonSchemaName } from "../lib/schema_names.ts";
import { call } from "./cli/memory.ts";
import { linesOf, readCapturedFiles } from "./fixtures.ts";
import fc from "./property_seed.ts";
import { outputOf } from "./running.ts";
import { withHome } from "./sessions/homes.ts";

const ajv = new Ajv2020({
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  logger: false,
  validateFormats: false,
  // Its code is made for speed, which takes longer to make than to validate all captures.
  code: { optimize: false },
});
const FOLDER = new URL("../testdata/schemas/", import.meta.url);
/** Whether `deno task golden` updates the files. */
const UPDATE = Deno.args.includes("--update");

const validators = new Map(
  JSON_SCHEMA_NAMES.map((name) => [name, ajv.compile(jsonSchemaOf(name))]),
);

/** Returns the errors of a value by its schema; `undefined` if it is valid. */
function errorsOf(name: JsonSchemaName, value: unknown): unknown {
  const validate = validators.get(name);
  assert(validate !== undefined);
  return validate(value) ? undefined : validate.errors;
}

/** The schemas of a stream's lines, by its kind; lines of other kinds are not checked. */
const NAMES: Partial<Record<StreamKind, JsonSchemaName>> = {
  exec: "ThreadEvent",
  rollout: "RolloutLine",
};

function normalized(
  bytes: Uint8Array,
): { name: JsonSchemaName | undefined; records: unknown[] } {
  const stage = new JsonlNormalizer({ onError: "inline" });
  const lines = linesOf(outputOf(stage, [bytes]));
  return {
    name: stage.kind && NAMES[stage.kind],
    records: lines.map((line): unknown => JSON.parse(line)),
  };
}

function typeOf(value: unknown): unknown {
  return typeof value === "object" && value !== null && "type" in value
    ? value.type
    : undefined;
}

for (const name of JSON_SCHEMA_NAMES) {
  Deno.test(`the JSON Schema of ${name} is the one in testdata/schemas`, () => {
    const text = `${JSON.stringify(jsonSchemaOf(name), undefined, 2)}\n`;
    const file = new URL(`${name}.json`, FOLDER);
    if (UPDATE) Deno.writeTextFileSync(file, text);
    assertEquals(Deno.readTextFileSync(file), text);
  });
}

for (
  const { name, records, isRight } of [
    { name: "RolloutLine", records: DAMAGED_LINES, isRight: isRolloutLine },
    { name: "ThreadEvent", records: DAMAGED_EVENTS, isRight: isThreadEvent },
  ] as const
) {
  Deno.test(`the decoder and JSON Schema refuse the same values: ${name}`, () => {
    let refused = 0;
    fc.assert(
      fc.property(records, (record) => {
        // JSON has no number that is not finite.
        const value: unknown = JSON.parse(JSON.stringify(record) ?? "null");
        const isValid = isRight(value);
        assertEquals(isValid, errorsOf(name, value) === undefined);
        // valibot accepts a list as an object, so it may refuse less.
        if (isValid) assert(v.is(SCHEMAS[name], value));
        else refused += 1;
      }),
      { numRuns: 2_000 },
    );
    assert(refused > 300, `only ${refused} refused`);
  });
}

Deno.test("the JSON Schema of all types is any of them, with all definitions", () => {
  const { anyOf, $defs } = jsonSchemaOfAll();
  const each = JSON_SCHEMA_NAMES.map(jsonSchemaOf);
  assertEquals(anyOf, each.map(({ $ref = "" }) => ({ $ref })));
  assertEquals($defs, Object.assign({}, ...each.map(({ $defs }) => $defs)));
});

const files = readCapturedFiles(/\.jsonl$/);
const byVersion = Map.groupBy(files, ({ version }) => version);

for (const [version, captures] of byVersion) {
  Deno.test(`every line and history of the captures of ${version} is valid by its JSON Schema`, () => {
    for (const { path, bytes } of captures) {
      const { name, records } = normalized(bytes);
      const state = new HistoryState();
      for (const record of records) {
        const isFailed = typeOf(record) === "line.failed";
        const schema = isFailed ? "LineFailed" : name;
        if (schema !== undefined) {
          assertEquals(errorsOf(schema, record), undefined, path);
        }
        for (const mutation of state.apply(record as CodexRecord)) {
          assertEquals(
            errorsOf("HistoryMutation", mutation),
            undefined,
            path,
          );
        }
      }
      const snapshot: unknown = JSON.parse(JSON.stringify(state.snapshot()));
      assertEquals(errorsOf("HistorySnapshot", snapshot), undefined, path);
    }
  });
}

/** Commands that print a report of a home, or of a stream with an unknown kind of record. */
const REPORTS: readonly [JsonSchemaName, ...string[]][] = [
  ["VerdictRecord", "check", "--format=json", "--fail-on-drift", "-"],
  ["DriftReport", "drift", "--format=json", "-"],
  ["DriftFinding", "drift", "--format=jsonl", "-"],
  ["SessionListReport", "sessions", "list", "--format=json"],
  ["SessionRecord", "sessions", "list", "--format=jsonl"],
  ["SessionSizesReport", "sessions", "du", "--format=json"],
  ["SessionSizeRecord", "sessions", "du", "--format=jsonl"],
  ["SessionSizeGroup", "sessions", "du", "--format=jsonl", "--by=kind"],
  ["HappeningRecord", "watch", "--json", "--since=2000-01-01"],
];

Deno.test("JSON reports of commands are valid by their JSON Schemas, without unknown fields", async () => {
  const stdin = '{"type":"thread.started","thread_id":"t"}\n' +
    '{"type":"turn.exploded","colour":"red"}\n';
  await withHome({ versions: ["0.169.0"] }, async ({ path }) => {
    for (const [name, ...args] of REPORTS) {
      const { stdout } = await call(args, {
        stdin,
        env: { CODEX_HOME: path },
        // `watch` would wait for more events.
        ...(args[0] === "watch" ? { interrupt: AbortSignal.abort() } : {}),
      });
      const values = linesOf(new TextEncoder().encode(stdout));
      const texts = name.endsWith("Report") ? [stdout] : values;
      assert(texts.length > 0 && stdout !== "", args.join(" "));
      const { properties } = jsonSchemaOf(name).$defs[name] as {
        properties: Record<string, unknown>;
      };
      for (const text of texts) {
        const value: Record<string, unknown> = JSON.parse(text);
        assertEquals(errorsOf(name, value), undefined, args.join(" "));
        assertEquals(
          Object.keys(value).filter((field) => !(field in properties)),
          [],
        );
      }
    }
  });
});
