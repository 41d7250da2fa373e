/**
 * Plain JSON values: copies that share nothing, and members of any name.
 *
 * @module
 */

/** Sets a member of an object. `__proto__` is a name like any other. */
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

/** Makes an object of names and values. */
export function toObject<T>(
  members: Iterable<readonly [string, T]>,
): { [name: string]: T } {
  const object: { [name: string]: T } = {};
  for (const [name, value] of members) setOwn(object, name, value);
  return object;
}

/**
 * Copies a JSON value with all that is in it.
 *
 * It does not recurse: arguments of tools may be nested as deep as they like.
 */
export function deepCopy<T>(value: T): T {
  const box: { copy?: unknown } = {};
  const work: { from: unknown; into: object; name: string }[] = [
    { from: value, into: box, name: "copy" },
  ];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const { from, into, name } = next;
    if (typeof from !== "object" || from === null) {
      setOwn(into, name, from);
      continue;
    }
    const copy: object = Array.isArray(from) ? new Array(from.length) : {};
    setOwn(into, name, copy);
    const members = Object.entries(from);
    for (const [key, member] of members) {
      if (typeof member !== "object" || member === null) {
        setOwn(copy, key, member);
      } else {
        // Holds the place, or the members would stand in another order.
        setOwn(copy, key, null);
        work.push({ from: member, into: copy, name: key });
      }
    }
  }
  // The one boundary: what was copied member by member has the type that it had.
  return box.copy as T;
}

/** Tells whether two JSON values are the same, member by member and in the same order. */
export function sameJson(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
