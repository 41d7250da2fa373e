/**
 * How packed data begins.
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

/** How many bytes tell whether data is packed. */
export const MAGIC_BYTES = 4;

/** Whether data that begins so may turn out to be packed, or is. */
export function isPrefixOfMagic(head: Uint8Array): boolean {
  return MAGICS.some(({ bytes, mask }) => matches(head, bytes, mask));
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
