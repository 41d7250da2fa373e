/** Groups, joins and adds items. */

/** Groups items by a key, in order: `Map.groupBy`, which Node 20 lacks. */
export function groupsBy<T, K>(
  items: Iterable<T>,
  keyOf: (item: T) => K,
): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** Joins each pair of neighbours, which halves the length of a list: coarser, but complete. */
export function joinedByTwo<T>(
  list: readonly T[],
  join: (a: T, b: T) => T,
): T[] {
  return list.flatMap((a, i) => {
    const b = list[i + 1];
    if (i % 2 === 1) return [];
    return [b === undefined ? a : join(a, b)];
  });
}

/** Adds two counts, either of which may be unknown. */
export function sum(a: number | null, b: number | null): number | null {
  return a === null ? b : a + (b ?? 0);
}
