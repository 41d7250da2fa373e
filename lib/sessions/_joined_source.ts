/**
 * Parts of session files, one after the other, as one source of bytes.
 */

import type { ByteSource } from "../files/byte_source.ts";
import { openSession } from "./open_session.ts";

/** A part of a session file: from one place of the unpacked file to another one, or its end. */
interface FilePart {
  readonly path: string;
  readonly start: number;
  readonly end: number | undefined;
}

const BLOCK = 1 << 16;
const LF = 0x0a;

/** Reads parts of files one after the other, each on lines of its own. */
export class JoinedSource implements ByteSource {
  readonly #parts: FilePart[];
  #part: { readonly source: ByteSource; rest: number } | undefined;
  #last = LF;
  #isClosed = false;

  /** Constructs a new instance. */
  constructor(parts: readonly FilePart[]) {
    this.#parts = [...parts];
  }

  async read(into: Uint8Array): Promise<number | null> {
    while (!this.#isClosed) {
      this.#part ??= await this.#next();
      const part = this.#part;
      if (part === undefined) return null;
      const size = part.rest > 0
        ? await part.source.read(
          into.subarray(0, Math.min(into.length, part.rest)),
        )
        : null;
      if (size !== null) {
        part.rest -= size;
        this.#last = into[size - 1] ?? this.#last;
        return size;
      }
      part.source.close();
      this.#part = undefined;
      // The last line of a file may lack its end, and the next part is no part of it.
      if (this.#last === LF || this.#parts.length === 0) continue;
      into[0] = LF;
      this.#last = LF;
      return 1;
    }
    return null;
  }

  close(): void {
    this.#isClosed = true;
    this.#part?.source.close();
  }

  /** Opens the next part. */
  async #next(): Promise<{ source: ByteSource; rest: number } | undefined> {
    const part = this.#parts.shift();
    if (part === undefined) return undefined;
    const source = await openSession(part);
    const skipped = new Uint8Array(BLOCK);
    for (let at = 0; at < part.start;) {
      const size = await source.read(
        skipped.subarray(0, Math.min(BLOCK, part.start - at)),
      );
      if (size === null) break;
      at += size;
    }
    return { source, rest: (part.end ?? Infinity) - part.start };
  }
}
