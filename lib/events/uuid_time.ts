/**
 * The time that an id was made at.
 */

const UUID_V7_REGEXP =
  /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/**
 * Reads the time out of a UUID of version 7 (RFC 9562), which is what Codex makes of threads
 * since 0.42 and of turns since they have ids.
 *
 * @param id The id.
 * @returns Milliseconds since 1970, or `undefined` if the id does not tell.
 */
export function timeInUuid(id: string | null): number | undefined {
  if (id === null) return undefined;
  const [, high, low] = UUID_V7_REGEXP.exec(id) ?? [];
  if (high === undefined || low === undefined) return undefined;
  return parseInt(high + low, 16);
}
