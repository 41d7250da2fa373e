/** The settings of turns: which model, effort and folder a turn has. */

import { type Fields, fieldsOf, idOf, textOf } from "../json/fields.ts";
import { ownText } from "../json/utf8.ts";

/** The settings of the current turn of a thread, from the events of the thread. */
export class TurnSettings {
  model: string | undefined;
  effort: string | undefined;
  cwd: string | undefined;
  /** The settings of the next turn, if they were changed since the last one began. */
  #next: Fields | undefined;

  /** Reads a header, the start of a turn, or a `turn_context`; other events change nothing. */
  take(event: Fields): void {
    if (event.type === "thread.started") {
      const { model, workdir, cwd } = event;
      this.#set({ model, cwd: idOf(workdir) ?? cwd });
    } else if (event.type === "turn.started") {
      if (this.#next !== undefined) this.#set(this.#next);
    } else if (event.item_type === "turn_context") {
      const settings = fieldsOf(event.content);
      // An app-server tells of settings that apply from the next turn on.
      if (event.method === undefined) this.#set(settings);
      else this.#next = settings;
    }
  }

  #set({ model, effort, cwd }: Fields): void {
    this.#next = undefined;
    this.model = renewed(this.model, idOf(model));
    this.effort = renewed(undefined, textOf(effort));
    this.cwd = renewed(this.cwd, idOf(cwd));
  }
}

/** Returns `text` if it is a new text, otherwise the text before, so that none is kept twice. */
function renewed(
  before: string | undefined,
  text: string | undefined,
): string | undefined {
  return text === undefined || text === before ? before : ownText(text);
}
