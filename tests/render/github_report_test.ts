import { assert, assertEquals } from "@std/assert";
import { githubOutputs } from "../../lib/render/github_report.ts";

Deno.test("githubOutputs() leaves out unknown values", () => {
  const report = {
    threadId: null,
    status: null,
    usage: null,
    finalMessage: null,
  };
  assertEquals(githubOutputs(report), "");
});

Deno.test("githubOutputs() writes all known values", () => {
  const text = githubOutputs({
    threadId: "t",
    status: "failed",
    usage: {
      input_tokens: 3,
      cached_input_tokens: 0,
      output_tokens: 1,
      reasoning_output_tokens: null,
    },
    finalMessage: "",
  }, { isPassed: false });
  assertEquals(
    [...text.matchAll(/^(.*)<<codexpipe_end\n([^]*?)\ncodexpipe_end$/gm)]
      .map(([, name, value]) => [name, value]),
    [
      ["thread-id", "t"],
      ["status", "failed"],
      ["verdict", "failed"],
      ["input-tokens", "3"],
      ["cached-input-tokens", "0"],
      ["output-tokens", "1"],
      ["final-message", ""],
    ],
  );
});

Deno.test("githubOutputs() leaves out what is too long for an id", () => {
  const report = { status: null, usage: null, finalMessage: null };
  assertEquals(githubOutputs({ ...report, threadId: "x".repeat(1001) }), "");
});

Deno.test("githubOutputs() cuts a long message below GitHub's limit", () => {
  const text = githubOutputs({
    threadId: null,
    status: null,
    usage: null,
    finalMessage: "😀".repeat(1_000_000),
  });
  assert(2 * text.length < 1_000_000, `${text.length} characters`);
  assert(text.includes("more characters are left out]"));
  assertEquals(text.isWellFormed(), true);
});
