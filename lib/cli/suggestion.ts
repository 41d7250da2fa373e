/** Guesses at what was meant. */

/** Longer words than this are not compared: no command or flag is as long. */
const MAX_LENGTH = 40;

/**
 * Asks for the known word that is close to a given one.
 *
 * @param shared What all begin with; it tells nothing of what was meant.
 * @returns `; did you mean "…"?`, or nothing if no word is close.
 */
export function suggestion(
  given: string,
  known: readonly string[],
  shared: string = "",
): string {
  if (given.length > MAX_LENGTH) return "";
  let best: string | undefined;
  // A third of the letters may be wrong, and one of a short word.
  const letters = given.slice(shared.length).replaceAll("-", "").length;
  let limit = Math.max(1, Math.floor(letters / 3));
  for (const word of known) {
    const distance = editDistance(given, word);
    if (distance <= limit) {
      best = word;
      limit = distance - 1;
    }
  }
  return best === undefined ? "" : `; did you mean "${best}"?`;
}

/**
 * How many letters must be added, left out, changed or swapped with the next one to make
 * one word of another.
 */
function editDistance(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = one[i - 1] === other[j - 2] &&
        one[i - 2] === other[j - 1];
      next.push(Math.min(
        at(row, j) + 1,
        at(next, j - 1) + 1,
        at(row, j - 1) + (isSame ? 0 : 1),
        isSwapped ? at(before, j - 2) + 1 : Infinity,
      ));
    }
    before = row;
    row = next;
  }
  return at(row, other.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
