/**
 * Guesses at what was meant.
 */

/** `; did you mean "…"?` for the known word that is close to a given one, or nothing. */
export function suggestion(
  given: string,
  known: readonly string[],
  none: string,
): string {
  const limit = Math.max(1, Math.floor(given.replaceAll("-", "").length / 3));
  let best: string | undefined;
  let least = limit + 1;
  for (const word of known) {
    const distance = editDistance(given, word);
    if (distance < least) {
      best = word;
      least = distance;
    }
  }
  return best === undefined ? none : `; did you mean "${best}"?`;
}

/** How many letters must be added, left out or changed to make one word of another. */
function editDistance(one: string, other: string): number {
  // Long arguments are no misspelled words.
  if (Math.abs(one.length - other.length) > 8) return Infinity;
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const change = one[i - 1] === other[j - 1] ? 0 : 1;
      next.push(Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + change,
      ));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
