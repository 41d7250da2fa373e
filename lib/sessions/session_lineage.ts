/** The lineage of a session: the file of a fork may hold only the lines after the fork. */

import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sessionHeaderOf } from "../events/session_reader.ts";
import { type ByteSource, ChunkSource } from "../files/byte_source.ts";
import {
  type HistoryBase,
  readHistoryBase,
} from "../history/mapping/fold_memory.ts";
import {
  type Fields,
  fieldsOf,
  idOf,
  numberOf,
  parseJson,
} from "../json/fields.ts";
import { LF } from "../json/bytes.ts";
import { decodeUtf8 } from "../json/utf8.ts";
import { isBlankLine } from "../lines/blank.ts";
import { mayEndObject } from "../lines/line_framer.ts";
import { listSessionFiles } from "./session_files.ts";
import { messageOf, readLines, sessionBlocks } from "./open_session.ts";
import { idInName } from "./session_start.ts";

/** The place of a line in a file. */
export interface LinePlace {
  /** The path of the file. */
  readonly path: string;
  /** The number of the line in the file, counted from 1. */
  readonly line: number;
  /** The offset of the line in the unpacked file, in bytes. */
  readonly offset: number;
}

/** All parts of a session as one source of bytes. */
export interface LineageSource extends ByteSource {
  /**
   * Maps a line of the whole to its file.
   *
   * @param line The number and the offset of the line in the whole.
   * @returns Its place; `undefined` if the line has not been read yet.
   */
  placeOf(line: Omit<LinePlace, "path">): LinePlace | undefined;
}

/** A part of a session file. */
export interface LineagePart {
  /** The path of the file. */
  readonly path: string;
  /** The offset at which the part begins in the unpacked file, in bytes. */
  readonly start: number;
  /** The offset at which the part ends; `undefined` for the end of the file. */
  readonly end: number | undefined;
}

/** History that a session continues and that was not found. */
export interface MissingHistory {
  /** The id of the session that the history belongs to. */
  readonly threadId: string;
  /**
   * The reason: the session does not exist; its file cannot be read; its file is shorter than the
   * continued part; or the extent of that part is recorded nowhere.
   */
  readonly reason: "not_found" | "unreadable" | "too_short" | "unknown_extent";
  /** The reason in words. */
  readonly message: string;
}

/** The parts of files that a session consists of. */
export interface SessionLineage {
  /**
   * The parts in order: the header of the session, the history that it continues, then the rest of
   * its own file. Releases that copied the history of a fork wrote it in this order. The file of a
   * session that continues an earlier file of its own comes whole behind that.
   */
  readonly parts: readonly LineagePart[];
  /** The ids of the sessions that it continues and that were found, the nearest first. */
  readonly ancestors: readonly string[];
  /** The history that was not found; `undefined` if the session is complete. */
  readonly missing: MissingHistory | undefined;
}

/** Options for {@linkcode readSessionLineage}. */
export interface SessionLineageOptions {
  /** The Codex homes in which other sessions are searched for. */
  readonly codexHomes: readonly string[];
  /**
   * Returns the paths of other sessions by id, if the session continues one. With many sessions, it
   * can return the same paths for all.
   *
   * @default {() => sessionPaths(codexHomes, dirname(file.path))}
   */
  readonly paths?: (() => Promise<ReadonlyMap<string, string>>) | undefined;
}

/** The facts in the first two lines of a file. */
interface FileStart {
  /** The header; empty if the first line is none. */
  readonly meta: Fields;
  /** The ordinal of the header in its thread, if it has one. */
  readonly ordinal: number | undefined;
  /** Whether the second line is the header of another session, whose lines are copied. */
  readonly hasCopy: boolean;
  /** The offset of the line after the header. */
  readonly rest: number;
}

const ORDINAL_REGEXP = /^{"timestamp":"[^"\\]*","ordinal":(\d{1,15}),"/;

