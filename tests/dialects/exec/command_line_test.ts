import { assertEquals } from "@std/assert";
import {
  commandLine,
  shellWord,
} from "../../../lib/dialects/exec/command_line.ts";

const CASES = [
  { name: "no words", words: [], line: "" },
  { name: "an unsplit line", words: ["ls 'a"], line: "ls 'a" },
  { name: "bash -lc", words: ["bash", "-lc", "a | b"], line: "a | b" },
  { name: "/bin/zsh -c", words: ["/bin/zsh", "-c", "a"], line: "a" },
  { name: "sh -l -c", words: ["sh", "-l", "-c", "a"], line: "a" },
  {
    name: "powershell",
    words: ["C:\\x\\powershell.exe", "-NoProfile", "-Command", "dir"],
    line: "dir",
  },
  { name: "cmd /c", words: ["cmd.exe", "/c", "dir"], line: "dir" },
  {
    name: "a shell that runs a file",
    words: ["bash", "run.sh", "a b"],
    line: "bash run.sh 'a b'",
  },
  {
    name: "a script with arguments",
    words: ["bash", "-c", "a $0", "b"],
    line: "bash -c 'a $0' b",
  },
  {
    name: "a split line of several commands",
    words: ["npm", "test", "&&", "echo", "a b", "|", "wc", "2>&1", ">", "o"],
    line: "npm test && echo 'a b' | wc 2>&1 > o",
  },
  {
    name: "words that only contain operators",
    words: ["echo", "a&&b", ">out", "|x"],
    line: "echo 'a&&b' '>out' '|x'",
  },
  { name: "an empty word", words: ["a", ""], line: "a ''" },
  { name: "quotes", words: ["echo", "it's"], line: `echo 'it'"'"'s'` },
] satisfies { name: string; words: string[]; line: string }[];

for (const { name, words, line } of CASES) {
  Deno.test(`commandLine() writes ${name}`, () => {
    assertEquals(commandLine(words), line);
  });
}

const WORDS = [
  { word: "/home/dev/.codex", written: "/home/dev/.codex" },
  { word: "", written: "''" },
  { word: "my home", written: "'my home'" },
  { word: "it's", written: `'it'"'"'s'` },
  { word: "$(rm -rf /)", written: "'$(rm -rf /)'" },
  { word: "~", written: "'~'" },
] satisfies { word: string; written: string }[];

for (const { word, written } of WORDS) {
  Deno.test(`shellWord() quotes ${JSON.stringify(word)} if needed`, () => {
    assertEquals(shellWord(word), written);
  });
}
