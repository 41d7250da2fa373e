import { assertEquals } from "@std/assert";
import { suggestion } from "../../lib/cli/guesses.ts";

const KNOWN = ["--from", "--strict", "--on-error", "--errors-to"];

const CASES = [
  { name: "a letter left out", typed: "--stict", meant: "--strict" },
  { name: "a letter too many", typed: "--strictt", meant: "--strict" },
  { name: "another letter", typed: "--strikt", meant: "--strict" },
  { name: "two letters swapped", typed: "--form", meant: "--from" },
  { name: "a dash left out", typed: "--onerror", meant: "--on-error" },
  { name: "a plural", typed: "--on-errors", meant: "--on-error" },
  { name: "no known word", typed: "--help", meant: undefined },
  { name: "an empty word", typed: "", meant: undefined },
  { name: "a long path", typed: "/a".repeat(500), meant: undefined },
] satisfies { name: string; typed: string; meant: string | undefined }[];

for (const { name, typed, meant } of CASES) {
  Deno.test(`suggestion() answers: ${name}`, () => {
    assertEquals(
      suggestion(typed, KNOWN),
      meant === undefined ? "" : `; did you mean "${meant}"?`,
    );
  });
}

Deno.test("suggestion() suggests the closest word", () => {
  assertEquals(
    suggestion("resume", ["resumes", "resume-x", "presume"]),
    '; did you mean "resumes"?',
  );
  assertEquals(suggestion("a", []), "");
});
