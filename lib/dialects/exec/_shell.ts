/**
 * Command lines as a POSIX shell would read them back (normalize.md F:command_execution).
 */

import {
  BACKSLASH,
  CLOSE_BRACKET,
  COMMA,
  LOWER_U,
  QUOTE,
  SPACE,
} from "../../json/bytes.ts";
import { ByteWriter } from "../../json/byte_writer.ts";
import { stringText } from "../../json/tape.ts";

/** 1 for the bytes of words that a shell takes as they are. */
const BARE = new Uint8Array(256);
for (
  const letter of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" +
    "0123456789_@%+=:,./-"
) BARE[letter.charCodeAt(0)] = 1;
const APOSTROPHE = 0x27;
const SLASH = 0x2f;
/** What stands for an apostrophe between apostrophes: '"'"', with JSON's escapes. */
const QUOTED_APOSTROPHE = new TextEncoder().encode(`'\\"'\\"'`);
const KEPT_CAPACITY = 1 << 12;

/** What words are spelled anew in that have escapes without need. */
const SCRATCH = new ByteWriter(KEPT_CAPACITY);

/**
 * Joins the words of a command, quoting those that a shell would not take as they are.
 *
 * @param out Takes the command, as a string of JSON.
 * @param bytes Hold a list, which is valid JSON, from `start` on.
 * @returns Whether all of its elements are strings; if not, what was written is worthless.
 */
export function writeCommand(
  out: ByteWriter,
  bytes: Uint8Array,
  start: number,
): boolean {
  out.byte(QUOTE);
  let isFirst = true;
  for (let at = start + 1;;) {
    const byte = bytes[at] ?? CLOSE_BRACKET;
    if (byte === COMMA || byte <= SPACE) at += 1;
    else if (byte === QUOTE) {
      if (!isFirst) out.byte(SPACE);
      isFirst = false;
      at = writeWord(out, bytes, at);
    } else {
      out.byte(QUOTE);
      return byte === CLOSE_BRACKET;
    }
  }
}

/** Writes the word that a string stands for; gives where the string ends. */
function writeWord(out: ByteWriter, bytes: Uint8Array, start: number): number {
  let at = start + 1;
  let isBare = bytes[at] !== QUOTE;
  let isPlain = true;
  for (let byte = bytes[at]; byte !== QUOTE; byte = bytes[at]) {
    if (BARE[byte ?? 0] !== 1) isBare = false;
    if (byte === BACKSLASH) {
      at += 1;
      if (bytes[at] === LOWER_U || bytes[at] === SLASH) isPlain = false;
    }
    at += 1;
  }
  if (isPlain) {
    writeQuoted(out, bytes, start + 1, at, isBare);
    return at + 1;
  }
  SCRATCH.clear(KEPT_CAPACITY);
  SCRATCH.string(stringText(bytes, start, at + 1));
  const text = SCRATCH.view(1, SCRATCH.length - 1);
  writeQuoted(
    out,
    text,
    0,
    text.length,
    text.every((byte) => BARE[byte] === 1),
  );
  return at + 1;
}

function writeQuoted(
  out: ByteWriter,
  bytes: Uint8Array,
  start: number,
  end: number,
  isBare: boolean,
): void {
  if (isBare) return out.range(bytes, start, end);
  out.byte(APOSTROPHE);
  let from = start;
  for (let at = start; at < end; at++) {
    if (bytes[at] !== APOSTROPHE) continue;
    out.range(bytes, from, at);
    out.all(QUOTED_APOSTROPHE);
    from = at + 1;
  }
  out.range(bytes, from, end);
  out.byte(APOSTROPHE);
}
