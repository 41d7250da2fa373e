/** State as plain JSON. */

import { assertEquals } from "@std/assert";
import { booleanOf, textOf, wholeOf } from "../../lib/json/fields.ts";
import {
  restoreState,
  type SavedFields,
  savedState,
} from "../../lib/json/state.ts";

/** A state with a field of each kind. */
class Example {
  lastName: string | null = null;
  isOpen = true;
  readonly made = { turns: 0, items: 0 };
  readonly texts: Map<number, Set<string>> = new Map();
  inner: Inner = new Inner();
  temporary = 1;
}

class Inner {
  count = 0;
  save(): unknown {
    return [this.count];
  }
}

const FIELDS: SavedFields<Example> = {
  lastName: textOf,
  isOpen: booleanOf,
  made: { turns: wholeOf, items: wholeOf },
  texts: (saved) =>
    Array.isArray(saved)
      ? new Map(saved.map(([id, texts]) => [id, new Set(texts)]))
      : undefined,
  inner: (saved) => {
    const inner = new Inner();
    if (Array.isArray(saved)) [inner.count] = saved;
    return inner;
  },
};

Deno.test("restoreState() restores what savedState() returns, through JSON", () => {
  const state = new Example();
  state.lastName = "n";
  state.isOpen = false;
  state.made.items = 2;
  state.texts.set(7, new Set(["a", "b"]));
  state.inner.count = 3;
  const saved = savedState(state, FIELDS);

  assertEquals(saved, {
    last_name: "n",
    is_open: false,
    made: { turns: 0, items: 2 },
    texts: [[7, ["a", "b"]]],
    inner: [3],
  });
  const restored = new Example();
  restoreState(restored, FIELDS, JSON.parse(JSON.stringify(saved)));
  assertEquals(restored, state);
});

Deno.test("savedState() shares no object with the state", () => {
  const state = new Example();
  const saved = savedState(state, FIELDS);
  state.made.turns = 5;
  assertEquals(saved.made, { turns: 0, items: 0 });
});

const HOSTILE: readonly unknown[] = [
  undefined,
  null,
  "text",
  [],
  {},
  { last_name: 5, is_open: "yes", made: null, texts: 1, inner: {} },
  { last_name: null, is_open: null, made: [1], texts: null, temporary: 9 },
  { made: { turns: "1", items: 0.5 }, lastName: "n" },
  JSON.parse(
    '{"__proto__":{"last_name":"n"},"made":{"__proto__":{"turns":1}}}',
  ),
];

for (const saved of HOSTILE) {
  Deno.test(`restoreState() keeps the fields without a usable value: ${JSON.stringify(saved)}`, () => {
    const state = new Example();
    restoreState(state, FIELDS, saved);
    assertEquals(state, new Example());
  });
}
