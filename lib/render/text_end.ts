/**
 * What texts end with.
 *
 * A regular expression for it looks at each run of these letters once for every letter of it:
 * a text of 300,000 line ends and another letter took minutes.
 */

/** Cuts the letters off that a text ends with, as far as they are among some. */
export function withoutEnd(text: string, letters: string): string {
  let end = text.length;
  while (end > 0 && letters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
