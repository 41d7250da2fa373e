import { assert, assertEquals } from "@std/assert";
import { JsonTape, MAX_DEPTH, stringText } from "../../lib/json/tape.ts";
import { JSON_TEXT, mutations } from "../generators.ts";
import fc from "../property_seed.ts";
import { decode, encode } from "../running.ts";

/** The fields of a tape entry that the tests compare. */
interface Entry {
  readonly name: string;
  readonly kind: string;
  readonly text: string;
  readonly next: number;
  readonly escaped?: true;
}

const tape = new JsonTape();

/** Scans bytes as a line, with an LF after it. */
function accepts(bytes: Uint8Array, levels = 2): boolean {
  const line = new Uint8Array(bytes.length + 1);
  line.set(bytes);
  line[bytes.length] = 0x0a;
  return tape.scan(line, 0, bytes.length, levels);
}

/** Returns all entries of the last scan. */
function entriesOf(bytes: Uint8Array): Entry[] {
  const entries: Entry[] = [];
  for (let entry = 0; entry < tape.next(0); entry++) {
    const text = decode(bytes.subarray(tape.start(entry), tape.end(entry)));
    const fields = {
      name: tape.name(entry),
      kind: tape.kind(entry),
      text,
      next: tape.next(entry),
    };
    entries.push(tape.isEscaped(entry) ? { ...fields, escaped: true } : fields);
  }
  return entries;
}

/** Whether a line is JSON by the rules J1, J3 and L7: a reference implementation. */
function isJsonLine(bytes: Uint8Array): boolean {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
      .decode(bytes);
    JSON.parse(text);
    return !hasLoneEscape(text);
  } catch {
    return false;
  }
}

/** Whether valid JSON has a surrogate escape without a partner. */
function hasLoneEscape(text: string): boolean {
  for (const [run] of text.matchAll(/(?:\\u[0-9a-f]{4})+|\\[^u]/gi)) {
    if (!run.startsWith("\\u")) continue;
    const units = run.slice(2).split("\\u").map((digits) =>
      Number.parseInt(digits, 16)
    );
    if (!String.fromCharCode(...units).isWellFormed()) return true;
  }
  return false;
}

const ACCEPTED = [
  ["null", "null"],
  ["true", "true"],
  ["false", "false"],
  ["an empty object", "{}"],
  ["an empty list", "[]"],
  ["white space of all four kinds", " \t\n\r{ \t\n\r} \t\n\r"],
  ["white space around every token", ' [ 1 , { "a" : 2 } , [ ] ] '],
  ["zero", "0"],
  ["minus zero", "-0"],
  ["zero with a fraction", "0.0"],
  ["a fraction", "-1.50"],
  ["an exponent", "1e5"],
  ["an upper-case exponent with a sign", "1E+05"],
  ["a negative exponent", "0e-0"],
  ["a fraction and an exponent", "10.25e-3"],
  ["a number beyond a double", "1e400"],
  ["an integer beyond 64 bits", "123456789012345678901234567890"],
  ["an empty string", '""'],
  ["all simple escapes", '"\\"\\\\\\/\\b\\f\\n\\r\\t"'],
  ["unicode escapes in both cases", '"\\u00e9\\u00E9\\u0000\\uffff"'],
  ["a surrogate pair escape", '"\\ud83d\\ude80"'],
  ["two surrogate pair escapes", '"\\ud83d\\ude80\\uDBFF\\uDFFF"'],
  ["DEL, which is not a control character", '"\u007f"'],
  ["C1 control characters", '"\u0080\u0085\u009f"'],
  ["line separators", '"\u2028\u2029"'],
  ["a byte order mark inside a string", '"\ufeff"'],
  ["an escaped quote after an escaped backslash", '"\\\\\\""'],
  ["an escaped backslash before the digits of a surrogate", '"\\\\ud800"'],
  ["characters of two, three and four bytes", '"é你😀"'],
  ["duplicate keys", '{"a":1,"a":2}'],
  ["keys with escapes", '{"\\u0061":1}'],
  [
    "keys with the names of inherited members",
    '{"__proto__":1,"constructor":2,"":3,"10":4}',
  ],
] satisfies [string, string][];

