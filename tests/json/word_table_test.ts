import { assertEquals } from "@std/assert";
import {
  ITEM_CONTENTS,
  ITEM_TYPE_ALIASES,
} from "../../lib/dialects/exec/events.ts";
import { EVENTS } from "../../lib/dialects/exec/field_rules.ts";
import { WordTable } from "../../lib/json/word_table.ts";
import fc from "../property_seed.ts";

Deno.test("WordTable.get() gives what a Map gives", () => {
  const words = [
    ...EVENTS.keys(),
    ...ITEM_TYPE_ALIASES.keys(),
    ...Object.keys(ITEM_CONTENTS),
    "",
    "é",
  ];
  const map = new Map(words.map((word, i) => [word, i]));
  const table = new WordTable(map);
  for (const word of words) assertEquals(table.get(word), map.get(word));
  for (
    const other of [
      "__proto__",
      "constructor",
      "item",
      "item.starte",
      "Item.started",
    ]
  ) {
    assertEquals(table.get(other), undefined);
  }
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    assertEquals(table.get(text), map.get(text));
  }));
});
