/** Opens session files, even while Codex packs, unpacks or archives them. */

import { closeSync, openSync, readSync } from "node:fs";
import { lstat, readFile, stat } from "node:fs/promises";
import {
  blocksOf,
  type ByteSource,
  ChunkSource,
  codeOf,
} from "../files/byte_source.ts";
import { decompressed } from "../files/decompress.ts";
import { openFile } from "../files/open.ts";
import {
  fieldsOf,
  isObject,
  jsonTextOf,
  listOf,
  parseJson,
} from "../json/fields.ts";
import { DEFAULT_MAX_LINE_BYTES, LineFramer } from "../lines/line_framer.ts";
import { otherPlacesOf } from "./session_places.ts";
import { isObjectPath } from "./session_start.ts";

const SMALL = 1 << 20;

/** The largest file that is read as one object, in bytes. */
const MAX_OBJECT_BYTES = 64 << 20;

/**
 * Opens a session file, packed or not, as lines of JSON.
 *
 * Codex packs files of sessions that are not continued, unpacks those that are, and archives
 * sessions and restores them. So a file that no longer exists is searched for in the other places
 * where it may be.
 *
 * The first CLI, written in TypeScript, left one pretty-printed object instead of lines
 * (`rollout-….json`). Its parts are returned as the lines that 0.8 would have written for them;
 * such a file is read whole, up to 64 MiB.
 *
 * @param file The file: one that was found, or a path. A file with a known, small size is read
 *   synchronously.
 * @returns Its content. Close it unless it is read to the end.
 * @throws {Error} If the file cannot be opened, with the `code` of the platform.
 *
 * @example The first byte of a session
 * ```ts
 * import { openSession } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const path = "testdata/captures/0.44.0/msg/" +
 *   "rollout-2026-11-20T15-30-37-01a1f994-bf38-7b30-a5b6-37341edadf48.jsonl";
 * const source = await openSession({ path });
 * const into = new Uint8Array(1);
 * await source.read(into);
 * source.close();
 *
 * assertEquals(new TextDecoder().decode(into), "{");
 * ```
 */
export async function openSession(
  { path, size = Infinity }: {
    readonly path: string;
    readonly size?: number | undefined;
  },
): Promise<ByteSource> {
  const isObject = isObjectPath(path);
  try {
    if (isObject) return await openObject(path);
    return await (size <= SMALL ? openSmall : openFile)(path);
  } catch (error) {
    if (!ABSENT_CODES.has(codeOf(error))) throw error;
    for (const other of isObject ? [] : otherPlacesOf(path)) {
      try {
        return await openFile(other);
      } catch {
        // The error of the given path is thrown: it tells more.
      }
    }
    if (await isGone(path)) throw error;
    const problem = new Error("it is a link to a missing file", {
      cause: error,
    });
    throw Object.assign(problem, { name: "DanglingLinkError", code: "ENOENT" });
  }
}

/** How long files are read synchronously before other events have a turn, in milliseconds. */
const TURN = 50;
let turn = 0;

/**
 * Opens a regular file to be read synchronously: a read takes some microseconds if the system has
 * the file in memory, where an asynchronous one takes a hundred.
 *
 * Synchronous reads alone would block signals such as Ctrl-C, so from time to time it waits until
 * all pending events are handled.
 */
