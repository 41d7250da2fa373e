/** Regular expressions that match in linear time. */

import { ASCII, type CharacterSet, characterSet } from "./_runs.ts";
import { isInPair } from "./pieces.ts";

/** The maximum number of steps of a pattern, with its repetitions written out. */
const MAX_STEPS = 1000;
/** The number of times that each character may be read, on average, in matches that fail. */
const MAX_READS = 8;

/** A step of a pattern: consuming a character, a choice, a jump, an assertion, or the end. */
type Step =
  | { readonly type: "take"; readonly set: CharacterTest }
  | { type: "split"; first: number; second: number }
  | { type: "jump"; to: number }
  | { readonly type: "place"; readonly at: string }
  | { readonly type: "match" };

class CharacterTest {
  readonly #regexp: RegExp;
  readonly #ascii: CharacterSet;

  constructor(source: string) {
    this.#regexp = new RegExp(`^(?:${source})$`, "u");
    this.#ascii = characterSet(this.#regexp);
  }

  has(code: number): boolean {
    return code < ASCII
      ? this.#ascii[code] === 1
      : this.#regexp.test(String.fromCodePoint(code));
  }
}

/** A compiled part of a pattern, which appends its steps to a list. */
type Part = (steps: Step[]) => void;

/**
 * A regular expression that finds its matches in time linear in the length of the text, for every
 * pattern and text.
 *
 * The syntax and the matches are those of JavaScript with the flag `u`. Back references, look
 * ahead and look behind are refused, as they would need more time; so are changes of flags within
 * the pattern, and repetitions of more than a thousand steps. If too much of a text is read again
 * for matches that fail, the rest of the text counts as one match.
 *
 * @example A pattern that would hang
 * ```ts
 * import { LinearPattern } from "@codexpipe/codexpipe/redact";
 * import { assertEquals } from "@std/assert";
 *
 * const pattern = new LinearPattern("(x+x+)+y");
 *
 * assertEquals([...pattern.matchesIn("x".repeat(50))], []);
 * assertEquals([...pattern.matchesIn("a xxxy b")], [[2, 6]]);
 * ```
 */
export class LinearPattern {
  /** The text of the pattern. */
  readonly source: string;
  readonly #steps: readonly Step[];
  /** The characters that a match may begin with; the last element is for all but ASCII. */
  readonly #firsts: CharacterSet;
  readonly #ways: readonly [Ways, Ways];
  /** A stack of steps to be added, reused by each call. */
  readonly #open: Uint32Array;

  /**
   * Constructs a new instance.
   *
   * @param source The text of the regular expression.
   * @throws {SyntaxError} If it is not valid, or cannot be matched in linear time; the message
   *   names the unsupported part.
   */
  constructor(source: string) {
    new RegExp(source, "u");
    this.source = source;
    this.#steps = new Compiler(source).steps();
    const { length } = this.#steps;
    this.#ways = [new Ways(length), new Ways(length)];
    this.#open = new Uint32Array(2 * length + 2);
    this.#firsts = firstsOf(this.#steps);
  }

  /**
   * Finds the matches in a text, from left to right, without empty ones.
   *
   * @param text The text.
   * @returns The start and end index of each match.
   */
  *matchesIn(text: string): Generator<[start: number, end: number]> {
    let budget = MAX_READS * (text.length + 64);
    for (let from = 0; from < text.length;) {
      const { match, read } = this.#next(text, from);
      if (match === undefined) return;
      budget -= read;
      if (budget < 0) {
        yield [match[0], text.length];
        return;
      }
      const [start, end] = match;
      if (end > start) yield match;
      from = end > start ? end : isInPair(text, end + 1) ? end + 2 : end + 1;
    }
  }

