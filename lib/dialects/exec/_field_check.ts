/**
 * Checks normalized records by the field tables.
 *
 * The schemas are made of the same tables and say the same (tests/dialects/exec/schema_test.ts holds
 * the two against each other), at four times the cost of a check
 * (tests/bench/schema_checks.ts) and that of loading a schema library. So records are
 * checked here.
 */

import type { Issue } from "../../errors.ts";
import { quote } from "../../json/problems.ts";
import { KIND_WORDS } from "../../json/value.ts";
import type { PayloadFields } from "./_record_writer.ts";
import {
  CHANGE_FIELDS,
  ERROR_FIELDS,
  EVENT_FIELDS,
  EVENTS,
  type EventType,
  EXPECTED,
  type Field,
  type FieldKind,
  ITEM_TYPE_ALIASES,
  PAYLOADS,
  TODO_FIELDS,
} from "./fields.ts";

/** The members of an object; it may have any prototype, or none. */
interface Members {
  readonly [name: string]: unknown;
}

/** Takes what is wrong; without it, a check ends at the first fault. */
type Faults = Issue[] | undefined;

/** How an event is checked. */
interface EventCheck {
  readonly type: EventType;
  readonly fields: readonly Field[];
  /** The fields of its payload by item type, if it is about an item. */
  readonly payloads: ReadonlyMap<string, PayloadFields> | undefined;
}

const CONTENTS = new Map<string, PayloadFields>();
const DELTAS = new Map<string, PayloadFields>();
for (const [itemType, { content, delta, oneOf }] of PAYLOADS) {
  CONTENTS.set(itemType, { fields: content, oneOf });
  DELTAS.set(itemType, { fields: delta });
}

const CHECKS = new Map<string, EventCheck>();
for (const type of new Set(EVENTS.values())) {
  const fields: readonly Field[] = EVENT_FIELDS[type];
  const payload = fields.find(({ kind }) => kind === "payload");
  const payloads = payload && (payload.name === "delta" ? DELTAS : CONTENTS);
  CHECKS.set(type, { type, fields, payloads });
}

/** What a record has as its type, whatever it is. */
export function typeOf(record: unknown): unknown {
  return isObject(record) ? record.type : undefined;
}

/** Says whether a type is that of an event. */
export function isEventType(type: unknown): type is EventType {
  return typeof type === "string" && CHECKS.has(type);
}

/**
 * Says whether a value is a normalized event.
 *
 * @param faults Takes all that is wrong with it, in the order of the tables.
 */
export function isEvent(record: unknown, faults?: Issue[]): boolean {
  if (!isObject(record)) {
    return fault(faults, "", stateOf(record, EXPECTED.payload));
  }
  const { type } = record;
  if (typeof type !== "string") {
    return fault(faults, "type", fieldState(record, "type", EXPECTED.string));
  }
  const check = CHECKS.get(type);
  if (check === undefined) {
    return fault(faults, "type", wordState(type, EVENT_TYPE_WORDS));
  }
  const { fields, payloads } = check;
  const itemType = record.item_type;
  if (payloads === undefined || typeof itemType !== "string") {
    return hasFields(record, fields, undefined, faults, "");
  }
  const canonical = ITEM_TYPE_ALIASES.get(itemType);
  if (canonical !== undefined) {
    return fault(faults, "item_type", wordState(itemType, quote(canonical)));
  }
  return hasFields(record, fields, payloads.get(itemType), faults, "");
}

function hasFields(
  object: Members,
  fields: readonly Field[],
  payload: PayloadFields | undefined,
  faults: Faults,
  path: string,
): boolean {
  let isGood = true;
  for (const field of fields) {
    if (hasField(object, field, payload, faults, path)) continue;
    if (faults === undefined) return false;
    isGood = false;
  }
  return isGood;
}

