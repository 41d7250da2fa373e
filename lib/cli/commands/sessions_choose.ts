/** `codexpipe sessions choose`. */

import { userHomeFrom } from "../../sessions/codex_homes.ts";
import type { Session } from "../../sessions/session.ts";
import { startedAt } from "../../sessions/session_start.ts";
import type { CommandContext, RunCommand } from "../command.ts";
import { EXIT, UsageError } from "../endings.ts";
import { escapeControls } from "../escape.ts";
import { unlessInterrupted } from "../input.ts";
import type { TextStyle } from "../../render/text_style.ts";
import { COLUMNS, ERASE_BELOW, ROWS } from "../progress.ts";
import { fold, TextRuler } from "../text_ruler.ts";
import { ageText } from "../times.ts";
import { reportPage, sessionPage } from "./_session_page.ts";
import { kindText, shortPath, titleText } from "./_sessions_table.ts";
import { run as resume } from "./sessions_resume.ts";
import { run as show } from "./sessions_show.ts";

const HIDE_CURSOR = "\x1b[?25l";
const SHOW_CURSOR = "\x1b[?25h";

/** The size of the buffer for keys: more than the bytes that any key sends. */
const KEY_BYTES = 1 << 10;

export const run: RunCommand = async (context) => {
  const { args, isLive } = context;
  if (!context.process.isTerminal.stdin || !isLive) {
    throw new UsageError(
      'sessions choose needs a terminal; "codexpipe sessions list" lists sessions',
    );
  }
  const page = await sessionPage(context, args.number("limit"));
  const isIncomplete = reportPage(page, context);
  await context.diagnostics.flush();
  if (page.sessions.length === 0) return isIncomplete ? EXIT.io : EXIT.no;
  const chooser = new SessionChooser(page.sessions, {
    // The keys are not ASCII, so the ruler measures characters of any width.
    ruler: await TextRuler.for([KEYS]),
    style: context.style,
    now: context.process.now(),
    userHome: userHomeFrom(context.process.env),
  });
  const choice = await choose(chooser, context);
  if (choice.action === "interrupt") return EXIT.interrupted;
  if (choice.session === undefined) return EXIT.done;
  const sessionArgs = args.withOperands([choice.session.file.path]);
  const run = choice.action === "show" ? show : resume;
  return await run({ ...context, args: sessionArgs });
};

/** Shows the list until the user chooses or leaves, and erases it. */
async function choose(
  chooser: SessionChooser,
  { process, screen }: CommandContext,
): Promise<Choice> {
  const decoder = new TextDecoder();
  const bytes = new Uint8Array(KEY_BYTES);
  const write = (text: string): Promise<void> => screen.writeText(text);
  /** Moves the cursor to the start of the list. */
  let home = "\r";
  process.setRaw(true);
  try {
    await write(HIDE_CURSOR);
    for (;;) {
      const lines = chooser.lines(
        process.columns() ?? COLUMNS,
        process.rows() ?? ROWS,
      );
      // In raw mode, a line feed alone does not move to the start of the line.
      await write(home + ERASE_BELOW + lines.join("\r\n"));
      home = `\r\x1b[${lines.length - 1}A`;
      const size = await unlessInterrupted(
        process.stdin.read(bytes),
        process.interrupt,
      );
      if (size === null) return { action: "leave" };
      const text = decoder.decode(bytes.subarray(0, size), { stream: true });
      for (const key of keysOf(text)) {
        const choice = chooser.press(key);
        if (choice !== undefined) return choice;
      }
    }
  } finally {
    process.setRaw(false);
    await write(home + ERASE_BELOW + SHOW_CURSOR);
  }
}

/** The number of lines above and below the list. */
const AROUND = 8;

/** The number of sessions that are shown at once, at most and at least. */
const MOST = 12;
const LEAST = 3;

/** The number of lines for the first message in the preview. */
const PREVIEW = 3;
const KEYS = "↑↓ move · type to filter · Enter shows · r resumes · Esc leaves";

type Choice =
  | { readonly action: "show" | "resume"; readonly session: Session }
  | { readonly action: "leave" | "interrupt"; readonly session?: never };

interface ChooserOptions {
  readonly ruler: TextRuler;
  readonly style: TextStyle;
  /** The current time, in milliseconds since 1970. */
  readonly now: number;
  /** The user's home folder, shown as `~` in paths. */
  readonly userHome: string | undefined;
}

interface Row {
  readonly session: Session;
  readonly age: string;
  readonly title: string;
  readonly facts: string;
  readonly message: string;
  readonly text: string;
}

/**
 * A list of sessions on a terminal: keys in, lines out. The prompt libraries on npm use the streams
 * of the process, so that tests could not run them in memory.
 */
export class SessionChooser {
  readonly #rows: readonly Row[];
  readonly #options: ChooserOptions;
  #shown: readonly Row[];
  #filter = "";
  #at = 0;

