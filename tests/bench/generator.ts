/**
 * Generates inputs of any size from the repository's own captures.
 *
 * An input is a sequence of whole runs of the real CLI, drawn by weight from the scenarios of a
 * kind. Their ids, item numbers, times and ordinals are replaced, so that lines are hardly ever
 * equal. Nothing else changes, and no line is parsed and encoded again: key order, number
 * spelling and escapes are those of the CLI. The same seed and size make the same bytes on every
 * machine.
 *
 * @module
 */

/** Runs of one scenario, and how they are edited. */
interface Source {
  /** The folders of releases, below that of the kind. */
  readonly versions: readonly string[];
  /** The folder of the scenario, below those of the releases. */
  readonly scenario: string;
  /** How often its runs are drawn, relative to those of other scenarios. */
  readonly weight: number;
  /** To how many lines the output of the command that prints thousands of lines is cut. */
  readonly outputLines?: number;
}

/** A kind of input. */
interface Kind {
  /** The description in the table. */
  readonly about: string;
  /** The folder below testdata/; the default is `captures`. */
  readonly folder?: string;
  /** Matches the name of the file to read in the folder of a scenario. */
  readonly file: RegExp;
  /** The longest line that is kept, in characters. */
  readonly longestLine?: number;
  /** The scenarios that runs are drawn from. */
  readonly sources: readonly Source[];
}

const STDOUT_REGEXP = /^stdout\.jsonl$/;
const ROLLOUT_REGEXP = /^rollout-.*\.jsonl$/;
const CURRENT = ["0.169.0+direct"];
const OLD = ["0.20.0", "0.42.0"];
const PAGINATED = ["0.169.0"];
/** Releases with the item protocol, the first one included. */
const EXEC_RELEASES = [
  "0.44.0",
  "0.61.0",
  "0.92.0",
  "0.130.0",
  "0.160.0",
  "0.169.0",
];
const ROLLOUT_RELEASES = [
  "0.36.0",
  "0.44.0",
  "0.61.0",
  "0.92.0",
  "0.130.0",
  "0.160.0",
];

/** Returns the scenarios that every release has, for some releases. */
function anyRuns(versions: readonly string[]): readonly Source[] {
  return ["shellmany", "two", "reasoning", "patch", "plan", "unicode"]
    .map((scenario) => ({ versions, scenario, weight: 1 }));
}

