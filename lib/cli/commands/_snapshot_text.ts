/** Snapshots as text: read whole, written record by record. */

import { isSnapshotLike, readSnapshot } from "../../history/code_layout.ts";
import {
  type HistorySnapshot,
  HistorySnapshotError,
} from "../../history/snapshot.ts";
import { DEFAULT_MAX_LINE_BYTES, LineFramer } from "../../lines/line_framer.ts";
import type { Arguments } from "../arguments.ts";
import { IoError } from "../endings.ts";
import type { Blocks } from "../input.ts";
import { spelled, spellingAt, spellingOf } from "./_number_spelling.ts";
import { maxLineBytesOf } from "./_reading_options.ts";

const INDENT = "  ";

/** How much is read to find out what an input is, in bytes, and the words that tell. */
const LOOK_AHEAD = 1 << 17;
const CLUE_REGEXP = /"(?:records|history_snapshot|session_meta)"/;

/** The beginning of an input, read to find out what it is. */
export interface Peeked {
  /** The snapshot that the input is, if it is one. */
  readonly snapshot: HistorySnapshot | undefined;
  /** The first line, if that is JSON. */
  readonly first?: unknown;
  /** Gives the spelling of the numbers in the snapshot. */
  readonly spelling?: () => unknown;
  /** The input, with its beginning. */
  readonly blocks: Blocks;
}

export interface PeekOptions {
  /** What `--from` says that it is; `auto` leaves it to be found out. */
  readonly from: string;
  /** How long a line may be; a snapshot may be as long, however many lines it has. */
  readonly maxLineBytes: number;
}

export function peekOptions(args: Arguments): PeekOptions {
  return {
    from: args.value("from") ?? "auto",
    maxLineBytes: maxLineBytesOf(args) ?? DEFAULT_MAX_LINE_BYTES,
  };
}

/**
 * Finds out whether an input is a snapshot: its first line says so, or is the brace that an
 * indented one begins with. No more than that line is read of anything else, and of one that
 * does not begin like a snapshot or a session file, no more than its beginning.
 */
export async function peekSnapshot(
  input: Blocks,
  name: string,
  options: PeekOptions,
): Promise<Peeked> {
  const { from } = options;
  const peeked = from === "exec"
    ? { snapshot: undefined, blocks: input }
    : await peek(input, name, options);
  if (from !== "history" || peeked.snapshot !== undefined) return peeked;
  throw new IoError(`${name}: cannot read as a history: it holds no snapshot`);
}

async function peek(
  input: Blocks,
  name: string,
  { from, maxLineBytes }: PeekOptions,
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
  const isStart = isSnapshotLike(first) ||
    line === "{" && await beginning.isPromising();
  if (from === "rollout" || !isStart) return other;
  for (;;) {
    if (beginning.size > maxLineBytes) {
      throw new IoError(
        `${name}: cannot read as a history: it has more than ${maxLineBytes} bytes, the limit that --max-line-bytes sets`,
      );
    }
    const block = await input.next();
    if (block === undefined) break;
    beginning.keep(block);
  }
  const text = textOf(read);
  const value = parsed(text);
  if (!isSnapshotLike(value)) return other;
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

/**
 * The beginning of an input: what was read of it is kept, to be read again. Of a gigabyte that
 * has no line, or is blank, that must not be much.
 */
class Beginning {
  readonly #input: Blocks;
  readonly #maxLineBytes: number;
  readonly read: Uint8Array[] = [];
  /** How much was read, in bytes. */
  size = 0;

  constructor(input: Blocks, maxLineBytes: number) {
    this.#input = input;
    this.#maxLineBytes = maxLineBytes;
  }

  keep(block: Uint8Array): void {
    this.read.push(new Uint8Array(block));
    this.size += block.length;
  }

  /** Reads the first line that is not blank, without what is blank around it; empty if none. */
  async firstLine(): Promise<string> {
    let line: string | undefined;
    const framer = new LineFramer(this.#maxLineBytes);
    const visitor = {
      line(bytes: Uint8Array, start: number, end: number): void {
        if (line !== undefined) return;
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
        if (!hasClue(this.read)) return "";
        isChecked = true;
      }
      const block = await this.#input.next();
      if (block === undefined) {
        framer.flush(visitor);
        break;
      }
      framer.feed(block, visitor);
      this.keep(block);
    }
    return line ?? "";
  }

  /** Whether an object over several lines begins like a snapshot. */
  async isPromising(): Promise<boolean> {
    while (this.size <= LOOK_AHEAD) {
      const block = await this.#input.next();
      if (block === undefined) break;
      this.keep(block);
    }
    return hasClue(this.read);
  }
}

/** Whether what a snapshot or a session file says of itself is in the beginning of an input. */
function hasClue(read: readonly Uint8Array[]): boolean {
  const decoder = new TextDecoder();
  let text = "";
  for (const block of read) {
    text += decoder.decode(block.subarray(0, LOOK_AHEAD), { stream: true });
    if (text.length > LOOK_AHEAD) break;
  }
  return CLUE_REGEXP.test(text);
}

/** Gives the spelling of the numbers in a history, whatever it is wrapped in. */
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
    // What is not JSON is no snapshot; what it is, is found out elsewhere.
    return undefined;
  }
}

function textOf(pieces: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return pieces.map((piece) => decoder.decode(piece, { stream: true })).join(
    "",
  );
}

/**
 * Writes a snapshot as JSON, in pieces of one record: one text of all of them could be
 * longer than the engine can encode.
 *
 * @param spelling How its numbers are spelled, if not as usual.
 */
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
    if (given === undefined) continue;
    const value = spelled(given, spellingAt(spelling, name));
    yield `,${line}${one}${JSON.stringify(name)}:${space}${json(value, one)}`;
  }
  yield `${line}}\n`;
}