async function openSmall(path: string): Promise<ByteSource> {
  if (performance.now() - turn > TURN) {
    await new Promise((resolve) => setTimeout(resolve));
    turn = performance.now();
  }
  const file = openSync(path, "r");
  let isOpen = true;
  return decompressed({
    read(into): Promise<number | null> {
      // An error of `readSync` rejects the promise.
      return new Promise((resolve) => {
        const size = readSync(file, into, 0, into.length, null);
        resolve(size === 0 && into.length > 0 ? null : size);
      });
    },
    close(): void {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  }, { name: path });
}

/**
 * The platform codes for a missing file, and for circular links: a compiled executable reports
 * every dangling link as circular.
 */
const ABSENT_CODES: ReadonlySet<unknown> = new Set(["ENOENT", "ELOOP"]);

/** Whether a path no longer exists. A dangling link still exists. */
export async function isGone(path: string): Promise<boolean> {
  const facts = await lstat(path).catch(() => undefined);
  return facts === undefined;
}

/** Opens the object of the first CLI as lines; any other file unchanged. */
async function openObject(path: string): Promise<ByteSource> {
  const { size } = await stat(path);
  if (size > MAX_OBJECT_BYTES) {
    throw new RangeError(
      `Cannot read the session: it is one JSON object of ${size} bytes, more than ${MAX_OBJECT_BYTES}`,
    );
  }
  const { session, items } = fieldsOf(parseJson(await readFile(path, "utf8")));
  if (!isObject(session)) return await openFile(path);
  const lines = [session, ...listOf(items)].map((part) =>
    `${jsonTextOf(part)}\n`
  );
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode(lines.join(""));
  };
  return new ChunkSource(chunks(), () => {});
}

/** Returns the reason of an error, without code and path: a clause to put after a colon. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message } = error;
  if (codeOf(error) === "") {
    return message.charAt(0).toLowerCase() + message.slice(1);
  }
  // "EACCES: permission denied, open '/a/b'"
  const [words = ""] = message.split(/, [a-z]+(?: '|$)/);
  return words.replace(/^[A-Z\d_]+: /, "");
}

/** The size of a block in bytes: most heads fit into one. */
const BLOCK_BYTES = 1 << 17;
/**
 * How many unused blocks are kept: as many as are in use at once. To allocate one for each file
 * takes a fifth of the time of reading 10,000 heads.
 */
const MAX_FREE = 16;
const FREE: Uint8Array[] = [];

/**
 * Opens a session file, passes it to `work` with a block to read into, and closes it. All reads
 * that `work` started must have ended when its promise settles, because the block is used again.
 */
export async function withSession<T>(
  file: { readonly path: string },
  work: (source: ByteSource, block: Uint8Array) => Promise<T>,
): Promise<T> {
  const source = await openSession(file);
  const block = FREE.pop() ?? new Uint8Array(BLOCK_BYTES);
  try {
    return await work(source, block);
  } finally {
    source.close();
    if (FREE.length < MAX_FREE) FREE.push(block);
  }
}

/** Reads a session file to its end, block by block. */
export async function* sessionBlocks(
  file: { readonly path: string },
): AsyncGenerator<Uint8Array, void, void> {
  yield* sourceBlocks(await openSession(file));
}

/** Yields the blocks of a source and closes it. A block is overwritten when the next one is read. */
export async function* sourceBlocks(
  source: ByteSource,
): AsyncGenerator<Uint8Array, void, void> {
  const block = FREE.pop() ?? new Uint8Array(BLOCK_BYTES);
  try {
    yield* blocksOf(source, block);
  } finally {
    if (FREE.length < MAX_FREE) FREE.push(block);
  }
}

/** Reads lines until `take` returns false; returns how many bytes. Skips lines too long to read. */
export async function readLines(
  path: string,
  take: (line: Uint8Array, offset: number) => boolean | void,
): Promise<number> {
  const framer = new LineFramer(DEFAULT_MAX_LINE_BYTES);
  let isEnough = false;
  let size = 0;
  const visitor = {
    line(
      bytes: Uint8Array,
      start: number,
      end: number,
      _line: number,
      offset: number,
    ): void {
      isEnough ||= take(bytes.subarray(start, end), offset) === false;
    },
    tooLong(): void {},
  };
  for await (const block of sessionBlocks({ path })) {
    size += block.length;
    framer.feed(block, visitor);
    if (isEnough) return size;
  }
  framer.flush(visitor);
  return size;
}
