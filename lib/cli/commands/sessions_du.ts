/** `codexpipe sessions du`. */

import { csvRow } from "../../export/csv.ts";
import { countedText, countText } from "../../render/quantity_text.ts";
import { isSessionId } from "../../sessions/session_id.ts";
import {
  measureSession,
  type SessionSize,
  type SpareSession,
  spareSessions,
} from "../../sessions/session_sizes.ts";
import { SESSION_PARTS } from "../../events/session_parts.ts";
import { comparablePath } from "../../sessions/working_directory.ts";
import type { SessionPage } from "../../sessions/session_list.ts";
import {
  type SessionSizeGroup,
  type SessionSizeRecord,
  type SessionSizesReport,
  SIZE_KEYS,
  type SizeKey,
} from "../../sessions/session_records.ts";
import type { CommandContext, RunCommand } from "../command.ts";
import { EXIT } from "../endings.ts";
import { FORMATS } from "../flags.ts";
import { resultsOf } from "../jobs.ts";
import { type Column, numbers, tableText } from "../table.ts";
import { bytesText, formatOf, writePages } from "./_formats.ts";
import { sessionPage } from "./_session_page.ts";
import { problemLine, problemRecords, reportHomes } from "./_sessions.ts";

/** The width of a bar of 100 %. */
const BAR = 20;
const DAY = 86_400_000;

const AGES = [
  ["less than a day", DAY],
  ["less than a week", 7 * DAY],
  ["less than a month", 30 * DAY],
  ["less than 3 months", 90 * DAY],
  ["less than a year", 365 * DAY],
  ["older", Infinity],
] as const;

const TITLES: Readonly<Record<SizeKey, string>> = {
  content: "Content",
  kind: "Kind",
  age: "Last written to",
  project: "Project",
};

export const run: RunCommand = async (context) => {
  const { args } = context;
  const format = formatOf(args, FORMATS.usage);
  if (format === "jsonl" || format === "csv") {
    args.refuseIdle(["limit"], `with --format=${format}, which has every row`);
  }
  const found = await measure(context);
  await writePages(format, texts(found, format, context), context);
  const isIncomplete = reportHomes(
    { ...found, total: found.sessions.length },
    context,
  );
  let status: number = isIncomplete ? EXIT.io : EXIT.done;
  for (const { file: { path }, problem: message } of found.sessions) {
    if (message === undefined) continue;
    context.diagnostics.say(problemLine({ path, message }));
    status = EXIT.io;
  }
  return status;
};

interface MeasuredSessions
  extends Pick<SessionPage, "problems" | "missingHomes"> {
  /** The files, the largest on the disk first. */
  readonly sessions: readonly SessionSize[];
  readonly bytes: number;
  readonly diskBytes: number;
}

async function measure(context: CommandContext): Promise<MeasuredSessions> {
  const { process } = context;
  const { sessions, problems, missingHomes } = process.starter === undefined
    ? await sessionPage(context)
    : { sessions: [], problems: [], missingHomes: [] };
  const results = resultsOf({
    inputs: sessions.map((session) => ({
      name: session.file.path,
      size: session.files.reduce((sum, { size }) => sum + size, 0),
      session,
    })),
    async *work({ session }) {
      yield await measureSession(session);
    },
    title: "Reading sessions",
  }, context);
  const sizes: SessionSize[] = [];
  // Node 20 has no Array.fromAsync.
  for await (const some of results) sizes.push(...some);
  sizes.sort((a, b) => b.diskBytes - a.diskBytes);
  return {
    sessions: sizes,
    bytes: sumOf(sizes, ({ bytes }) => bytes),
    diskBytes: diskBytesOf(sizes),
    problems,
    missingHomes,
  };
}

