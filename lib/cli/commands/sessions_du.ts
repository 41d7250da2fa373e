/** `codexpipe sessions du`. */

import { csvRow } from "../../export/csv.ts";
import { countedText, countText } from "../../render/quantity_text.ts";
import {
  findSessionFiles,
  isSessionId,
  measureSession,
  SESSION_PARTS,
  type SessionFiles,
  type SessionSize,
  type SessionSizeGroup,
  type SessionSizeRecord,
  type SessionSizesReport,
  SIZE_KEYS,
  type SizeKey,
  type SpareSession,
  spareSessions,
} from "../../sessions/sessions.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext, RunCommand } from "../command.ts";
import { EXIT } from "../endings.ts";
import { USAGE_FORMATS } from "../flags.ts";
import { resultsOf } from "../jobs.ts";
import { writeTexts } from "../output.ts";
import { refuseOperands } from "../refusals.ts";
import { type Column, tableText } from "../table.ts";
import { bytesText } from "./_session_index.ts";
import { problemRecords, reportHomes, sessionPlaces } from "./_sessions.ts";

/** How long each table is, unless a flag says. */
const ROWS = 10;

/** How wide the longest bar is. */
const BAR = 20;
const DAY = 86_400_000;

/** The names of ages, and up to how many milliseconds they go. */
const AGES = [
  ["less than a day", DAY],
  ["less than a week", 7 * DAY],
  ["less than a month", 30 * DAY],
  ["less than 3 months", 90 * DAY],
  ["less than a year", 365 * DAY],
  ["older", Infinity],
] as const;

/** What the keys are called above a table. */
const TITLES: Readonly<Record<SizeKey, string>> = {
  content: "Content",
  kind: "Kind",
  age: "Last written to",
  project: "Project",
};

export const run: RunCommand = async (args, context) => {
  refuseOperands(args, "sessions du", "--codex-home names a home");
  const found = await measure(args, context);
  const report = new SizesReport(found, args, context);
  const format = args.choice("format", USAGE_FORMATS) ?? "table";
  await writeTexts(
    format === "table" ? context.screen : context.stdout,
    report.texts(format),
  );
  const isIncomplete = reportHomes(
    { ...found, total: found.sessions.length },
    args,
    context,
  );
  const torn = found.sessions.filter(({ problem }) => problem !== undefined);
  if (torn.length > 0) {
    context.diagnostics.say(
      `${countedText(torn.length, "file")} could not be read to the end`,
    );
  }
  return isIncomplete ? EXIT.io : EXIT.done;
};

interface MeasuredSessions
  extends Pick<SessionFiles, "problems" | "missingHomes"> {
  /** The files, the largest on the disk first. */
  readonly sessions: readonly SessionSize[];
}

async function measure(
  args: Arguments,
  context: CommandContext,
): Promise<MeasuredSessions> {
  const { process, progress } = context;
  const { codexHomes } = sessionPlaces(args, process);
  const { files, problems, missingHomes } = process.starter === undefined
    ? await findSessionFiles({ codexHomes })
    : { files: [], problems: [], missingHomes: [] };
  const sizes = resultsOf({
    inputs: files.map((file) => ({ name: file.path, size: file.size, file })),
    async *work({ file }) {
      yield await measureSession(file);
    },
    jobs: args.number("jobs"),
    title: "Reading sessions",
  }, context);
  const sessions: SessionSize[] = [];
  // Node 20 has no Array.fromAsync.
  for await (const some of sizes) sessions.push(...some);
  sessions.sort((a, b) => b.diskBytes - a.diskBytes);
  await progress.clear();
  return { sessions, problems, missingHomes };
}

class SizesReport {
  readonly #found: MeasuredSessions;
  readonly #args: Arguments;
  readonly #context: CommandContext;
  readonly #now: number;
  readonly #keys: readonly SizeKey[];
  readonly #bytes: number;
  readonly #diskBytes: number;

