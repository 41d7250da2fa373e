/** Asks for many things, a few at a time. */

/**
 * Makes something of each item, and never of more than `count` at once.
 *
 * @returns What was made, in the order of the items.
 */
export async function mapAtOnce<T, R>(
  items: readonly T[],
  count: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  // Shared by all who work: each takes the next one.
  const rest = items.entries();
  const workers = Array.from(
    { length: Math.min(count, items.length) },
    async () => {
      for (const [at, item] of rest) results[at] = await work(item);
    },
  );
  await Promise.all(workers);
  return results;
}
