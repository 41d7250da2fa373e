import { assertEquals } from "@std/assert";
import { readPatchEnvelope } from "../../lib/events/patch_envelope.ts";

Deno.test("readPatchEnvelope() reads every kind of section", () => {
  const envelope = [
    "*** Begin Patch",
    "*** Add File: a b.txt",
    "+one",
    "+",
    "*** Update File: c.txt\r",
    "*** Move to: d.txt\r",
    "@@ def f():",
    " x",
    "-y",
    "*** End of File",
    "*** Delete File: e.txt",
    "*** End Patch",
    "+not part of it",
  ].join("\n");
  assertEquals(readPatchEnvelope(envelope), [
    { path: "a b.txt", kind: "add", content: "one\n\n" },
    {
      path: "c.txt",
      kind: "update",
      unified_diff: "@@ def f():\n x\n-y\n",
      move_path: "d.txt",
    },
    { path: "e.txt", kind: "delete" },
  ]);
});

Deno.test("readPatchEnvelope() finds nothing in other text", () => {
  assertEquals(readPatchEnvelope("this is not a patch"), []);
});

Deno.test("readPatchEnvelope() makes no line of the end of an envelope that is cut", () => {
  for (const end of ["", "\n", "\r\n", "\n*** End Patch"]) {
    const envelope = `*** Begin Patch\n*** Add File: a\n+x${end}`;
    assertEquals(readPatchEnvelope(envelope), [
      { path: "a", kind: "add", content: "x\n" },
    ]);
  }
});

Deno.test("readPatchEnvelope() takes lines about patches for what they stand in", () => {
  const lines = [
    "*** Begin Patch",
    "*** Add File: b",
    "*** Delete File: b",
    "*** Move to: b",
    "*** End of File",
    "*** End Patch",
  ];
  const added = lines.map((line) => `+${line}`).join("\n");
  const other = "*** End Patch notes\n*** End of Filename";
  const envelope = `*** Add File: a\n${added}\n${other}\n*** End Patch`;
  assertEquals(readPatchEnvelope(envelope), [
    { path: "a", kind: "add", content: `${lines.join("\n")}\n${other}\n` },
  ]);
});