  /**
   * Finds the next match by following all ways through the pattern at once, character by
   * character, in the order in which a backtracking engine would try them.
   */
  #next(
    text: string,
    from: number,
  ): { match: [number, number] | undefined; read: number } {
    const steps = this.#steps;
    let match: [number, number] | undefined;
    let [ways, nextWays] = this.#ways;
    ways.clear();
    nextWays.clear();
    let at = from;
    for (;;) {
      if (ways.count === 0 && match === undefined) {
        // Skips characters that no match begins with.
        while (
          at < text.length &&
          this.#firsts[Math.min(text.charCodeAt(at), ASCII)] === 0
        ) at += 1;
      }
      if (match === undefined) this.#add(ways, 0, at, text, at);
      if (ways.count === 0 && match !== undefined) break;
      const code = text.codePointAt(at) ?? -1;
      const next = at + (code > 0xffff ? 2 : 1);
      for (let i = 0; i < ways.count; i++) {
        const number = ways.steps[i] ?? 0;
        const start = ways.starts[i] ?? 0;
        const step = steps[number];
        if (step?.type === "match") {
          match = [start, at];
          break;
        }
        if (step?.type === "take" && step.set.has(code)) {
          this.#add(nextWays, number + 1, start, text, next);
        }
      }
      if (code === -1) break;
      [ways, nextWays] = [nextWays, ways];
      nextWays.clear();
      at = next;
    }
    return { match, read: at - from };
  }

  /** Adds a way at a step, or all ways that the step branches into. */
  #add(
    ways: Ways,
    first: number,
    start: number,
    text: string,
    at: number,
  ): void {
    const open = this.#open;
    let count = 0;
    open[count++] = first;
    while (count > 0) {
      const number = open[--count] ?? 0;
      if (!ways.isNew(number)) continue;
      const step = this.#steps[number];
      if (step === undefined) continue;
      if (step.type === "jump") open[count++] = step.to;
      else if (step.type === "split") {
        open[count++] = step.second;
        open[count++] = step.first;
      } else if (step.type === "place") {
        if (isAt(step.at, text, at)) open[count++] = number + 1;
      } else ways.add(number, start);
    }
  }
}

/** Finds the characters that a match may begin with: all of them, if a match may be empty. */
function firstsOf(steps: readonly Step[]): CharacterSet {
  const firsts = new Uint8Array(ASCII + 1);
  const open = [0];
  const seen = new Set<number>();
  for (let number = open.pop(); number !== undefined; number = open.pop()) {
    if (seen.has(number)) continue;
    seen.add(number);
    const step = steps[number];
    if (step?.type === "jump") open.push(step.to);
    else if (step?.type === "split") open.push(step.first, step.second);
    else if (step?.type === "place") open.push(number + 1);
    else if (step?.type === "match") firsts.fill(1);
    else if (step !== undefined) {
      for (let code = 0; code < ASCII; code++) {
        if (step.set.has(code)) firsts[code] = 1;
      }
      firsts[ASCII] = 1;
    }
  }
  return firsts;
}

/** The ways through a pattern that are followed at once, in order of priority. */
class Ways {
  readonly steps: Uint32Array;
  readonly starts: Float64Array;
  readonly #seen: Uint32Array;
  #round = 1;
  count = 0;

  constructor(size: number) {
    this.steps = new Uint32Array(size);
    this.starts = new Float64Array(size);
    this.#seen = new Uint32Array(size);
  }

  isNew(step: number): boolean {
    if (this.#seen[step] === this.#round) return false;
    this.#seen[step] = this.#round;
    return true;
  }

  add(step: number, start: number): void {
    this.steps[this.count] = step;
    this.starts[this.count] = start;
    this.count += 1;
  }

  clear(): void {
    this.count = 0;
    this.#round += 1;
  }
}

function isAt(place: string, text: string, at: number): boolean {
  if (place === "^") return at === 0;
  if (place === "$") return at === text.length;
  const isBorder =
    /\w/.test(text.charAt(at - 1)) !== /\w/.test(text.charAt(at));
  return isBorder === (place === "\\b");
}

/** Compiles a valid pattern into steps. */
class Compiler {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  steps(): readonly Step[] {
    const steps: Step[] = [];
    this.#choices()(steps);
    put(steps, { type: "match" });
    return steps;
  }

