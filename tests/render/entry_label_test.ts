import { assertEquals } from "@std/assert";
import { entryLabel, titleLine } from "../../lib/render/entry_label.ts";
import type { EntryView, ExploreView } from "../../lib/render/entry_view.ts";

/** A command that explored files. */
function look(command: string): ExploreView["looks"][number] {
  return { command, status: "success", note: "", output: "" };
}

/** An edited file. */
const FILE = {
  path: "a.ts",
  change: "update",
  movedTo: "",
  added: 1,
  removed: 0,
  diff: "+a",
} as const;
const EDIT = {
  kind: "edit",
  status: "success",
  note: "",
  failure: "",
} as const;

const CASES: readonly (readonly [view: EntryView, label: string])[] = [
  [{ ...EDIT, files: [] }, "edit"],
  [{ ...EDIT, files: [FILE] }, "edit a.ts"],
  [{ ...EDIT, files: [FILE, FILE] }, "edit 2 files"],
  [{ kind: "explore", looks: [look("cat a")] }, "$ cat a"],
  [{ kind: "explore", looks: [look("cat a"), look("cat b")] }, "2 looks"],
  [{ kind: "explore", looks: [] }, "0 looks"],
  [{ kind: "image", path: "", caption: "A cat" }, "image"],
  [{ kind: "image", path: "a.png", caption: "" }, "a.png"],
  [{ kind: "notice", level: "info", title: "", text: "Careful" }, "Careful"],
  [
    { kind: "notice", level: "info", title: "Note", text: "Careful" },
    "Note",
  ],
  [{ kind: "unknown", type: "hologram", json: "{}" }, "hologram"],
];

for (const [view, label] of CASES) {
  Deno.test(`entryLabel() returns ${label}`, () => {
    assertEquals(entryLabel(view), label);
  });
}

Deno.test("titleLine() returns the first line without Markdown marks", () => {
  const cases = [
    ["\n## Fix **all** of `x`\nmore", "Fix all of x"],
    ["- [ ] see [the docs](https://a.b/c)", "[ ] see the docs"],
    ["> 1. ![a cat](cat.png)", "a cat"],
    ["```ts\ncode\n```", "code"],
    ["---\n\ntext", "text"],
    ["```", "```"],
    ["", ""],
    [
      "__init__, src/**/*.ts, a ` and a ** and #1",
      "__init__, src/**/*.ts, a ` and a ** and #1",
    ],
  ];
  for (const [text = "", line] of cases) assertEquals(titleLine(text), line);
});
