/** Opens a session file, also while Codex packs or unpacks it. */

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
import { otherPlacesOf } from "./session_places.ts";

/** The largest file that is read without waiting, in bytes. */
const SMALL = 1 << 20;

/** The largest file that is read as one object. */
const MAX_OBJECT_BYTES = 64 << 20;

/**
 * Opens a session file, packed or not, as lines of JSON.
 *
 * Codex packs files that nobody goes on with, unpacks those that somebody does, archives
 * sessions and takes them back. So where a file is not there any more, it is looked for in
 * the other places where it may lie.
 *
 * The first CLI, written in TypeScript, left one pretty-printed object instead of lines
 * (`rollout-….json`). Its parts are given as the lines that 0.8 would have written of them;
 * such a file is read whole, up to 64 MiB.
 *
 * @param file The file: one that was found, or a path. A small one is read at once if its size
 *   is known.
 * @returns Its content; close it when it is not read to the end.
 * @throws {Error} If it cannot be opened, with the `code` of the platform.
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
  const isObject = /\.json$/i.test(path);
  try {
    if (isObject) return await openObject(path);
    return await (size <= SMALL ? openSmall : openFile)(path);
  } catch (error) {
    if (!ABSENT_CODES.has(codeOf(error))) throw error;
    for (const other of isObject ? [] : otherPlacesOf(path)) {
      try {
        return await openFile(other);
      } catch {
        // The error of the file that was asked for says more.
      }
    }
    throw await isLink(path) ? new DanglingLinkError(error) : error;
  }
}

/** How long files are read one after the other before others have a turn, in milliseconds. */
const TURN = 50;
let turn = 0;

/**
 * Opens a regular file, and reads it without waiting: that takes some microseconds where the
 * system has it in memory, and to wait a hundred.
 *
 * Who never waits never hears of Ctrl-C, so now and then it waits for all that has happened.
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
      try {
        const size = readSync(file, into, 0, into.length, null);
        return Promise.resolve(size === 0 && into.length > 0 ? null : size);
      } catch (error) {
        return Promise.reject(error);
      }
    },
    close(): void {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  }, { name: path });
}

/**
 * What platforms say of a file that is not there, and of links that go round in a circle, as
 * which a compiled executable sees all that lead nowhere.
 */
const ABSENT_CODES: ReadonlySet<unknown> = new Set(["ENOENT", "ELOOP"]);

/** A session file that is a link to what is not there. */
class DanglingLinkError extends Error {
  override readonly name = "DanglingLinkError";
  readonly code = "ENOENT";

  constructor(cause: unknown) {
    super("a link that leads nowhere", { cause });
  }
}

/** Whether nothing is at a path any more; a link that leads nowhere is still there. */
export async function isGone(path: string): Promise<boolean> {
  const facts = await lstat(path).catch(() => undefined);
  return facts === undefined;
}

async function isLink(path: string): Promise<boolean> {
  const facts = await lstat(path).catch(() => undefined);
  return facts?.isSymbolicLink() === true;
}

/** Opens what the first CLI left; anything else as it is. */
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

/**
 * Says in words why something failed, without code and path: a clause, as it stands behind a
 * colon.
 */
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

/** How many bytes a block has: most heads fit into one. */
const BLOCK_BYTES = 1 << 17;
/**
 * How many blocks are kept for the next ones: as many as are in use at once. To allocate one
 * for each file takes a fifth of the time that 10,000 heads need.
 */
const MAX_FREE = 16;
const FREE: Uint8Array[] = [];

/**
 * Opens a session file for some work, and lends a block to it.
 *
 * @param work Reads the file into the block, or does what it likes with it; whatever it
 *   started must have come to its end.
 * @throws {Error} If the file cannot be opened, or the work throws.
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
  yield* blocksOf(await openSession(file), new Uint8Array(BLOCK_BYTES));
}
