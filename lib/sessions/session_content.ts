/** Opens the lines of a session file from an offset on. */

import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { type ByteSource, codeOf, sourceOf } from "../files/byte_source.ts";
import { openSession } from "./open_session.ts";
import type { SessionFile } from "./session_files.ts";
import { TAIL_BYTES } from "./session_fold.ts";
import { isObjectPath } from "./session_start.ts";

/** The lines of a session file from an offset on. */
export interface SessionContent {
  readonly source: ByteSource;
  /** The last bytes before the offset. */
  readonly tail: Uint8Array;
}

const BLOCK = 1 << 18;

/** Returns a hash of bytes: 22 characters of SHA-256 in base64url. */
export function markOf(tail: Uint8Array): string {
  return createHash("sha256").update(tail).digest("base64url").slice(0, 22);
}

/**
 * Opens the lines of a session file from an offset on; returns nothing if the bytes before it have
 * changed, whose {@linkcode markOf} is `mark`.
 *
 * A packed file is unpacked up to the offset. Of a plain file only the last bytes before the offset
 * are read.
 */
export async function openSessionContent(
  file: SessionFile,
  readTo: number,
  mark: string,
): Promise<SessionContent | undefined> {
  const tail = new Uint8Array(Math.min(TAIL_BYTES, readTo));
  const start = readTo - tail.length;
  const isPlain = file.compression === "none" && !isObjectPath(file.path);
  const plain = isPlain ? await openPlain(file.path, start) : undefined;
  const source = plain ?? await openSession(file);
  let isSame = false;
  try {
    if (plain === undefined && !await readOver(source, start)) return undefined;
    isSame = await readOver(source, tail.length, tail) && markOf(tail) === mark;
    return isSame ? { source, tail } : undefined;
  } finally {
    if (!isSame) source.close();
  }
}

/**
 * Opens a plain file at an offset. Returns nothing for a file that is gone: it was archived or
 * packed since it was found.
 */
async function openPlain(
  path: string,
  start: number,
): Promise<ByteSource | undefined> {
  try {
    return sourceOf(await open(path, "r"), start);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Reads `count` bytes, into a buffer of that size if one is passed; returns whether there are as
 * many.
 */
async function readOver(
  source: ByteSource,
  count: number,
  into?: Uint8Array,
): Promise<boolean> {
  const room = into ?? new Uint8Array(BLOCK);
  for (let at = 0; at < count;) {
    const size = await source.read(
      into?.subarray(at) ?? room.subarray(0, Math.min(BLOCK, count - at)),
    );
    if (size === null) return false;
    at += size;
  }
  return true;
}
