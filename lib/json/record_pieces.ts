/**
 * What the output of the rules consists of: values of the record, slots, and text.
 */

import type { WatchedRecord } from "./record_watch.ts";
import type { CopiedPart } from "./value_plan.ts";

/** A value of a record, and where in it. */
export interface Value {
  readonly start: number;
  readonly end: number;
  readonly kind: number;
}

/** Where something is. */
interface Place {
  readonly start: number;
  readonly end: number;
}

/** A piece of the output. */
export type Piece =
  | { readonly kind: "text"; readonly text: Uint8Array }
  | {
    readonly kind: "slot";
    readonly slot: number;
    readonly places: readonly Place[];
  }
  /** Values that follow one another in the record, and text of the record around them. */
  | {
    readonly kind: "part";
    readonly first: number;
    readonly last: number;
    readonly before: number;
    /** Where in the output of the record that was watched each of them is. */
    readonly places: readonly Place[];
  };

const NOTHING = new Uint8Array(0);

/** The pieces that an output consists of. */
export function piecesOf(
  { root, output, copies }: WatchedRecord,
  values: readonly Value[],
): readonly Piece[] | undefined {
  const pieces: Piece[] = [];
  /** Takes a value whose text in the output ends with that of the record before it. */
  const addValue = (index: number, value: Value, to: number): void => {
    const place = { start: to, end: to + value.end - value.start };
    const before = values[index - 1];
    const from = before?.end ?? root.start;
    const text = pieces.at(-1)?.kind === "text" ? pieces.at(-1) : undefined;
    const bytes = text?.kind === "text" ? text.text : NOTHING;
    const between = value.start - from;
    const isWhole = bytes.length >= between &&
      isSame(root.bytes, from, bytes, bytes.length - between, between);
    const earlier = pieces.at(text === undefined ? -1 : -2);
    if (
      isWhole && bytes.length === between && earlier?.kind === "part" &&
      earlier.last === index - 1
    ) {
      pieces.length -= text === undefined ? 1 : 2;
      const places = [...earlier.places, place];
      pieces.push({ ...earlier, last: index, places });
      return;
    }
    if (isWhole && text !== undefined) {
      pieces.pop();
      const rest = bytes.subarray(0, bytes.length - between);
      if (rest.length > 0) pieces.push({ kind: "text", text: rest });
    }
    pieces.push({
      kind: "part",
      first: index,
      last: index,
      before: isWhole ? between : 0,
      places: [place],
    });
  };
  const addText = (text: Uint8Array): void => {
    if (text.length === 0) return;
    const last = pieces.at(-1);
    if (last?.kind !== "text") pieces.push({ kind: "text", text });
    else {
      const joined = new Uint8Array(last.text.length + text.length);
      joined.set(last.text);
      joined.set(text, last.text.length);
      pieces[pieces.length - 1] = { kind: "text", text: joined };
    }
  };
  let at = 0;
  for (const { slot, start, end, to, length } of copies) {
    addText(output.subarray(at, to));
    at = to + length;
    if (slot !== -1) {
      const places = [{ start: to, end: to + length }];
      pieces.push({ kind: "slot", slot, places });
      continue;
    }
    let from = start;
    for (const [index, value] of values.entries()) {
      if (value.end <= start || value.start >= end) continue;
      // Half a value cannot be found again.
      if (value.start < start || value.end > end) return undefined;
      addText(root.bytes.subarray(from, value.start));
      addValue(index, value, to + value.start - start);
      from = value.end;
    }
    addText(root.bytes.subarray(from, end));
  }
  addText(output.subarray(at));
  return pieces;
}

function isSame(
  one: Uint8Array,
  from: number,
  other: Uint8Array,
  otherFrom: number,
  length: number,
): boolean {
  for (let i = 0; i < length; i++) {
    if (one[from + i] !== other[otherFrom + i]) return false;
  }
  return true;
}

/** One step of the kernel: a text, then a slot or a part of the record. */
export interface Step {
  readonly text: Uint8Array;
  readonly source: Exclude<Piece, { kind: "text" }> | undefined;
}

/** The steps that write the pieces. */
export function stepsOf(pieces: readonly Piece[]): readonly Step[] {
  const steps: Step[] = [];
  let text: Uint8Array | undefined;
  for (const piece of pieces) {
    if (piece.kind === "text") text = piece.text;
    else {
      steps.push({ text: text ?? NOTHING, source: piece });
      text = undefined;
    }
  }
  if (text !== undefined) steps.push({ text, source: undefined });
  return steps;
}

/** How often the value is in the output that is there most often. */
export function mostCopies(pieces: readonly Piece[]): number {
  const counts = new Map<number, number>();
  for (const piece of pieces) {
    if (piece.kind !== "part") continue;
    for (let value = piece.first; value <= piece.last; value++) {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  return Math.max(0, ...counts.values());
}

/** The parts of an output that were copied, in order. */
export function partsOf(pieces: readonly Piece[]): CopiedPart[] {
  return pieces.flatMap((piece) => {
    if (piece.kind === "text") return [];
    const slot = piece.kind === "slot" ? piece.slot : undefined;
    return piece.places.map((place) => ({ ...place, slot }));
  });
}