  #refused(part: string): SyntaxError {
    return new SyntaxError(
      `Cannot match the pattern "${
        this.#source.slice(0, 40)
      }" in linear time: it has ${part}`,
    );
  }

  #choices(): Part {
    const first = this.#sequence();
    if (this.#source[this.#at] !== "|") return first;
    this.#at += 1;
    const second = this.#choices();
    return (steps) => {
      const split = put(steps, { type: "split", first: 0, second: 0 });
      split.first = steps.length;
      first(steps);
      const jump = put(steps, { type: "jump", to: 0 });
      split.second = steps.length;
      second(steps);
      jump.to = steps.length;
    };
  }

  #sequence(): Part {
    const parts: Part[] = [];
    while (
      this.#at < this.#source.length &&
      !/[|)]/.test(this.#source[this.#at] ?? "")
    ) {
      parts.push(this.#repeated(this.#atom()));
    }
    return (steps) => {
      for (const part of parts) part(steps);
    };
  }

  #repeated(part: Part): Part {
    const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})(\??)/.exec(
      this.#source.slice(this.#at, this.#at + 40),
    );
    if (found === null) return part;
    this.#at += found[0].length;
    const [sign = "", count = "", comma = "", limit = "", lazy = ""] = found;
    const least = sign[0] === "+" ? 1 : Number(count || 0);
    const most = sign[0] === "?"
      ? 1
      : sign[0] !== "{" || comma !== "" && limit === ""
      ? Infinity
      : Number(comma === "" ? count : limit);
    if (Math.max(least, most === Infinity ? 0 : most) > MAX_STEPS) {
      throw this.#refused(`a repetition of more than ${MAX_STEPS}`);
    }
    return (steps) => {
      for (let i = 0; i < least; i++) part(steps);
      const optional = (again: boolean): void => {
        const split = put(steps, { type: "split", first: 0, second: 0 });
        const here = steps.length - 1;
        const inside = steps.length;
        part(steps);
        if (again) put(steps, { type: "jump", to: here });
        const behind = steps.length;
        split.first = lazy === "" ? inside : behind;
        split.second = lazy === "" ? behind : inside;
      };
      if (most === Infinity) optional(true);
      else for (let i = least; i < most; i++) optional(false);
      if (steps.length > MAX_STEPS) {
        throw this.#refused(`repetitions of more than ${MAX_STEPS} steps`);
      }
    };
  }

  #atom(): Part {
    const rest = this.#source.slice(this.#at);
    const [head = ""] =
      /^(?:\((?:\?(?:<?[=!]|[a-z-]*:|<[^>]*>))?|\\(?:[1-9]|k))/.exec(rest) ??
        [];
    if (/[=!]$/.test(head)) {
      throw this.#refused(`"${head}", a look ahead or behind`);
    }
    if (/[a-z-]:$/.test(head)) {
      throw this.#refused(`"${head}", a change of flags`);
    }
    if (head.startsWith("\\")) {
      throw this.#refused(`"${head}", a back reference`);
    }
    if (head !== "") {
      this.#at += head.length;
      const part = this.#choices();
      this.#at += 1;
      return part;
    }
    const at = /^(?:\^|\$|\\b|\\B)/.exec(rest)?.[0];
    if (at !== undefined) {
      this.#at += at.length;
      return (steps) => void put(steps, { type: "place", at });
    }
    const atom = ATOM_REGEXP.exec(rest)?.[0] ?? "";
    this.#at += atom.length;
    const set = new CharacterTest(atom);
    return (steps) => void put(steps, { type: "take", set });
  }
}

/** A character, a character class, or an escape. */
const ATOM_REGEXP =
  /^(?:\[(?:\\.|[^\]\\])*\]|\\(?:u\{[^}]*\}|u[dD][89a-bA-B][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]*\}|.)|.)/su;

function put<S extends Step>(steps: Step[], step: S): S {
  steps.push(step);
  return step;
}
