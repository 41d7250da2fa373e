/** `codexpipe watch`. */

import {
  type Happening,
  HappeningReader,
  type HappeningRecord,
} from "../../check/happenings.ts";
import { verdictJson } from "../../check/verdict.ts";
import type { ChangeWaiter } from "../../files/file_changes.ts";
import { follow } from "../../files/follow.ts";
import {
  countText,
  durationText,
  timeText,
} from "../../render/quantity_text.ts";
import { userHomeFrom } from "../../sessions/codex_homes.ts";
import {
  HomeWatch,
  LATELY_MS,
  type SessionChange,
} from "../../sessions/home_watch.ts";
import type { Session } from "../../sessions/session.ts";
import type { SessionFile } from "../../sessions/session_files.ts";
import type { SessionHead } from "../../sessions/session_head.ts";
import { otherPlacesOf } from "../../sessions/session_places.ts";
import type { CommandContext, RunCommand } from "../command.ts";
import { escapeControls } from "../escape.ts";
import { FORMATS } from "../flags.ts";
import { writeTexts } from "../output.ts";
import { unreadable } from "../input.ts";
import { type Column, numbers, tableText } from "../table.ts";
import { COLUMNS, ERASE_BELOW, ROWS } from "../progress.ts";
import { TextRuler } from "../text_ruler.ts";
import { formatOf, runFigures } from "./_formats.ts";
import { homesToRead } from "./_places.ts";
import { problemLine } from "./_sessions.ts";
import { branchOf, shortPath } from "./_sessions_table.ts";

const BLOCK = 1 << 16;

/** The age in milliseconds before which an event waits, since earlier ones may still arrive. */
const SETTLE_MS = 100;

/**
 * A session without a turn is closed after this silence, in milliseconds; it would be read again
 * from its start, so one of more than `LARGE` bytes is kept open for longer.
 */
const REST_MS = 60_000;
const LARGE = 1 << 22;

/** The silence in milliseconds after which the table shows for how long a session wrote nothing. */
const SILENT_MS = 60_000;

/** The length of ids in the output: the part of Codex's ids that is the time in milliseconds. */
const SHORT_ID = 13;

/** The number of lines of the terminal that the table leaves free. */
const SPARE_ROWS = 4;

/** The length of commands in the output, in UTF-16 units. */
const MAX_COMMAND = 120;

export const run: RunCommand = async (context) => {
  const watch = new Watching(context);
  try {
    return await watch.run();
  } finally {
    await watch.close();
  }
};

/** An event in a session, or a change of its file. */
type WatchedEvent =
  | Happening
  | {
    readonly type: `session.${Exclude<
      SessionChange["type"],
      "written" | "closed"
    >}`;
    readonly at: number;
  }
  | {
    readonly type: "session.damaged";
    readonly at: number;
    readonly failure: { readonly line: null; readonly message: string };
  };

interface Waiting {
  readonly event: WatchedEvent;
  readonly file: SessionFile;
  /** The time of the event, or of its arrival if that is earlier or the event has no time. */
  readonly at: number;
}

interface Known extends Pick<Session, "title"> {
  readonly head: Pick<SessionHead, "id"> & Partial<SessionHead>;
}

class Watching {
  readonly #context: CommandContext;
  readonly #homes: readonly string[];
  readonly #home: HomeWatch;
  readonly #isJson: boolean;
  readonly #screen: Screen | undefined;
  /** Events up to this time are not reported. */
  readonly #since: number;
  readonly #followed = new Map<string, FollowedSession>();
  /** For sessions that were closed: the time up to which events were reported. */
  readonly #reportedUpTo = new Map<string, number>();
  /** The heads of the sessions that appear in the output. */
  readonly #sessions = new Map<string, Session>();
  /** The paths and the keys of sessions that were reported as unreadable. */
  readonly #unreadable = new Set<string>();
  #waiting: Waiting[] = [];
  #lastAt = -Infinity;

