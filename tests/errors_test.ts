import { assertEquals } from "@std/assert";
import { FAILURE_KINDS, LineError } from "../lib/errors.ts";

for (const kind of FAILURE_KINDS) {
  Deno.test(`a LineError of ${kind} has the place and the reason of the failure`, () => {
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