  constructor(
    found: MeasuredSessions,
    args: Arguments,
    context: CommandContext,
  ) {
    this.#found = found;
    this.#args = args;
    this.#context = context;
    this.#now = context.process.now();
    this.#keys = args.choices("by", SIZE_KEYS);
    this.#bytes = sumOf(found.sessions, ({ bytes }) => bytes);
    this.#diskBytes = sumOf(found.sessions, ({ diskBytes }) => diskBytes);
  }

  async *texts(
    format: typeof USAGE_FORMATS[number],
  ): AsyncGenerator<string> {
    const { sessions } = this.#found;
    switch (format) {
      case "table":
        yield* this.#tables();
        break;
      case "json":
        yield `${JSON.stringify(this.#report())}\n`;
        break;
      case "jsonl":
        if (this.#keys.length === 0) {
          for (const one of sessions) yield `${JSON.stringify(record(one))}\n`;
        } else {
          for (const one of this.#groups()) yield `${JSON.stringify(one)}\n`;
        }
        break;
      case "csv":
        yield* this.#csv();
    }
  }

  /** All sums that were asked for; each if none was. */
  #groups(): readonly SessionSizeGroup[] {
    const keys = this.#keys.length === 0 ? SIZE_KEYS : this.#keys;
    return keys.flatMap((key) => this.#groupsBy(key));
  }

  #groupsBy(by: SizeKey): readonly SessionSizeGroup[] {
    const { sessions } = this.#found;
    if (by === "content") {
      return SESSION_PARTS.map((name) => {
        const bytes = sumOf(sessions, ({ parts }) => parts[name]);
        const files = sessions.filter(({ parts }) => parts[name] > 0).length;
        const share = shareOf(bytes, this.#bytes);
        return { by, name, files, bytes, disk_bytes: null, share };
      }).sort((a, b) => b.bytes - a.bytes);
    }
    const groups = new Map<string | null, SessionSize[]>();
    for (const session of sessions) {
      const name = this.#nameOf(by, session);
      const group = groups.get(name);
      if (group === undefined) groups.set(name, [session]);
      else group.push(session);
    }
    const rows = [...groups].map(([name, members]) => {
      const disk = sumOf(members, ({ diskBytes }) => diskBytes);
      return {
        by,
        name,
        files: members.length,
        bytes: sumOf(members, ({ bytes }) => bytes),
        disk_bytes: disk,
        share: shareOf(disk, this.#diskBytes),
      };
    });
    const placeOf = (name: string | null): number =>
      AGES.findIndex(([age]) => age === name);
    return by === "age"
      ? rows.sort((a, b) => placeOf(a.name) - placeOf(b.name))
      : rows.sort((a, b) => b.disk_bytes - a.disk_bytes);
  }

  #nameOf(by: SizeKey, { kind, cwd, file }: SessionSize): string | null {
    if (by === "kind") return kind;
    if (by === "project") return cwd ?? null;
    const age = this.#now - file.mtime;
    return AGES.find(([, limit]) => age < limit)?.[0] ?? null;
  }

  #spare(): readonly SpareSession[] {
    return spareSessions(this.#found.sessions).filter(({ session }) =>
      isSessionId(session.id)
    );
  }

