/** Comma-separated values. */

import { assertEquals } from "@std/assert";
import { csvRow } from "../../lib/export/csv.ts";

const CASES = [
  { name: "plain values", row: ["a", 1, 2n, true, null], text: "a,1,2,true," },
  { name: "commas", row: ["a,b"], text: '"a,b"' },
  { name: "quotes", row: ['a"b'], text: '"a""b"' },
  { name: "line ends", row: ["a\nb", "a\rb"], text: '"a\nb","a\rb"' },
  { name: "a formula", row: ["=1+1"], text: "'=1+1" },
  { name: "a formula with a comma", row: ["=A(1,2)"], text: '"\'=A(1,2)"' },
  {
    name: "other beginnings of formulas",
    row: ["+1", "-1", "@a", "\tb"],
    text: "'+1,'-1,'@a,'\tb",
  },
  {
    name: "formulas after a line end",
    row: ["\n=1", "\r\n=1"],
    text: '"\'\n=1","\'\r\n=1"',
  },
  {
    name: "formulas of wide characters",
    row: ["＝1", "＋1", "－1", "＠a"],
    text: "'＝1,'＋1,'－1,'＠a",
  },
  { name: "a negative number", row: [-1], text: "-1" },
  { name: "no values", row: [], text: "" },
] satisfies {
  name: string;
  row: (string | number | bigint | boolean | null)[];
  text: string;
}[];

for (const { name, row, text } of CASES) {
  Deno.test(`csvRow() writes: ${name}`, () => {
    assertEquals(csvRow(row), `${text}\r\n`);
  });
}
