/**
 * How packed data begins, and text in UTF-16.
 */

import type { PackedFormat } from "./errors.ts";

/** The first bytes of packed data. */
const MAGICS: readonly {
  readonly format: PackedFormat;
  readonly bytes: readonly number[];
  readonly mask?: number;
}[] = [
  { format: "gzip", bytes: [0x1f, 0x8b] },
  { format: "zstd", bytes: [0x28, 0xb5, 0x2f, 0xfd] },
  // A skippable frame: its first byte is 0x50 to 0x5f.
  { format: "zstd", bytes: [0x50, 0x2a, 0x4d, 0x18], mask: 0xf0 },
];
const SUFFIXES: readonly {
  readonly suffix: string;
  readonly format: PackedFormat;
}[] = [{ suffix: ".gz", format: "gzip" }, { suffix: ".zst", format: "zstd" }];

/** An order of bytes in UTF-16. */
export type Utf16 = "utf-16be" | "utf-16le";
/** How text in UTF-16 is told: by its byte order mark, and a character of ASCII behind it. */
const MARKS: readonly {
  readonly encoding: Utf16;
  readonly mark: readonly number[];
  readonly zeroAt: number;
}[] = [
  { encoding: "utf-16le", mark: [0xff, 0xfe], zeroAt: 3 },
  { encoding: "utf-16be", mark: [0xfe, 0xff], zeroAt: 2 },
];

/** How many bytes tell whether data is packed, or in UTF-16. */
export const MAGIC_BYTES = 4;

/** Whether data that begins so may turn out to be packed, or is. */
export function isPrefixOfMagic(head: Uint8Array): boolean {
  return MAGICS.some(({ bytes, mask }) => matches(head, bytes, mask));
}

/** Whether data that begins so may turn out to be text in UTF-16, or is. */
export function isPrefixOfUtf16(head: Uint8Array): boolean {
  return MARKS.some(({ mark, zeroAt }) =>
    matches(head, mark) && (head[zeroAt] ?? 0) === 0
  );
}

/** The encoding of text in UTF-16 that begins so; the mark alone is all of an empty one. */
export function utf16Of(head: Uint8Array): Utf16 | undefined {
  return MARKS.find(({ mark, zeroAt }) =>
    matches(head, mark) &&
    (head.length === mark.length ||
      (head.length > zeroAt && head[zeroAt] === 0))
  )?.encoding;
}

/** The format of data that begins so; `undefined` if it is not packed. */
export function formatOf(head: Uint8Array): PackedFormat | undefined {
  return MAGICS.find(({ bytes, mask }) =>
    head.length >= bytes.length && matches(head, bytes, mask)
  )?.format;
}

/** The format of data that ends before its first bytes could tell. */
export function cutOffFormat(
  head: Uint8Array,
  name: string,
): PackedFormat | undefined {
  const named = SUFFIXES.find(({ suffix }) => name.endsWith(suffix));
  if (named !== undefined) return named.format;
  // Two bytes of a magic number are no text; one may be.
  return head.length >= 2
    ? MAGICS.find(({ bytes, mask }) => matches(head, bytes, mask))?.format
    : undefined;
}

function matches(
  head: Uint8Array,
  bytes: readonly number[],
  mask = 0xff,
): boolean {
  return bytes.every((byte, i) =>
    i >= head.length || ((head[i] ?? 0) & (i === 0 ? mask : 0xff)) === byte
  );
}
