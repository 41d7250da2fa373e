/** Unique beginnings of session ids. */

/** The shortest beginning of an id that is shown. */
const MIN_LENGTH = 8;

/**
 * Returns by id the shortest beginning that no other id has: at least 8 characters. Those of UUIDs
 * end in no dash, as all have their dashes in the same places. Empty ids are skipped.
 */
export function shortIds(ids: Iterable<string>): Map<string, string> {
  const sorted = [...new Set(ids)].filter((id) => id !== "").sort();
  return new Map(sorted.map((id, i) => {
    const same = Math.max(
      commonLength(id, sorted[i - 1] ?? ""),
      commonLength(id, sorted[i + 1] ?? ""),
    );
    return [id, id.slice(0, Math.max(MIN_LENGTH, same + 1))];
  }));
}

/** Returns the shortest unique beginnings of the ids of some sessions among all files. */
export function shortIdsOf(
  sessions: readonly { readonly head: { readonly id: string } }[],
  files: readonly { readonly id: string }[],
): Map<string, string> {
  const ids = sessions.map(({ head }) => head.id);
  const short = shortIds([...ids, ...files.map(({ id }) => id)]);
  return new Map(ids.map((id) => [id, short.get(id) ?? id]));
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
