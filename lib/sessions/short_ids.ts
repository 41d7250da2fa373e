/** Unique beginnings of session ids. */

/** The shortest beginning of an id that is shown. */
const MIN_LENGTH = 8;

/**
 * Returns the shortest beginning of each id that no other id has: at least 8 characters, and not
 * ending in a dash.
 *
 * @param ids The ids of all sessions; empty ones are skipped.
 * @returns The beginnings, by id.
 *
 * @example Two ids of the same minute
 * ```ts
 * import { shortIds } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const ids = [
 *   "01a1f99d-5874-7011-9c38-b543d19d65ba",
 *   "01a1f99d-59ba-74e2-9e5b-cff8d18bab72",
 *   "ad79bfaa-60af-4fa9-81ca-427559113a4c",
 * ];
 *
 * assertEquals([...shortIds(ids).values()], ["01a1f99d-58", "01a1f99d-59", "ad79bfaa"]);
 * ```
 */
export function shortIds(ids: Iterable<string>): Map<string, string> {
  const sorted = [...new Set(ids)].filter((id) => id !== "").sort();
  return new Map(sorted.map((id, i) => {
    const same = Math.max(
      commonLength(id, sorted[i - 1] ?? ""),
      commonLength(id, sorted[i + 1] ?? ""),
    );
    let length = Math.max(MIN_LENGTH, same + 1);
    if (id.charAt(length - 1) === "-") length += 1;
    return [id, id.slice(0, length)];
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
