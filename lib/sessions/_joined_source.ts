/** Parts of session files, one after the other, as one source of bytes. */

import type { ByteSource } from "../files/byte_source.ts";
import { openSession } from "./open_session.ts";

/** A part of a session file: from one place of the unpacked file to another one, or its end. */
interface FilePart {
  readonly path: string;
  readonly start: number;
  readonly end: number | undefined;
}

/** A line of a file. */
export interface LinePlace {
  /** The path of the file. */
  readonly path: string;
  /** The number of the line in it, counted from 1. */
  readonly line: number;
  /** Where in the unpacked file it is, in bytes. */
  readonly offset: number;
}

/** A part that is being read, or was. */
interface OpenPart {
  readonly source: ByteSource;
  rest: number;
}

/** A part that is being read or was read: what lies before it, in the whole and in its file. */
interface PartStart {
  readonly path: string;
  readonly whole: Extent;
  readonly own: Extent;
}

/** A beginning of a file. */
interface Extent {
  readonly lines: number;
  readonly bytes: number;
}

const BLOCK = 1 << 16;
const LF = 0x0a;

/** Reads parts of files one after the other, each on lines of its own. */
export class JoinedSource implements ByteSource {
  readonly #parts: FilePart[];
  #part: OpenPart | undefined;
  readonly #starts: PartStart[] = [];
  #lines = 0;
  #bytes = 0;
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
        return this.#given(into.subarray(0, size));
      }
      part.source.close();
      this.#part = undefined;
      // The last line of a file may lack its end, and the next part is no part of it.
      if (this.#last === LF || this.#parts.length === 0) continue;
      into[0] = LF;
      return this.#given(into.subarray(0, 1));
    }
    return null;
  }

  /** Says which line of which file a line of the whole is, if it has been read. */
  placeOf({ line, offset }: Omit<LinePlace, "path">): LinePlace | undefined {
    const start = this.#starts.findLast(({ whole }) => whole.lines < line);
    return start && {
      path: start.path,
      line: line - start.whole.lines + start.own.lines,
      offset: offset - start.whole.bytes + start.own.bytes,
    };
  }

  #given(bytes: Uint8Array): number {
    this.#lines += linesIn(bytes);
    this.#bytes += bytes.length;
    this.#last = bytes.at(-1) ?? this.#last;
    return bytes.length;
  }

  close(): void {
    this.#isClosed = true;
    this.#part?.source.close();
  }

  async #next(): Promise<OpenPart | undefined> {
    const part = this.#parts.shift();
    if (part === undefined) return undefined;
    const source = await openSession(part);
    const skipped = new Uint8Array(BLOCK);
    let lines = 0;
    for (let at = 0; at < part.start;) {
      const size = await source.read(
        skipped.subarray(0, Math.min(BLOCK, part.start - at)),
      );
      if (size === null) break;
      lines += linesIn(skipped.subarray(0, size));
      at += size;
    }
    this.#starts.push({
      path: part.path,
      whole: { lines: this.#lines, bytes: this.#bytes },
      own: { lines, bytes: part.start },
    });
    return { source, rest: (part.end ?? Infinity) - part.start };
  }
}

/** How many lines end in a block. */
function linesIn(block: Uint8Array): number {
  let lines = 0;
  for (let at = block.indexOf(LF); at !== -1; at = block.indexOf(LF, at + 1)) {
    lines += 1;
  }
  return lines;
}
