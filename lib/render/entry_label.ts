/** A few words for an entry, and for a turn. */

import type { EntryView } from "./entry_view.ts";
import { countedText } from "./quantity_text.ts";

/** Gives a few words for an entry: its first line, or what was done; not escaped. */
export function entryLabel(view: EntryView): string {
  switch (view.kind) {
    case "message":
    case "reasoning":
      return plainLine(view.text);
    case "command":
      return `$ ${view.command}`;
    case "edit": {
      const [only, another] = view.files;
      if (only === undefined) return "edit";
      return another === undefined
        ? `${only.change} ${only.path}`
        : `edit ${countedText(view.files.length, "file")}`;
    }
    case "tool":
      return view.title;
    case "plan": {
      const { name, steps } = view;
      const done = steps.filter(({ status }) => status === "complete").length;
      return `${name}: ${done} of ${steps.length}`;
    }
    case "explore": {
      const [only, another] = view.looks;
      return only !== undefined && another === undefined
        ? `$ ${only.command}`
        : countedText(view.looks.length, "look");
    }
    case "notice":
      return view.title === "" ? view.text : view.title;
    case "diff":
      return "all changes of the turn";
    case "image":
      return view.path === "" ? "image" : view.path;
    case "unknown":
      return view.type;
  }
}

/** How many lines are looked at for one that says something, and how much of it. */
const MAX_TITLE = { lines: 20, length: 2000 };

/**
 * Gives the first line that says something, without the signs of Markdown that only dress it.
 * Users write what they like: `__init__`, `src/**` and a lone backtick stay what they are.
 */
export function plainLine(text: string): string {
  const [first = "", ...more] = text.trim().split("\n", MAX_TITLE.lines)
    .map((line) =>
      line.slice(0, MAX_TITLE.length).trim()
        .replace(/^(?:(?:#{1,6}|[->*+]|\d{1,9}[.)])[ \t]+)+/, "")
        .replace(/!?\[([^[\]]+)\]\([^()\s]*\)/g, "$1")
        .replace(/\*\*([^*]+)\*\*/g, "$1")
        .replace(/`([^`]+)`/g, "$1")
    );
  const isDress = (line: string): boolean =>
    line === "" || /^(?:```|~~~|---|\*\*\*)/.test(line);
  return isDress(first) ? more.find((line) => !isDress(line)) ?? first : first;
}

/** How long a topic is at most, in characters. */
const MAX_LENGTH = 120;

/**
 * Gives the first line of a text.
 *
 * @param limit How many characters remain; `…` stands for what was cut off.
 */
export function firstLine(text: string, limit: number = MAX_LENGTH): string {
  const [line = ""] = text.trim().split("\n", 1);
  return firstCharacters(line.trim(), limit);
}

/**
 * Gives the first characters of a text.
 *
 * @param limit How many characters remain; `…` stands for what was cut off.
 */
export function firstCharacters(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const characters = Array.from(text.slice(0, 2 * limit + 2));
  return characters.length <= limit
    ? text
    : `${characters.slice(0, limit - 1).join("").trim()}…`;
}

/** Finds out what a turn is about: what the user asked, or else what was said, or done. */
export class TurnTopic {
  /** The topic; empty while there is none. */
  text = "";
  #rank = 0;

  /** Takes in what a reader sees of the next entry. */
  take(view: EntryView): void {
    const isMessage = view.kind === "message";
    const rank = !isMessage ? 1 : view.role === "user" ? 3 : 2;
    if (rank <= this.#rank) return;
    const text = firstLine(entryLabel(view));
    if (text === "") return;
    this.text = text;
    this.#rank = rank;
  }
}
