import { assertEquals } from "@std/assert";
import { idText, isSessionId } from "../../lib/sessions/session_id.ts";
import { HOSTILE_IDS } from "./ids.ts";
import { testId } from "./homes.ts";

for (const id of [testId(1), "t1", "a.b_c-d", "x".repeat(128)]) {
  Deno.test(`isSessionId() accepts ${id.slice(0, 40)}`, () => {
    assertEquals([isSessionId(id), idText(id)], [true, id]);
  });
}

for (const id of ["", ...HOSTILE_IDS]) {
  Deno.test(`isSessionId() refuses ${JSON.stringify(id.slice(0, 40))}`, () => {
    assertEquals(isSessionId(id), false);
    assertEquals(idText(id), JSON.stringify(id.slice(0, 80)));
  });
}
