/** Walks all values of a record, and finds the marks of their types and words in a tree. */

import { JsonTape } from "../json/tape.ts";
import type { KindTeller } from "../dialects/wire_kinds.ts";
import {
  INTEGER,
  type Mark,
  NUMBER,
  type WireNode,
  type WireTree,
} from "./wire_tree.ts";

/** The number of levels on one tape. */
export const LEVELS = 7;
/** The largest depth that is walked: deeper values have no fields of Codex's. */
const MAX_DEPTH = 40;

/** The indexes of types, which are the numbers of the kinds on a tape. */
const ARRAY = 1;
const STRING = 2;
const DOT = 0x2e;
const LOWER_E = 0x65;
const UPPER_E = 0x45;

export class WireWalker {
  readonly #tree: WireTree;
  readonly #words: KindTeller;
  /** Marks whose last release is before this one are reported. */
  limit = 0;
  readonly #report: (mark: Mark) => void;
  #bytes: Uint8Array = new Uint8Array(0);
  /** By depth, the tapes for values below the levels of the first tape; reused for each record. */
  readonly #inner: JsonTape[] = [];

  constructor(
    tree: WireTree,
    words: KindTeller,
    report: (mark: Mark) => void,
  ) {
    this.#tree = tree;
    this.#words = words;
    this.#report = report;
  }

  /** Walks the record on the tape. */
  walk(bytes: Uint8Array, kind: WireNode): void {
    this.#bytes = bytes;
    this.#value(this.#words.tape, 0, kind, 0, 0);
  }

  #value(
    tape: JsonTape,
    at: number,
    node: WireNode,
    level: number,
    depth: number,
  ): void {
    let type = tape.code(at);
    if (type === NUMBER && this.#isInteger(tape, at)) {
      // A whole number is nothing new where fractions are known.
      type = node.marks[NUMBER] === undefined ? INTEGER : NUMBER;
    }
    const mark = node.marks[type] ?? node.mark(type);
    if (mark.last < this.limit) this.#report(mark);
    if (type === STRING && node.words !== undefined) {
      const word = this.#words.word(tape, at, this.#bytes);
      const mark = word === undefined ? undefined : node.wordMark(word);
      if (mark !== undefined && mark.last < this.limit) this.#report(mark);
    }
    if (type > ARRAY || node.isData || depth > MAX_DEPTH) return;
    if (level < LEVELS) this.#parts(tape, at, node, level, depth);
    else {
      const inner = this.#inner[depth] ??= new JsonTape();
      inner.scan(this.#bytes, tape.start(at), tape.end(at), LEVELS);
      this.#parts(inner, 0, node, 0, depth);
    }
  }

  #parts(
    tape: JsonTape,
    at: number,
    node: WireNode,
    level: number,
    depth: number,
  ): void {
    const behind = tape.next(at);
    const isList = tape.code(at) === ARRAY;
    for (let part = at + 1; part < behind; part = tape.next(part)) {
      const inner = isList
        ? node.element(this.#tree)
        : node.member(tape.name(part), this.#tree);
      this.#value(tape, part, inner, level + 1, depth + 1);
    }
  }

  #isInteger(tape: JsonTape, at: number): boolean {
    const end = tape.end(at);
    for (let i = tape.start(at); i < end; i++) {
      const byte = this.#bytes[i];
      if (byte === DOT || byte === LOWER_E || byte === UPPER_E) return false;
    }
    return true;
  }
}
