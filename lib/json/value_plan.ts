/**
 * Makes the values (JavaScript objects) of records that a plan of the kernel has written, without
 * parsing them: such a record differs from the first one of its plan only in the parts that were
 * copied.
 */

import type { JsonReader } from "./reader.ts";
import { type JsonKind, JsonTape } from "./tape.ts";
import { decodeUtf8, MAX_KEPT_TEXT, ownText } from "./utf8.ts";
import type { JsonSlice } from "./value.ts";
import { APART, DIGITS, ESCAPED } from "./kernel_layout.ts";

/** Stands for a value that differs between records, of which only the kind is known. */
export class Varying {
  readonly kind: JsonKind;

  constructor(kind: JsonKind) {
    this.kind = kind;
  }
}

/** The maximum depth to which a record is taken apart; deeper containers are parsed. */
const LEVELS = 7;
/**
 * At this number of records the maker of a plan is compiled. The texts of those before are parsed;
 * parsing all takes 1.2 to 1.3 times as long (`deno task bench`, `events` over `small` and
 * `rollout`).
 */
const TRIALS = 64;

/** The range in the record that a part was copied to. */
export interface CopiedPart {
  readonly start: number;
  readonly end: number;
}

/** How the values of one place in the records of a plan are made. */
interface Making {
  /**
   * The code of the value. From the record it contains only JSON: names that were quoted again, and
   * strings, numbers and words that were found valid.
   */
  readonly code: string;
  /** Stands for all the values, see {@linkcode Proof.holds}. */
  readonly model: unknown;
}

export interface ValueMaker {
  (parts: RecordParts): unknown;
}

/** Proves that values are of a type, once for all records of a plan. */
export interface Proof {
  /**
   * Looks at everything in a record that decides whether it is of the type. Records that agree in
   * the words that are read and in the members of the objects that are opened get the same plan.
   *
   * @param reader The reader that has read the record.
   */
  look(reader: JsonReader, record: JsonSlice): void;
  /**
   * Whether all values of a plan are of the type.
   *
   * @param model Stands for them: the parts in which they differ are {@linkcode Varying}.
   */
  holds(model: unknown): boolean;
}

/** For values that are not checked: it looks at nothing, so that plans cover more records. */
export const NO_PROOF: Proof = { look() {}, holds: () => false };

export class ValuePlan {
  readonly #code: string;
  #maker: ValueMaker | undefined;
  #records = 0;
  /** Whether all values of the plan are proven to be of the type. */
  readonly isProven: boolean;

  private constructor(code: string, isProven: boolean) {
    this.#code = code;
    this.isProven = isProven;
  }

  /**
   * Derives from one record how the values of all records of its plan are made.
   *
   * @param output The text of the record.
   * @param parts The copied parts in it, in order.
   * @param proof Decides `isProven`.
   * @returns Nothing if the records have to be parsed.
   */
  static of(
    output: Uint8Array,
    parts: readonly CopiedPart[],
    proof: Proof,
  ): ValuePlan | undefined {
    const tape = new JsonTape();
    // The scan needs a control character behind the value: the extra byte is 0.
    const bytes = new Uint8Array(output.length + 1);
    bytes.set(output);
    if (!tape.scan(bytes, 0, output.length, LEVELS)) return undefined;
    const making = makingOf(tape, bytes, 0, parts);
    return making && new ValuePlan(making.code, proof.holds(making.model));
  }

