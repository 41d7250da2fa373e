/**
 * A file that is open while others write, rename and replace it.
 */

import type { BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import type { ByteSource } from "./byte_source.ts";
import { decompressed } from "./decompress.ts";
import { cutOffFormat, formatOf, MAGIC_BYTES } from "./packed_magic.ts";

/** What is known of a file without reading it. */
export interface FileFacts {
  /** Tells it from any other file that is there at the same time. */
  readonly identity: string;
  /** How large it is, in bytes, packed if it is packed. */
  readonly size: number;
  /** Changes when it is written to. */
  readonly version: string;
  /** Whether it is a file, and no directory, pipe or device. */
  readonly isRegular: boolean;
}

/**
 * Looks at a path.
 *
 * @returns What is there; `undefined` if nothing is.
 * @throws {Error} If it cannot be told, with the `code` of the platform.
 */
export async function factsOf(path: string): Promise<FileFacts | undefined> {
  const { stat } = await import("node:fs/promises");
  try {
    return toFacts(await stat(path, { bigint: true }));
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/**
 * A file system that does not number its files tells them apart by when they were made.
 * Where that is the same too, the content decides in the end.
 */
function toFacts(stats: BigIntStats): FileFacts {
  const { dev, ino, birthtimeNs, size, mtimeNs } = stats;
  return {
    identity: ino ? `${dev}:${ino}` : `${dev}:born:${birthtimeNs}`,
    size: Number(size),
    version: `${size}:${mtimeNs}`,
    isRegular: stats.isFile(),
  };
}

/** A file that is open; what it is called may change. */
export class OpenedFile {
  readonly #handle: FileHandle;
  /** What it is called. */
  path: string;
  /** Tells it from any other file that is there at the same time. */
  readonly identity: string;
  /** Whether it is packed; offsets are those of its content either way. */
  readonly isPacked: boolean;
  #content: { readonly source: ByteSource; position: number } | undefined;
  #isOpen = true;

  private constructor(
    handle: FileHandle,
    path: string,
    identity: string,
    isPacked: boolean,
  ) {
    this.#handle = handle;
    this.path = path;
    this.identity = identity;
    this.isPacked = isPacked;
  }

  /**
   * Opens a file.
   *
   * @throws {Error} If it cannot be opened, with the `code` of the platform.
   */
  static async open(path: string): Promise<OpenedFile> {
    const { open } = await import("node:fs/promises");
    const handle = await open(path, "r");
    try {
      const stats = await handle.stat({ bigint: true });
      const head = new Uint8Array(MAGIC_BYTES);
      const { bytesRead } = await handle.read(head, 0, MAGIC_BYTES, 0);
      const start = head.subarray(0, bytesRead);
      const format = formatOf(start) ??
        (bytesRead < MAGIC_BYTES ? cutOffFormat(start, path) : undefined);
      const { identity } = toFacts(stats);
      return new OpenedFile(handle, path, identity, format !== undefined);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /**
   * Reads what is there at a place of the content.
   *
   * @returns How many bytes were read, 0 at the end.
   * @throws {Error} If it cannot be read; a `PackedDataError` if it does not unpack.
   */
  async readAt(into: Uint8Array, position: number): Promise<number> {
    if (!this.#isOpen) return 0;
    if (this.isPacked) return await this.#unpackAt(into, position);
    const { bytesRead } = await this.#handle.read(
      into,
      0,
      into.length,
      position,
    );
    return bytesRead;
  }

  /** Gives back what reading needs; safe to call twice. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#handle.close().catch(() => {});
  }

  /** Packed data is read from its start, and once more if something before is wanted. */
  async #unpackAt(into: Uint8Array, position: number): Promise<number> {
    if (this.#content === undefined || this.#content.position > position) {
      const source = decompressed(this.#bytes(), { name: this.path });
      this.#content = { source, position: 0 };
    }
    const content = this.#content;
    for (;;) {
      const before = Math.min(into.length, position - content.position);
      const part = before > 0 ? into.subarray(0, before) : into;
      const size = await content.source.read(part) ?? 0;
      content.position += size;
      if (before === 0 || size === 0) return size;
    }
  }

  #bytes(): ByteSource {
    let at = 0;
    return {
      read: async (into): Promise<number | null> => {
        if (!this.#isOpen) return null;
        const { bytesRead } = await this.#handle.read(into, 0, into.length, at);
        at += bytesRead;
        return bytesRead === 0 && into.length > 0 ? null : bytesRead;
      },
      close(): void {},
    };
  }
}

/** What the platform calls an error. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error &&
      typeof error.code === "string"
    ? error.code
    : undefined;
}
