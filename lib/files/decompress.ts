/** Unpacks `.gz` and `.zst`, and converts UTF-16 to UTF-8; both are detected by content. */

import { copyOf } from "../json/bytes.ts";
import {
  blocksOf,
  type ByteSource,
  ChunkSource,
  type PackedFormat,
} from "./byte_source.ts";

/** Options for {@linkcode decompressed}. */
export interface DecompressOptions {
  /**
   * The file name. It does not decide how the content is read, except for a file that ends before
   * its first bytes can tell: a name in `.gz` or `.zst` then means a packed file that was cut off,
   * any other name an empty file.
   *
   * @default {""}
   */
  readonly name?: string | undefined;
}

/**
 * Returns the content of a source: unpacked if it is packed, unchanged otherwise.
 *
 * gzip and zstd are detected by their first bytes; several members or frames in a row are read as
 * one content. UTF-16 text with a byte order mark, as `>` of Windows PowerShell 5.1 writes it,
 * becomes UTF-8, packed or not. Any other source is read without a copy, and its first bytes are not
 * held back.
 *
 * Packed data that is cut off or damaged makes `read` throw a {@linkcode PackedDataError} after
 * everything before the damage was read. Where more than 1 MiB of packed data precedes the damage,
 * up to 16 KiB before it may be missing.
 *
 * @param source The source. Closing the returned source closes it too.
 * @param options The file name.
 * @returns The unpacked content.
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

/** Reads the first bytes of a source and chooses how to read the rest. */
class SniffedSource implements ByteSource {
  readonly #source: ByteSource;
  readonly #name: string;
  /** Whether packed data is recognized; false for content that is unpacked already. */
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
      const size = await (this.#content?.read(into) ?? this.#readFirst(into));
      return this.#isClosed ? null : size;
    } catch (error) {
      // An error after the reader has closed the source is caused by closing, not by the data.
      if (this.#isClosed) return null;
      throw error;
    }
  }

  close(): void {
    this.#isClosed = true;
    (this.#content ?? this.#source).close();
  }

  async #readFirst(into: Uint8Array): Promise<number | null> {
    const head = into.length < MAGIC_BYTES ? new Uint8Array(MAGIC_BYTES) : into;
    let length = 0;
    let isEnd = false;
    while (
      !isEnd && length < MAGIC_BYTES &&
      this.#isUnclear(head.subarray(0, length))
    ) {
      const read = await this.#source.read(head.subarray(length));
      if (this.#isClosed) return null;
      if (read === null) isEnd = true;
      else length += read;
    }
    const start = head.subarray(0, length);
    const format = this.#mayBePacked
      ? formatOf(start, isEnd, this.#name)
      : undefined;
    if (format !== undefined) {
      const packed = copyOf(start);
      // Loaded only for packed data: most files are not packed, and start sooner without it.
      const { unpackedSource } = await import("./unpack.ts");
      if (this.#isClosed) return null;
      const content = unpackedSource(this.#source, packed, format);
      this.#content = new SniffedSource(content, "", false);
      return await this.#content.read(into);
    }
    const encoding = utf16Of(start);
    if (encoding === undefined && head === into) {
      this.#content = this.#source;
      return length === 0 ? null : length;
    }
    const chunks = chunksOf(copyOf(start), this.#source);
    this.#content = new ChunkSource(
      encoding === undefined ? chunks : utf8Of(chunks, encoding),
      () => this.#source.close(),
    );
    return await this.#content.read(into);
  }

  /** Whether these first bytes could be packed data or UTF-16, so that more have to be read. */
  #isUnclear(head: Uint8Array): boolean {
    return MARKS.some(({ bytes }) => matches(head, bytes)) ||
      (this.#mayBePacked && magicOf(head) !== undefined);
  }
}

const BLOCK = 1 << 16;

async function* chunksOf(
  start: Uint8Array,
  source: ByteSource,
): AsyncGenerator<Uint8Array> {
  yield start;
  yield* blocksOf(source, new Uint8Array(BLOCK));
}

/** The first bytes of packed data. */
interface Magic {
  readonly format: PackedFormat;
  readonly bytes: readonly number[];
  readonly mask?: number;
}

const MAGICS: readonly Magic[] = [
  { format: "gzip", bytes: [0x1f, 0x8b] },
  { format: "zstd", bytes: [0x28, 0xb5, 0x2f, 0xfd] },
  // A skippable frame: its first byte is 0x50 to 0x5f.
  { format: "zstd", bytes: [0x50, 0x2a, 0x4d, 0x18], mask: 0xf0 },
];

type Utf16 = "utf-16be" | "utf-16le";
/** The byte order marks of UTF-16; no UTF-8 has these bytes. */
const MARKS = [
  { encoding: "utf-16le", bytes: [0xff, 0xfe] },
  { encoding: "utf-16be", bytes: [0xfe, 0xff] },
] as const;

/** The number of first bytes that decide whether data is packed or UTF-16. */
export const MAGIC_BYTES = 4;

/** The magic number that these first bytes are, or could be the beginning of. */
function magicOf(head: Uint8Array): Magic | undefined {
  return MAGICS.find(({ bytes, mask }) => matches(head, bytes, mask));
}

/** The encoding of UTF-16 text with these first bytes (L7). */
function utf16Of(head: Uint8Array): Utf16 | undefined {
  return MARKS.find(({ bytes }) =>
    head.length >= bytes.length && matches(head, bytes)
  )?.encoding;
}

/**
 * The format of data with these first bytes; `undefined` if it is not packed. Data that ended
 * before its first bytes could tell has the format that the suffix of the file name says, else that
 * of the part of a magic number that is there.
 */
export function formatOf(
  head: Uint8Array,
  isEnd: boolean,
  name: string,
): PackedFormat | undefined {
  const magic = magicOf(head);
  if (magic && head.length >= magic.bytes.length) return magic.format;
  if (!isEnd) return undefined;
  if (name.endsWith(".gz")) return "gzip";
  if (name.endsWith(".zst")) return "zstd";
  // No text begins with two bytes of a magic number; with one byte of it, a text may.
  return head.length >= 2 ? magic?.format : undefined;
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

/** Converts UTF-16 to UTF-8 without its byte order mark; half a surrogate pair becomes U+FFFD. */
async function* utf8Of(
  chunks: AsyncIterable<Uint8Array>,
  encoding: Utf16,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding);
  const encoder = new TextEncoder();
  for await (const chunk of chunks) {
    yield encoder.encode(decoder.decode(chunk, { stream: true }));
  }
  yield encoder.encode(decoder.decode());
}