/**
 * Determines the parts that a session consists of.
 *
 * Releases wrote sessions that continue others in three ways (history.md C.5). The file of a fork
 * or sub-agent begins with a copy of the history, and is complete. Or it names the session and the
 * extent that it continues (`history_base`): that part is searched for here, even archived or
 * packed, and even if it continues a third session. Or a sub-agent begins without history, and is
 * complete. Sessions that are in no home are searched for in the folder of the file.
 *
 * @param file The file of the session.
 * @param options The homes.
 * @returns The parts.
 * @throws {Error} If the file itself cannot be read.
 *
 * @example A session without history
 * ```ts ignore
 * import { readSessionLineage } from "@codexpipe/codexpipe/sessions";
 *
 * const { parts, missing } = await readSessionLineage(
 *   { path: "rollout-2026-11-20T15-40-01-01a1f99d-5874-7011-9c38-b543d19d65ba.jsonl" },
 *   { codexHomes: [] },
 * );
 * ```
 */
export async function readSessionLineage(
  file: { readonly path: string },
  options: SessionLineageOptions,
): Promise<SessionLineage> {
  const start = await readStart(file.path);
  const base = baseOf(start);
  const whole = { path: file.path, start: 0, end: undefined };
  if (base === undefined) {
    return { ...without(unknownExtent(start)), parts: [whole] };
  }
  const paths = await (options.paths?.() ??
    sessionPaths(options.codexHomes, dirname(file.path)));
  const found = await historyBefore(base, paths, new Set([file.path]));
  const ancestors = new Set(found.ancestors);
  ancestors.delete(idOf(start.meta.id) ?? "");
  return {
    parts: partsBehind(found, { ...whole, ...start }),
    ancestors: [...ancestors],
    missing: found.missing,
  };
}

/**
 * Opens all parts of a session as one source.
 *
 * Numbers and offsets of lines are those of the whole; `placeOf` maps them to the files.
 *
 * @param lineage The parts.
 * @returns The content. Close it unless it is read to the end.
 *
 * @example The place of a line of a fork
 * ```ts
 * import { openLineage, readSessionLineage } from "@codexpipe/codexpipe/sessions";
 * import { assert } from "@std/assert";
 *
 * const path = "testdata/captures/0.169.0/fork/" +
 *   "rollout-2026-11-20T15-19-24-01a1f98a-79e9-7341-a904-5b8b08bbdd73.jsonl";
 * const source = openLineage(await readSessionLineage({ path }, { codexHomes: [] }));
 * const into = new Uint8Array(1 << 18);
 * while (await source.read(into) !== null);
 * const place = source.placeOf({ line: 2, offset: 0 });
 *
 * assert(place?.path.endsWith("01a1f98a-7867-7f01-95b5-4c5ae3f063dd.jsonl"));
 * ```
 */
export function openLineage(
  lineage: Pick<SessionLineage, "parts">,
): LineageSource {
  const starts: PartStart[] = [];
  const source = new ChunkSource(joined(lineage.parts, starts), () => {});
  return Object.assign(source, {
    placeOf({ line, offset }: Omit<LinePlace, "path">): LinePlace | undefined {
      const start = starts.findLast(({ before }) => before < line);
      return start && {
        path: start.path,
        line: line + start.lines,
        offset: offset + start.bytes,
      };
    },
  });
}

/**
 * Follows a session back to those that it continues, and returns the parts that come before its
 * own, as far as they are found.
 *
 * `seen` has the paths of the sessions that were followed already; new ones are added.
 */
