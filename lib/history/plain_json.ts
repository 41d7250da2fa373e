/** Plain JSON values: deep copies, members of any name, and values that are tagged by a name. */

import { isObject, snakeCase } from "../json/fields.ts";

/** Sets a member of an object, also one named `__proto__`, which an assignment would not set. */
export function setOwn(target: object, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(target, name, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
    // The boundary: an object under construction takes members of any name.
  } else (target as { [name: string]: unknown })[name] = value;
}

/**
 * Copies a JSON value deeply.
 *
 * It does not recurse, so that tool arguments of any depth cannot overflow the stack.
 */
export function deepCopy<T>(value: T): T {
  const box = { copy: value };
  const copies: object[] = [box];
  for (let copy = copies.pop(); copy !== undefined; copy = copies.pop()) {
    // Its members are still the originals.
    for (const [name, member] of Object.entries(copy)) {
      if (typeof member !== "object" || member === null) continue;
      const inner = Array.isArray(member) ? [...member] : { ...member };
      setOwn(copy, name, inner);
      copies.push(inner);
    }
  }
  return box.copy;
}

/** Compares two JSON values; the order of members counts. */
export function sameJson(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** Returns the name and the value of the member of an object with exactly one. */
export function onlyMember(value: unknown): [string, unknown] | undefined {
  if (!isObject(value)) return undefined;
  const [member, ...others] = Object.entries(value);
  return others.length === 0 ? member : undefined;
}

/** Rewrites `{"Read": {"cmd": …}}` to `{"type": "read", "cmd": …}`. */
export function tagInside(value: unknown): unknown {
  const [name, fields] = onlyMember(value) ?? [];
  if (name === undefined || !isObject(fields)) return value;
  return { type: snakeCase(name), ...fields };
}
