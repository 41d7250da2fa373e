/** What tokens cost. */

import { assertEquals, assertThrows } from "@std/assert";
import { decimalText, parseCsv, parseDecimal } from "../../lib/usage/prices.ts";
import { tokensOf } from "../../lib/usage/tokens.ts";
import { PriceList, type UsageRow } from "../../lib/usage/usage.ts";

const CSV_CASES = [
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

for (const { name, text, rows } of CSV_CASES) {
  Deno.test(`parseCsv() reads: ${name}`, () => {
    assertEquals(parseCsv(text), rows);
  });
}

for (const text of ['"a', 'a"b', '"a"b']) {
  Deno.test(`parseCsv() refuses quotes that are not closed or opened: ${text}`, () => {
    assertThrows(() => parseCsv(text), SyntaxError);
  });
}

const PARSED = [
  ["0", 0n],
  ["1.25", 1_250_000_000_000n],
  ["0.000000000001", 1n],
  ["015.50", 15_500_000_000_000n],
  ["1.0000000000001", undefined],
  ["-1", undefined],
  ["1e3", undefined],
  ["1.", undefined],
  [".5", undefined],
  ["", undefined],
  [" 1", undefined],
  ["NaN", undefined],
] satisfies [string, bigint | undefined][];

for (const [text, expected] of PARSED) {
  Deno.test(`parseDecimal() reads "${text}" as ${expected}`, () => {
    assertEquals(parseDecimal(text), expected);
  });
}

const WRITTEN = [
  [0n, 18, undefined, "0"],
  [1n, 3, undefined, "0.001"],
  [1500n, 3, undefined, "1.5"],
  [1000n, 3, undefined, "1"],
  [12_344n, 3, 2, "12.34"],
  [12_345n, 3, 2, "12.35"],
  [999_995n, 5, 4, "10.0000"],
  [5n, 3, 4, "0.005"],
  [7n, 0, undefined, "7"],
] satisfies [bigint, number, number | undefined, string][];

for (const [units, scale, places, expected] of WRITTEN) {
  Deno.test(`decimalText() writes ${units} of 10^-${scale} to ${places ?? "all"} places as ${expected}`, () => {
    assertEquals(decimalText(units, scale, places), expected);
  });
}

function row(model: string | null, factor = 1n): UsageRow {
  const numbers = {
    input_tokens: 1200n,
    cached_input_tokens: 1000n,
    cache_write_input_tokens: 50n,
    output_tokens: 60n,
    reasoning_output_tokens: 20n,
  };
  return {
    ...tokensOf((kind) => numbers[kind] * factor),
    source: "f",
    thread_id: "t",
    parent_thread_id: null,
    turn_id: "1",
    model,
    cwd: null,
    day: null,
  };
}

const LISTS = [
  {
    name: "JSON with input and output alone",
    text: '{"m":{"input":2,"output":10}}',
    amount: "0.003",
  },
  {
    name: "JSON with every price",
    text:
      '{"m":{"input":2,"cached_input":0.2,"cache_write_input":3,"output":10,"reasoning_output":"11.5"}}',
    // (150 × 2 + 1000 × 0.2 + 50 × 3 + 40 × 10 + 20 × 11.5) / 1,000,000
    amount: "0.00128",
  },
  {
    name: "JSON with the names of Codex, and null",
    text:
      '{"m":{"input_tokens":2,"cached_input_tokens":null,"output_tokens":10}}',
    amount: "0.003",
  },
  {
    name: "JSON with numbers that no binary fraction is",
    text: '{"m":{"input":0.1,"cached_input":0.3,"output":0.000000000001}}',
    amount: "0.00032000000000006",
  },
  {
    name: "CSV, its columns in any order",
    text: "output,model,input\r\n10,m,2\r\n",
    amount: "0.003",
  },
  {
    name: "CSV with an empty field",
    text: "model,input,cached_input,output\nm, 2,,10\n",
    amount: "0.003",
  },
  {
    name: "CSV with blanks around all fields",
    text: "model , input , output \r\nm ,2 , 10\r\n*,7,7\r\n",
    amount: "0.003",
  },
  {
    name: "CSV with the empty rows of a spreadsheet",
    text: "\uFEFF,,\r\nmodel,input,output\r\nm,2,10\r\n,,\r\n\r\n , ,\r\n",
    amount: "0.003",
  },
  {
    name: "prices of any other model",
    text: '{"n":{"input":1,"output":1},"*":{"input":2,"output":10}}',
    amount: "0.003",
  },
] satisfies { name: string; text: string; amount: string }[];

for (const { name, text, amount } of LISTS) {
  Deno.test(`PriceList reads ${name}`, () => {
    const cost = PriceList.parse(text).costOf([row("m")]);
    assertEquals(cost.amount, amount);
    assertEquals(cost.unpriced.size, 0);
    assertEquals(cost.isKnown, true);
  });
}

const WRONG = [
  ['{"m":{"input":2}}', 'model "m" has no price for output'],
  ['{"m":{"input":"x","output":1}}', "input of model"],
  ['{"m":{"input":"","output":1}}', "input of model"],
  ['{"m":{"input":-1,"output":1}}', "input of model"],
  ['{"m":{"input":1,"output":1,"outputs":1}}', 'unknown price "outputs"'],
  ['{"m":5}', 'model "m" has no prices'],
  ["[]", "it is a list"],
  ["{", "it is not JSON"],
  ["", "neither a JSON object nor CSV"],
  ["a,b\n1,2\n", "neither a JSON object nor CSV"],
  ['"a', "neither a JSON object nor CSV"],
  ["model,input,output\nm,1,1\nm,2,2\n", 'model "m" has two entries'],
  [
    '{"*":{"input":1,"output":1},"\\u002a":{"input":2,"output":2}}',
    'model "*" has two entries',
  ],
  ['{"m":{"input":1,"output":1},"m":null}', 'model "m" has two entries'],
  ['{"m":{"input":1,"output":1,"input":2}}', "two prices for input"],
  ['{"m":{"input":1,"output":1,"input_tokens":2}}', "two prices for input"],
  ["model,input,output,input\nm,1,1,2\n", "two prices for input"],
] satisfies [string, string][];

for (const [text, message] of WRONG) {
  Deno.test(`PriceList refuses ${JSON.stringify(text)}`, () => {
    assertThrows(() => PriceList.parse(text), SyntaxError, message);
  });
}

Deno.test("PriceList takes names of models for nothing but names", () => {
  const list = PriceList.parse('{"__proto__":{"input":1,"output":1}}');
  assertEquals(list.costOf([row("constructor")]).isKnown, false);
  assertEquals(list.costOf([row("__proto__")]).isKnown, true);
});

Deno.test("PriceList says what has no price", () => {
  const list = PriceList.parse('{"m":{"input":1,"output":1}}');
  const cost = list.costOf([row("m"), row("n"), row("n"), row(null)]);
  assertEquals([...cost.unpriced], [["n", 2520n], [null, 1260n]]);
  assertEquals([cost.amount, cost.rounded], ["0.00126", "0.0013"]);
  assertEquals(list.costOf([row("n")]).isKnown, false);
  assertEquals(list.costOf([]).isKnown, true);
});

Deno.test("PriceList is exact however large the numbers are", () => {
  const list = PriceList.parse('{"m":{"input":0.000001,"output":0}}');
  assertEquals(
    list.costOf([row("m", 10n ** 15n)]).amount,
    "1200000",
  );
});
