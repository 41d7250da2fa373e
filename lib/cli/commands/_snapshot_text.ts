/**
 * Detecting, reading and writing of history snapshots. Numbers keep their spelling, as 1.0 or those
 * of more digits than JavaScript has.
 */

import {
  type HistorySnapshot,
  HistorySnapshotError,
  isSnapshotLike,
} from "../../history/snapshot.ts";
import {
  DEFAULT_MAX_LINE_BYTES,
  LineFramer,
  MAX_LINE_BYTES,
  mayEndObject,
} from "../../lines/line_framer.ts";
import type { Arguments } from "../arguments.ts";
import { IoError } from "../endings.ts";
import type { Blocks } from "../input.ts";

const INDENT = "  ";

/** The bytes that are read to detect a snapshot, and the words that show one. */
const LOOK_AHEAD = 1 << 17;
const CLUE_REGEXP = /"(?:records|history_snapshot|session_meta)"/;

/** An input whose beginning was read to detect a snapshot. */
export interface Peeked {
  readonly snapshot: HistorySnapshot | undefined;
  /** The value of the first line, if it is JSON. */
  readonly first?: unknown;
  /** Returns the spelling of the numbers in the snapshot. */
  readonly spelling?: () => unknown;
  /** The input, including the beginning that was read. */
  readonly blocks: Blocks;
}

/**
 * Detects a snapshot by the first line of an input: a snapshot object, or the brace that an
 * indented one begins with. Of other inputs only that line is read, and if the beginning looks
 * neither like a snapshot nor like a session file, only the beginning. With `--from=history`, the
 * whole input is read.
 *
 * @param args The arguments whose `--from` and `--max-line-bytes` apply; without them, it is
 *   read as a snapshot.
 */
export async function peekSnapshot(
  input: Blocks,
  name: string,
  args?: Arguments,
): Promise<Peeked> {
  const from = args === undefined ? "history" : args.value("from") ?? "auto";
  const maxLineBytes = args === undefined
    ? MAX_LINE_BYTES
    : args.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES;
  const peeked = from === "exec"
    ? { snapshot: undefined, blocks: input }
    : await peek(input, name, from, maxLineBytes);
  if (args?.value("from") !== "history" || peeked.snapshot !== undefined) {
    return peeked;
  }
  throw new IoError(`${name}: cannot read as a history: it holds no snapshot`);
}

async function peek(
  input: Blocks,
  name: string,
  from: string,
  maxLineBytes: number,
): Promise<Peeked> {
  const beginning = new Beginning(input, maxLineBytes);
  const line = await beginning.firstLine();
  const first = parsed(line);
  const { read } = beginning;
  const blocks: Blocks = {
    next: async () => read.shift() ?? await input.next(),
    close: () => input.close(),
  };
  const other = { snapshot: undefined, first, blocks };
  const isStart = from === "history" || isSnapshotLike(first) ||
    line === "{" && await beginning.isPromising();
  if (from === "rollout" || !isStart) return other;
  do {
    if (beginning.size > maxLineBytes) {
      throw new IoError(
        `${name}: cannot read as a history: it has more than ${maxLineBytes} bytes, the limit that --max-line-bytes sets`,
      );
    }
  } while (await beginning.next() !== undefined);
  const text = textOf(read);
  const value = parsed(text);
  if (!isSnapshotLike(value)) return other;
  const { readSnapshot } = await import("../../history/code_layout.ts");
  try {
    const snapshot = readSnapshot(value);
    return {
      ...other,
      snapshot,
      spelling: () => snapshotSpelling(text, value),
    };
  } catch (error) {
    if (!(error instanceof HistorySnapshotError)) throw error;
    throw new IoError(`${name}: ${error.message}`, { cause: error });
  }
}

/** The beginning of an input, kept to be read again; little of it if no line has an object. */
class Beginning {
  readonly #input: Blocks;
  readonly #maxLineBytes: number;
  readonly read: Uint8Array[] = [];
  size = 0;

