/** Short labels of entries, and topics of turns. */

import { shortened, startOf } from "../json/text_ends.ts";
import { editTitle } from "./edited_files.ts";
import type { EntryView, ToolView } from "./entry_view.ts";
import { countedText } from "./quantity_text.ts";
import type { ToolsChoice } from "./render_options.ts";

/** Returns a short label of an entry, not escaped: a command, a file, or the first line of text. */
export function entryLabel(view: EntryView): string {
  switch (view.kind) {
    case "message":
    case "reasoning":
      return titleLine(view.text);
    case "command":
      return `$ ${view.command}`;
    case "edit": {
      const [only, another] = view.files;
      if (only === undefined) return "edit";
      if (another !== undefined) {
        return `edit ${countedText(view.files.length, "file")}`;
      }
      const { verb, names } = editTitle(only, null);
      return `${verb} ${names.join(" → ")}`;
    }
    case "tool":
      return view.title;
    case "plan":
      return `${view.name}: ${view.done} of ${view.steps.length}`;
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

const MAX_ARGUMENT = 240;

/**
 * Returns the arguments of a call in one line, to follow the name of the tool: ` query` of a search,
 * else ` name=value …`. Empty if only names are shown.
 */
export function argumentsLine(
  { title, arguments: list }: ToolView,
  tools: ToolsChoice,
): string {
  const [first] = list;
  const isSearch = title === "web_search" && first?.name === "query";
  const shown = tools === "names" ? [] : isSearch ? [first] : list;
  return shown.map(({ name, text }) => {
    const value = startOf(text.trim().replace(/\s+/g, " "), MAX_ARGUMENT);
    return isSearch ? ` ${value}` : ` ${name}=${value}`;
  }).join("");
}

/** The number of lines that are searched for a title, and the maximum length of each. */
const MAX_TITLE = { lines: 20, length: 2000 };

/**
 * Returns the first line with text in it, without its Markdown formatting. Only complete marks are
 * removed: `__init__`, `src/**` and a lone backtick stay.
 */
export function titleLine(text: string): string {
  const lines = text.trim().split("\n", MAX_TITLE.lines)
    .map((line) =>
      line.slice(0, MAX_TITLE.length).trim()
        .replace(/^(?:(?:#{1,6}|[->*+]|\d{1,9}[.)])[ \t]+)+/, "")
        .replace(/!?\[([^[\]]+)\]\([^()\s]*\)/g, "$1")
        .replace(/\*\*([^*]+)\*\*/g, "$1")
        .replace(/`([^`]+)`/g, "$1")
    );
  return lines.find((line) => !/^(?:$|```|~~~|---|\*\*\*)/.test(line)) ??
    lines[0] ?? "";
}

/** The maximum length of a topic, in UTF-16 code units. */
const MAX_LENGTH = 120;

/** Returns the first line of a text; `…` replaces what exceeds a limit. */
export function firstLine(text: string, limit: number = MAX_LENGTH): string {
  const [line = ""] = text.trim().split("\n", 1);
  return shortened(line.trim(), limit);
}

/** The topic of a turn: its first prompt, else the agent's first message, else the first entry. */
export class TurnTopic {
  text = "";
  #rank = 0;

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
