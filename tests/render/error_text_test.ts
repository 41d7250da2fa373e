import { assertEquals } from "@std/assert";
import { errorText } from "../../lib/render/error_text.ts";

const CASES = [
  {
    name: "a text without JSON as it is",
    text: " Turn interrupted\n",
    expected: " Turn interrupted\n",
  },
  {
    name: "the message in the JSON of a server",
    text:
      '{"error":{"message":"Unknown field","type":"invalid_request_error"}}',
    expected: "Unknown field",
  },
  {
    name: "the detail in the JSON of a proxy",
    text: '{"detail":"Unsupported model\\n"}',
    expected: "Unsupported model",
  },
  {
    name: "the prose around the JSON",
    text: 'stream error: 400: {"message":"no {x}"}; retrying 1/5 in 183ms…',
    expected: "stream error: 400: no {x}; retrying 1/5 in 183ms…",
  },
  {
    name: "JSON without a message as it is",
    text: '400: {"error":{"message":" ","code":5}}',
    expected: '400: {"error":{"message":" ","code":5}}',
  },
  {
    name: "JSON that is cut off as it is",
    text: '400: {"error":{"message":"Unkno',
    expected: '400: {"error":{"message":"Unkno',
  },
  {
    name: "braces that are no JSON as they are",
    text: "} not { closed",
    expected: "} not { closed",
  },
  {
    name: "the message of JSON with a field __proto__",
    text: '{"__proto__":{"message":"no"},"message":"Unknown field"}',
    expected: "Unknown field",
  },
];

for (const { name, text, expected } of CASES) {
  Deno.test(`errorText() returns ${name}`, () => {
    assertEquals(errorText(text), expected);
  });
}
