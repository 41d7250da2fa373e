import { assertEquals } from "@std/assert";
import { diffHtml } from "../../lib/render/html_code.ts";

const CASES = [
  {
    name: "removed, added and unchanged lines",
    diff: "-a <\n+b\n c",
    html: "<del>-a &lt;</del>\n<ins>+b</ins>\n c",
  },
  {
    name: "names of files before the first hunk",
    diff: "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\r\n+b",
    html:
      "<b>--- a/x</b>\n<b>+++ b/x</b>\n<b>@@ -1 +1 @@</b>\n<del>-a</del>\n<ins>+b</ins>",
  },
  {
    name: "the hashes of a file before its names",
    diff: "index 1..2\n--- a/x\n@@ -1 +0,0 @@\n-a",
    html:
      "<b>index 1..2</b>\n<b>--- a/x</b>\n<b>@@ -1 +0,0 @@</b>\n<del>-a</del>",
  },
  {
    name: "a removed SQL comment in the first line",
    diff: "--- all\n-SELECT 1;",
    html: "<del>--- all</del>\n<del>-SELECT 1;</del>",
  },
  {
    name: "the heading of a patch",
    diff: "*** Update File: x\n@@\n-a",
    html: "<b>*** Update File: x</b>\n<b>@@</b>\n<del>-a</del>",
  },
  {
    name: "several files, kept line by line",
    diff: "@@ -1 +1 @@\n-a\n diff --git a/y b/y\n --- a/y\n@@ -1 +1 @@\n+b",
    html:
      "<b>@@ -1 +1 @@</b>\n<del>-a</del>\n<b> diff --git a/y b/y</b>\n<b> --- a/y</b>\n<b>@@ -1 +1 @@</b>\n<ins>+b</ins>",
  },
] satisfies { name: string; diff: string; html: string }[];

for (const { name, diff, html } of CASES) {
  Deno.test(`diffHtml() marks ${name}`, () => {
    assertEquals(diffHtml(diff), html);
  });
}
