/**
 * Damages lines of JSON in all ways that are known to matter.
 *
 * A line is a text with one character for each of its bytes, so that damaged lines need not be
 * UTF-8.
 *
 * @module
 */

import { utf8Of } from "../running.ts";

/** A generator of random numbers. */
export interface Random {
  /** Draws a whole number from 0 to below a limit. */
  below(limit: number): number;
}

/** One way to change a line. */
export interface Mutation {
  /** The damage, in words. */
  readonly name: string;
  /**
   * Changes a line.
   *
   * @param text The line, with a character for each byte, without its LF.
   * @param random The random numbers to draw from.
   * @param other Another line, to copy parts from.
   * @returns The changed line; it may contain LF.
   */
  readonly apply: (text: string, random: Random, other: string) => string;
}

/** Draws one of some values. */
function pick<T>(random: Random, from: readonly T[]): T | undefined {
  return from[random.below(from.length)];
}

const TOKEN_REGEXP =
  /"(?:[^"\\]|\\[^])*"|-?\d[\d.eE+-]*|[{}[\],:]|true|false|null/g;

/** A token of a line. */
interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function tokensOf(text: string): Token[] {
  return Array.from(text.matchAll(TOKEN_REGEXP), ({ 0: token, index }) => ({
    text: token,
    start: index,
    end: index + token.length,
  }));
}

function replaced(
  text: string,
  start: number,
  end: number,
  by: string,
): string {
  return text.slice(0, start) + by + text.slice(end);
}

/** Bytes with a meaning in JSON, JSONL or UTF-8, and their neighbours. */
const BYTES = [
  0x00,
  0x08,
  0x09,
  0x0b,
  0x0c,
  0x0d,
  0x1f,
  0x20,
  0x21,
  0x22,
  0x2c,
  0x2d,
  0x2e,
  0x30,
  0x3a,
  0x5b,
  0x5c,
  0x5d,
  0x65,
  0x75,
  0x7b,
  0x7d,
  0x7e,
  0x7f,
  0x80,
  0x85,
  0xa0,
  0xbf,
  0xc0,
  0xc1,
  0xc2,
  0xdf,
  0xe0,
  0xe1,
  0xed,
  0xef,
  0xf0,
  0xf4,
  0xf5,
  0xfe,
  0xff,
];

/** Valid and invalid numbers. */
const NUMBERS = [
  "0",
  "-0",
  "1.0",
  "0.0",
  "-0.0e0",
  "1e400",
  "-1E-400",
  "120e-1",
  "1.5",
  "12345678901234567890123",
  "9007199254740993",
  "01",
  "-01",
  "00",
  "-",
  "+1",
  ".5",
  "1.",
  "1.e1",
  "1e",
  "1e+",
  "0x10",
  "1_0",
  "NaN",
  "Infinity",
  "-Infinity",
  `1${"0".repeat(400)}`,
  `0.${"0".repeat(40)}1e41`,
];

/** Valid and invalid strings, with their quotes. */
const STRINGS = [
  '""',
  '" "',
  '"\\t"',
  '" x "',
  '"\\u0020x"',
  '"x\\n"',
  '"\\u0000"',
  '"\\ud83d\\ude00"',
  '"\\ud83d"',
  '"\\ude00"',
  '"\\ud83dx"',
  '"\\ud83d\\u0041"',
  '"\\uDBFF\\uDFFF"',
  '"\\u12"',
  '"\\u12G4"',
  '"\\x"',
  '"\\',
  '"\\"',
  '"\\\\"',
  '"\\\\\\""',
  '"\\/\\b\\f\\n\\r\\t"',
  '"123456789012345\\"',
  '"12345678901234\\n"',
  '"123456789012345\\n"',
  '"1234567890123456\\u0041"',
  '"__proto__"',
  '"constructor"',
  '"synthetic-turn-1"',
  `"${"x".repeat(509)}"`,
  `"${"x".repeat(510)}"`,
  `"${"x".repeat(511)}"`,
  `"${"y".repeat(70_000)}"`,
  '"\xff"',
  '"\xc3"',
  '"\xc0\x80"',
  '"\xe0\x80\x80"',
  '"\xed\xa0\x80"',
  '"\xed\x9f\xbf"',
  '"\xf4\x90\x80\x80"',
  '"\xf4\x8f\xbf\xbf"',
  '"\xf0\x8f\xbf\xbf"',
  '"\xe2\x80"',
  ...["é", "日本語", "😀", "\u2028", "\u00a0x", "x\u0085", "\ufeff", "\u3000"]
    .map((text) => utf8Of(`"${text}"`)),
];

