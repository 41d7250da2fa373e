/**
 * Makes values of records that a plan has written, without parsing them: all but the parts
 * that were copied is as it was in the first one.
 */

import { WordCache } from "./names.ts";
import { type JsonKind, JsonTape } from "./tape.ts";
import { ZERO } from "./bytes.ts";
import { decodeUtf8 } from "./utf8.ts";

/** How deep a record is taken apart; what lies deeper is parsed. */
const LEVELS = 7;
/** Records with more parts are parsed in no more time. */
const MAX_PARTS = 8;
/** From this length of a record on, short strings must not keep it alive. */
const LARGE = 4096;

/** Where in the record a part was copied to. */
export interface CopiedPart {
  readonly start: number;
  readonly end: number;
  /** The slot that it came from, if it did: then it is most likely what it was before. */
  readonly slot: number | undefined;
}

/** What was last in a slot, and when. */
export interface LastValue {
  readonly value: string;
  readonly epoch: number;
}

/** How a value is made: it is always the same, or put together, or a copied part. */
const SAME = 0;
const OBJECT = 1;
const ARRAY = 2;
const STRING = 3;
const NUMBER = 4;
const BOOLEAN = 5;
const SLOT = 6;
const JSON_TEXT = 7;
type Operation = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;

const OPERATIONS: Readonly<Record<JsonKind, Operation>> = {
  object: JSON_TEXT,
  array: JSON_TEXT,
  string: STRING,
  number: NUMBER,
  boolean: BOOLEAN,
  null: JSON_TEXT,
};

/** A value of the record. */
class Node {
  readonly operation: Operation;
  readonly name: string;
  /** The number of the part. */
  readonly part: number;
  /** The number of the slot. */
  readonly slot: number;
  readonly nodes: readonly Node[];
  /** What it always is. */
  readonly value: unknown;

  constructor(
    operation: Operation,
    name: string,
    { part = 0, slot = 0, nodes = [], value }: {
      readonly part?: number;
      readonly slot?: number;
      readonly nodes?: readonly Node[];
      readonly value?: unknown;
    },
  ) {
    this.operation = operation;
    this.name = name;
    this.part = part;
    this.slot = slot;
    this.nodes = nodes;
    this.value = value;
  }
}

/** How values are made of the records with one plan. */
export class ValuePlan {
  readonly #root: Node;
  readonly #slots: (LastValue | undefined)[];
  #bytes: Uint8Array = NOTHING;
  #places: Uint32Array = PLACES;
  #at = 0;
  #epoch = 0;
  #from = 0;
  #text = "";
  #isLarge = false;

  private constructor(root: Node, slots: (LastValue | undefined)[]) {
    this.#root = root;
    this.#slots = slots;
  }

  /**
   * Finds out how values are made of records like one.
   *
   * @param output The record.
   * @param parts What in it was copied, in order.
   * @param slots What was last in the slots; all plans of a stream share it.
   * @returns Nothing if they have to be parsed.
   */
  static of(
    output: Uint8Array,
    parts: readonly CopiedPart[],
    slots: (LastValue | undefined)[],
  ): ValuePlan | undefined {
    if (parts.length > MAX_PARTS) return undefined;
    const tape = new JsonTape(new WordCache());
    // The text behind a value must be a control character.
    const bytes = new Uint8Array(output.length + 1);
    bytes.set(output);
    if (!tape.scan(bytes, 0, output.length, LEVELS)) return undefined;
    const root = nodeOf(tape, bytes, 0, parts);
    return root === undefined ? undefined : new ValuePlan(root, slots);
  }

  /**
   * Makes the value of a record.
   *
   * @param text Has the record among others; as many characters as bytes.
   * @param from Where in the bytes the text starts.
   * @param length How long the record is.
   * @param places Where in the bytes the copied parts of the record start and end.
   * @param at Where in `places` the first one is.
   * @param epoch Another number if a slot has changed since the last record.
   */
  make(
    text: string,
    bytes: Uint8Array,
    from: number,
    length: number,
    places: Uint32Array,
    at: number,
    epoch: number,
  ): unknown {
    this.#epoch = epoch;
    this.#text = text;
    this.#bytes = bytes;
    this.#from = from;
    this.#isLarge = length > LARGE;
    this.#places = places;
    this.#at = at;
    return this.#value(this.#root);
  }