async function* texts(
  found: MeasuredSessions,
  format: typeof FORMATS.usage[number],
  context: CommandContext,
): AsyncGenerator<string> {
  const { args } = context;
  const { sessions } = found;
  const { now } = context.process;
  const keys = args.choices("by", SIZE_KEYS);
  const groups = (): readonly SessionSizeGroup[] =>
    (keys.length === 0 ? SIZE_KEYS : keys)
      .flatMap((key) => groupsBy(key, found, now()));
  switch (format) {
    case "table":
      yield* tables(found, keys, context);
      break;
    case "json": {
      const report: SessionSizesReport = {
        files: sessions.length,
        bytes: found.bytes,
        disk_bytes: found.diskBytes,
        archived_disk_bytes: archivedIn(sessions),
        packed_disk_bytes: packedIn(sessions),
        groups: groups(),
        largest: sessions.slice(0, args.number("limit")).map(record),
        spare: spareIn(sessions).map((spare) => ({
          id: spare.id,
          reason: spare.reason,
          command: commandOf(spare),
          disk_bytes: spare.diskBytes,
        })),
        problems: problemRecords(found, args),
      };
      yield `${JSON.stringify(report)}\n`;
      break;
    }
    case "jsonl": {
      const records = keys.length === 0 ? sessions.map(record) : groups();
      for (const one of records) yield `${JSON.stringify(one)}\n`;
      break;
    }
    case "csv":
      yield* keys.length === 0 ? sessionRows(sessions) : groupRows(groups());
  }
}

function groupsBy(
  by: SizeKey,
  { sessions, bytes: all, diskBytes }: MeasuredSessions,
  now: number,
): readonly SessionSizeGroup[] {
  if (by === "content") {
    return SESSION_PARTS.map((name) => {
      const bytes = sumOf(sessions, ({ parts }) => parts[name]);
      const files = sessions.filter(({ parts }) => parts[name] > 0).length;
      const share = shareOf(bytes, all);
      return { by, name, files, bytes, disk_bytes: null, share };
    }).sort((a, b) => b.bytes - a.bytes);
  }
  const groups = new Map<string | null, SessionSize[]>();
  for (const session of sessions) {
    const name = nameOf(by, session, now);
    const key = name === null ? null : comparablePath(name);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [session]);
    else group.push(session);
  }
  const rows = [...groups.values()].map((members) => {
    const [first] = members;
    const disk = diskBytesOf(members);
    return {
      by,
      name: first === undefined ? null : nameOf(by, first, now),
      files: members.length,
      bytes: sumOf(members, ({ bytes }) => bytes),
      disk_bytes: disk,
      share: shareOf(disk, diskBytes),
    };
  });
  const placeOf = (name: string | null): number =>
    AGES.findIndex(([age]) => age === name);
  return by === "age"
    ? rows.sort((a, b) => placeOf(a.name) - placeOf(b.name))
    : rows.sort((a, b) => b.disk_bytes - a.disk_bytes);
}

function nameOf(
  by: SizeKey,
  { kind, cwd, file }: SessionSize,
  now: number,
): string | null {
  if (by === "kind") return kind;
  if (by === "project") return cwd ?? null;
  const age = now - file.mtime;
  return AGES.find(([, limit]) => age < limit)?.[0] ?? null;
}

function spareIn(sessions: readonly SessionSize[]): readonly SpareSession[] {
  return spareSessions(sessions).filter(({ id }) => isSessionId(id));
}

function archivedIn(sessions: readonly SessionSize[]): number {
  return diskBytesOf(sessions.filter(({ file }) => file.isArchived));
}

function packedIn(sessions: readonly SessionSize[]): number {
  return diskBytesOf(
    sessions.filter(({ file }) => file.compression !== "none"),
  );
}

function* groupRows(groups: readonly SessionSizeGroup[]): Generator<string> {
  yield csvRow(["by", "name", "files", "bytes", "disk_bytes", "share"]);
  for (const { by, name, files, bytes, disk_bytes, share } of groups) {
    yield csvRow([by, name, files, bytes, disk_bytes, share]);
  }
}

function* sessionRows(sessions: readonly SessionSize[]): Generator<string> {
  const names = [
    "id",
    "title",
    "project",
    "kind",
    "archived",
    "compression",
    "updated",
    "bytes",
    "disk_bytes",
    "path",
    "problem",
  ] as const;
  yield csvRow([...names, ...SESSION_PARTS]);
  for (const session of sessions) {
    const fields = record(session);
    yield csvRow([
      ...names.map((name) => fields[name]),
      ...SESSION_PARTS.map((part) => session.parts[part]),
    ]);
  }
}

