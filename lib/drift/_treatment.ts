/**
 * Finds out how codexpipe treats a part of a record, by running the rules and types themselves.
 *
 * The record is normalized twice, the second time with that part changed. The place where the two
 * outputs differ is where the part went; whether a type names that place decides whether the part
 * is understood. No list of understood fields has to be kept up to date.
 */

import { THREAD_EVENT } from "../dialects/exec/events.ts";
import { Normalizer } from "../dialects/normalizer.ts";
import { isRolloutLine } from "../dialects/rollout/decoder.ts";
import { ROLLOUT_LINE } from "../dialects/rollout/lines.ts";
import { fieldsOf } from "../json/fields.ts";
import { DEEPEST_LEVEL } from "../json/tape.ts";
import { isNamedPlace, memberOf } from "../shapes/look.ts";
import type { AnyShape } from "../shapes/shapes.ts";
import type { DriftDialect, DriftTreatment } from "./drift_finding.ts";

/** Beyond the deepest part that is found, and the members that rules put around it. */
const MAX_LEVELS = 2 * DEEPEST_LEVEL;

type Place = readonly (string | number)[];

/** The part to find in a record. */
export interface Part {
  /** The names on its path; `[]` is any element, `*` any member. */
  readonly steps: readonly string[];
  readonly type: string;
  /** The word to find; absent if any value of the type counts. */
  readonly word: string | undefined;
}

export function treatmentOf(
  text: string,
  dialect: DriftDialect,
  part: Part | undefined,
): DriftTreatment {
  const output = normalized(text, dialect);
  if (output === undefined) return "refused";
  if (part === undefined) {
    return isKnownKind(output, dialect) ? "understood" : "kept";
  }
  const input: unknown = JSON.parse(text);
  const place = placeOf(input, part);
  if (place === undefined) return "kept";
  const other = normalized(JSON.stringify(changed(input, place)), dialect);
  const target = other === undefined ? undefined : difference(output, other);
  if (target === undefined) return "kept";
  const word = part.word === undefined ? undefined : valueAt(output, target);
  const isNamed = isNamedPlace(shapeOf(dialect), output, target, word);
  return isNamed ? "understood" : "kept";
}

function isKnownKind(output: unknown, dialect: DriftDialect): boolean {
  const places = dialect === "rollout"
    ? [
      ["type"],
      ["payload", "type"],
      ["payload", "item", "type"],
      ["payload", "msg", "type"],
    ]
    : [["type"], ["item_type"]];
  return places.every((place) => {
    const word = valueAt(output, place);
    return typeof word !== "string" ||
      isNamedPlace(shapeOf(dialect), output, place, word);
  });
}

function shapeOf(dialect: DriftDialect): AnyShape {
  return dialect === "rollout" ? ROLLOUT_LINE : THREAD_EVENT;
}

/** Normalizes a single record; returns nothing if that fails. */
function normalized(text: string, dialect: DriftDialect): unknown {
  const normalizer = new Normalizer({
    from: dialect,
    // Earlier lines of the stream would have set these ids.
    initialThreadId: "thread",
    initialTurnId: "turn",
  });
  let output: unknown;
  normalizer.feed(
    { ok: true, line: 1, offset: 0, value: text },
    (outcome) => {
      if (outcome.ok) output = JSON.parse(outcome.value);
    },
  );
  const isRefused = dialect === "rollout" && !isRolloutLine(output);
  return isRefused ? undefined : output;
}

function placeOf(value: unknown, part: Part, depth = 0): Place | undefined {
  const step = part.steps[depth];
  if (step === undefined) return isPart(value, part) ? [] : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  const keys = Array.isArray(value)
    ? step === "[]" ? value.keys() : []
    : step === "*"
    ? Object.keys(value)
    : [step];
  for (const key of keys) {
    const found = memberOf(value, key);
    if (found === undefined) continue;
    const place = placeOf(found, part, depth + 1);
    if (place !== undefined) return [key, ...place];
  }
  return undefined;
}

function isPart(value: unknown, { type, word }: Part): boolean {
  if (word !== undefined && word !== "*") return value === word;
  if (value === null) return type === "null";
  if (Array.isArray(value)) return type === "array";
  const found: string = typeof value;
  return found === (type === "integer" ? "number" : type);
}

/** Returns a copy with another value at a place; null is removed there. */
function changed(value: unknown, [key, ...rest]: Place): unknown {
  if (key === undefined) return value === null ? undefined : otherThan(value);
  const copy = Array.isArray(value) ? [...value] : { ...fieldsOf(value) };
  Reflect.set(copy, key, changed(memberOf(value, key), rest));
  return copy;
}

function otherThan(value: unknown): unknown {
  switch (typeof value) {
    case "string":
      return `${value}\u2060other`;
    case "number":
      return value === 7 ? 8 : 7;
    case "boolean":
      return !value;
    default:
      return Array.isArray(value)
        ? [...value, "other"]
        : Object.assign({}, value, { other: "other" });
  }
}

/**
 * Finds the first place where two values differ; a member that only one of them has differs.
 *
 * @param levels How deep it looks: a hostile line may nest deeper than the stack.
 */
function difference(
  one: unknown,
  other: unknown,
  levels = MAX_LEVELS,
): Place | undefined {
  if (Object.is(one, other) || levels === 0) return undefined;
  const isOpen = typeof one === "object" && one !== null &&
    typeof other === "object" && other !== null;
  if (!isOpen) return [];
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  for (const key of keys) {
    const inOne = memberOf(one, key);
    const inOther = memberOf(other, key);
    // `otherThan` adds a member to an object to mark it: the difference is the object itself.
    if (inOne === undefined && inOther === "other") return [];
    const inner = difference(inOne, inOther, levels - 1);
    if (inner !== undefined) {
      return [Array.isArray(one) ? Number(key) : key, ...inner];
    }
  }
  return undefined;
}

function valueAt(value: unknown, place: Place): unknown {
  return place.reduce(memberOf, value);
}
