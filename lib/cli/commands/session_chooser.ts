/**
 * A list of sessions on a terminal, from which a person chooses one.
 *
 * It is our own: the prompt libraries on npm read process.stdin and write process.stdout
 * themselves, past what a command is given, so nothing of them could be tried in memory, and
 * none has a list that is filtered, shows a preview, and has keys of its own.
 */

import type { Session } from "../../sessions/session.ts";
import type { SessionRun } from "../../sessions/session_run.ts";
import { startedAt } from "../../sessions/session_start.ts";
import { escapeControls } from "../escape.ts";
import type { Style } from "../styles.ts";
import type { TextRuler } from "../text_ruler.ts";
import { ageText } from "../times.ts";
import { kindText, runFacts, shortPath, titleText } from "./_sessions_table.ts";

/** How many lines stand above and below the list. */
const AROUND = 8;

/** How many sessions are shown at once, at most and at least. */
const MOST = 12;
const LEAST = 3;

/** How many lines the preview has for the first message. */
const PREVIEW = 3;
const KEYS = "↑↓ move · type to filter · Enter shows · r resumes · Esc leaves";

/** What a person has decided. */
export type Choice =
  | { readonly what: "show" | "resume"; readonly session: Session }
  | { readonly what: "leave" | "interrupt"; readonly session?: never };

/** How the list looks. */
export interface ChooserOptions {
  /** Measures what is shown of {@linkcode chooserTexts}. */
  readonly ruler: TextRuler;
  /** How text is set off. */
  readonly style: Style;
  /** The present, in milliseconds since 1970. */
  readonly now: number;
  /** The home of the user, which paths are shown from. */
  readonly userHome: string | undefined;
}

/** What is shown of a session. */
interface Row {
  readonly session: Session;
  /** The line in the list. */
  readonly age: string;
  readonly title: string;
  /** The lines below the list. */
  readonly facts: string;
  readonly message: string;
  /** What a filter looks into, in lower case. */
  readonly text: string;
}

/** Texts that a list of sessions may show, for who measures them. */
export function chooserTexts(sessions: readonly Session[]): string[] {
  return [
    KEYS,
    "…",
    "❯",
    ...sessions.flatMap(({ head, title }) => [
      title,
      head.cwd ?? "",
      head.gitBranch ?? "",
      head.firstMessage ?? "",
    ]),
  ];
}

/** The list: keys in, what is shown out. */
export class SessionChooser {
  readonly #rows: readonly Row[];
  readonly #options: ChooserOptions;
  #shown: readonly Row[];
  /** How sessions went, as far as that was told. */
  readonly #runs = new Map<Session, SessionRun | undefined>();
  #filter = "";
  #at = 0;

  /** Constructs a new instance. */
  constructor(sessions: readonly Session[], options: ChooserOptions) {
    this.#options = options;
    this.#rows = sessions.map((session) => rowOf(session, options));
    this.#shown = this.#rows;
  }

  /** The session that is selected, if it was not told how it went. */
  get unknown(): Session | undefined {
    const session = this.#shown[this.#at]?.session;
    return session && this.#runs.has(session) ? undefined : session;
  }

  /** Is told how a session went; nothing, if its file cannot be read. */
  tell(session: Session, run: SessionRun | undefined): void {
    this.#runs.set(session, run);
  }

  /**
   * Takes a key.
   *
   * @returns What it decides, if it decides something.
   */
  press(key: string): Choice | undefined {
    const session = this.#shown[this.#at]?.session;
    switch (key) {
      case "\x03":
        return { what: "interrupt" };
      case "\x1b":
      case "\x04":
        return { what: "leave" };
      case "\r":
      case "\n":
        return session && { what: "show", session };
      case "\x12":
        return session && { what: "resume", session };
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
      return session && { what: "resume", session };
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

  /** Gives the lines to show. */
  lines(columns: number, rows: number): string[] {
    const { ruler, style } = this.#options;
    const room = columns - 1;
    const count = Math.max(LEAST, Math.min(MOST, rows - AROUND));
    const top = Math.max(0, this.#at - count + 1);
    const list = this.#shown.slice(top, top + count);
    const width = Math.max(0, ...list.map(({ age }) => age.length));
    const selected = this.#shown[this.#at];
    const found = this.#shown.length === this.#rows.length
      ? `${this.#rows.length}`
      : `${this.#shown.length} of ${this.#rows.length}`;
    const lines = [
      ruler.fitted(
        `Sessions (${found}): ${escapeControls(this.#filter)}`,
        room,
      ),
    ];
    for (const row of list) {
      const mark = row === selected ? "❯ " : "  ";
      const line = ruler.fitted(
        `${mark}${row.age.padEnd(width)}  ${row.title}`,
        room,
      );
      lines.push(row === selected ? style.bold(line) : line);
    }
    // Nothing jumps while the list gets shorter.
    while (lines.length <= Math.min(count, this.#rows.length)) lines.push("");
    lines.push("");
    const preview = selected === undefined
      ? [
        style.dim(
          this.#rows.length === 0 ? "no sessions" : "no session matches",
        ),
      ]
      : [
        style.dim(ruler.fitted(
          [...runFacts(this.#runs.get(selected.session)), selected.facts]
            .join(" · "),
          room,
        )),
        ...folded(selected.message, room, ruler),
      ];
    while (preview.length <= PREVIEW) preview.push("");
    return [...lines, ...preview, "", style.dim(ruler.fitted(KEYS, room))];
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

/** The first lines of a text, folded between words. */
function folded(text: string, room: number, ruler: TextRuler): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && ruler.widthOf(longer) > room) {
      lines.push(line);
      line = word;
      if (lines.length === PREVIEW) break;
    } else line = longer;
  }
  if (lines.length < PREVIEW) lines.push(line);
  else lines[PREVIEW - 1] = ruler.fitted(`${lines[PREVIEW - 1]} …`, room);
  return lines.map((line) => ruler.fitted(line, room));
}

/**
 * Tells keys apart that came together.
 *
 * @returns The keys; an escape with nothing behind it is the key Esc.
 */
export function keysOf(text: string): string[] {
  // deno-lint-ignore no-control-regex
  return text.match(/\x1b\[[\d;]*[A-Za-z~]|\x1bO[A-Z]|./gsu) ?? [];
}
