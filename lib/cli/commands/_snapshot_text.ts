/**
 * Snapshots as text: read whole, written record by record.
 */

import { isSnapshotLike, readSnapshot } from "../../history/code_layout.ts";
import {
  type HistorySnapshot,
  HistorySnapshotError,
} from "../../history/snapshot.ts";
import { IoError } from "../endings.ts";
import type { Blocks } from "../input.ts";
import { spelled, spellingAt, spellingOf } from "./_number_spelling.ts";

const LF = 0x0a;
const INDENT = "  ";

/** The beginning of an input, read to find out what it is. */
export interface Peeked {
  /** The snapshot that the input is, if it is one. */
  readonly snapshot: HistorySnapshot | undefined;
  /** The header of the session file that the input is, if its first line is one. */
  readonly header: Readonly<Record<string, unknown>> | undefined;
  /** Gives the spelling of the numbers in the snapshot. */
  readonly spelling?: () => unknown;
  /** The input, with its beginning. */
  readonly blocks: Blocks;
}

/**
 * Finds out whether an input is a snapshot: its first line says so, or is the brace that an
 * indented one begins with. No more than that line is read of anything else.
 *
 * @param from What `--from` says that it is; `auto` leaves it to be found out.
 * @throws {IoError} If it is a snapshot that cannot be read, or is said to be one and is none.
 */
export async function peekSnapshot(
  input: Blocks,
  name: string,
  from = "auto",
): Promise<Peeked> {
  const peeked = from === "exec"
    ? { snapshot: undefined, header: undefined, blocks: input }
    : await peek(input, name, from !== "rollout");
  if (from !== "history" || peeked.snapshot !== undefined) return peeked;
  throw new IoError(`${name}: cannot read as a history: it holds no snapshot`);
}

async function peek(
  input: Blocks,
  name: string,
  canBeSnapshot: boolean,
): Promise<Peeked> {
  const read: Uint8Array[] = [];
  const line = await readFirstLine(input, read);
  const first = parsed(line);
  const blocks = new PrefixedBlocks(read, input);
  const other = { snapshot: undefined, header: headerIn(first), blocks };
  const isStart = line.trim() === "{" || isSnapshotLike(first);
  if (!canBeSnapshot || !isStart) return other;
  for (let block = await input.next(); block; block = await input.next()) {
    read.push(new Uint8Array(block));
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

/** Gives the spelling of the numbers in a history, whatever it is wrapped in. */
function snapshotSpelling(text: string, value: unknown): unknown {
  const spelling = spellingOf(text, value);
  const isBare = typeof value === "object" && value !== null &&
    "records" in value && Array.isArray(value.records);
  return isBare ? spelling : spellingAt(spelling, "history") ??
    spellingAt(spelling, "history_snapshot");
}

async function readFirstLine(
  input: Blocks,
  read: Uint8Array[],
): Promise<string> {
  for (let block = await input.next(); block; block = await input.next()) {
    read.push(new Uint8Array(block));
    if (block.includes(LF) && textOf(read).trimStart().includes("\n")) break;
  }
  return textOf(read).trimStart().split("\n", 1)[0] ?? "";
}

/** The header that a first line is, if it is one. */
function headerIn(line: unknown): Peeked["header"] {
  if (!isObject(line) || line.type !== "session_meta") return undefined;
  const { payload } = line;
  return isObject(payload) ? payload : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
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

/** Blocks that were read already, then the rest of an input. */
class PrefixedBlocks implements Blocks {
  readonly #read: Uint8Array[];
  readonly #rest: Blocks;

  constructor(read: Uint8Array[], rest: Blocks) {
    this.#read = read;
    this.#rest = rest;
  }

  async next(): Promise<Uint8Array | undefined> {
    return this.#read.shift() ?? await this.#rest.next();
  }

  close(): void {
    this.#rest.close();
  }
}

/**
 * Writes a snapshot as JSON, in pieces of one record: one text of all of them could be
 * longer than the engine can encode.
 *
 * @param snapshot The snapshot.
 * @param isPretty Whether it is for people.
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