const REFUSED = [
  ["an empty text", ""],
  ["only white space", " \t"],
  ["a word", "hello"],
  ["a literal in upper case", "True"],
  ["a truncated literal", "tru"],
  ["a literal with another letter", "nulls"],
  ["two literals", "truefalse"],
  ["NaN", "NaN"],
  ["Infinity", "-Infinity"],
  ["undefined", "undefined"],
  ["a plus sign", "+1"],
  ["a lone minus", "-"],
  ["a minus before a letter", "-a"],
  ["a minus before a fraction", "-.5"],
  ["two minuses", "--1"],
  ["a leading zero", "01"],
  ["a leading zero after a minus", "-01"],
  ["two zeros", "00"],
  ["a lone point", "."],
  ["a fraction without an integer", ".5"],
  ["a point without digits", "1."],
  ["a point before an exponent", "1.e5"],
  ["two points", "1.2.3"],
  ["an exponent without digits", "1e"],
  ["an exponent with only a sign", "1e+"],
  ["an exponent with two signs", "1e+-1"],
  ["an exponent with a fraction", "1e1.5"],
  ["two exponents", "1e1e1"],
  ["a hexadecimal number", "0x10"],
  ["a number with a separator", "1_000"],
  ["a number with a space in it", "1 0"],
  ["a big integer of JavaScript", "1n"],
  ["a string without an end", '"a'],
  ["a string without an end, after a backslash", '"a\\'],
  ["a string that ends in an escaped quote", '"a\\"'],
  ["a string in single quotes", "'a'"],
  ["an unknown escape", '"\\x41"'],
  ["an escaped zero", '"\\0"'],
  ["an escaped single quote", '"\\\'"'],
  ["an escaped upper-case U", '"\\U0041"'],
  ["an escaped line end", '"\\\n"'],
  ["a unicode escape of three digits", '"\\u004"'],
  ["a unicode escape with a letter", '"\\u00g0"'],
  ["a unicode escape in braces", '"\\u{41}"'],
  ["a raw tab in a string", '"\t"'],
  ["a raw line feed in a string", '"\n"'],
  ["a raw carriage return in a string", '"\r"'],
  ["a NUL in a string", '"\0"'],
  ["the last control character in a string", '"\u001f"'],
  ["a NUL instead of a value", "\0"],
  ["NULs after a value", "1\0"],
  ["a lone high surrogate escape", '"\\ud800"'],
  ["a lone low surrogate escape", '"\\udc00"'],
  ["surrogate escapes in the wrong order", '"\\ude80\\ud83d"'],
  ["two high surrogate escapes", '"\\ud83d\\ud83d"'],
  ["a high surrogate escape before a letter", '"\\ud83dx"'],
  ["a high surrogate escape before another escape", '"\\ud83d\\n"'],
  ["a high surrogate escape before a bad one", '"\\ud83d\\udc0"'],
  ["a high surrogate escape before an astral character", '"\\ud83d😀"'],
  ["a lone surrogate escape in a key", '{"\\ud83d":1}'],
  ["a lone surrogate escape that a duplicate hides", '{"a":"\\ud83d","a":1}'],
  ["a list without an end", "[1"],
  ["a list that ends in a comma", "[1,]"],
  ["a list that begins with a comma", "[,1]"],
  ["a list with an empty place", "[1,,2]"],
  ["a list without a comma", "[1 2]"],
  ["a list with a colon", "[1:2]"],
  ["a list that ends as an object", "[1}"],
  ["a list that ends twice", "[]]"],
  ["only the end of a list", "]"],
  ["an object without an end", '{"a":1'],
  ["an object that ends in a comma", '{"a":1,}'],
  ["an object that begins with a comma", '{,"a":1}'],
  ["an object without a comma", '{"a":1 "b":2}'],
  ["an object with an equals sign", '{"a"=1}'],
  ["an object that ends as a list", '{"a":1]'],
  ["an object that ends twice", "{}}"],
  ["only the end of an object", "}"],
  ["a key without a value", '{"a"}'],
  ["a key without a value, after the colon", '{"a":}'],
  ["a key without a colon", '{"a" 1}'],
  ["a key with two colons", '{"a"::1}'],
  ["a key that is a number", "{1:2}"],
  ["a key without quotes", "{a:1}"],
  ["a key without an end", '{"a'],
  ["an object that is truncated after a key", '{"a"'],
  ["two values", "{} {}"],
  ["a comma after the value", "{},"],
  ["a comment", "{} // no"],
  ["a comment before the value", "/* no */{}"],
  ["a byte order mark before the value", "\ufeff{}"],
  ["a no-break space before the value", "\u00a0{}"],
  ["a line separator after the value", "{}\u2028"],
  ["a form feed after the value", "{}\f"],
  ["a vertical tab between members", '{"a":1,\v"b":2}'],
] satisfies [string, string][];

