/** Joins each pair of neighbours, which halves the length of a list: coarser, but complete. */
export function joinedByTwo<T>(
  list: readonly T[],
  join: (a: T, b: T) => T,
): T[] {
  const pairs: T[] = [];
  for (let i = 0; i < list.length; i += 2) {
    const [a, b] = list.slice(i, i + 2);
    if (a === undefined) break;
    pairs.push(b === undefined ? a : join(a, b));
  }
  return pairs;
}
