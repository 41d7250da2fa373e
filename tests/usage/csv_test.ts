/** Reading comma-separated values. */

import { assertEquals, assertThrows } from "@std/assert";
import { parseCsv } from "../../lib/usage/csv.ts";

const CASES = [
  { name: "nothing", text: "", rows: [] },
  { name: "one row without its end", text: "a,b", rows: [["a", "b"]] },
  {
    name: "LF and CRLF",
    text: "a,b\r\nc,d\n",
    rows: [["a", "b"], ["c", "d"]],
  },
  { name: "empty fields", text: ",a,\n", rows: [["", "a", ""]] },
  { name: "an empty last field", text: "a,", rows: [["a", ""]] },
  { name: "empty rows", text: "\n\na\n\n", rows: [["a"]] },
  {
    name: "quotes, with commas, line feeds and quotes in them",
    text: '"a,b","c\nd","e""f"\n',
    rows: [["a,b", "c\nd", 'e"f']],
  },
  { name: "a byte order mark", text: "\uFEFFa\n", rows: [["a"]] },
] satisfies { name: string; text: string; rows: string[][] }[];

for (const { name, text, rows } of CASES) {
  Deno.test(`parseCsv() reads: ${name}`, () => {
    assertEquals(parseCsv(text), rows);
  });
}

for (const text of ['"a', 'a"b', '"a"b']) {
  Deno.test(`parseCsv() refuses quotes that are not closed or opened: ${text}`, () => {
    assertThrows(() => parseCsv(text), SyntaxError);
  });
}
