import { assertEquals } from "@std/assert";
import { diffHunks } from "../../../lib/history/mapping/remarks.ts";

Deno.test("diffHunks() separates file headers from the lines of hunks (C.3)", () => {
  assertEquals(diffHunks("--- a\n+++ b\n@@ -1,2 +1,2 @@\n-x\n+y\n z\n"), [
    {
      header: "",
      lines: [
        { kind: "context", text: "--- a" },
        { kind: "context", text: "+++ b" },
      ],
    },
    {
      header: "@@ -1,2 +1,2 @@",
      lines: [
        { kind: "removed", text: "x" },
        { kind: "added", text: "y" },
        { kind: "context", text: "z" },
      ],
    },
  ]);
});
