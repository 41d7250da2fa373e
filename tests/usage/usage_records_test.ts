/** Usage as JSON, validated with its schemas. */

import { assert, assertEquals } from "@std/assert";
import * as schemas from "../../lib/usage/schema.ts";
import {
  derivationFields,
  encodeFields,
  groupUsage,
  PriceList,
  usageFields,
  type UsageKey,
} from "../../lib/usage/usage.ts";
import { counts, LINES, metered } from "./meters.ts";
import { complaintsOf } from "./schemas.ts";

const PRICES = PriceList.parse('{"m":{"input":1,"output":1}}');
const METER = metered([{
  name: "f",
  content: [
    LINES.meta("t"),
    LINES.context("m", "1"),
    LINES.count(counts(5)),
    LINES.count(counts(5)),
    LINES.context("n", "2"),
    LINES.count(counts("9007199254740993"), counts(1)),
  ],
}], { explain: true });

const KEYS = [
  { by: [], names: [] },
  { by: ["day"], names: ["day"] },
  { by: ["model"], names: ["model"] },
  { by: ["cwd", "day"], names: ["cwd", "day"] },
  {
    by: ["thread"],
    names: ["thread_id", "parent_thread_id", "source"],
  },
  {
    by: ["turn"],
    names: ["thread_id", "parent_thread_id", "turn_id", "source"],
  },
] satisfies { by: UsageKey[]; names: string[] }[];

for (const { by, names } of KEYS) {
  Deno.test(`usageFields() names the keys of groups by ${by.join(" and ") || "no key"}`, () => {
    for (const group of groupUsage(METER.rows(), by)) {
      const fields = usageFields(group, by, PRICES.costOf(group.rows));
      const isByModel = by.some((key) => key === "model");
      assertEquals([...fields.keys()], [
        ...names,
        ...(isByModel ? [] : ["models"]),
        "threads",
        "turns",
        "input_tokens",
        "cached_input_tokens",
        "cache_write_input_tokens",
        "output_tokens",
        "reasoning_output_tokens",
        "total_tokens",
        "cost",
      ]);
      const record: unknown = JSON.parse(encodeFields(fields));
      assertEquals(complaintsOf(schemas.UsageRecordSchema, record), []);
    }
  });
}

Deno.test("encodeFields() writes integers beyond 2^53 exactly", () => {
  const [group] = groupUsage(METER.rows(), []);
  assert(group !== undefined);
  const text = encodeFields(usageFields(group, []));
  assert(text.includes('"input_tokens":9007199254740993,'), text);
  assert(!text.includes('"cost"'));
});

Deno.test("usageFields() returns a cost of null where no model has a price", () => {
  const groups = groupUsage(METER.rows(), ["model"]);
  assertEquals(
    groups.map((group) =>
      usageFields(group, ["model"], PRICES.costOf(group.rows)).get("cost")
    ),
    ["0.000005", null],
  );
});

Deno.test("derivationFields() returns valid records", () => {
  const records = METER.derivations().map((derivation): unknown =>
    JSON.parse(encodeFields(derivationFields(derivation)))
  );
  assertEquals(records.length, 3);
  for (const record of records) {
    assertEquals(
      complaintsOf(schemas.UsageDerivationRecordSchema, record),
      [],
    );
  }
});
