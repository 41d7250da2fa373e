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