/** Other values. */
const VALUES = [
  "null",
  "true",
  "false",
  "nul",
  "True",
  "tru",
  "[]",
  "{}",
  "[null]",
  '[{"path":"a"}]',
  '[{"path":1}]',
  '[["a"]]',
  '{"":0}',
  '{"a":1,"a":2}',
  '{"type":"x"}',
  '{"message":"m","code":1}',
  "undefined",
  "",
];

/** Keys that the rules read, and keys that often break programs. */
const KEYS = [
  "type",
  "item",
  "item_type",
  "id",
  "item_id",
  "thread_id",
  "session_id",
  "conversation_id",
  "turn_id",
  "status",
  "content",
  "delta",
  "error",
  "message",
  "code",
  "text",
  "payload",
  "timestamp",
  "record_type",
  "msg",
  "usage",
  "exit_code",
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "10",
  "",
  "\\u0074ype",
  "typ\\u0065",
  "t\xc3\xbfpe",
].map((key) => `"${key}"`);

const SPACES = [" ", "\t", "\r", "  \t ", "\v", "\f", "\xa0", "\xc2\xa0"];
const ENDS = ["\r", "\r\r", "\0", "\u001e", " ", "\t", ",", "}", "null"];
const STARTS = ["\xef\xbb\xbf", " ", "\r", "\u001e", "[", "data: ", "\xfe\xff"];