  #value(node: Node): unknown {
    switch (node.operation) {
      case SAME:
        return node.value;
      case OBJECT: {
        const object: Record<string, unknown> = {};
        const { nodes } = node;
        for (let i = 0; i < nodes.length; i++) {
          const member = nodes[i];
          if (member === undefined) continue;
          object[member.name] = member.operation === SAME
            ? member.value
            : this.#value(member);
        }
        return object;
      }
      case ARRAY:
        return node.nodes.map((element) => this.#value(element));
    }
    const place = this.#at + 2 * node.part;
    const start = (this.#places[place] ?? 0) - this.#from;
    const end = (this.#places[place + 1] ?? 0) - this.#from;
    switch (node.operation) {
      case STRING:
        return this.#string(start, end);
      case SLOT: {
        const last = this.#slots[node.slot];
        if (last?.epoch === this.#epoch) return last.value;
        // It lasts longer than the record, so it must not keep that alive.
        const value = this.#sameText(last?.value, start, end) ??
          this.#ownString(start, end);
        this.#slots[node.slot] = { value, epoch: this.#epoch };
        return value;
      }
      case BOOLEAN:
        return this.#text.charCodeAt(start) === LOWER_T;
      case NUMBER:
        return end - start === 1
          ? this.#text.charCodeAt(start) - ZERO
          : Number(this.#text.slice(start, end));
      default:
        return JSON.parse(this.#text.slice(start, end));
    }
  }

  /** A text, if it stands at a place as it is. */
  #sameText(
    text: string | undefined,
    start: number,
    end: number,
  ): string | undefined {
    const isSame = text !== undefined && text.length === end - start - 2 &&
      !text.includes("\\") && this.#text.startsWith(text, start + 1);
    return isSame ? text : undefined;
  }

  #string(start: number, end: number): string {
    const text = this.#text;
    if (this.#isLarge && end - start < LARGE) {
      return this.#ownString(start, end);
    }
    const inside = text.slice(start + 1, end - 1);
    return inside.includes("\\") ? JSON.parse(text.slice(start, end)) : inside;
  }

  #ownString(start: number, end: number): string {
    const inside = decodeUtf8(
      this.#bytes,
      this.#from + start + 1,
      this.#from + end - 1,
    );
    return inside.includes("\\") ? JSON.parse(`"${inside}"`) : inside;
  }
}

const NOTHING = new Uint8Array(0);
const PLACES = new Uint32Array(0);
const LOWER_T = 0x74;

/** How the value of an entry is made; nothing if it has to be parsed. */
function nodeOf(
  tape: JsonTape,
  bytes: Uint8Array,
  entry: number,
  parts: readonly CopiedPart[],
): Node | undefined {
  const start = tape.start(entry);
  const end = tape.end(entry);
  const kind = tape.kind(entry);
  const name = tape.name(entry);
  const part = parts.findIndex((each) =>
    each.start === start && each.end === end
  );
  if (part !== -1) {
    const slot = parts[part]?.slot;
    return slot === undefined
      ? new Node(OPERATIONS[kind], name, { part })
      : new Node(SLOT, name, { part, slot });
  }
  if (kind !== "object" && kind !== "array") {
    if (parts.some((each) => each.start >= start && each.end <= end)) {
      return undefined;
    }
    const value: unknown = JSON.parse(decodeUtf8(bytes, start, end));
    return new Node(SAME, name, { value });
  }
  const nodes: Node[] = [];
  const names = new Set<string>();
  const behind = tape.next(entry);
  // The parts of what lies too deep are not on the tape.
  if (behind === entry + 1 && end - start > 2) return undefined;
  for (let at = entry + 1; at < behind; at = tape.next(at)) {
    const node = nodeOf(tape, bytes, at, parts);
    if (node === undefined) return undefined;
    nodes.push(node);
    names.add(node.name);
  }
  if (kind === "array") return new Node(ARRAY, name, { nodes });
  // Of two members with one name the last one counts, and `__proto__` is a setter.
  const isPlain = names.size === nodes.length && !names.has("__proto__");
  return isPlain ? new Node(OBJECT, name, { nodes }) : undefined;
}