  #report(): SessionSizesReport {
    const { sessions } = this.#found;
    return {
      files: sessions.length,
      bytes: this.#bytes,
      disk_bytes: this.#diskBytes,
      archived_disk_bytes: this.#archived,
      packed_disk_bytes: this.#packed,
      groups: this.#groups(),
      largest: sessions.slice(0, this.#rows).map(record),
      spare: this.#spare().map((spare) => ({
        id: spare.session.id,
        reason: spare.reason,
        command: commandOf(spare),
        disk_bytes: spare.session.diskBytes,
      })),
      problems: problemRecords(this.#found, this.#args),
    };
  }

  get #archived(): number {
    return sumOf(
      this.#found.sessions,
      ({ file, diskBytes }) => file.isArchived ? diskBytes : 0,
    );
  }

  get #packed(): number {
    return sumOf(
      this.#found.sessions,
      ({ file, diskBytes }) => file.compression === "none" ? 0 : diskBytes,
    );
  }

  get #rows(): number {
    return this.#args.number("limit") ?? ROWS;
  }

  *#csv(): Generator<string> {
    if (this.#keys.length > 0) {
      yield csvRow(["by", "name", "files", "bytes", "disk_bytes", "share"]);
      for (const group of this.#groups()) {
        const { by, name, files, bytes, disk_bytes, share } = group;
        yield csvRow([by, name, files, bytes, disk_bytes, share]);
      }
      return;
    }
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
    for (const session of this.#found.sessions) {
      const fields = record(session);
      yield csvRow([
        ...names.map((name) => fields[name]),
        ...SESSION_PARTS.map((part) => session.parts[part]),
      ]);
    }
  }

  async *#tables(): AsyncGenerator<string> {
    const { sessions } = this.#found;
    if (sessions.length === 0) return;
    const isAll = this.#keys.length === 0;
    const keys = isAll ? SIZE_KEYS : this.#keys;
    const sizes = bytesText(this.#diskBytes) +
      (this.#bytes === this.#diskBytes
        ? ""
        : `, unpacked ${bytesText(this.#bytes)}`);
    const notes = [
      `${countedText(sessions.length, "file")}, ${sizes}`,
      ...(this.#archived === 0
        ? []
        : [`archived ${bytesText(this.#archived)}`]),
      ...(this.#packed === 0 ? [] : [`packed ${bytesText(this.#packed)}`]),
    ];
    yield `${notes.join("; ")}\n`;
    for (const key of keys) {
      const groups = this.#groupsBy(key).filter(({ files }) => files > 0);
      const limit = isAll || this.#args.has("limit") ? this.#rows : Infinity;
      yield `\n${await this.#groupTable(key, groups.slice(0, limit))}`;
      const more = groups.length - limit;
      if (more > 0) yield `... and ${countText(more)} more: --by=${key}\n`;
    }
    if (!isAll) return;
    yield `\n${await this.#largest()}`;
    const spare = this.#spare();
    if (spare.length === 0) return;
    const size = sumOf(spare, ({ session }) => session.diskBytes);
    yield `\nWhat could go, ${
      bytesText(size)
    }; codexpipe deletes nothing, these commands would:\n`;
    for (const one of spare.slice(0, this.#rows)) {
      const { session, reason } = one;
      yield `${commandOf(one)}  # ${reason}, ${bytesText(session.diskBytes)}\n`;
    }
    const more = spare.length - this.#rows;
    if (more > 0) yield `... and ${countText(more)} more: --limit, or --json\n`;
  }

  async #groupTable(
    key: SizeKey,
    groups: readonly SessionSizeGroup[],
  ): Promise<string> {
    const columns: Column[] = [
      { title: TITLES[key], cut: key === "project" ? "start" : "end" },
      { title: "Files", align: "right" },
      { title: "Size", align: "right" },
      { title: "Share", align: "right" },
    ];
    const isScreen = this.#context.process.isTerminal.stdout;
    if (isScreen) columns.push({ title: "" });
    const rows = groups.map(({ name, files, bytes, disk_bytes, share }) => [
      (name ?? "unknown").replaceAll("_", " "),
      countText(files),
      bytesText(disk_bytes ?? bytes),
      percentText(share),
      ...(isScreen ? ["█".repeat(Math.round(share * BAR))] : []),
    ]);
    return await this.#table(columns, rows);
  }

  async #largest(): Promise<string> {
    const columns: Column[] = [
      { title: "Largest" },
      { title: "Size", align: "right" },
      { title: "Share", align: "right" },
      { title: "Most of it" },
      { title: "Title", cut: "end" },
    ];
    const rows = this.#found.sessions.slice(0, this.#rows).map((session) => [
      session.id === "" ? session.file.path : session.id,
      bytesText(session.diskBytes),
      percentText(shareOf(session.diskBytes, this.#diskBytes)),
      mostOf(session),
      session.title,
    ]);
    return await this.#table(columns, rows);
  }

  async #table(
    columns: readonly Column[],
    rows: readonly (readonly string[])[],
  ): Promise<string> {
    const { process, style } = this.#context;
    return await tableText(columns, rows, { width: process.columns(), style });
  }
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

function commandOf({ command, session }: SpareSession): string {
  return `codex ${command} ${session.id}`;
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