function hasField(
  object: Members,
  field: Field,
  payload: PayloadFields | undefined,
  faults: Faults,
  path: string,
): boolean {
  const { name, kind } = field;
  const value = object[name];
  switch (kind) {
    case "string":
    case "command":
      if (typeof value === "string") return true;
      break;
    case "boolean":
      if (typeof value === "boolean") return true;
      break;
    case "whole":
      if (isNumber(value) && isWhole(value)) return true;
      break;
    case "code":
      if (typeof value === "string" || isNumber(value)) return true;
      break;
    case "any":
      if (isSomeJson(value)) return true;
      break;
    case "changes":
    case "todos":
      if (Array.isArray(value)) {
        const fields = kind === "todos" ? TODO_FIELDS : CHANGE_FIELDS;
        return isListOf(value, fields, faults, path + name);
      }
      break;
    case "error":
      if (isObject(value)) {
        return hasFields(value, ERROR_FIELDS, undefined, faults, `${name}.`);
      }
      break;
    case "payload":
      if (payload === undefined) {
        if (isSomeJson(value)) return true;
      } else if (isObject(value)) {
        return isPayload(value, payload, faults, `${name}.`);
      }
  }
  if (value === undefined && !isNeeded(field, payload) && !(name in object)) {
    return true;
  }
  const expected = payload === undefined && kind === "payload"
    ? EXPECTED.any
    : expectedOf(kind);
  return fault(faults, path + name, fieldState(object, name, expected));
}

function isNeeded(
  { kind, required, default: text }: Field,
  payload: PayloadFields | undefined,
): boolean {
  return required === true || text !== undefined ||
    (kind === "payload" && payload !== undefined);
}

function isPayload(
  object: Members,
  { fields, oneOf = [] }: PayloadFields,
  faults: Faults,
  path: string,
): boolean {
  let isGood = true;
  if (oneOf.length > 0 && !hasOneOf(object, oneOf)) {
    isGood = fault(faults, path + (oneOf[0] ?? ""), absentWith(oneOf));
    if (faults === undefined) return false;
  }
  return hasFields(object, fields, undefined, faults, path) && isGood;
}

function isListOf(
  list: readonly unknown[],
  fields: readonly Field[],
  faults: Faults,
  path: string,
): boolean {
  let isGood = true;
  for (let place = 0; place < list.length; place++) {
    const entry = list[place];
    const where = `${path}[${place}]`;
    const isEntry = isObject(entry)
      ? hasFields(entry, fields, undefined, faults, `${where}.`)
      : fault(faults, where, stateOf(entry, EXPECTED.payload));
    if (isEntry) continue;
    if (faults === undefined) return false;
    isGood = false;
  }
  return isGood;
}

function fault(faults: Faults, path: string, message: string): false {
  faults?.push({ path, message });
  return false;
}

function fieldState(object: Members, name: string, expected: string): string {
  return name in object ? stateOf(object[name], expected) : absent(expected);
}

/** Says whether an object has one of some fields. */
export function hasOneOf(object: object, names: readonly string[]): boolean {
  return names.some((name) => name in object);
}

/** Says whether a number is whole; one beyond a double, such as `1e400`, is. */
export function isWhole(value: number): boolean {
  return Number.isInteger(value) || Math.abs(value) === Infinity;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && !Number.isNaN(value);
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Any JSON but null. */
function isSomeJson(value: unknown): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "object":
      return value !== null;
    default:
      return isNumber(value);
  }
}

/** What a type must be, as messages say it. */
export const EVENT_TYPE_WORDS = "the type of an event";

/** What a field must be once it has been normalized, as messages say it. */
export function expectedOf(kind: FieldKind): string {
  return EXPECTED[kind === "command" ? "string" : kind];
}

/** Says what a value is, and what was expected. */
export function stateOf(value: unknown, expected: string): string {
  return `${kindWordsOf(value)}, expected ${expected}`;
}

/** Says what a word is, and what was expected. */
export function wordState(word: string, expected: string): string {
  return `${quote(word)}, expected ${expected}`;
}

/** Says of an absent field what was expected. */
export function absent(expected: string): string {
  return `absent, expected ${expected}`;
}

/** Says of the first of some fields that none of them is there. */
export function absentWith([, ...others]: readonly string[]): string {
  return `absent, and so is ${others.join(", ")}, expected ${EXPECTED.string}`;
}

function kindWordsOf(value: unknown): string {
  if (value === null) return KIND_WORDS.null;
  if (Array.isArray(value)) return KIND_WORDS.array;
  const kind = typeof value;
  switch (kind) {
    case "string":
    case "boolean":
    case "object":
      return KIND_WORDS[kind];
    default:
      return isNumber(value) ? KIND_WORDS.number : "no JSON value";
  }
}