for (const [name, text] of ACCEPTED) {
  Deno.test(`JsonTape.scan() accepts ${name}`, () => {
    assert(isJsonLine(encode(text)));
    assert(accepts(encode(text)), tape.problem);
    // The end of the array also ends the text.
    assert(tape.scan(encode(text), 0, encode(text).length, 2), tape.problem);
  });
}

for (const [name, text] of REFUSED) {
  Deno.test(`JsonTape.scan() refuses ${name}`, () => {
    assert(!isJsonLine(encode(text)));
    assert(!accepts(encode(text)));
    assert(!tape.scan(encode(text), 0, encode(text).length, 2));
    // Below the levels with entries, other code reads keys and strings.
    if (text.trim() !== "") assert(!accepts(encode(`[[[${text}]]]`), 1));
  });
}

for (
  const [name, bytes] of [
    ["a byte that is never UTF-8", [0xff]],
    ["a lone continuation byte", [0x80]],
    ["an overlong form of two bytes", [0xc0, 0xaf]],
    ["an overlong form of three bytes", [0xe0, 0x80, 0xaf]],
    ["an overlong form of four bytes", [0xf0, 0x8f, 0xbf, 0xbf]],
    ["an encoded surrogate", [0xed, 0xa0, 0x80]],
    ["a code point beyond the last", [0xf4, 0x90, 0x80, 0x80]],
    ["a truncated character", [0xe4, 0xbd]],
  ] satisfies [string, number[]][]
) {
  Deno.test(`JsonTape.scan() refuses strings and keys with ${name}`, () => {
    for (
      const [before, after] of [['"a', 'b"'], ['{"', '":1}'], [
        '[[[{"',
        '":1}]]]',
      ]]
    ) {
      const line = Uint8Array.from([
        ...encode(before ?? ""),
        ...bytes,
        ...encode(after ?? ""),
      ]);
      assert(!accepts(line));
      assertEquals(tape.problem, "the bytes are not valid UTF-8");
    }
  });
}

const PROBLEMS = [
  ["", "the line ends inside the value", 0],
  ['{"a":', "the line ends inside the value", 5],
  ['{"a"', "the line ends inside the value", 4],
  ['{"a":1', "the line ends inside the value", 6],
  ['["ab', "the line ends inside a string", 4],
  ['{"ab', "the line ends inside a string", 4],
  ["hello", '"h" stands where a value is expected', 0],
  ["[1,nul]", '"n" stands where a value is expected', 3],
  ["{}x", '"x" follows the value', 2],
  ["[1 2]", '"2" stands where a comma or the end of the list is expected', 3],
  [
    '{"a":1]',
    '"]" stands where a comma or the end of the object is expected',
    6,
  ],
  ["{1:2}", '"1" stands where a key is expected', 1],
  ['{"a" 1}', '"1" stands where a colon is expected', 5],
  ['"a\tb"', "the control character byte 0x09 stands in a string", 2],
  ['"a\\xb"', '"\\" is followed by "x" in a string', 2],
  ['"a\\', "the line ends inside a string", 3],
  ['"a\\\n', "the line ends inside a string", 3],
  ['"a\\\r\n', "the line ends inside a string", 3],
  ['"\\ "', '"\\" is followed by byte 0x20 in a string', 1],
  ['"\\~"', '"\\" is followed by "~" in a string', 1],
  ["\u007f", "byte 0x7f stands where a value is expected", 0],
  ['"a\\u00g0"', '"\\u" is not followed by four hexadecimal digits', 2],
  ['"a\\ud800"', "a surrogate escape has no partner", 2],
  ["[1,-]", "a number is incomplete", 3],
  ["\u00a0{}", "byte 0xc2 stands where a value is expected", 0],
] satisfies [string, string, number][];

