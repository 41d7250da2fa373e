/**
 * Laws of masking secrets: they hold however broken a stream is.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { JsonlRedactor } from "../../lib/redact/jsonl_redactor.ts";
import {
  assertSameText,
  binaryOf,
  bytesOf,
  isJson,
  outputOf,
} from "../running.ts";
import { SECRET } from "./hostile.ts";
import type { Law } from "./law.ts";
import { chunksOf } from "./random.ts";

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });
const MASK = "[redacted:";
/** Matches base64: command output in base64, or as numbers, is searched and encoded again. */
const PACKED_REGEXP =
  /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}(?:==|[A-Za-z\d+/]=))?$/;
const TOKEN_REGEXP = /"(?:[^"\\]|\\.)*"|[^"]+/g;
const BYTES_REGEXP = /\[[\d,\s]*\]/g;

/** Masks secrets; returns a text with one character for each byte. */
function redact(chunks: Iterable<Uint8Array>): string {
  return binaryOf(outputOf(new JsonlRedactor(), chunks));
}

/** The laws of masking secrets. */
export const REDACTION_LAWS: readonly Law[] = [
  {
    name: "masking changes only strings with a secret",
    check(stream): void {
      const before = binaryOf(stream).split("\n");
      const after = redact([stream]).split("\n");
      assertEquals(after.length, before.length);
      for (const [i, line] of before.entries()) {
        const masked = after[i] ?? "";
        if (line === masked || !isJsonLine(line)) continue;
        assert(isJsonLine(masked), `no JSON: ${masked}`);
        mustBeAlike(masked, line);
      }
    },
  },
  {
    name: "a secret of known shape is found wherever a string is one",
    check(stream): void {
      for (const line of redact([stream]).split("\n")) {
        if (!isJsonLine(line)) continue;
        const values: unknown[] = [JSON.parse(line)];
        for (let value = values.pop(); value; value = values.pop()) {
          assert(value !== SECRET, line.slice(0, 500));
          if (typeof value === "object") values.push(...Object.values(value));
        }
      }
    },
  },
  {
    name: "masking again changes nothing",
    check(stream): void {
      const once = redact([stream]);
      assertSameText(redact([bytesOf(once)]), once);
    },
  },
  {
    name: "how the stream is cut into chunks does not matter to masking",
    check(stream, random): void {
      assertSameText(redact(chunksOf(stream, random)), redact([stream]));
    },
  },
];

/** Throws unless two lines of JSON differ only in strings that were masked. */
function mustBeAlike(masked: string, line: string): void {
  const unpacked = (text: string): string[] =>
    text.replace(BYTES_REGEXP, "[]").match(TOKEN_REGEXP) ?? [];
  const before = unpacked(line);
  const after = unpacked(masked);
  assertEquals(after.length, before.length);
  for (const [i, token] of before.entries()) {
    const now = after[i] ?? "";
    if (now === token) continue;
    const isMasked = token.startsWith('"') &&
      (now.includes(MASK) || PACKED_REGEXP.test(now.slice(1, -1)));
    if (!isMasked) assertSameText(now, token);
  }
}

/** Whether a text with a character for each byte is JSON in UTF-8. */
function isJsonLine(line: string): boolean {
  return isJson(DECODER.decode(bytesOf(line)));
}
