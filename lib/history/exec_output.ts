/** The growing output of a command, with a limit in bytes. */

import type { ExecChunk } from "./records.ts";
import { keptText, ownText } from "../json/utf8.ts";
import {
  addedBytes,
  byteLength,
  endsInHighSurrogate,
  placeOfByte,
} from "../json/utf8_length.ts";

/** A part of the output. A chunk is a piece together with the following ones that continue it. */
interface Piece {
  text: string;
  /** The length of the text in bytes of UTF-8. */
  bytes: number;
  /** The offset in the whole output, in bytes. */
  offset: number;
  /** Whether it belongs to the chunk of the piece before it. */
  continues: boolean;
  /** Whether it ends in the first half of a pair of surrogates. */
  half: boolean;
}

/** The length of pieces, up to which short texts are joined, in units of UTF-16. */
const PIECE_LENGTH = 1 << 17;

/** The effect of adding a chunk: whether the output has grown, or lost known text. */
type OutputChange = "none" | "appended" | "rewritten";

/**
 * The text that a command has written to stdout or stderr.
 *
 * It is kept in pieces, so that the time of adding and dropping text does not depend on the length
 * of the rest.
 */
export class OutputText {
  #pieces: Piece[] = [];
  #bytes = 0;
  /**
   * Whether no piece ends after the end of the last one. Always so for chunks that `add` has added;
   * those of a snapshot may overlap.
   */
  #ordered = true;

  /** @param chunks The known output. The chunks may overlap and have any order, which is kept. */
  constructor(chunks: readonly ExecChunk[] = []) {
    let end = 0;
    for (const { offset, content } of chunks) {
      this.#push(content, offset, false);
      const last = endOf(this.#pieces.at(-1));
      if (last < end) this.#ordered = false;
      end = Math.max(end, last);
    }
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The offset of the end of the output, in bytes. */
  get end(): number {
    if (this.#ordered) return endOf(this.#pieces.at(-1));
    return this.#pieces.reduce((end, piece) => Math.max(end, endOf(piece)), 0);
  }

  /**
   * Adds a chunk, of which known text from its offset on is dropped first, and keeps the last
   * `limit` bytes. Returns `none` if an empty chunk changed nothing.
   */
  add(chunk: ExecChunk, limit: number): OutputChange {
    const cut = this.#cutBack(chunk.offset);
    const last = this.#pieces.at(-1);
    let grown = true;
    if (last !== undefined && endOf(last) === chunk.offset) {
      grown = chunk.content !== "";
      if (grown) this.#extend(last, chunk.content);
    } else this.#push(chunk.content, chunk.offset, false);
    if (this.keepLast(limit) || cut) return "rewritten";
    return grown ? "appended" : "none";
  }

  /**
   * Drops text from the front, if there are more than `limit` bytes, and returns whether it did.
   * Fewer bytes are kept rather than a part of a character.
   */
  keepLast(limit: number): boolean {
    const start = this.end - limit;
    if ((this.#pieces[0]?.offset ?? start) >= start) return false;
    let first = this.#dropUntil(start);
    if (first.offset < start) {
      const place = placeOfByte(first.text, start - first.offset, "up");
      first.text = first.text.slice(place.units);
      first.bytes -= place.bytes;
      first.offset += place.bytes;
      this.#bytes -= place.bytes;
      if (first.text === "") first = this.#dropUntil(first.offset + 1);
    }
    first.continues = false;
    return true;
  }

  chunks(): ExecChunk[] {
    const chunks: { offset: number; content: string }[] = [];
    for (const { text, offset, continues } of this.#pieces) {
      const last = chunks.at(-1);
      // Engines concatenate lazily (ropes): this copies no text until the content is read.
      if (continues && last !== undefined) last.content += text;
      else chunks.push({ offset, content: text });
    }
    return chunks;
  }

  /**
   * Drops whole pieces that end before an offset, but never the last one; returns the first left.
   */
  #dropUntil(start: number): Piece {
    const isOver = (piece: Piece): boolean =>
      piece.offset < start && endOf(piece) <= start;
    let first = this.#pieces[0] ?? NOTHING;
    while (this.#pieces.length > 1 && isOver(first)) {
      this.#bytes -= first.bytes;
      this.#pieces.shift();
      first = this.#pieces[0] ?? NOTHING;
    }
    return first;
  }

  /** Drops text from an offset on, with the whole character if the offset is inside of one. */
  #cutBack(offset: number): boolean {
    let cut = false;
    for (
      let last = this.#pieces.at(-1);
      last !== undefined && endOf(last) > offset;
      last = this.#pieces.at(-1)
    ) {
      cut = true;
      this.#pieces.pop();
      this.#bytes -= last.bytes;
      if (last.offset >= offset) continue;
      const place = placeOfByte(last.text, offset - last.offset, "down");
      // Empty if only a part of its first character was left: the chunk keeps its offset.
      const text = last.text.slice(0, place.units);
      const { offset: start, continues } = last;
      this.#pieces.push(pieceOf(text, place.bytes, start, continues));
      this.#bytes += place.bytes;
      break;
    }
    return cut;
  }

  /** Appends a text to the last piece, or as further pieces if the two are too long for one. */
  #extend(last: Piece, text: string): void {
    if (last.text.length + text.length > PIECE_LENGTH && !last.half) {
      last.text = ownText(last.text);
      this.#push(text, endOf(last), true);
      return;
    }
    const bytes = addedBytes(last.half, text);
    this.#bytes += bytes;
    last.text += text;
    last.bytes += bytes;
    last.half = endsInHighSurrogate(text);
  }

  /** Adds a text in pieces, so that a cut copies only one of them. */
  #push(text: string, start: number, continues: boolean): void {
    let offset = start;
    for (let from = 0; from < text.length || from === 0;) {
      let to = from + PIECE_LENGTH;
      if (endsInHighSurrogate(text.slice(from, to))) to += 1;
      const part = to < text.length || from > 0
        ? ownText(text.slice(from, to))
        : keptText(text);
      const bytes = byteLength(part);
      const piece = pieceOf(part, bytes, offset, continues || from > 0);
      // Most outputs have one piece, and `push` would allocate room for 16 more.
      if (this.#pieces.length === 0) this.#pieces = [piece];
      else this.#pieces.push(piece);
      this.#bytes += bytes;
      offset += bytes;
      from = to;
    }
  }
}

const NOTHING: Piece = pieceOf("", 0, 0, false);

function pieceOf(
  text: string,
  bytes: number,
  offset: number,
  continues: boolean,
): Piece {
  return { text, bytes, offset, continues, half: endsInHighSurrogate(text) };
}

function endOf(piece: Piece | undefined): number {
  return piece === undefined ? 0 : piece.offset + piece.bytes;
}
