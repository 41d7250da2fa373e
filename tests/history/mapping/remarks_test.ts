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

Deno.test("diffHunks() tells changed lines that begin with two signs from file names (C.3)", () => {
  const diff = "--- a\n+++ b\n@@ -1,2 +1 @@\n--- Old comment\n x\n+++i;\n" +
    "--- c\n+++ d\n@@ -1 +0,0 @@\n---\n";
  assertEquals(
    diffHunks(diff).map(({ lines }) =>
      lines.map(({ kind, text }) => `${kind} ${text}`)
    ),
    [
      ["context --- a", "context +++ b"],
      [
        "removed -- Old comment",
        "context x",
        "added ++i;",
        "context --- c",
        "context +++ d",
      ],
      ["removed --"],
    ],
  );
});