for (const [text, problem, at] of PROBLEMS) {
  Deno.test(`JsonTape.scan() reports the problem of ${JSON.stringify(text)}`, () => {
    assert(!accepts(encode(text)));
    assertEquals([tape.problem, tape.problemAt], [problem, at]);
  });
}

for (const [open, close] of [["[", "]"], ['{"a":', "}"]] as const) {
  Deno.test(`JsonTape.scan() accepts ${MAX_DEPTH} levels of ${open} and no more`, () => {
    const nested = (depth: number): Uint8Array =>
      encode(`${open.repeat(depth)}1${close.repeat(depth)}`);
    for (const levels of [0, 1, 2]) {
      assert(accepts(nested(1_000), levels));
      assert(accepts(nested(MAX_DEPTH), levels));
      assert(!accepts(nested(MAX_DEPTH + 1), levels));
    }
    assertEquals(tape.problem, `it nests deeper than ${MAX_DEPTH} levels`);
    assert(accepts(nested(2)), "the next scan succeeds");
  });
}

Deno.test("JsonTape.scan() refuses a million open brackets without a stack overflow", () => {
  assert(!accepts(encode("[".repeat(1_000_000))));
  assert(!accepts(encode('{"a":'.repeat(1_000_000))));
});

const SOURCE = ' {"a":[1,{"k":"v"},"\\n"] ,"b" : {"c":null} ,"":true}';

const LEVELS: readonly (readonly [name: string, entries: readonly Entry[]])[] =
  [
    ["the value alone", [
      { name: "", kind: "object", text: SOURCE.trim(), next: 1 },
    ]],
    ["the value and its members", [
      { name: "", kind: "object", text: SOURCE.trim(), next: 4 },
      { name: "a", kind: "array", text: '[1,{"k":"v"},"\\n"]', next: 2 },
      { name: "b", kind: "object", text: '{"c":null}', next: 3 },
      { name: "", kind: "boolean", text: "true", next: 4 },
    ]],
    ["the value, its members and their parts", [
      { name: "", kind: "object", text: SOURCE.trim(), next: 8 },
      { name: "a", kind: "array", text: '[1,{"k":"v"},"\\n"]', next: 5 },
      { name: "", kind: "number", text: "1", next: 3 },
      { name: "", kind: "object", text: '{"k":"v"}', next: 4 },
      { name: "", kind: "string", text: '"\\n"', next: 5, escaped: true },
      { name: "b", kind: "object", text: '{"c":null}', next: 7 },
      { name: "c", kind: "null", text: "null", next: 7 },
      { name: "", kind: "boolean", text: "true", next: 8 },
    ]],
  ];

for (const [level, [name, entries]] of LEVELS.entries()) {
  Deno.test(`JsonTape has entries for ${name} on level ${level}`, () => {
    assert(accepts(encode(SOURCE), level));
    assertEquals(entriesOf(encode(SOURCE)), entries);
  });
}

Deno.test("JsonTape.isEscaped() returns whether a string has escapes, not counting its key", () => {
  const source = '["a\\n","b",{"\\u006b":"c"},"\\u0041","d"]';
  assert(accepts(encode(source), 2));
  assertEquals(
    entriesOf(encode(source)).filter(({ kind }) => kind === "string")
      .map(({ text, escaped }) => [text, escaped === true]),
    [
      ['"a\\n"', true],
      ['"b"', false],
      ['"c"', false],
      ['"\\u0041"', true],
      ['"d"', false],
    ],
  );
});

Deno.test("JsonTape.scan() reports a line that ends inside a string, for any line end", () => {
  for (const end of ["\n", "\r", "\r\n", ""]) {
    const bytes = encode(`"ab${end}`);
    assert(!tape.scan(bytes, 0, 3, 2));
    assertEquals(
      [tape.problem, tape.problemAt],
      ["the line ends inside a string", 3],
      JSON.stringify(end),
    );
  }
});