async function historyBefore(
  base: HistoryBase,
  paths: ReadonlyMap<string, string>,
  seen: Set<string>,
): Promise<SessionLineage> {
  const { thread_id: threadId, end_ordinal_exclusive } = base;
  const missing = (
    reason: MissingHistory["reason"],
    message: string,
  ): MissingHistory => ({ threadId, reason, message });
  const path = paths.get(threadId.toLowerCase());
  if (path === undefined || seen.has(path)) {
    return without(missing("not_found", "there is no such session"));
  }
  seen.add(path);
  try {
    const start = await readStart(path);
    const before = baseOf(start);
    // Of a session in several files, `threadId` is the id of the file.
    const ancestor = idOf(start.meta.id) ?? threadId;
    const isBeforeStart = start.ordinal !== undefined &&
      end_ordinal_exclusive !== null && end_ordinal_exclusive <= start.ordinal;
    if (isBeforeStart && before !== undefined) {
      // All of the history is in the session that this one continues.
      const extent = { end_ordinal_exclusive, end_byte_offset: null };
      const found = await historyBefore({ ...before, ...extent }, paths, seen);
      return { ...found, ancestors: [ancestor, ...found.ancestors] };
    }
    const { end, isReached } = await endOf(path, base);
    const earlier = before === undefined
      ? without(unknownExtent(start))
      : await historyBefore(before, paths, seen);
    return {
      parts: partsBehind(earlier, { path, end, ...start }),
      ancestors: [ancestor, ...earlier.ancestors],
      missing: isReached
        ? earlier.missing
        : missing("too_short", "its file is shorter than it was"),
    };
  } catch (error) {
    return without(missing("unreadable", messageOf(error)));
  }
}

/** Joins the history that a file continues with the file, up to an offset or to its end. */
function partsBehind(
  { parts, ancestors }: SessionLineage,
  { path, end, meta, rest }: FileStart & Pick<LineagePart, "path" | "end">,
): readonly LineagePart[] {
  // A session in several files begins with the header of the first.
  const isOwn = parts.length === 0 || ancestors[0] === idOf(meta.id);
  return isOwn
    ? [...parts, { path, start: 0, end }]
    : [{ path, start: 0, end: rest }, ...parts, { path, start: rest, end }];
}

/** Returns a history of which nothing was found. */
function without(missing: MissingHistory | undefined): SessionLineage {
  return { parts: [], ancestors: [], missing };
}

/**
 * Finds the session files of Codex homes, and those in a folder.
 *
 * @param codexHomes The homes.
 * @param folder The folder for sessions that are in none of the homes.
 * @returns The paths, by the ids in the names of the files, in lower case.
 *
 * @example The session of an agent
 * ```ts
 * import { sessionPaths } from "@codexpipe/codexpipe/sessions";
 * import { assert } from "@std/assert";
 *
 * const paths = await sessionPaths([], "testdata/captures/0.160.0/agents");
 *
 * assert(paths.has("01a1f9a0-2ee6-7d00-8835-a1ed37d4f773"));
 * ```
 */
export async function sessionPaths(
  codexHomes: readonly string[],
  folder: string,
): Promise<ReadonlyMap<string, string>> {
  const { files } = await listSessionFiles(codexHomes);
  return new Map([
    ...await filesBeside(folder),
    ...files.map(({ id, path }) => [id, path] as const),
  ]);
}

/** Returns the session files in a folder, by id; the plain one of a plain and a packed file. */
async function filesBeside(
  folder: string,
): Promise<(readonly [id: string, path: string])[]> {
  const names = await readdir(folder).catch(() => []);
  return names.sort().reverse().flatMap((name) => {
    const id = idInName(name);
    return id === undefined ? [] : [[id, join(folder, name)] as const];
  });
}

/** Returns what a file continues; `undefined` if it is complete, or does not name that. */
function baseOf(
  { meta, ordinal, hasCopy }: FileStart,
): HistoryBase | undefined {
  const base = readHistoryBase(meta.history_base);
  if (base !== null) return base;
  const threadId = idOf(meta.forked_from_id);
  if (threadId === undefined || hasCopy) return undefined;
  // The first releases that did not copy recorded the extent only by counting on from it.
  const end = numberOf(meta.forked_from_ordinal_exclusive) ?? ordinal ?? 0;
  return end === 0 ? undefined : {
    thread_id: threadId,
    end_ordinal_exclusive: end,
    end_byte_offset: null,
  };
}

/** Returns what is missing of a fork that holds neither its history nor the extent of it. */
function unknownExtent(
  { meta, ordinal, hasCopy }: FileStart,
): MissingHistory | undefined {
  const threadId = idOf(meta.forked_from_id);
  // A thread that counts from 0 is complete: `codex migrate-rollouts` drops the copied header.
  const isComplete = hasCopy || ordinal === 0;
  return threadId === undefined || isComplete ? undefined : {
    threadId,
    reason: "unknown_extent",
    message: "the file does not record how much of that session it continues",
  };
}

