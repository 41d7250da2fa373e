/** Maps items asynchronously, a few at a time. */

/** Maps each item with `work`, of which at most `count` calls run at once; keeps the order. */
export async function mapAtOnce<T, R>(
  items: readonly T[],
  count: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  // Shared by all workers: each takes the next item.
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
