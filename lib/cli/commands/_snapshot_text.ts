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

const LF = 0x0a;
const INDENT = "  ";

/** The beginning of an input, read to find out what it is. */
export interface Peeked {
  /** The snapshot that the input is, if it is one. */
  readonly snapshot: HistorySnapshot | undefined;
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
  const peeked = from === "auto" || from === "history"
    ? await peek(input, name)
    : { snapshot: undefined, blocks: input };
  if (from !== "history" || peeked.snapshot !== undefined) return peeked;
  throw new IoError(`${name}: cannot read as a history: it holds no snapshot`);
}

async function peek(input: Blocks, name: string): Promise<Peeked> {
  const read: Uint8Array[] = [];
  const first = await readFirstLine(input, read);
  const blocks = new PrefixedBlocks(read, input);
  if (!isSnapshotStart(first)) return { snapshot: undefined, blocks };
  for (let block = await input.next(); block; block = await input.next()) {
    read.push(new Uint8Array(block));
  }
  const value = parsed(textOf(read));
  if (value === undefined && first.trim() !== "{") {
    return { snapshot: undefined, blocks };
  }
  if (!isSnapshotLike(value)) return { snapshot: undefined, blocks };
  try {
    return { snapshot: readSnapshot(value), blocks };
  } catch (error) {
    if (!(error instanceof HistorySnapshotError)) throw error;
    throw new IoError(`${name}: ${error.message}`, { cause: error });
  }
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

function isSnapshotStart(line: string): boolean {
  return line.trim() === "{" || isSnapshotLike(parsed(line));
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
 */
export function* snapshotText(
  { records, ...others }: HistorySnapshot,
  isPretty: boolean,
): Generator<string> {
  const [line, space] = isPretty ? ["\n", " "] : ["", ""];
  const [one, two] = isPretty ? [INDENT, INDENT + INDENT] : ["", ""];
  const json = (value: unknown, indent: string): string =>
    isPretty
      ? JSON.stringify(value, null, INDENT).replaceAll("\n", `\n${indent}`)
      : JSON.stringify(value);
  yield `{${line}${one}"records":${space}[`;
  for (const [place, record] of records.entries()) {
    yield `${place === 0 ? "" : ","}${line}${two}${json(record, two)}`;
  }
  yield records.length === 0 ? "]" : `${line}${one}]`;
  for (const [name, value] of Object.entries(others)) {
    if (value === undefined) continue;
    yield `,${line}${one}${JSON.stringify(name)}:${space}${json(value, one)}`;
  }
  yield `${line}}\n`;
}