  /** Returns what makes the value of the next record; nothing if its text has to be parsed. */
  next(): ValueMaker | undefined {
    this.#records += 1;
    if (this.#records === TRIALS) this.#maker = makerOf(this.#code);
    return this.#maker;
  }
}

/**
 * Compiles the maker of a plan to JavaScript. Returns nothing where that is forbidden, for example
 * by the policy of a page.
 */
function makerOf(code: string): ValueMaker | undefined {
  try {
    // The boundary where code gets its type.
    return new Function("parts", `return ${code};`) as ValueMaker;
  } catch {
    return undefined;
  }
}

const METHODS = {
  string: "string",
  number: "number",
  boolean: "boolean",
  null: "json",
  array: "json",
  object: "json",
} as const;

/** Returns how the values of an entry are made; nothing if the records have to be parsed. */
function makingOf(
  tape: JsonTape,
  bytes: Uint8Array,
  entry: number,
  parts: readonly CopiedPart[],
): Making | undefined {
  const start = tape.start(entry);
  const end = tape.end(entry);
  const kind = tape.kind(entry);
  const part = parts.findIndex((each) =>
    each.start === start && each.end === end
  );
  if (part !== -1) {
    const code = `parts.${METHODS[kind]}(${2 * part})`;
    return { code, model: new Varying(kind) };
  }
  if (kind !== "object" && kind !== "array") {
    if (parts.some((each) => each.start >= start && each.end <= end)) {
      return undefined;
    }
    const code = decodeUtf8(bytes, start, end);
    return { code, model: JSON.parse(code) };
  }
  const codes: string[] = [];
  const models: [name: string, model: unknown][] = [];
  const behind = tape.next(entry);
  // Containers below the last level have no entries for their parts.
  if (behind === entry + 1 && end - start > 2) return undefined;
  for (let at = entry + 1; at < behind; at = tape.next(at)) {
    const making = makingOf(tape, bytes, at, parts);
    if (making === undefined) return undefined;
    const name = tape.name(at);
    const { code, model } = making;
    codes.push(kind === "array" ? code : `${JSON.stringify(name)}:${code}`);
    models.push([name, model]);
  }
  if (kind === "array") {
    return {
      code: `[${codes.join()}]`,
      model: models.map(([, model]) => model),
    };
  }
  const model = Object.fromEntries(models);
  // Of two members with one name the last one counts, and `__proto__` is a setter.
  const isPlain = Object.keys(model).length === models.length &&
    !Object.hasOwn(model, "__proto__");
  return isPlain ? { code: `{${codes.join()}}`, model } : undefined;
}

/**
 * A string below this fraction of a long record is copied, so that it does not keep the record
 * alive.
 */
const OWN_TEXT_SHARE = 1 / 2;
const LOWER_T = 0x74;
/** Masks out the marks that are added to an end. */
const PLACE_MASK = APART - 1;

/**
 * The parts of one record after the other, of one stream.
 *
 * The parts of a record are numbered; `pair` is twice the number, because the trace has a start and
 * an end for each part.
 */
export class RecordParts {
  readonly #places: Uint32Array;
  readonly #bytes: Uint8Array;
  #text = "";
  #from = 0;
  /** The length below which a string is copied. */
  #least = 0;
  #at = 0;

  /**
   * @param places The words of the trace.
   * @param bytes The kernel's memory.
   */
  constructor(places: Uint32Array, bytes: Uint8Array) {
    this.#places = places;
    this.#bytes = bytes;
  }

  /**
   * Moves to a record.
   *
   * @param text A text that contains the record.
   * @param from The index in the text where the record starts.
   * @param length The length of the record.
   * @param at The index among the words of the first pair of the record.
   */
  go(text: string, from: number, length: number, at: number): void {
    this.#text = text;
    this.#from = from;
    this.#least = length > MAX_KEPT_TEXT ? OWN_TEXT_SHARE * length : 0;
    this.#at = at;
  }

  string(pair: number): string {
    const place = this.#at + pair;
    const start = this.#places[place] ?? 0;
    const end = this.#places[place + 1] ?? 0;
    if (end >= APART) return this.#marked(start, end);
    const from = this.#from;
    const text = this.#text.slice(from + start + 1, from + end - 1);
    return end - start < this.#least ? ownText(text) : text;
  }

  /** Returns a string whose end is marked, see `ESCAPED` and `APART`. */
  #marked(start: number, mark: number): string {
    const end = mark & PLACE_MASK;
    if (mark < ESCAPED) return decodeUtf8(this.#bytes, start, end);
    const from = this.#from;
    return JSON.parse(this.#text.slice(from + start, from + end));
  }

  number(pair: number): number {
    const place = this.#at + pair;
    const start = this.#places[place] ?? 0;
    const end = this.#places[place + 1] ?? 0;
    if (end === DIGITS) return start;
    const from = this.#from;
    return Number(this.#text.slice(from + start, from + end));
  }

  boolean(pair: number): boolean {
    const start = this.#from + (this.#places[this.#at + pair] ?? 0);
    return this.#text.charCodeAt(start) === LOWER_T;
  }

  json(pair: number): unknown {
    const place = this.#at + pair;
    const start = this.#from + (this.#places[place] ?? 0);
    const end = this.#from + (this.#places[place + 1] ?? 0);
    return JSON.parse(this.#text.slice(start, end));
  }
}