Deno.test("JsonTape has no name for elements after an object", () => {
  const source = '[{"k":1},2,[{"l":3},4],5]';
  assert(accepts(encode(source), 3));
  assertEquals(
    entriesOf(encode(source)).map(({ name, text }) => [name, text]),
    [
      ["", source],
      ["", '{"k":1}'],
      ["k", "1"],
      ["", "2"],
      ["", '[{"l":3},4]'],
      ["", '{"l":3}'],
      ["l", "3"],
      ["", "4"],
      ["", "5"],
    ],
  );
});

Deno.test("JsonTape grows with the number of entries", () => {
  // A new tape, which has not grown in another test.
  const small = new JsonTape();
  const members = Array.from(
    { length: 1_000 },
    (_, i) => ({ name: `key${i}`, text: i % 2 === 0 ? `[${i}]` : `"\\n${i}"` }),
  );
  const source = `{${members.map(({ name, text }) => `"${name}":${text}`)}}`;
  const bytes = encode(source);
  assert(small.scan(bytes, 0, bytes.length, 1));
  members.forEach(({ name, text }, i) => {
    const entry = i + 1;
    const source = bytes.subarray(small.start(entry), small.end(entry));
    assertEquals([small.name(entry), decode(source)], [name, text]);
    assertEquals(small.kind(entry), i % 2 === 0 ? "array" : "string");
    assertEquals(small.isEscaped(entry), i % 2 === 1);
    assertEquals(small.next(entry), entry + 1);
  });
  assertEquals(small.next(0), 1_001);
});

Deno.test("JsonTape.scan() overwrites the scan before it", () => {
  assert(accepts(encode('{"a":1,"b":2}')));
  assert(accepts(encode("7")));
  assertEquals(entriesOf(encode("7")), [
    { name: "", kind: "number", text: "7", next: 1 },
  ]);
});

Deno.test("JsonTape.scan() reads a range in the middle of an array", () => {
  const bytes = encode('{"x":1}\n[2]\r\n{"y":3}');
  assert(tape.scan(bytes, 8, 11, 1));
  assertEquals([tape.start(0), tape.end(0), tape.kind(0)], [8, 11, "array"]);
  assert(!tape.scan(bytes, 8, 13 + 7, 1));
});

Deno.test("stringText() decodes every escape", () => {
  const source = '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude80é"';
  const bytes = encode(`x${source}x`);
  assertEquals(
    stringText(bytes, 1, bytes.length - 1),
    '"\\/\b\f\n\r\té🚀é',
  );
});

Deno.test("JsonTape.scan() accepts any JSON text on all levels", () => {
  fc.assert(
    fc.property(JSON_TEXT, (text) => {
      const bytes = encode(text);
      for (const levels of [0, 1, 2]) {
        assert(accepts(bytes, levels), tape.problem);
        assertEquals(tape.next(0), entriesOf(bytes).length);
        for (const { text: part } of entriesOf(bytes)) JSON.parse(part);
      }
    }),
    { numRuns: 300 },
  );
});

Deno.test("JsonTape.scan() accepts a text with one changed byte only if it is JSON", () => {
  fc.assert(
    fc.property(mutations(JSON_TEXT.map(encode)), (bytes) => {
      assertEquals(accepts(bytes), isJsonLine(bytes), decodeLossy(bytes));
    }),
    { numRuns: 4_000 },
  );
});

function decodeLossy(bytes: Uint8Array): string {
  return JSON.stringify(new TextDecoder().decode(bytes));
}

Deno.test("JsonTape has the name of each member, however many there are", () => {
  const keys = Array.from(
    { length: 128 },
    (_, i) => i % 3 === 0 ? `"\\u0061\\"${i}"` : `"é${i}"`,
  );
  const members = keys.map((key, i) => `${key} : [${i}, 1]`);
  const line = encode(`{${members.join(" , ")}}`);
  for (const levels of [1, 2]) {
    assert(accepts(line, levels));
    const entries = entriesOf(line);
    const names = entries.filter(({ kind }) => kind === "array");
    assertEquals(
      names.map(({ name }) => name),
      keys.map((key): unknown => JSON.parse(key)),
    );
    for (const { name } of entries.filter(({ kind }) => kind !== "array")) {
      assertEquals(name, "");
    }
  }
});