  constructor(input: Blocks, maxLineBytes: number) {
    this.#input = input;
    this.#maxLineBytes = maxLineBytes;
  }

  /** Reads a block, and keeps it; `undefined` at the end. */
  async next(): Promise<Uint8Array | undefined> {
    const block = await this.#input.next();
    if (block === undefined) return undefined;
    this.read.push(new Uint8Array(block));
    this.size += block.length;
    return block;
  }

  /** Reads the first line that is not blank, trimmed; empty if there is none with an object. */
  async firstLine(): Promise<string> {
    let line: string | undefined;
    const framer = new LineFramer(this.#maxLineBytes);
    const visitor = {
      line(bytes: Uint8Array, start: number, end: number): void {
        if (line !== undefined) return;
        if (!mayEndObject(bytes, end)) {
          line = "";
          return;
        }
        const text = textOf([bytes.subarray(start, end)]).trim();
        if (text !== "") line = text;
      },
      tooLong(): void {
        line ??= "";
      },
    };
    let isChecked = false;
    while (line === undefined && this.size <= this.#maxLineBytes) {
      if (this.size > LOOK_AHEAD && !isChecked) {
        if (!this.#hasClue) return "";
        isChecked = true;
      }
      const block = await this.next();
      if (block === undefined) {
        framer.flush(visitor);
        break;
      }
      framer.feed(block, visitor);
    }
    return line ?? "";
  }

  /** Reads on, and returns whether an indented object looks like a snapshot. */
  async isPromising(): Promise<boolean> {
    while (this.size <= LOOK_AHEAD) {
      if (await this.next() === undefined) break;
    }
    return this.#hasClue;
  }

  /** Whether it has a member that snapshots or session files have. */
  get #hasClue(): boolean {
    return CLUE_REGEXP.test(textOf(this.read));
  }
}

/** Returns the spelling of the numbers in a history, bare or in one of its wrappers. */
function snapshotSpelling(text: string, value: unknown): unknown {
  const spelling = spellingOf(text, value);
  const isBare = isObject(value) && Array.isArray(value.records);
  return isBare ? spelling : spellingAt(spelling, "history") ??
    spellingAt(spelling, "history_snapshot");
}

export function isObject(
  value: unknown,
): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not a snapshot; the reader of lines reports the failure.
    return undefined;
  }
}

function textOf(pieces: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return pieces.map((piece) => decoder.decode(piece, { stream: true })).join(
    "",
  );
}

/** Writes a snapshot as JSON, a record at a time: a single text could be too long for the engine. */
export function* snapshotText(
  { records, ...others }: HistorySnapshot,
  isPretty: boolean,
  spelling?: unknown,
): Generator<string> {
  const [line, space] = isPretty ? ["\n", " "] : ["", ""];
  const [one, two] = isPretty ? [INDENT, INDENT + INDENT] : ["", ""];
  const json = (value: unknown, indent: string): string =>
    isPretty
      ? JSON.stringify(value, null, INDENT).replaceAll("\n", `\n${indent}`)
      : JSON.stringify(value);
  yield `{${line}${one}"records":${space}[`;
  const recordsSpelling = spellingAt(spelling, "records");
  for (const [place, given] of records.entries()) {
    const record = spelled(given, spellingAt(recordsSpelling, `${place}`));
    yield `${place === 0 ? "" : ","}${line}${two}${json(record, two)}`;
  }
  yield records.length === 0 ? "]" : `${line}${one}]`;
  for (const [name, given] of Object.entries(others)) {
    const value = spelled(given, spellingAt(spelling, name));
    yield `,${line}${one}${JSON.stringify(name)}:${space}${json(value, one)}`;
  }
  yield `${line}}\n`;
}

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
 * Returns a tree of the value's shape with only the numbers that JavaScript spells otherwise;
 * `undefined` if there are none, the engine lacks support, or the value nests too deep.
 */
function spellingOf(text: string, value: unknown): unknown {
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
function spelled(value: unknown, spelling: unknown): unknown {
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
function spellingAt(spelling: unknown, name: string): unknown {
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
