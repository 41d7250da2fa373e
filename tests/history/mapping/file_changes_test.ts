import { assertEquals } from "@std/assert";
import {
  patchFailure,
  readItemChanges,
} from "../../../lib/history/mapping/file_changes.ts";

Deno.test("readItemChanges() reads content and diffs of added files", () => {
  assertEquals(
    readItemChanges({
      changes: [
        { path: "a", kind: "add", content: "x" },
        { path: "b", kind: "add", diff: "d" },
        { path: "c", kind: { type: "delete" } },
        { kind: "add" },
        null,
      ],
    }),
    {
      a: { type: "add", content: "x" },
      b: { type: "update", unified_diff: "d", move_path: null },
      c: { type: "delete", content: "" },
    },
  );
});

Deno.test("patchFailure() truncates excerpts to 20 lines and 2,000 bytes", () => {
  assertEquals(patchFailure(" ", " \n  why \nmore"), {
    message: "why",
    stdout_excerpt: null,
    stderr_excerpt: "why \nmore",
  });
  const lines = patchFailure("x\n".repeat(30), "").stdout_excerpt ?? "";
  assertEquals(lines.split("\n").length, 20);
  const bytes = patchFailure("ü".repeat(1200), "").stdout_excerpt ?? "";
  assertEquals(bytes, "ü".repeat(998) + "…");
  const whole = "ü".repeat(1000);
  assertEquals(patchFailure(whole, "").stdout_excerpt, whole);
});