function nested(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

/** Changes one of the tokens that a pattern matches. */
function withToken(
  text: string,
  random: Random,
  wanted: RegExp,
  change: (token: Token) => string,
): string {
  const token = pick(
    random,
    tokensOf(text).filter((each) => wanted.test(each.text)),
  );
  if (token === undefined) return text;
  return replaced(text, token.start, token.end, change(token));
}

const KEY_OR_VALUE = /^[^{}[\],:]/;

/** The ways to change a line. */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: "a bit flips",
    apply(text, random) {
      const at = random.below(text.length);
      const code = text.charCodeAt(at) ^ (1 << random.below(8));
      return replaced(text, at, at + 1, String.fromCharCode(code));
    },
  },
  {
    name: "a byte is another",
    apply(text, random) {
      const at = random.below(text.length);
      const by = String.fromCharCode(pick(random, BYTES) ?? 0);
      return replaced(text, at, at + 1, by);
    },
  },
  {
    name: "a byte too many",
    apply(text, random) {
      const at = random.below(text.length + 1);
      const by = String.fromCharCode(pick(random, BYTES) ?? 0);
      return replaced(text, at, at, by);
    },
  },
  {
    name: "some bytes too few",
    apply(text, random) {
      const at = random.below(text.length);
      return replaced(text, at, at + 1 + random.below(3), "");
    },
  },
  {
    name: "a piece comes twice",
    apply(text, random) {
      const start = random.below(text.length);
      const piece = text.slice(start, start + 1 + random.below(40));
      return replaced(text, start, start, piece);
    },
  },
  {
    name: "the end is missing",
    apply: (text, random) => text.slice(0, random.below(text.length + 1)),
  },
  {
    name: "the start is missing",
    apply: (text, random) => text.slice(random.below(text.length)),
  },
  {
    name: "another line follows without LF",
    apply: (text, random, other) =>
      text.slice(0, random.below(text.length + 1)) + other,
  },
  {
    name: "the end is that of another line",
    apply: (text, random, other) =>
      text.slice(0, random.below(text.length)) +
      other.slice(random.below(other.length)),
  },
  {
    name: "the line ends in its middle",
    apply(text, random) {
      const at = random.below(text.length);
      return replaced(text, at, at, random.below(2) === 0 ? "\n" : "\r\n");
    },
  },
  {
    name: "something stands before it",
    apply: (text, random) => `${pick(random, STARTS)}${text}`,
  },
  {
    name: "something stands behind it",
    apply: (text, random) => `${text}${pick(random, ENDS)}`,
  },
  {
    name: "a value is another number",
    apply: (text, random) =>
      withToken(
        text,
        random,
        /^-?\d/,
        () => pick(random, NUMBERS) ?? "",
      ),
  },
  {
    name: "a string is another string",
    apply: (text, random) =>
      withToken(text, random, /^"/, () => pick(random, STRINGS) ?? ""),
  },
  {
    name: "a token is a value of another kind",
    apply: (text, random) =>
      withToken(
        text,
        random,
        KEY_OR_VALUE,
        () =>
          pick(random, pick(random, [NUMBERS, STRINGS, VALUES]) ?? []) ?? "",
      ),
  },
  {
    name: "a token is one of another line",
    apply: (text, random, other) =>
      withToken(
        text,
        random,
        KEY_OR_VALUE,
        () =>
          pick(
            random,
            tokensOf(other).filter((each) => KEY_OR_VALUE.test(each.text)),
          )?.text ?? "0",
      ),
  },
  {
    name: "a token is missing",
    apply: (text, random) => withToken(text, random, /^/, () => ""),
  },
  {
    name: "a token comes twice",
    apply: (text, random) =>
      withToken(text, random, /^/, ({ text: token }) => token + token),
  },
  {
    name: "white space beside a token",
    apply: (text, random) =>
      withToken(
        text,
        random,
        /^/,
        ({ text: token }) =>
          random.below(2) === 0
            ? `${pick(random, SPACES)}${token}`
            : `${token}${pick(random, SPACES)}`,
      ),
  },
  {
    name: "a key is another one",
    apply(text, random) {
      const tokens = tokensOf(text);
      const keys = tokens.filter((_, i) => tokens[i + 1]?.text === ":");
      const key = pick(random, keys);
      const by = pick(random, KEYS) ?? "";
      return key === undefined ? text : replaced(text, key.start, key.end, by);
    },
  },
  {
    name: "a member more",
    apply: (text, random) =>
      withToken(text, random, /^\{/, () => {
        const value = pick(
          random,
          pick(random, [NUMBERS, STRINGS, VALUES]) ?? [],
        );
        return `{${pick(random, KEYS)}:${value},`;
      }),
  },
  {
    name: "a member comes twice",
    apply(text, random) {
      const members = Array.from(
        text.matchAll(
          /"[^"\\]*":(?:"(?:[^"\\]|\\.)*"|-?\d+|true|false|null),/g,
        ),
      );
      const member = pick(random, members);
      if (member === undefined) return text;
      const at = pick(random, members)?.index ?? 0;
      return replaced(text, at, at, member[0]);
    },
  },
  {
    name: "a value is in a list, or in an object",
    apply: (text, random) =>
      withToken(
        text,
        random,
        KEY_OR_VALUE,
        ({ text: token }) =>
          random.below(2) === 0 ? `[${token}]` : `{"a":${token}}`,
      ),
  },
  {
    name: "a value nests deep",
    apply: (text, random) =>
      withToken(
        text,
        random,
        KEY_OR_VALUE,
        () =>
          nested(
            pick(random, [7, 8, 999, 1000, 1001, 9998, 9999, 10_001]) ?? 1,
          ),
      ),
  },
  {
    name: "text where a value was read as text",
    apply: (text, random) =>
      withToken(text, random, /^"/, ({ text: token }) => {
        const at = 1 + random.below(token.length - 1);
        const by = pick(random, STRINGS) ?? "";
        return replaced(token, at, at, by.slice(1, -1));
      }),
  },
  {
    name: "the encoding is another",
    apply: (text, random) =>
      random.below(2) === 0
        ? Array.from(text, (letter) => `${letter}\0`).join("")
        : text.replaceAll(/[aeiou]/g, "\xe9"),
  },
];

/**
 * Damages a line in one to three ways.
 *
 * @param text The line, with a character for each byte.
 */
export function damaged(text: string, random: Random, other: string): string {
  let changed = text;
  for (let times = 1 + random.below(8) % 3; times > 0; times--) {
    if (changed === "") return changed;
    changed = pick(random, MUTATIONS)?.apply(changed, random, other) ??
      changed;
  }
  return changed;
}