async function* tables(
  found: MeasuredSessions,
  keys: readonly SizeKey[],
  context: CommandContext,
): AsyncGenerator<string> {
  const { args } = context;
  const { sessions, bytes, diskBytes } = found;
  if (sessions.length === 0) return;
  const isAll = keys.length === 0;
  const rows = args.number("limit") ?? Infinity;
  const sizes = bytesText(diskBytes) +
    (bytes === diskBytes ? "" : `, unpacked ${bytesText(bytes)}`);
  const archived = archivedIn(sessions);
  const packed = packedIn(sessions);
  const notes = [
    `${countedText(sessions.length, "file")}, ${sizes}`,
    ...(archived === 0 ? [] : [`archived ${bytesText(archived)}`]),
    ...(packed === 0 ? [] : [`packed ${bytesText(packed)}`]),
  ];
  yield `${notes.join("; ")}\n`;
  for (const key of isAll ? SIZE_KEYS : keys) {
    const groups = groupsBy(key, found, context.process.now())
      .filter(({ files }) => files > 0);
    const limit = isAll || args.has("limit") ? rows : Infinity;
    yield `\n${await groupTable(key, groups.slice(0, limit), context)}`;
    const more = groups.length - limit;
    if (more > 0) yield `... and ${countText(more)} more: --by=${key}\n`;
  }
  if (!isAll) return;
  yield `\n${await largestTable(found, rows, context)}`;
  const spare = spareIn(sessions);
  if (spare.length === 0) return;
  const size = sumOf(spare, ({ diskBytes }) => diskBytes);
  yield `\nCould be removed: ${
    bytesText(size)
  }. codexpipe deletes nothing; these commands would:\n`;
  for (const one of spare.slice(0, rows)) {
    const { reason, diskBytes } = one;
    yield `${commandOf(one)}  # ${reason}, ${bytesText(diskBytes)}\n`;
  }
  const more = spare.length - rows;
  if (more > 0) yield `... and ${countText(more)} more: --limit, or --json\n`;
}

async function groupTable(
  key: SizeKey,
  groups: readonly SessionSizeGroup[],
  { process, style, width }: CommandContext,
): Promise<string> {
  const columns: Column<SessionSizeGroup>[] = [
    {
      title: TITLES[key],
      cut: key === "project" ? "start" : "end",
      cell: ({ name }) =>
        key === "project" && name !== null
          ? name
          : (name ?? "unknown").replaceAll("_", " "),
    },
    numbers("Files", ({ files }) => countText(files)),
    numbers("Size", ({ bytes, disk_bytes }) => bytesText(disk_bytes ?? bytes)),
    numbers("Share", ({ share }) => percentText(share)),
  ];
  if (process.isTerminal.stdout) {
    const bar = (share: number): string => "█".repeat(Math.round(share * BAR));
    columns.push({
      title: "",
      isSpare: true,
      cell: ({ share }) => bar(share),
    });
  }
  return await tableText(columns, groups, { width: width(), style });
}

async function largestTable(
  { sessions, diskBytes: all }: MeasuredSessions,
  limit: number,
  { style, width }: CommandContext,
): Promise<string> {
  const columns: Column<SessionSize>[] = [
    { title: "Largest", cell: ({ id, file }) => id || file.path },
    numbers("Size", ({ diskBytes }) => bytesText(diskBytes)),
    numbers("Share", ({ diskBytes }) => percentText(shareOf(diskBytes, all))),
    { title: "Most of it", isSpare: true, cell: mostOf },
    {
      title: "Title",
      cut: "end",
      keptWidth: 8,
      cell: ({ title }) => title,
    },
  ];
  const largest = sessions.slice(0, limit);
  return await tableText(columns, largest, { width: width(), style });
}

function record(session: SessionSize): SessionSizeRecord {
  const { file } = session;
  return {
    id: session.id === "" ? null : session.id,
    title: session.title,
    project: session.cwd ?? null,
    kind: session.kind,
    archived: file.isArchived,
    compression: file.compression,
    updated: new Date(file.mtime).toISOString(),
    bytes: session.bytes,
    disk_bytes: session.diskBytes,
    parts: session.parts,
    path: file.path,
    problem: session.problem ?? null,
  };
}

function mostOf({ parts }: SessionSize): string {
  const [first] = SESSION_PARTS.toSorted((a, b) => parts[b] - parts[a]);
  return (first ?? "").replaceAll("_", " ");
}

function commandOf({ command, id }: SpareSession): string {
  return `codex ${command} ${id}`;
}

function diskBytesOf(sessions: readonly SessionSize[]): number {
  return sumOf(sessions, ({ diskBytes }) => diskBytes);
}

function sumOf<T>(values: readonly T[], size: (value: T) => number): number {
  return values.reduce((sum, value) => sum + size(value), 0);
}

function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

function percentText(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