  constructor(sessions: readonly Session[], options: ChooserOptions) {
    this.#options = options;
    this.#rows = sessions.map((session) => rowOf(session, options));
    this.#shown = this.#rows;
  }

  /** Processes a key, and returns the choice if it makes one. */
  press(key: string): Choice | undefined {
    const session = this.#shown[this.#at]?.session;
    switch (key) {
      case "\x03":
        return { action: "interrupt" };
      case "\x1b":
      case "\x04":
        return { action: "leave" };
      case "\r":
      case "\n":
        return session && { action: "show", session };
      case "\x12":
        return session && { action: "resume", session };
      case "\x1b[A":
      case "\x1bOA":
      case "\x10":
        return this.#go(-1);
      case "\x1b[B":
      case "\x1bOB":
      case "\x0e":
        return this.#go(1);
      case "\x1b[5~":
        return this.#go(-MOST);
      case "\x1b[6~":
        return this.#go(MOST);
      case "\x7f":
      case "\b":
        return this.#look(this.#filter.replace(/.$/su, ""));
      case "\x15":
        return this.#look("");
    }
    if (key === "r" && this.#filter === "") {
      return session && { action: "resume", session };
    }
    // deno-lint-ignore no-control-regex
    if (/[\x00-\x1f\x7f-\x9f]/.test(key)) return undefined;
    return this.#look(this.#filter + key);
  }

  #go(by: number): undefined {
    const last = Math.max(0, this.#shown.length - 1);
    this.#at = Math.min(last, Math.max(0, this.#at + by));
  }

  #look(filter: string): undefined {
    this.#filter = filter;
    this.#at = 0;
    const words = filter.toLowerCase().split(" ");
    this.#shown = this.#rows.filter(({ text }) =>
      words.every((word) => text.includes(word))
    );
  }

  lines(columns: number, rows: number): string[] {
    const { ruler, style } = this.#options;
    const room = columns - 1;
    const fit = (text: string): string => ruler.fitted(text, room);
    const count = Math.max(LEAST, Math.min(MOST, rows - AROUND));
    const top = Math.max(0, this.#at - count + 1);
    const list = this.#shown.slice(top, top + count);
    const width = Math.max(0, ...list.map(({ age }) => age.length));
    const selected = this.#shown[this.#at];
    const found = this.#shown.length === this.#rows.length
      ? `${this.#rows.length}`
      : `${this.#shown.length} of ${this.#rows.length}`;
    const lines = [fit(`Sessions (${found}): ${escapeControls(this.#filter)}`)];
    for (const row of list) {
      const mark = row === selected ? "❯ " : "  ";
      const line = fit(`${mark}${row.age.padEnd(width)}  ${row.title}`);
      lines.push(row === selected ? style.bold(line) : line);
    }
    // Blank lines keep the preview in place while the list gets shorter.
    while (lines.length <= Math.min(count, this.#rows.length)) lines.push("");
    lines.push("");
    const preview: string[] = [];
    if (selected === undefined) preview.push(style.dim("no session matches"));
    else {
      preview.push(
        style.dim(fit(selected.facts)),
        ...folded(selected.message, room, ruler),
      );
    }
    while (preview.length <= PREVIEW) preview.push("");
    lines.push(...preview, "", style.dim(fit(KEYS)));
    // Further lines would move the list out of a low terminal.
    return lines.slice(0, rows);
  }
}

function rowOf(session: Session, { now, userHome }: ChooserOptions): Row {
  const { file, head } = session;
  const title = escapeControls(titleText(session));
  const folder = escapeControls(shortPath(head.cwd ?? "", userHome));
  const branch = escapeControls(head.gitBranch ?? "");
  const facts = [
    folder,
    branch,
    escapeControls(head.model ?? ""),
    kindText(session),
    head.id || file.path,
  ];
  return {
    session,
    title,
    age: ageText(startedAt(file, head.started), now),
    facts: facts.filter((fact) => fact !== "").join(" · "),
    message: escapeControls(
      (head.firstMessage ?? title).replace(/\s+/g, " ").trim(),
    ),
    text: [title, folder, branch, head.id].join("\n").toLowerCase(),
  };
}

function folded(text: string, room: number, ruler: TextRuler): string[] {
  const lines = fold(text, room, ruler.widthOf);
  const shown = lines.slice(0, PREVIEW);
  if (lines.length > PREVIEW) shown.push(`${shown.pop()} …`);
  return shown.map((line) => ruler.fitted(line, room));
}

/** Splits input into keys; an escape that begins no sequence is the key Esc. */
export function keysOf(text: string): string[] {
  // deno-lint-ignore no-control-regex
  return text.match(/\x1b\[[\d;]*[A-Za-z~]|\x1bO[A-Z]|./gsu) ?? [];
}
