/** Reads `.gz` and `.zst` through, and text in UTF-16, told by content. */

import { copyOf } from "../json/bytes.ts";
import {
  type ByteSource,
  ChunkSource,
  type PackedFormat,
} from "./byte_source.ts";

/** Options for {@linkcode decompressed}. */
export interface DecompressOptions {
  /**
   * The name of the file. It does not decide how the content is read, but one that ends in
   * `.gz` or `.zst` tells a packed file that was cut off before it begins from an empty
   * one.
   *
   * @default {""}
   */
  readonly name?: string | undefined;
}

/**
 * Gives the content of a source: unpacked if it is packed, as it is if not.
 *
 * gzip and zstd are told by their first bytes, several members or frames one after the
 * other included. Text in UTF-16 that begins with a byte order mark and a character of ASCII,
 * as `>` of Windows PowerShell 5.1 writes it, is given as UTF-8, packed or not. Any other source
 * is read without a copy, and its first bytes are not held back.
 *
 * Packed data that is cut off or damaged makes `read` throw a {@linkcode PackedDataError}
 * after everything before the damage was read; of more than 1 MiB of packed data up to 16 KiB
 * before a damage may be missing.
 *
 * @param source The source; it is closed with the one that is returned.
 * @param options The name of the file.
 * @returns The content.
 *
 * @example A packed line
 * ```ts
 * import { bytesOf, decompressed } from "@codexpipe/codexpipe/files";
 * import { assertEquals } from "@std/assert";
 *
 * const packed = new Blob(["{}\n"]).stream().pipeThrough(new CompressionStream("gzip"));
 * const source = decompressed(bytesOf(packed));
 * const into = new Uint8Array(16);
 *
 * assertEquals(await source.read(into), 3);
 * source.close();
 * ```
 */
export function decompressed(
  source: ByteSource,
  options: DecompressOptions = {},
): ByteSource {
  return new SniffedSource(source, options.name ?? "", true);
}

/** Reads the first bytes, and then knows how to go on. */
class SniffedSource implements ByteSource {
  readonly #source: ByteSource;
  readonly #name: string;
  /** Whether it may be packed: what was unpacked is not unpacked again. */
  readonly #mayBePacked: boolean;
  #content: ByteSource | undefined;
  #isClosed = false;

  constructor(source: ByteSource, name: string, mayBePacked: boolean) {
    this.#source = source;
    this.#name = name;
    this.#mayBePacked = mayBePacked;
  }

  async read(into: Uint8Array): Promise<number | null> {
    try {
      const size = this.#content === undefined
        ? await this.#readFirst(into)
        : await this.#content.read(into);
      return this.#isClosed ? null : size;
    } catch (error) {
      // That data stops where its reader stopped is no fault of the data.
      if (this.#isClosed) return null;
      throw error;
    }
  }

  close(): void {
    this.#isClosed = true;
    if (this.#content === undefined) this.#source.close();
    else this.#content.close();
  }

  async #readFirst(into: Uint8Array): Promise<number | null> {
    const head = into.length < MAGIC_BYTES ? new Uint8Array(MAGIC_BYTES) : into;
    let length = 0;
    let isEnd = false;
    while (!isEnd && this.#isUnclear(head.subarray(0, length))) {
      if (length >= MAGIC_BYTES) break;
      const read = await this.#source.read(head.subarray(length));
      if (this.#isClosed) return null;
      if (read === null) isEnd = true;
      else length += read;
    }
    const start = head.subarray(0, length);
    const format = this.#mayBePacked
      ? formatOf(start) ??
        (isEnd ? cutOffFormat(start, this.#name) : undefined)
      : undefined;
    if (format !== undefined) {
      const packed = copyOf(start);
      // Most of what is read is not packed, and starts sooner without this.
      const { unpackedSource } = await import("./unpack.ts");
      if (this.#isClosed) return null;
      const content = unpackedSource(this.#source, packed, format);
      this.#content = new SniffedSource(content, "", false);
      return await this.#content.read(into);
    }
    const encoding = utf16Of(start);
    if (encoding !== undefined) {
      this.#content = new ChunkSource(
        utf8Of(this.#source, copyOf(start), encoding),
        () => this.#source.close(),
      );
    } else if (head === into) {
      this.#content = this.#source;
      return length === 0 && isEnd ? null : length;
    } else this.#content = new PrefixedSource(start, this.#source);
    return await this.#content.read(into);
  }

  /** Whether more of what begins so has to be seen. */
  #isUnclear(head: Uint8Array): boolean {
    return isPrefixOfUtf16(head) ||
      (this.#mayBePacked && isPrefixOfMagic(head));
  }
}

/** Bytes that were read already, then the rest of a source. */
class PrefixedSource implements ByteSource {
  #prefix: Uint8Array;
  readonly #source: ByteSource;

  constructor(prefix: Uint8Array, source: ByteSource) {
    this.#prefix = prefix;
    this.#source = source;
  }

  async read(into: Uint8Array): Promise<number | null> {
    if (this.#prefix.length === 0) return await this.#source.read(into);
    const size = Math.min(into.length, this.#prefix.length);
    into.set(this.#prefix.subarray(0, size));
    this.#prefix = this.#prefix.subarray(size);
    return size;
  }

  close(): void {
    this.#source.close();
  }
}

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
type Utf16 = "utf-16be" | "utf-16le";
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
function isPrefixOfMagic(head: Uint8Array): boolean {
  return MAGICS.some(({ bytes, mask }) => matches(head, bytes, mask));
}

/** Whether data that begins so may turn out to be text in UTF-16, or is. */
function isPrefixOfUtf16(head: Uint8Array): boolean {
  return MARKS.some(({ mark, zeroAt }) =>
    matches(head, mark) && (head[zeroAt] ?? 0) === 0
  );
}

/** The encoding of text in UTF-16 that begins so; the mark alone is all of an empty one. */
function utf16Of(head: Uint8Array): Utf16 | undefined {
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

/** How much is read at once. */
const UTF16_BLOCK = 1 << 16;

/**
 * Gives text in UTF-16 as UTF-8, without its byte order mark; half a character is U+FFFD.
 *
 * @param encoding In which order the bytes are.
 */
async function* utf8Of(
  source: ByteSource,
  head: Uint8Array,
  encoding: Utf16,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding);
  const encoder = new TextEncoder();
  const block = new Uint8Array(UTF16_BLOCK);
  let bytes = head;
  for (;;) {
    yield encoder.encode(decoder.decode(bytes, { stream: true }));
    const size = await source.read(block);
    if (size === null) break;
    bytes = block.subarray(0, size);
  }
  yield encoder.encode(decoder.decode());
}
