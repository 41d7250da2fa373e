import { assertEquals } from "@std/assert";
import { errorText, judgeError } from "../../lib/check/turn_end.ts";

const RETRIES = [
  "Reconnecting... 1/5",
  "Re-connecting... 4/5",
  "Reconnecting... 2/5 (stream disconnected before completion)",
  "stream error: unexpected status 500; retrying 1/5 in 210ms…",
  "waiting for network",
];

for (const message of RETRIES) {
  Deno.test(`judgeError() knows what is tried again: ${message}`, () => {
    assertEquals(judgeError(message).status, "open");
  });
}

Deno.test("judgeError() tells an interruption from a failure", () => {
  assertEquals(judgeError("Turn interrupted").status, "aborted");
  assertEquals(judgeError("unexpected status 400 Bad Request").reason, {
    kind: "fatal_error",
    message: "ended with an error: unexpected status 400 Bad Request",
  });
});

const TEXTS = [
  ["prose", " It broke \n", "It broke"],
  ["JSON", '{"error":{"message":"No x"}}', "No x"],
  [
    "JSON behind prose",
    'status 400: {"error":{"message":"No x"}}',
    "status 400: No x",
  ],
  ["JSON of another shape", '{"detail":"No x"}', "No x"],
  ["JSON without a message", '{"code":7}', '{"code":7}'],
  ["an empty message", '{"message":" "}', '{"message":" "}'],
  ["what only looks like JSON", "use {braces}", "use {braces}"],
] as const;

for (const [name, text, expected] of TEXTS) {
  Deno.test(`errorText() gives what is for people: ${name}`, () => {
    assertEquals(errorText(text), expected);
  });
}
