/** Preserves the spelling of numbers from JSON that is parsed to JSON that is written. */

/** Matches numbers whose spelling may differ from that of JavaScript, in strings as well. */
const UNUSUAL_REGEXP =
  /[[:,]\s*(?:-0|-?\d+(?:\.\d*0\b|\.0{6}|\.?\d*[eE]|[.\d]{15}))/;

/** The depth up to which spelling is preserved: revivers of JSON.parse() fail at some depth. */
const MAX_DEPTH = 500;

/** A number with its spelling in the source text; `JSON.stringify` writes it as it is. */
interface SpelledNumber {
  readonly rawJSON: string;
}

/** Features of newer engines that TypeScript does not declare. */
interface JsonOfSources {
  parse(
    text: string,
    reviver: (
      name: string,
      value: unknown,
      context?: { readonly source?: string },
    ) => unknown,
  ): unknown;
  rawJSON?(text: string): SpelledNumber;
  isRawJSON?(value: unknown): value is SpelledNumber;
}

const SOURCES: JsonOfSources = JSON;

/**
 * Finds the numbers of a JSON text whose spelling differs from that of JavaScript: a tree of the
 * value's shape with only these numbers. `undefined` if there are none, if the engine does not
 * support it, or if the value nests too deep.
 */
export function spellingOf(text: string, value: unknown): unknown {
  const { rawJSON } = SOURCES;
  if (rawJSON === undefined || !UNUSUAL_REGEXP.test(text)) return undefined;
  if (isDeeperThan(value, MAX_DEPTH)) return undefined;
  return SOURCES.parse(text, (_name, value, context) => {
    if (typeof value === "object" && value !== null) {
      // Members without such numbers are removed.
      return Object.keys(value).length > 0 ? value : undefined;
    }
    const source = context?.source;
    const isUnusual = typeof value === "number" && source !== undefined &&
      source !== String(value);
    return isUnusual ? rawJSON(source) : undefined;
  });
}

/** Restores the spelling that `spellingOf` found, of numbers at the same paths as in the source. */
export function spelled(value: unknown, spelling: unknown): unknown {
  if (SOURCES.isRawJSON?.(spelling)) {
    return value === Number(spelling.rawJSON) ? spelling : value;
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

/** Returns the spelling of a member; `undefined` if it has no unusual numbers. */
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
