import { assertEquals } from "@std/assert";
import { editedFiles, pathBelow } from "../../lib/render/edited_files.ts";

const same = (text: string): string => text;

Deno.test("editedFiles() counts the lines of every kind of change", () => {
  const files = editedFiles({
    "a.txt": { type: "add", content: "1\n2\n" },
    "b.txt": { type: "delete", content: "1" },
    "c.txt": {
      type: "update",
      unified_diff: "--- a/c.txt\n+++ b/c.txt\n@@ -1 +1,2 @@\n-1\n+++ 2\n+3\n",
      move_path: "d.txt",
    },
    "e.txt": { type: "update", unified_diff: "", move_path: null },
    "f.txt": { type: "update", unified_diff: "-x\n+y", move_path: null },
    "g.txt": {
      type: "update",
      unified_diff:
        "diff --git a/g b/g\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-1\n+2\ndiff --git a/h b/h\n--- a/h\n+++ b/h\n@@ -1 +0,0 @@\n-1\n",
      move_path: null,
    },
    "h.sql": { type: "delete", content: "-- a\n1\n" },
    "i.sql": { type: "update", unified_diff: "--- a\n+1", move_path: null },
  }, same);
  assertEquals(
    files.map((
      { path, change, movedTo, added, removed },
    ) => [path, change, movedTo, added, removed]),
    [
      ["a.txt", "add", "", 2, 0],
      ["b.txt", "delete", "", 0, 1],
      ["c.txt", "update", "d.txt", 2, 1],
      ["e.txt", "update", "", null, null],
      ["f.txt", "update", "", 1, 1],
      ["g.txt", "update", "", 1, 2],
      // Lines that begin with a comment are no file names.
      ["h.sql", "delete", "", 0, 2],
      ["i.sql", "update", "", 1, 1],
    ],
  );
  assertEquals(files[0]?.diff, "+1\n+2");
});

Deno.test("pathBelow() removes a parent folder, but not a part of a name", () => {
  assertEquals(pathBelow("/a/b/c.ts", "/a/b"), "c.ts");
  assertEquals(pathBelow("/a/b/c.ts", "/a/"), "b/c.ts");
  assertEquals(pathBelow("/a/bc/d.ts", "/a/b"), "/a/bc/d.ts");
  assertEquals(pathBelow("C:\\a\\b.ts", "C:\\a"), "b.ts");
  assertEquals(pathBelow("/a/b", "/a/b"), "/a/b");
  assertEquals(pathBelow("/a", null), "/a");
});
