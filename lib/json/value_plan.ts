/**
 * Makes values of records that a plan has written, without parsing them: all but the parts
 * that were copied is as it was in the first one.
 */

import type { JsonReader } from "./reader.ts";
import { type JsonKind, JsonTape } from "./tape.ts";
import { decodeUtf8, MAX_KEPT_TEXT, ownText } from "./utf8.ts";
import type { JsonSlice } from "./value.ts";
import { APART, DIGITS, ESCAPED } from "./kernel_layout.ts";

/** A value of some kind. */
export class Varying {
  /** Its kind. */
  readonly kind: JsonKind;

  /** Constructs a new instance. */
  constructor(kind: JsonKind) {
    this.kind = kind;
  }
}

/** How deep a record is taken apart; what lies deeper is parsed. */
const LEVELS = 7;
/** Records with more parts are parsed in no more time. */
const MAX_PARTS = 100;
/**
 * After this many values it pays to have the engine compile the making of them: from then on
 * it takes a third of the time (`deno task bench`, `events` over `small` and `rollout`: 0.7
 * of the whole).
 */
const TRIALS = 64;

/** Where in the record a part was copied to. */
export interface CopiedPart {
  readonly start: number;
  readonly end: number;
  /** The slot that it came from, if it did: then it is most likely what it was before. */
  readonly slot: number | undefined;
}

type Node =
  /** It is always the same: a string, a number, a boolean or null. */
  | { readonly kind: "same"; readonly text: string; readonly value: unknown }
  | {
    readonly kind: "object";
    readonly names: readonly string[];
    readonly nodes: readonly Node[];
  }
  | { readonly kind: "array"; readonly nodes: readonly Node[] }
  /** It is a part, whose place is at this pair. */
  | {
    readonly kind: "part";
    readonly of: JsonKind;
    readonly pair: number;
    readonly slot: number | undefined;
  };

/** Makes the value of the record that the parts are of. */
interface ValueMaker {
  (parts: RecordParts): unknown;
}

/** Proves that values are of a type, once for all that are made by one plan. */
export interface Proof {
  /**
   * Looks at what decides whether a record is of the type: records that are alike in what
   * is read as a word, and in the parts of what is opened, get one plan.
   *
   * @param reader Has read the record.
   */
  look(reader: JsonReader, record: JsonSlice): void;
  /**
   * Says whether all values of a plan are of the type.
   *
   * @param model Stands for them: {@linkcode Varying} in it is what they differ in.
   */
  holds(model: unknown): boolean;
}

/** How values are made of the records with one plan. */
export class ValuePlan {
  readonly #root: Node;
  #maker: ValueMaker | undefined;
  #trials = 0;
  /** Whether it is proven that all values are of a type. */
  readonly isProven: boolean;

  private constructor(root: Node, isProven: boolean) {
    this.#root = root;
    this.isProven = isProven;
  }

  /**
   * Finds out how values are made of records like one.
   *
   * @param parts What in it was copied, in order.
   * @param proof What is to be proven of them.
   * @returns Nothing if they have to be parsed.
   */
  static of(
    output: Uint8Array,
    parts: readonly CopiedPart[],
    proof: Proof,
  ): ValuePlan | undefined {
    if (parts.length > MAX_PARTS) return undefined;
    const tape = new JsonTape();
    // The text behind a value must be a control character.
    const bytes = new Uint8Array(output.length + 1);
    bytes.set(output);
    if (!tape.scan(bytes, 0, output.length, LEVELS)) return undefined;
    const root = nodeOf(tape, bytes, 0, parts);
    if (root === undefined) return undefined;
    return new ValuePlan(root, proof.holds(modelOf(root)));
  }

