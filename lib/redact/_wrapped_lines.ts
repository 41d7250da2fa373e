/**
 * Secrets in lines that a terminal or a program broke because they were too long.
 */

import { isBroken, NARROWEST, spansOf } from "./pieces.ts";
import { type Mask, PLACEHOLDER_REGEXP } from "./_placeholder.ts";

/** A word of a language, which may begin the next line. */
const PLAIN_REGEXP = /^(?:[A-Z]?[a-z]*|[A-Z]*)[.-]?$/;
/** The beginning of a setting, which has a line of its own. */
const SETTING_REGEXP = /^(?:[A-Z][A-Z_]*|[a-z][a-z_.-]*)\d*[=:]/;

/** Lines, the last of which is the only one that may be shorter than the first. */
interface Paragraph {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/**
 * Masks the secrets in a text that go on over the end of a line.
 *
 * A line is taken for broken where it is at least as long as the next one, and a word that is
 * none of a language goes on there.
 *
 * @param text The text.
 * @param look Gives a text without its secrets.
 * @param mask Gives what stands in place of a secret, and counts it.
 * @returns The text without those secrets; others are left.
 */
export function maskWrapped(
  text: string,
  look: (text: string) => string,
  mask: Mask,
): string {
  let masked = "";
  let from = 0;
  for (const { starts, ends } of paragraphsOf(text)) {
    const joined = starts.map((start, i) => text.slice(start, ends[i])).join(
      "",
    );
    const looked = look(joined);
    if (looked === joined) continue;
    const first = starts[0] ?? 0;
    const width = (ends[0] ?? 0) - first;
    /** Where a place of the joined text is in the text. */
    const placeOf = (at: number, isEnd: boolean): number => {
      const line = Math.floor((isEnd ? at - 1 : at) / width);
      return (starts[line] ?? 0) + at - line * width;
    };
    for (const span of spansOf(joined, looked)) {
      let end = span.end;
      let last = Math.floor((end - 1) / width);
      const rest = joined.slice(last * width, end);
      if (SETTING_REGEXP.test(joined.slice(last * width))) continue;
      if (PLAIN_REGEXP.test(rest) && !isRest(joined, last * width, end, look)) {
        end = last * width;
        last -= 1;
      }
      if (Math.floor(span.start / width) >= last) continue;
      masked += text.slice(from, placeOf(span.start, false)) +
        looked.slice(span.maskedStart, span.maskedEnd).replaceAll(
          PLACEHOLDER_REGEXP,
          (found) => mask(found.slice(found.indexOf(":") + 1, -1)),
        );
      from = placeOf(end, true);
    }
  }
  return from === 0 ? text : masked + text.slice(from);
}

/** Whether a word that is all of a line is the rest of what is no secret without it. */
function isRest(
  joined: string,
  start: number,
  end: number,
  look: (text: string) => string,
): boolean {
  const before = joined.slice(0, start);
  return end === joined.length && look(before) === before;
}

/** Finds the lines that may have been one. */
function* paragraphsOf(text: string): Generator<Paragraph> {
  let start = 0;
  let starts: number[] = [];
  let ends: number[] = [];
  for (
    let newline = text.indexOf("\n");
    newline !== -1;
    newline = text.indexOf("\n", newline + 1)
  ) {
    const end = text.charAt(newline - 1) === "\r" ? newline - 1 : newline;
    const length = end - start;
    if (length >= NARROWEST && goesOn(text, end, newline + 1, length)) {
      if (starts.length > 0 && length !== (ends[0] ?? 0) - (starts[0] ?? 0)) {
        yield { starts: [...starts, start], ends: [...ends, end] };
        starts = [];
        ends = [];
      }
      starts.push(start);
      ends.push(end);
    } else if (starts.length > 0) {
      yield { starts: [...starts, start], ends: [...ends, end] };
      starts = [];
      ends = [];
    }
    start = newline + 1;
  }
  if (starts.length > 0) {
    yield { starts: [...starts, start], ends: [...ends, text.length] };
  }
}

/** Whether a line that ends at an index goes on at another one, in a line that is no longer. */
function goesOn(
  text: string,
  end: number,
  next: number,
  length: number,
): boolean {
  const nextEnd = text.indexOf("\n", next);
  const nextLength = (nextEnd === -1 ? text.length : nextEnd) - next;
  return nextLength <= length + 1 &&
    isBroken(
      text.slice(end - NARROWEST, end),
      text.slice(next, next + NARROWEST),
    );
}
