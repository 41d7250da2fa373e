/** The lines of a session file, from a place on. */

import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { type ByteSource, codeOf } from "../files/byte_source.ts";
import { openSession } from "./open_session.ts";
import type { SessionFile } from "./session_files.ts";
import { TAIL_BYTES } from "./session_fold.ts";

/** A place in the lines of a session file, and what tells that they are still the same. */
export interface ContentPlace {
  /** How many bytes come before. */
  readonly readTo: number;
  /** What {@linkcode markOf} gives of the last bytes before. */
  readonly mark: string;
}

/** The lines of a session file, from a place on. */
export interface SessionContent {
  /** The lines. */
  readonly source: ByteSource;
  /** The last bytes before the place. */
  readonly tail: Uint8Array;
}

/** What the first CLI left: its lines are not those of the file. */
const OBJECT_REGEXP = /\.json$/i;
const BLOCK = 1 << 18;

/** Gives what tells bytes from others. */
export function markOf(tail: Uint8Array): string {
  return createHash("sha256").update(tail).digest("base64url").slice(0, 22);
}

/**
 * Opens the lines of a session file.
 *
 * A packed file is unpacked up to the place; of a plain one nothing but the last bytes before
 * it is read.
 *
 * @returns The lines; `undefined` if what comes before the place is not what it was.
 * @throws {Error} If the file cannot be read.
 */
export async function openSessionContent(
  file: SessionFile,
  from?: ContentPlace,
): Promise<SessionContent | undefined> {
  if (from === undefined || from.readTo === 0) {
    return { source: await openSession(file), tail: new Uint8Array(0) };
  }
  const isPlain = file.compression === "none" && !OBJECT_REGEXP.test(file.path);
  if (!isPlain) return await openPacked(file, from);
  try {
    return await openPlain(file.path, from);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    // It was archived or packed since it was found; there it is read through.
    return await openPacked(file, from);
  }
}

async function openPlain(
  path: string,
  { readTo, mark }: ContentPlace,
): Promise<SessionContent | undefined> {
  const handle = await open(path, "r");
  let isKept = false;
  try {
    const tail = new Uint8Array(Math.min(TAIL_BYTES, readTo));
    let size = 0;
    while (size < tail.length) {
      const at = readTo - tail.length + size;
      const { bytesRead } = await handle.read(
        tail,
        size,
        tail.length - size,
        at,
      );
      if (bytesRead === 0) return undefined;
      size += bytesRead;
    }
    if (markOf(tail) !== mark) return undefined;
    isKept = true;
    let at = readTo;
    return {
      tail,
      source: {
        async read(into): Promise<number | null> {
          const { bytesRead } = await handle.read(into, 0, into.length, at);
          at += bytesRead;
          return bytesRead === 0 ? null : bytesRead;
        },
        close(): void {
          // Nothing was written, so there is nothing to lose in closing.
          handle.close().catch(() => {});
        },
      },
    };
  } finally {
    if (!isKept) await handle.close();
  }
}

async function openPacked(
  file: SessionFile,
  { readTo, mark }: ContentPlace,
): Promise<SessionContent | undefined> {
  const source = await openSession(file);
  let isKept = false;
  try {
    const tail = new Uint8Array(Math.min(TAIL_BYTES, readTo));
    const skipped = new Uint8Array(BLOCK);
    for (let at = 0; at < readTo;) {
      // First what is not looked at, then the tail.
      const rest = readTo - tail.length - at;
      const into = rest > 0
        ? skipped.subarray(0, Math.min(BLOCK, rest))
        : tail.subarray(-rest);
      const size = await source.read(into);
      if (size === null) return undefined;
      at += size;
    }
    isKept = markOf(tail) === mark;
    return isKept ? { source, tail } : undefined;
  } finally {
    if (!isKept) source.close();
  }
}
