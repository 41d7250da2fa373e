import { assertEquals } from "@std/assert";
import { FAILURE_KINDS, LineError } from "../lib/errors.ts";

for (const kind of FAILURE_KINDS) {
  Deno.test(`a LineError of ${kind} says where the line is, and why it failed`, () => {
    const reason = { kind, message: "Cannot read it", field: "f" };
    const error = new LineError({ line: 7, offset: 90, error: reason });
    assertEquals({ ...error }, {
      name: "LineError",
      line: 7,
      offset: 90,
      kind,
      reason,
    });
    assertEquals(String(error), "LineError: Line 7: Cannot read it");
  });
}
