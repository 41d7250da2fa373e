import { assertEquals } from "@std/assert";
import { quote, syntaxReason } from "../../lib/json/problems.ts";
import { JsonReader } from "../../lib/json/reader.ts";
import { encode } from "../running.ts";

/** Returns the reason why a line after another line is not JSON. */
function messageOf(line: Uint8Array): string {
  const reader = new JsonReader(2);
  const bytes = Uint8Array.from([...encode("{}\n"), ...line, 0x0a]);
  const end = bytes.length - 1;
  assertEquals(reader.read(bytes, 3, end), undefined);
  const { kind, message } = syntaxReason(reader, bytes, 3, end);
  return `${kind}: ${message}`;
}

for (
  const { name, line, message } of [
    {
      name: "counts bytes from 1",
      line: encode("oops"),
      message:
        'json: Cannot parse the line as JSON: "o" stands where a value is expected (byte 1)',
    },
    {
      name: "counts bytes, not characters",
      line: encode('{"é":1,}'),
      message:
        'json: Cannot parse the line as JSON: "}" stands where a key is expected (byte 9)',
    },
    {
      name: "reports the byte after the line if it ends too early",
      line: encode('{"a":"b'),
      message:
        "json: Cannot parse the line as JSON: the line ends inside a string (byte 8)",
    },
    {
      name: "returns kind utf8 for a line that is not UTF-8",
      line: Uint8Array.of(0x22, 0xff, 0x22),
      message: "utf8: Cannot decode the line: its bytes are not valid UTF-8",
    },
    {
      name: "returns kind utf8 even if the bytes before are not JSON",
      line: Uint8Array.of(0x6f, 0x6f, 0xc0),
      message: "utf8: Cannot decode the line: its bytes are not valid UTF-8",
    },
  ] satisfies { name: string; line: Uint8Array; message: string }[]
) {
  Deno.test(`syntaxReason() ${name}`, () => {
    assertEquals(messageOf(line), message);
  });
}

Deno.test("quote() shows at most 40 characters and no control character", () => {
  assertEquals(quote("item.started"), '"item.started"');
  assertEquals(quote("x".repeat(40)), `"${"x".repeat(40)}"`);
  assertEquals(quote("x".repeat(41)), `"${"x".repeat(39)}…"`);
  assertEquals(quote('a\n"\u001b'), '"a\\n\\"\\u001b"');
});

Deno.test("quote() does not split a character", () => {
  const start = "x".repeat(38);
  assertEquals(quote(`${start}😀 and more`), `"${start}…"`);
  assertEquals(quote(`x${start}😀 and more`), `"x${start}…"`);
});
