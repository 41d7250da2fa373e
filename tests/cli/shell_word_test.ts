import { assertEquals } from "@std/assert";
import { shellPath, shellWord } from "../../lib/cli/shell_word.ts";

const CASES = [
  { word: "/home/dev/.codex", written: "/home/dev/.codex" },
  { word: "", written: "''" },
  { word: "my home", written: "'my home'" },
  { word: "it's", written: "'it'\\''s'" },
  { word: "$(rm -rf /)", written: "'$(rm -rf /)'" },
  { word: "~", written: "'~'" },
] satisfies { word: string; written: string }[];

for (const { word, written } of CASES) {
  Deno.test(`shellWord() writes ${JSON.stringify(word)} for a shell`, () => {
    assertEquals(shellWord(word), written);
  });
}

Deno.test("shellPath() writes a path so that it is no option of a command", () => {
  assertEquals(shellPath("--index=x.jsonl"), "./--index=x.jsonl");
  assertEquals(shellPath("-a b"), "'./-a b'");
  assertEquals(shellPath("/tmp/-x"), "/tmp/-x");
});
