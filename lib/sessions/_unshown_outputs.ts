/**
 * What calls gave that no record of the history shows, or not all of it.
 */

import { type CallLine, readCallLine } from "../history/mapping/call_lines.ts";
import type { HistoryMutation } from "../history/mutations.ts";
import { isKnownRecord } from "../history/records.ts";
import {
  commandText,
  messageText,
  type SearchableText,
} from "./_searchable_text.ts";

/** A text that is a message of its own. */
export interface OwnOutput extends SearchableText {
  /** The type of the record that it is, or would be, a part of. */
  readonly kind: string;
}

/** A text that belongs to a record. */
export interface AttachedOutput {
  /** The number of the record. */
  readonly record: number;
  /** What its call gave, not more than a message has. */
  readonly text: string;
}

/** What a line says beyond what the history shows of it. */
export interface UnshownOutput {
  /** What is a message of its own. */
  readonly own?: OwnOutput | undefined;
  /** What belongs to a record. */
  readonly attached?: AttachedOutput;
}

/** A call whose output is still to come. */
interface OpenCall {
  readonly name: string;
  /** The image that it is shown as. */
  readonly image: number | null;
  /** Whether the history shows it, or what it did. */
  readonly isShown: boolean;
}

/** How many calls whose output is still to come are known; of more, the first are forgotten. */
const MAX_CALLS = 256;
const NOTHING: UnshownOutput = {};

/**
 * Finds what calls gave that no record of the history shows.
 *
 * - What commands printed that share an `explore` record: with its command, a message each.
 * - What tools gave of which a `tool_call` has the first and last lines only: all of it.
 * - What was said to a call that is shown as an `image`: mostly, why there is none.
 * - What was said to a call that nothing shows: in paginated files only what was done is an
 *   item, not what failed. A message each, as if it were a `tool_call`; also what a script
 *   failed with.
 */
export class UnshownOutputs {
  readonly #calls: Map<string, OpenCall>;

  /**
   * Constructs a new instance.
   *
   * @param saved What {@linkcode UnshownOutputs.save} gave.
   */
  constructor(saved: readonly (readonly [string, OpenCall])[] = []) {
    this.#calls = new Map(saved);
  }

  /** Gives what it takes to go on, as plain JSON. */
  save(): (readonly [string, OpenCall])[] {
    return [...this.#calls];
  }

  /**
   * Reads a line.
   *
   * @param line A normalized line of a rollout.
   * @param mutations What it changed in the history.
   * @returns What it says beyond that.
   */
  read(line: unknown, mutations: readonly HistoryMutation[]): UnshownOutput {
    const told = readCallLine(line);
    switch (told?.kind) {
      case undefined:
        return NOTHING;
      case "call":
        this.#open(told.id, {
          name: told.name,
          image: recordOf(mutations, "image") ?? null,
          isShown: mutations.length > 0,
        });
        return NOTHING;
      case "output":
        return this.#output(told, mutations);
      case "shown":
        this.#show(told.id);
        return shownOutput(told, mutations);
    }
  }

  #open(id: string, call: OpenCall): void {
    if (this.#calls.has(id)) return;
    this.#calls.set(id, call);
    const [first] = this.#calls.keys();
    if (this.#calls.size > MAX_CALLS && first !== undefined) {
      this.#calls.delete(first);
    }
  }

  /** What a script does goes by ids of its own: then it may be any that is running. */
  #show(id: string): void {
    const call = this.#calls.get(id);
    const shown: readonly (readonly [string, OpenCall])[] = call === undefined
      ? [...this.#calls]
      : [[id, call]];
    for (const [id, call] of shown) {
      if (!call.isShown) this.#calls.set(id, { ...call, isShown: true });
    }
  }

  #output(
    { id, text, isFailedScript }: CallLine & { readonly kind: "output" },
    mutations: readonly HistoryMutation[],
  ): UnshownOutput {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    const record = recordOf(mutations, "tool_call") ?? call?.image;
    if (record !== undefined && record !== null) return attach(record, text);
    const isSaid = text.trim() !== "" &&
      (call?.isShown === false || isFailedScript);
    if (call === undefined || !isSaid) return NOTHING;
    const name = call.name === "" ? null : call.name;
    return ownOutput("tool", "tool_call", [name, text], name);
  }
}

function shownOutput(
  { text, command }: CallLine & { readonly kind: "shown" },
  mutations: readonly HistoryMutation[],
): UnshownOutput {
  if (command === undefined) {
    const record = recordOf(mutations, "tool_call");
    return record === undefined ? NOTHING : attach(record, text);
  }
  if (!isExplored(mutations)) return NOTHING;
  return ownOutput("command", "explore", [commandText(command), text], "exec");
}

function ownOutput(
  role: OwnOutput["role"],
  kind: string,
  pieces: readonly (string | null)[],
  toolName: string | null,
): UnshownOutput {
  const text = messageText(pieces);
  return text === undefined ? NOTHING : { own: { role, kind, text, toolName } };
}

function attach(record: number, given: string): UnshownOutput {
  const text = messageText([given]);
  return text === undefined ? NOTHING : { attached: { record, text } };
}

/**
 * Whether it is an explore record that a command is a part of. A record that is put behind one
 * changes that, too: then the command is what was put there.
 */
function isExplored(mutations: readonly HistoryMutation[]): boolean {
  return recordOf(mutations, "explore") !== undefined &&
    mutations.every((mutation) =>
      mutation.type !== "inserted" || mutation.record.type === "explore"
    );
}

/** The record of a type that was made or changed. */
function recordOf(
  mutations: readonly HistoryMutation[],
  type: "explore" | "image" | "tool_call",
): number | undefined {
  for (const mutation of mutations) {
    if (mutation.type !== "inserted" && mutation.type !== "replaced") continue;
    if (isKnownRecord(mutation.record) && mutation.record.type === type) {
      return mutation.id;
    }
  }
  return undefined;
}