/** The kinds of input. */
export const KINDS = {
  exec: {
    about: "exec, current dialect: many commands, some with long outputs",
    file: STDOUT_REGEXP,
    sources: [
      { versions: CURRENT, scenario: "shellmany", weight: 400 },
      { versions: CURRENT, scenario: "unicode", weight: 100 },
      { versions: CURRENT, scenario: "patch", weight: 100 },
      { versions: CURRENT, scenario: "two", weight: 80 },
      { versions: CURRENT, scenario: "plan", weight: 40 },
      { versions: CURRENT, scenario: "websearch", weight: 40 },
      { versions: CURRENT, scenario: "reasoning", weight: 40 },
      { versions: CURRENT, scenario: "longout", weight: 250, outputLines: 20 },
      { versions: CURRENT, scenario: "longout", weight: 250, outputLines: 100 },
      { versions: CURRENT, scenario: "longout", weight: 50, outputLines: 400 },
      { versions: CURRENT, scenario: "mcp", weight: 5 },
      { versions: CURRENT, scenario: "longout", weight: 1 },
    ],
  },
  small: {
    about: "exec, current dialect: small events only",
    file: STDOUT_REGEXP,
    longestLine: 400,
    sources: [
      { versions: CURRENT, scenario: "shellmany", weight: 4 },
      { versions: CURRENT, scenario: "reasoning", weight: 3 },
      { versions: CURRENT, scenario: "phases", weight: 3 },
      { versions: CURRENT, scenario: "plan", weight: 2 },
      { versions: CURRENT, scenario: "patch", weight: 2 },
      { versions: CURRENT, scenario: "websearch", weight: 1 },
      { versions: CURRENT, scenario: "mcp", weight: 1 },
    ],
  },
  releases: {
    about: "exec, six releases from 0.44 to 0.169, run after run",
    file: STDOUT_REGEXP,
    sources: anyRuns(EXEC_RELEASES),
  },
  rollouts: {
    about: "session files of six releases from 0.36 to 0.160",
    file: ROLLOUT_REGEXP,
    sources: anyRuns(ROLLOUT_RELEASES),
  },
  old: {
    about: "exec, the old protocol of 0.20 and 0.42",
    file: STDOUT_REGEXP,
    sources: [
      { versions: OLD, scenario: "shellmany", weight: 40 },
      { versions: OLD, scenario: "two", weight: 10 },
      { versions: OLD, scenario: "reasoning", weight: 10 },
      { versions: OLD, scenario: "reasoning_raw", weight: 10 },
      { versions: OLD, scenario: "unicode", weight: 10 },
      { versions: OLD, scenario: "patch", weight: 10 },
      { versions: OLD, scenario: "plan", weight: 5 },
      { versions: OLD, scenario: "websearch", weight: 4 },
      { versions: OLD, scenario: "mcp", weight: 2 },
    ],
  },
  rollout: {
    about: "session files of 0.169",
    file: ROLLOUT_REGEXP,
    sources: [
      { versions: PAGINATED, scenario: "shellmany", weight: 10 },
      { versions: PAGINATED, scenario: "two", weight: 4 },
      { versions: PAGINATED, scenario: "unicode", weight: 4 },
      { versions: PAGINATED, scenario: "patch", weight: 4 },
      { versions: PAGINATED, scenario: "reasoning", weight: 4 },
      { versions: PAGINATED, scenario: "plan", weight: 2 },
      { versions: PAGINATED, scenario: "websearch", weight: 2 },
      { versions: PAGINATED, scenario: "mcp", weight: 1 },
    ],
  },
  server: {
    about: "app-servers of 0.98 and 0.169: answers in pieces, several threads",
    folder: "app-server",
    file: STDOUT_REGEXP,
    sources: [
      { versions: PAGINATED, scenario: "threads_at_once", weight: 10 },
      { versions: PAGINATED, scenario: "shellmany", weight: 10 },
      { versions: PAGINATED, scenario: "unicode", weight: 5 },
      { versions: PAGINATED, scenario: "reasoning", weight: 5 },
      { versions: PAGINATED, scenario: "approve_patch", weight: 5 },
      { versions: PAGINATED, scenario: "phases", weight: 5 },
      { versions: PAGINATED, scenario: "mcp", weight: 1 },
      { versions: ["0.98.0"], scenario: "patch", weight: 2 },
      { versions: ["0.98.0"], scenario: "turns", weight: 2 },
    ],
  },
} as const satisfies Record<string, Kind>;

/** The name of a kind of input. */
export type KindName = keyof typeof KINDS;

/** Matches the texts in a line that are replaced. */
const SLOT_REGEXP = new RegExp(
  [
    "(?<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    // call_0x0_6dadb0dbc6fc, msg_7e95f38ea6a0a8330d919fce
    "|(?<=\\b[a-z]+_(?:\\d+x\\d+_)?)[0-9a-f]{12,32}\\b)",
    '|(?<=":"item_)(?<item>\\d+)(?=")',
    '|(?<=^\\{"timestamp":")(?<time>[^"]+)',
    '|(?<=^\\{"timestamp":"[^"]+","ordinal":)(?<ordinal>\\d+)',
  ].join(""),
  "gm",
);
/** Matches the hexadecimal digits of an id, except the version and variant of a UUID. */
const ID_DIGITS_REGEXP = /(?<!-)[0-9a-f]/g;

const TESTDATA = new URL("../../testdata/", import.meta.url);
const FIRST_TIME = Date.parse("2026-01-01T00:00:00.000Z");
/** The length of generated blocks, in characters. */
const BLOCK_LENGTH = 1 << 20;

/** A run of the CLI: fixed texts, and slots between them. */
interface Run {
  readonly weight: number;
  readonly parts: readonly (string | Slot)[];
}

/** A text in a run that is replaced. */
interface Slot {
  readonly kind: "id" | "item" | "time" | "ordinal";
  /** The text that the CLI wrote. */
  readonly text: string;
}

/** The runs that inputs of a kind are made from. */
export type Runs = readonly Run[];

/**
 * Reads the captures that inputs of a kind are made from.
 *
 * @param name The kind.
 * @returns Its runs.
 */
export async function readRuns(name: KindName): Promise<Runs> {
  const kind: Kind = KINDS[name];
  const runs: Run[] = [];
  for (const { versions, scenario, weight, outputLines } of kind.sources) {
    for (const version of versions) {
      const folder = new URL(
        `${kind.folder ?? "captures"}/${
          encodeURIComponent(version)
        }/${scenario}/`,
        TESTDATA,
      );
      const text = await readFirst(folder, kind.file);
      const lines = text.trimEnd().split("\n");
      const kept = outputLines === undefined
        ? lines
        : lines.map((line) => withShortOutput(line, outputLines));
      const { longestLine = Infinity } = kind;
      const all = kept.filter((line) => line.length <= longestLine);
      runs.push({ weight, parts: partsOf(`${all.join("\n")}\n`) });
    }
  }
  return runs;
}