  constructor(context: CommandContext) {
    const { args, process } = context;
    const codexHomes = homesToRead(context);
    const now = process.now();
    const since = args.time("since", now);
    this.#context = context;
    this.#homes = codexHomes;
    this.#since = since ?? now;
    this.#home = new HomeWatch({
      codexHomes,
      since: since === undefined ? undefined : this.#since,
      changes: process.changes,
      now: process.now,
    });
    this.#isJson = formatOf(args, FORMATS.search) !== "text";
    if (context.isLive && !this.#isJson) {
      this.#screen = new Screen(codexHomes, context);
    }
  }

  async run(): Promise<number> {
    const { process, diagnostics, progress } = this.#context;
    for (const home of this.#homes) {
      if (await process.look(home) !== undefined) continue;
      diagnostics.say(`${home}: does not exist yet; waiting for it`);
    }
    for (;;) {
      // Read before looking, so that lines that are complete at the interrupt are reported.
      const isEnding = process.interrupt.aborted;
      const { changes, problems } = await this.#home.look();
      for (const problem of problems) {
        if (this.#unreadable.has(problem.path)) continue;
        this.#unreadable.add(problem.path);
        await this.#screen?.clear();
        diagnostics.say(problemLine(problem));
      }
      await diagnostics.flush();
      for (const [at, change] of changes.entries()) {
        await progress.count("Reading sessions", at, changes.length);
        await this.#take(change);
        // Events read so far are not reported: earlier ones may be in files not read yet.
        if (!isEnding) process.interrupt.throwIfAborted();
      }
      await progress.clear();
      for (const session of this.#followed.values()) {
        if (this.#isResting(session)) await this.#leave(session);
      }
      await this.#show(isEnding);
      if (isEnding) process.interrupt.throwIfAborted();
      await this.#home.wait(process.interrupt);
    }
  }

  async close(): Promise<void> {
    this.#home.close();
    for (const session of this.#followed.values()) await session.end();
    await this.#screen?.clear();
  }

  async #take({ type, file, at }: SessionChange): Promise<void> {
    const { key } = file;
    const followed = this.#followed.get(key);
    if (type === "written") {
      const session = followed ?? this.#follow(file);
      session.file = file;
      await session.read();
      if (session.isOver || this.#isResting(session)) {
        await this.#leave(session);
      }
    } else if (type === "closed") {
      if (followed?.reader.hasTurn === true) await this.#leave(followed, true);
    } else {
      this.#add(file, { type: `session.${type}`, at });
      if (type === "deleted" && followed !== undefined) {
        await this.#leave(followed);
      }
    }
  }

  #follow(file: SessionFile): FollowedSession {
    const after = this.#reportedUpTo.get(file.key) ?? this.#since;
    const session = new FollowedSession(file, after, {
      take: (happening) => this.#add(session.file, happening),
      fail: (message) => {
        if (this.#unreadable.has(file.key)) return;
        this.#unreadable.add(file.key);
        const failure = { line: null, message };
        const at = this.#context.process.now();
        this.#add(session.file, { type: "session.damaged", at, failure });
      },
    });
    this.#followed.set(file.key, session);
    return session;
  }

  /** Closes a session; `isKilled` means that its program has ended during a turn. */
  async #leave(session: FollowedSession, isKilled = false): Promise<void> {
    const { key } = session.file;
    this.#followed.delete(key);
    this.#reportedUpTo.set(key, session.reportedUpTo);
    await session.end((happening) => {
      const { at = 0 } = happening;
      const isNew = isKilled || at > session.after;
      const now = this.#context.process.now();
      if (isNew) this.#add(session.file, { ...happening, at: now });
    });
  }

  /** Whether a session was not written to for so long that it is closed. */
  #isResting({ file, reader }: FollowedSession): boolean {
    const isKept = reader.hasTurn || file.size > LARGE;
    const silence = this.#context.process.now() - file.mtime;
    return silence > (isKept ? LATELY_MS : REST_MS);
  }

  #add(file: SessionFile, event: WatchedEvent): void {
    const now = this.#context.process.now();
    this.#waiting.push({ event, file, at: Math.min(event.at ?? now, now) });
  }

  /** Writes the events that are due, in the order of their times, and the table. */
  async #show(isAll: boolean): Promise<void> {
    const limit = this.#context.process.now() - SETTLE_MS;
    const isDue = ({ at }: Waiting): boolean => isAll || at <= limit;
    const due = this.#waiting.filter(isDue).sort((a, b) => a.at - b.at);
    this.#waiting = this.#waiting.filter((waiting) => !isDue(waiting));
    const running = [...this.#followed.values()]
      .filter(({ reader }) => reader.hasTurn);
    await this.#readHeads([
      ...due.map(({ file }) => file),
      ...running.map(({ file }) => file),
    ]);
    const { stdout, screen } = this.#context;
    const texts = due.map((waiting) => this.#text(waiting));
    if (this.#screen === undefined) {
      await writeTexts(this.#isJson ? stdout : screen, texts);
      return;
    }
    const rows = running.map((session) => ({
      session,
      known: this.#known(session.file),
    }));
    await this.#screen.show(texts.join(""), rows, this.#home.size);
  }

  async #readHeads(files: readonly SessionFile[]): Promise<void> {
    const unknown = new Map<string, SessionFile>();
    for (const file of files) {
      const known = this.#sessions.get(file.key);
      // Until the first message is there, the head is read again when the file grows; sub-agents
      // have no such message.
      const isKnown = known?.head.firstMessage !== undefined ||
        known?.head.kind === "subagent" || known?.file.size === file.size;
      if (!isKnown) unknown.set(file.key, file);
    }
    if (unknown.size === 0) return;
    const unread = [...unknown.values()];
    for (const session of await this.#home.sessions(unread)) {
      const { key } = session.file;
      // If the file is gone, the old head is kept.
      const isWorse = session.head.problem !== undefined &&
        this.#sessions.has(key);
      if (!isWorse) this.#sessions.set(key, session);
    }
  }

  /** Returns what is known of a session: at least its id. */
  #known({ key, id }: SessionFile): Known {
    return this.#sessions.get(key) ?? { title: "", head: { id } };
  }

  #text({ event, file, at }: Waiting): string {
    this.#lastAt = Math.max(this.#lastAt, at);
    const time = new Date(this.#lastAt).toISOString();
    const known = this.#known(file);
    if (this.#isJson) return `${recordText(event, time, file, known)}\n`;
    // On a terminal, running turns and commands are in the table.
    const isEnd = event.type !== "turn.started" &&
      !event.type.startsWith("command.");
    if (this.#screen !== undefined && !isEnd) return "";
    const { style, process } = this.#context;
    const id = known.head.id.slice(0, SHORT_ID) || file.path;
    const text = eventText(event, known, userHomeFrom(process.env));
    const isBad = event.type === "session.damaged" ||
      (event.type === "turn.ended" && !event.verdict.isPassed);
    const shown = escapeControls(text);
    return `${style.dim(timeText(time))}  ${style.cyan(escapeControls(id))}  ${
      isBad ? style.red(shown) : shown
    }\n`;
  }
}

function recordText(
  event: WatchedEvent,
  at: string,
  { path }: SessionFile,
  { title, head }: Known,
): string {
  const record: HappeningRecord = {
    type: event.type,
    at,
    session_id: head.id || null,
    parent_id: head.parent ?? null,
    title,
    path,
  };
  const textOf = (fields: Partial<HappeningRecord>): string =>
    JSON.stringify({ ...record, ...fields });
  switch (event.type) {
    case "session.started":
      return textOf({
        cwd: head.cwd ?? null,
        model: head.model ?? null,
        cli_version: head.cliVersion ?? null,
        source: head.source ?? null,
        agent: head.agent ?? null,
      });
    case "session.damaged":
      return textOf({
        line: event.failure.line,
        message: event.failure.message,
      });
    case "command.started":
      return textOf({ command: event.command });
    case "command.ended":
      return textOf({
        command: event.command,
        status: event.status,
        exit_code: event.exitCode,
        duration_ms: event.durationMs,
      });
    case "turn.ended": {
      const text = textOf({ duration_ms: event.durationMs });
      // verdictJson() writes token counts as BigInt, which JSON.stringify() cannot.
      return `${text.slice(0, -1)},"verdict":${verdictJson(event.verdict)}}`;
    }
    default:
      return textOf({});
  }
}

function eventText(
  event: WatchedEvent,
  { title, head: { parent, cwd } }: Known,
  userHome: string | undefined,
): string {
  switch (event.type) {
    case "session.started": {
      const who = parent === undefined
        ? "session started"
        : `sub-agent of ${parent.slice(0, SHORT_ID)} started`;
      const where = cwd === undefined ? "" : ` (${shortPath(cwd, userHome)})`;
      return `${who}: ${title}${where}`;
    }
    case "session.damaged": {
      const { line, message } = event.failure;
      return line === null ? message : `line ${line}: ${message}`;
    }
    case "turn.started":
      return "turn started";
    case "turn.ended": {
      const { verdict, durationMs } = event;
      const [reason] = verdict.reasons;
      const time = durationMs === null ? "" : ` (${durationText(durationMs)})`;
      return reason === undefined
        ? `✓ done${time}: ${runFigures(verdict)}; ${title}`
        : `✗ ${reason.message}${time}; ${title}`;
    }
    case "command.started":
      return `$ ${oneLine(event.command)}`;
    case "command.ended": {
      const { command, exitCode, durationMs, status } = event;
      const time = durationMs === null ? "" : ` (${durationText(durationMs)})`;
      const how = status === "completed"
        ? "✓"
        : `✗ ${exitCode === null ? status : `exit ${exitCode}`}:`;
      return `${how} $ ${oneLine(command)}${time}`;
    }
    default:
      return `${event.type.replace("session.", "")}: ${title}`;
  }
}

function oneLine(command: string): string {
  const line = command.replace(/\s+/g, " ").trim();
  return line.length <= MAX_COMMAND
    ? line
    : `${line.slice(0, MAX_COMMAND - 1).toWellFormed()}…`;
}

/** Follows a session file. It reads new content only when `read` is called. */
class FollowedSession implements ChangeWaiter {
  file: SessionFile;
  reader = new HappeningReader();
  /** Events up to this time are not reported. */
  after: number;
  readonly #taker;
  readonly #end = new AbortController();
  #reading: Promise<void> | undefined;
  #wake: () => void = () => {};
  #rest: () => void = () => {};
  isOver = false;

  /** @param taker Receives the events, and the reason that the file cannot be read. */
  constructor(
    file: SessionFile,
    after: number,
    taker: {
      take(happening: Happening): void;
      fail(message: string): void;
    },
  ) {
    this.file = file;
    this.after = after;
    this.#taker = taker;
  }

  /** The time up to which all events were reported. */
  get reportedUpTo(): number {
    return Math.max(this.after, this.reader.at ?? 0);
  }

  async read(): Promise<void> {
    if (this.isOver) return;
    const rest = new Promise<void>((resolve) => this.#rest = resolve);
    if (this.#reading === undefined) this.#reading = this.#run();
    else this.#wake();
    await rest;
  }

  /** Stops following; a running turn is reported as `open`. */
  async end(take: (happening: Happening) => void = () => {}): Promise<void> {
    this.#end.abort();
    this.#wake();
    await this.#reading;
    if (this.reader.hasTurn) this.reader.flush(take);
  }

  /** Called by `follow` when all current content has been read; resolves at the next `read`. */
  wait(): Promise<void> {
    this.#rest();
    return new Promise((resolve) => this.#wake = resolve);
  }

  close(): void {}

  async #run(): Promise<void> {
    const { path } = this.file;
    const block = new Uint8Array(BLOCK);
    const take = (happening: Happening): void => {
      if ((happening.at ?? Infinity) > this.after) this.#taker.take(happening);
    };
    try {
      const contents = follow([path, ...otherPlacesOf(path)], {
        signal: this.#end.signal,
        changes: this,
        onChange: (change) => {
          // The file was moved since it was found: the watch will report its new path.
          if (change === "awaited") this.#end.abort();
          // Lines after the cut may be written again: events up to now are not repeated.
          if (change === "cut") this.after = this.reportedUpTo;
        },
      });
      let isFirst = true;
      for await (const content of contents) {
        if (!isFirst) {
          // The file was replaced or emptied: events that were reported are not repeated.
          this.after = this.reportedUpTo;
          this.reader = new HappeningReader();
        }
        isFirst = false;
        for (;;) {
          const size = await content.read(block);
          if (size === null) break;
          this.reader.feed(block.subarray(0, size), take);
        }
      }
    } catch (error) {
      this.#taker.fail(unreadable(error));
    } finally {
      this.isOver = true;
      this.#rest();
    }
  }
}

interface Row {
  readonly session: FollowedSession;
  readonly known: Known;
}

interface NestedRow extends Row {
  readonly depth: number;
}

/** A terminal with lines of events, and below them a table of the sessions at work. */
class Screen {
  readonly #context: CommandContext;
  /** The Codex homes, as the line below the table shows them. */
  readonly #place: string;
  #table = "";

  constructor(homes: readonly string[], context: CommandContext) {
    this.#context = context;
    const userHome = userHomeFrom(context.process.env);
    this.#place = escapeControls(shortPath(homes.join(", "), userHome));
  }

  /** Adds lines, and redraws the table. `size` is the number of all sessions. */
  async show(text: string, rows: readonly Row[], size: number): Promise<void> {
    const { process, style } = this.#context;
    const columns = process.columns() ?? COLUMNS;
    const most = Math.max(1, (process.rows() ?? ROWS) - SPARE_ROWS);
    const shown = inFamilies(rows).slice(0, most);
    const more = rows.length - shown.length;
    const count = `${countText(rows.length)} of ${countText(size)}`;
    const sums = more > 0
      ? `and ${countText(more)} more`
      : `${count} sessions in ${this.#place} at work`;
    const ruler = await TextRuler.for([text, sums]);
    const table = shown.length === 0
      ? ""
      : await tableText(this.#columns, shown, { width: columns - 1, style });
    const below = `${table}${style.dim(ruler.fitted(sums, columns - 1))}\n`;
    if (text === "" && below === this.#table) return;
    const { erased } = this;
    this.#table = below;
    await this.#context.screen.writeText(`${erased}${text}${below}`);
  }

  async clear(): Promise<void> {
    const { erased } = this;
    this.#table = "";
    if (erased !== "") await this.#context.screen.writeText(erased);
  }

  get erased(): string {
    const lines = this.#table.split("\n").length - 1;
    return lines === 0 ? "" : `\r\x1b[${lines}A${ERASE_BELOW}`;
  }

  get #columns(): readonly Column<NestedRow>[] {
    const { style, process } = this.#context;
    const now = process.now();
    return [
      {
        title: "Session",
        look: (text) => style.cyan(text),
        cell: (row) =>
          branchOf(row.depth) +
          (row.known.head.id.slice(0, SHORT_ID) || row.session.file.path),
      },
      numbers(
        "Time",
        ({ session: { reader } }) => secondsSince(reader.turnAt, now),
      ),
      numbers("Tokens", ({ session: { reader } }) => {
        const { tokens } = reader.verdict;
        return tokens === null ? "" : countText(tokens.total_tokens);
      }),
      { title: "Doing", cut: "end", cell: (row) => doing(row, now) },
      { title: "Title", cut: "end", cell: ({ known }) => known.title },
    ];
  }
}

/** The command that a session runs, or for how long the session has written nothing. */
function doing({ session: { reader, file } }: Row, now: number): string {
  const [command, ...others] = reader.commands;
  if (command === undefined) {
    return now - file.mtime < SILENT_MS
      ? ""
      : `silent for ${secondsSince(file.mtime, now)}`;
  }
  const count = others.length === 0 ? "" : `${others.length + 1}: `;
  const line = oneLine(command.command);
  return `${count}${secondsSince(command.at, now)} $ ${line}`;
}

function secondsSince(at: number | undefined, now: number): string {
  if (at === undefined) return "";
  const seconds = Math.max(0, Math.floor((now - at) / 1000));
  return seconds < 60 ? `${seconds}s` : durationText(1000 * seconds);
}

/** Sorts rows so that sub-agents come below the sessions that spawned them. */
function inFamilies(
  rows: readonly Row[],
): readonly NestedRow[] {
  const ids = new Set(rows.map(({ known }) => known.head.id));
  const ordered = new Map<Row, NestedRow>();
  const add = (row: Row, depth: number): void => {
    if (ordered.has(row)) return;
    ordered.set(row, { ...row, depth });
    for (const child of rows) {
      const { parent } = child.known.head;
      if (parent === row.known.head.id) add(child, depth + 1);
    }
  };
  const roots = rows.filter(({ known }) => !ids.has(known.head.parent ?? ""));
  // All rows follow the roots, for sessions whose headers form a cycle.
  for (const row of [...roots, ...rows]) add(row, 0);
  return [...ordered.values()];
}
