/**
 * A few words for an entry.
 */

import type { EntryView } from "./entry_views.ts";
import { countedText } from "./quantity_text.ts";

/** Gives a few words for an entry: its first words, or what was done; not cut, not escaped. */
export function entryLabel(view: EntryView): string {
  switch (view.kind) {
    case "message":
      return view.text;
    case "reasoning":
      return view.text.replaceAll("**", "");
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
        : countedText(view.looks.length, "look", "looks");
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
