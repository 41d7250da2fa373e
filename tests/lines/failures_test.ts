import { assertEquals } from "@std/assert";
import { ByteWriter } from "../../lib/json/byte_writer.ts";
import { writeLineFailed } from "../../lib/lines/failures.ts";
import { decode, encode } from "../running.ts";

type Head = Parameters<typeof writeLineFailed>[1];

function record(head: Head, raw: Uint8Array | undefined): string {
  const out = new ByteWriter(1);
  out.text("before ");
  writeLineFailed(out, head, raw);
  return decode(out.view(7));
}

Deno.test("writeLineFailed() escapes the message and the line as JSON strings, in full", () => {
  let every = "é\u2028😀";
  for (let code = 0; code < 0x80; code++) every += String.fromCharCode(code);
  assertEquals(
    record(
      { line: 1, offset: 2, error: { kind: "json", message: every } },
      encode(every),
    ),
    JSON.stringify({
      type: "line.failed",
      line: 1,
      offset: 2,
      error: { kind: "json", message: every },
      raw: every,
    }),
  );
});

Deno.test("writeLineFailed() writes numbers beyond 32 bits unchanged", () => {
  const offset = 2 ** 40 + 1;
  const head: Head = {
    line: 2 ** 33,
    offset,
    error: { kind: "line_too_long", message: "m", bytes: 2 ** 34, limit: 9 },
  };
  assertEquals(
    record(head, undefined),
    `{"type":"line.failed","line":8589934592,"offset":${offset},"error":{"kind":"line_too_long","message":"m"},"bytes":17179869184}`,
  );
});

Deno.test("writeLineFailed() keeps a byte order mark that is part of the line", () => {
  const error = { kind: "utf8", message: "m" } as const;
  const raw = Uint8Array.of(0xef, 0xbb, 0xbf, 0xff);
  assertEquals(
    record({ line: 2, offset: 0, error }, raw),
    '{"type":"line.failed","line":2,"offset":0,"error":{"kind":"utf8","message":"m"},"raw":"\ufeff\ufffd","raw_base64":"77u//w=="}',
  );
});
