/**
 * The spelling of numbers, kept from the text that a value was read from to the one that it
 * is written as.
 */

/**
 * Finds numbers that may be spelled otherwise than JavaScript spells them; in strings also what
 * only looks like one.
 */
const UNUSUAL_REGEXP =
  /[[:,]\s*(?:-0|-?\d+(?:\.\d*0\b|\.0{6}|\.?\d*[eE]|[.\d]{15}))/;

/** How deep values may nest: engines that read and write any depth do not call back at any. */
const MAX_DEPTH = 500;

/** A number that is spelled in a way of its own. */
class SpelledNumber {
  readonly value: unknown;
  readonly text: string;

  constructor(value: unknown, text: string) {
    this.value = value;
    this.text = text;
  }
}

/** What newer engines can do, and TypeScript does not know of. */
interface JsonOfSources {
  parse(
    text: string,
    reviver: (
      name: string,
      value: unknown,
      context?: { readonly source?: string },
    ) => unknown,
  ): unknown;
  rawJSON?(text: string): unknown;
}

const SOURCES: JsonOfSources = JSON;

/**
 * Finds the numbers in a text that are not spelled as JavaScript spells them.
 *
 * @returns Those numbers, each where it is in the value, and nothing else; `undefined` if
 *   there are none, or the engine cannot tell, of values that nest very deep among others.
 */
export function spellingOf(text: string, value: unknown): unknown {
  if (SOURCES.rawJSON === undefined || !UNUSUAL_REGEXP.test(text)) {
    return undefined;
  }
  if (isDeeperThan(value, MAX_DEPTH)) return undefined;
  return SOURCES.parse(text, (_name, value, context) => {
    if (typeof value === "object" && value !== null) {
      // What was found nothing in has been taken out of it.
      const hasAny = value instanceof SpelledNumber ||
        Object.keys(value).length > 0;
      return hasAny ? value : undefined;
    }
    const source = context?.source;
    const isUnusual = typeof value === "number" && source !== undefined &&
      source !== String(value);
    return isUnusual ? new SpelledNumber(value, source) : undefined;
  });
}

/**
 * Spells the numbers in a value as they were.
 *
 * @param value What was made of the value that the text had, its numbers where they were.
 * @param spelling What {@linkcode spellingOf} gave.
 */
export function spelled(value: unknown, spelling: unknown): unknown {
  if (spelling instanceof SpelledNumber) {
    const { text } = spelling;
    return value === spelling.value ? SOURCES.rawJSON?.(text) ?? value : value;
  }
  if (!isContainer(value) || !isContainer(spelling)) return value;
  if (Array.isArray(value)) {
    return value.map((each, i) => spelled(each, spellingAt(spelling, `${i}`)));
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      spelled(member, spellingAt(spelling, name)),
    ]),
  );
}

/** Gives the spelling of a member of a value; `undefined` if it is the usual one. */
export function spellingAt(spelling: unknown, name: string): unknown {
  return isContainer(spelling) && Object.hasOwn(spelling, name)
    ? spelling[name]
    : undefined;
}

function isDeeperThan(value: unknown, levels: number): boolean {
  return isContainer(value) &&
    (levels === 0 ||
      Object.values(value).some((member) => isDeeperThan(member, levels - 1)));
}

function isContainer(
  value: unknown,
): value is { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null;
}
