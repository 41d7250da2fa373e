/** Guessing what was meant. */

import { assertEquals } from "@std/assert";
import { suggestion } from "../../lib/cli/guesses.ts";

const KNOWN = ["--from", "--strict", "--on-error", "--errors-to"];

const CASES = [
  { name: "a letter left out", given: "--stict", meant: "--strict" },
  { name: "a letter too many", given: "--strictt", meant: "--strict" },
  { name: "another letter", given: "--strikt", meant: "--strict" },
  { name: "two letters swapped", given: "--form", meant: "--from" },
  { name: "a dash left out", given: "--onerror", meant: "--on-error" },
  { name: "a plural", given: "--on-errors", meant: "--on-error" },
  { name: "something else", given: "--help", meant: undefined },
  { name: "nothing", given: "", meant: undefined },
  { name: "a long path", given: "/a".repeat(500), meant: undefined },
] satisfies { name: string; given: string; meant: string | undefined }[];

for (const { name, given, meant } of CASES) {
  Deno.test(`suggestion() guesses at: ${name}`, () => {
    assertEquals(
      suggestion(given, KNOWN),
      meant === undefined ? "" : `; did you mean "${meant}"?`,
    );
  });
}

Deno.test("suggestion() takes the closest word", () => {
  assertEquals(
    suggestion("resume", ["resumes", "resume-x", "presume"]),
    '; did you mean "resumes"?',
  );
  assertEquals(suggestion("a", []), "");
});