async function readFirst(folder: URL, file: RegExp): Promise<string> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (file.test(name)) names.push(name);
  }
  const [first = ""] = names.sort();
  return await Deno.readTextFile(new URL(first, folder));
}

/** Cuts an output of many lines; its line ends are escapes, `\n` in two characters. */
function withShortOutput(line: string, outputLines: number): string {
  const regexp = new RegExp(
    `("aggregated_output":"(?:[^"\\\\]*\\\\n){${outputLines}})(?:[^"\\\\]|\\\\n)*`,
  );
  // The other command of that run prints one line of a megabyte.
  return line.replace(regexp, "$1").replace(/x{1000,}/g, "x");
}

function partsOf(text: string): (string | Slot)[] {
  const parts: (string | Slot)[] = [];
  let end = 0;
  for (const { 0: match, index, groups = {} } of text.matchAll(SLOT_REGEXP)) {
    const kind = SLOT_KINDS.find((name) => groups[name] !== undefined) ?? "id";
    parts.push(text.slice(end, index), { kind, text: match });
    end = index + match.length;
  }
  parts.push(text.slice(end));
  return parts;
}

const SLOT_KINDS = ["id", "item", "time", "ordinal"] as const;

/** Options for {@linkcode generate}. */
export interface GenerateOptions {
  /** The seed of the random numbers: a whole number. */
  readonly seed: number;
  /** The least number of bytes; the last run is not cut. */
  readonly size: number;
}

/**
 * Generates an input in blocks of whole lines.
 *
 * @param runs The runs to draw from.
 * @param options Seed and size.
 */
export function* generate(
  runs: Runs,
  { seed, size }: GenerateOptions,
): Generator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  const writer = new RunWriter(new Random(seed));
  let length = 0;
  let text = "";
  while (length < size) {
    const run = writer.next(runs);
    text += run;
    // The size is in bytes, of which non-ASCII texts have more than characters.
    if (text.length >= BLOCK_LENGTH || length + text.length >= size) {
      const block = encoder.encode(text);
      length += block.length;
      text = "";
      yield block;
    }
  }
}

/** Returns the texts of runs with new ids, one run after the other. */
class RunWriter {
  readonly #random: Random;
  #items = 0;
  #ordinal = 0;
  #time = FIRST_TIME;

  constructor(random: Random) {
    this.#random = random;
  }

  next(runs: Runs): string {
    const ids = new Map<string, string>();
    const items = new Map<string, number>();
    let text = "";
    for (const part of this.#draw(runs).parts) {
      text += typeof part === "string" ? part : this.#fill(part, ids, items);
    }
    return text;
  }

  #draw(runs: Runs): Run {
    const total = runs.reduce((sum, { weight }) => sum + weight, 0);
    let ticket = this.#random.below(total);
    for (const run of runs) {
      ticket -= run.weight;
      if (ticket < 0) return run;
    }
    throw new RangeError("Cannot draw a run: there is none");
  }

  #fill(
    { kind, text }: Slot,
    ids: Map<string, string>,
    items: Map<string, number>,
  ): string {
    switch (kind) {
      case "id": {
        // Equal ids in a run stay equal, so that ends match their begins.
        const id = ids.get(text) ?? this.#newId(text);
        ids.set(text, id);
        return id;
      }
      case "item": {
        const item = items.get(text) ?? this.#items++;
        items.set(text, item);
        return String(item);
      }
      case "time":
        this.#time += 1 + this.#random.below(400);
        return new Date(this.#time).toISOString();
      case "ordinal":
        return String(this.#ordinal++);
    }
  }

  #newId(id: string): string {
    return id.replace(
      ID_DIGITS_REGEXP,
      () => this.#random.below(16).toString(16),
    );
  }
}

/** A generator of random numbers: Marsaglia's xorshift of 32 bits. */
export class Random {
  #state: number;

  /**
   * Constructs a new instance.
   *
   * @param seed The seed.
   */
  constructor(seed: number) {
    // Multiplied, because small states draw small numbers at first. The state must not be zero.
    this.#state = Math.imul(seed, 0x9e3779b1) | 1;
  }

  /**
   * Draws a number.
   *
   * @param limit The limit, exclusive.
   * @returns A whole number from 0 to below the limit.
   */
  below(limit: number): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state;
    return (state >>> 0) % limit;
  }
}