async function readStart(path: string): Promise<FileStart> {
  const lines: { readonly record: Fields; readonly offset: number }[] = [];
  const end = await readLines(path, (line, offset) => {
    if (isBlankLine(line, 0, line.length)) return true;
    const text = mayEndObject(line, line.length) ? textOf(line) : "";
    lines.push({ record: fieldsOf(parseJson(text)), offset });
    return lines.length < 2;
  });
  const [first, second] = lines;
  const meta = first && sessionHeaderOf(first.record);
  return {
    meta: meta ?? {},
    ordinal: meta && numberOf(first?.record.ordinal),
    hasCopy: second !== undefined &&
      sessionHeaderOf(second.record) !== undefined,
    rest: second?.offset ?? end,
  };
}

/**
 * Returns the offset at which the continued part of a file ends.
 *
 * Ordinals of lines take precedence over the byte offset: a file that was redacted, or rewritten
 * otherwise, has the same lines at other offsets.
 */
async function endOf(
  path: string,
  { end_ordinal_exclusive: ordinal, end_byte_offset: offset }: HistoryBase,
): Promise<{ readonly end: number; readonly isReached: boolean }> {
  const wanted = ordinal ?? Infinity;
  let found: number | undefined;
  let last = -1;
  let isLineStart = false;
  const size = await readLines(path, (line, at) => {
    isLineStart ||= at > 0 && at === offset;
    const current = ordinal === null ? undefined : ordinalIn(line);
    if (current !== undefined && current >= wanted) found = at;
    else last = current ?? last;
    return found === undefined;
  });
  if (found !== undefined) return { end: found, isReached: true };
  if (last >= wanted - 1) return { end: size, isReached: true };
  return offset !== null && last === -1 && (isLineStart || offset === size)
    ? { end: offset, isReached: true }
    : { end: size, isReached: false };
}

/** Returns the ordinal of a line. Codex writes it near the start, so few lines are parsed. */
function ordinalIn(line: Uint8Array): number | undefined {
  const start = ORDINAL_REGEXP.exec(textOf(line.subarray(0, 128)));
  return start === null
    ? numberOf(fieldsOf(parseJson(textOf(line))).ordinal)
    : Number(start[1]);
}

function textOf(line: Uint8Array): string {
  return decodeUtf8(line, 0, line.length);
}

interface PartStart {
  readonly path: string;
  /** How many lines come before the part in the whole. */
  readonly before: number;
  /** The number of a line in its file minus that in the whole; the same for offsets. */
  readonly lines: number;
  readonly bytes: number;
}

const LINE_END = new Uint8Array([LF]);

/**
 * Yields the content of parts of files one after the other, and begins each on a new line. The
 * start of each part is added to `starts` when its reading begins.
 */
async function* joined(
  parts: readonly LineagePart[],
  starts: PartStart[],
): AsyncGenerator<Uint8Array> {
  let lines = 0;
  let bytes = 0;
  let last = LF;
  for (const { path, start, end = Infinity } of parts) {
    // The last line of a file may lack its LF: it must not be joined with this part.
    if (last !== LF) {
      yield LINE_END;
      lines += 1;
      bytes += 1;
    }
    let at = 0;
    let skippedLines = 0;
    for await (const block of sessionBlocks({ path })) {
      const from = Math.min(Math.max(0, start - at), block.length);
      const part = block.subarray(from, end - at);
      skippedLines += linesIn(block.subarray(0, from));
      if (at <= start && start < at + block.length) {
        const ahead = { lines: skippedLines - lines, bytes: start - bytes };
        starts.push({ path, before: lines, ...ahead });
      }
      lines += linesIn(part);
      bytes += part.length;
      last = part.at(-1) ?? last;
      yield part;
      at += block.length;
      if (at >= end) break;
    }
  }
}

function linesIn(block: Uint8Array): number {
  let lines = 0;
  for (let at = block.indexOf(LF); at !== -1; at = block.indexOf(LF, at + 1)) {
    lines += 1;
  }
  return lines;
}