  /** Makes the value of the record that the parts are of. */
  make(parts: RecordParts): unknown {
    if (this.#maker !== undefined) return this.#maker(parts);
    this.#trials += 1;
    if (this.#trials > TRIALS) this.#maker = makerOf(this.#root);
    return valueOf(this.#root, parts);
  }
}

function valueOf(node: Node, parts: RecordParts): unknown {
  switch (node.kind) {
    case "same":
      return node.value;
    case "object": {
      const object: Record<string, unknown> = {};
      const { names, nodes } = node;
      for (const [i, name] of names.entries()) {
        const member = nodes[i];
        if (member !== undefined) object[name] = valueOf(member, parts);
      }
      return object;
    }
    case "array":
      return node.nodes.map((element) => valueOf(element, parts));
  }
  const { of, pair, slot } = node;
  if (slot !== undefined && of === "string") return parts.slot(pair, slot);
  switch (of) {
    case "string":
    case "number":
    case "boolean":
      return parts[of](pair);
    default:
      return parts.json(pair);
  }
}

/** Stands for the values of a node. */
function modelOf(node: Node): unknown {
  switch (node.kind) {
    case "same":
      return node.value;
    case "object":
      return Object.fromEntries(
        node.names.map((name, i) => {
          const member = node.nodes[i];
          return [name, member && modelOf(member)];
        }),
      );
    case "array":
      return node.nodes.map(modelOf);
    case "part":
      return new Varying(node.of);
  }
}

/**
 * Has the engine compile the making of values; where that is forbidden, as the policy of a
 * page may have it, they are made node by node.
 */
function makerOf(root: Node): ValueMaker {
  try {
    // The boundary where code gets its type. Of the record there is nothing in it but JSON:
    // names that were quoted anew, and strings, numbers and words that were found valid.
    return new Function("parts", `return ${codeOf(root)};`) as ValueMaker;
  } catch {
    return (parts) => valueOf(root, parts);
  }
}

function codeOf(node: Node): string {
  switch (node.kind) {
    case "same":
      return node.text;
    case "object": {
      const members = node.names.map((name, i) => {
        const member = node.nodes[i];
        return `${JSON.stringify(name)}:${member && codeOf(member)}`;
      });
      return `{${members.join(",")}}`;
    }
    case "array":
      return `[${node.nodes.map(codeOf).join(",")}]`;
  }
  const { of, pair, slot } = node;
  if (slot !== undefined && of === "string") {
    return `parts.slot(${pair},${slot})`;
  }
  switch (of) {
    case "string":
    case "number":
    case "boolean":
      return `parts.${of}(${pair})`;
    default:
      return `parts.json(${pair})`;
  }
}

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
  const part = parts.findIndex((each) =>
    each.start === start && each.end === end
  );
  if (part !== -1) {
    return { kind: "part", of: kind, pair: 2 * part, slot: parts[part]?.slot };
  }
  if (kind !== "object" && kind !== "array") {
    if (parts.some((each) => each.start >= start && each.end <= end)) {
      return undefined;
    }
    const text = decodeUtf8(bytes, start, end);
    return { kind: "same", text, value: JSON.parse(text) };
  }
  const nodes: Node[] = [];
  const names: string[] = [];
  const behind = tape.next(entry);
  // The parts of what lies too deep are not on the tape.
  if (behind === entry + 1 && end - start > 2) return undefined;
  for (let at = entry + 1; at < behind; at = tape.next(at)) {
    const node = nodeOf(tape, bytes, at, parts);
    if (node === undefined) return undefined;
    nodes.push(node);
    names.push(tape.name(at));
  }
  if (kind === "array") return { kind, nodes };
  // Of two members with one name the last one counts, and `__proto__` is a setter.
  const isPlain = new Set(names).size === names.length &&
    !names.includes("__proto__");
  return isPlain ? { kind, names, nodes } : undefined;
}

/** What part of a long record must not keep it alive. */
const OWN_TEXT_SHARE = 1 / 2;
const LOWER_T = 0x74;
/** What is left of an end without its marks. */
const PLACE_MASK = APART - 1;

interface LastValue {
  readonly value: string;
  readonly epoch: number;
}

/**
 * The parts of one record after the other, those of one stream.
 *
 * Parts have numbers; here they are given doubled, as places are kept in pairs.
 */
export class RecordParts {
  readonly #places: Uint32Array;
  readonly #bytes: Uint8Array;
  readonly #slots: (LastValue | undefined)[] = [];
  #text = "";
  #from = 0;
  /** The length below which a string is copied. */
  #least = 0;
  #at = 0;
  #epoch = 0;

  /**
   * Constructs a new instance.
   *
   * @param places Where in records their parts start and end.
   */
  constructor(places: Uint32Array, bytes: Uint8Array) {
    this.#places = places;
    this.#bytes = bytes;
  }

  /**
   * Goes to a record.
   *
   * @param text Has it, among others.
   * @param at Where in the places its first part is.
   * @param epoch Another number if a slot has changed since the last record.
   */
  go(
    text: string,
    from: number,
    length: number,
    at: number,
    epoch: number,
  ): void {
    this.#text = text;
    this.#from = from;
    this.#least = length > MAX_KEPT_TEXT ? OWN_TEXT_SHARE * length : 0;
    this.#at = at;
    this.#epoch = epoch;
  }

  /** Makes a string. */
  string(pair: number): string {
    const place = this.#at + pair;
    const start = this.#places[place] ?? 0;
    const end = this.#places[place + 1] ?? 0;
    if (end >= APART) return this.#marked(start, end);
    const from = this.#from;
    const text = this.#text.slice(from + start + 1, from + end - 1);
    return end - start < this.#least ? ownText(text) : text;
  }

  /** Makes a string whose end is marked. */
  #marked(start: number, mark: number): string {
    const end = mark & PLACE_MASK;
    if (mark < ESCAPED) return decodeUtf8(this.#bytes, start, end);
    const from = this.#from;
    return JSON.parse(this.#text.slice(from + start, from + end));
  }

  /** Makes a string that came out of a slot: most likely it is what it was before. */
  slot(pair: number, slot: number): string {
    const last = this.#slots[slot];
    if (last?.epoch === this.#epoch) return last.value;
    const text = this.string(pair);
    // It lasts longer than the record, so it must not keep that alive.
    const value = text === last?.value ? last.value : ownText(text);
    this.#slots[slot] = { value, epoch: this.#epoch };
    return value;
  }

  /** Makes a number. */
  number(pair: number): number {
    const place = this.#at + pair;
    const start = this.#places[place] ?? 0;
    const end = this.#places[place + 1] ?? 0;
    if (end === DIGITS) return start;
    const from = this.#from;
    return Number(this.#text.slice(from + start, from + end));
  }

  /** Makes `true` or `false`. */
  boolean(pair: number): boolean {
    const start = this.#from + (this.#places[this.#at + pair] ?? 0);
    return this.#text.charCodeAt(start) === LOWER_T;
  }

  /** Makes a value of any kind. */
  json(pair: number): unknown {
    const place = this.#at + pair;
    const start = this.#from + (this.#places[place] ?? 0);
    const end = this.#from + (this.#places[place + 1] ?? 0);
    return JSON.parse(this.#text.slice(start, end));
  }
}
