/** The calls of a session file, from the line that begins one to its end. */

import {
  arrayOf,
  type Fields,
  fieldsOf,
  knownFields,
  listOf,
  numberOf,
  textOf,
  textsOf,
} from "../json/fields.ts";
import { savedMap } from "../json/saved.ts";
import { keptText } from "../json/utf8.ts";
import { ARGUMENTS_TEXT, withText } from "./session_items.ts";

/** The source of a statement about a call: a response item, or an event or item of the program. */
export type Witness = "item" | "event";

/** A call of the model, or another action of the program that several lines describe. */
export interface Call {
  /** The id that its lines share; null if no other line can refer to it. */
  readonly callId: string | null;
  /** The id of the item of a script's call, which is found by that, too; null if it has none. */
  linkedId: string | null;
  /** The item id in the events. */
  readonly itemId: string;
  /** The item type in the events. */
  type: string;
  /** The name of the tool, as the model spelled it; empty if no response item began the call. */
  name: string;
  turnId: string | null;
  /** The content of the item so far; dropped at the end of the call. */
  content: Fields;
  /** The state; `closed` means that no later output changes the call. */
  state: "open" | "closed";
  /** The witnesses that have stated its beginning. */
  begunBy: Witness[];
  /** Whether an item of the program has stated its final content. */
  hasItem: boolean;
  /**
   * Whether a script of code mode makes the call; its output is part of the script's output then.
   */
  isScript: boolean;
  /** Its output so far, if it continued after its first output; empty if that is too long. */
  output: string | null;
  /** The bytes of an incomplete character at the end of each output, from its deltas. */
  pending: { stdout?: readonly number[]; stderr?: readonly number[] };
  /** The session of unified exec that it runs in, or the key of a script that runs. */
  session: string | null;
  /** The approximate number of characters that it keeps. */
  weight: number;
}

/**
 * The maximum number of calls that are kept, and of their characters. The oldest ones are dropped
 * first; the end of a dropped call becomes an item of its own. Codex runs at most a few dozen
 * commands at once.
 */
const MAX = { calls: 8192, weight: 1 << 25 };
/**
 * The maximum number of ended calls that are kept. Copies of their statements follow soon, and each
 * kept call makes checkpoints longer.
 */
const MAX_CLOSED = 512;
/**
 * The maximum length of the output of a continuing command that is kept, to be repeated at its end.
 */
const MAX_OUTPUT = 1 << 20;

/** The calls of a session file, the latest of each id. */
export class CallBook {
  readonly #calls = new Map<string, Call>();
  /** The ended calls, in the order of their ends. */
  readonly #closed = new Set<Call>();
  /** By session of unified exec, the command that runs in it; scripts that run have keys, too. */
  readonly #sessions = new Map<string, Call>();
  /** By id, how many calls have had it; used to make item ids unique. */
  readonly #again: Map<string, number>;
  /** The calls of scripts; may include some with `hasItem`, which `scripted` removes. */
  readonly #scripted = new Set<Call>();
  #weight = 0;

  constructor(saved?: unknown) {
    const { calls, replaced, again, closed } = fieldsOf(saved);
    // These are older, and searches take the oldest call first.
    for (const each of listOf(replaced)) this.#restore(each);
    for (const each of listOf(calls)) {
      const call = this.#restore(each);
      if (call.callId !== null) this.#calls.set(call.callId, call);
      if (call.linkedId !== null) this.#calls.set(call.linkedId, call);
    }
    for (const id of textsOf(closed)) {
      const call = this.#calls.get(id);
      if (call !== undefined) this.#closed.add(call);
    }
    this.#again = savedMap(again, textOf, numberOf);
  }

  get(callId: string | null | undefined): Call | undefined {
    return typeof callId === "string" ? this.#calls.get(callId) : undefined;
  }

  inSession(session: string): Call | undefined {
    return this.#sessions.get(session);
  }

  /** Registers that a script makes a call. */
  script(call: Call): void {
    call.isScript = true;
    if (call.callId !== null) this.#scripted.add(call);
  }

  /** Iterates the calls of scripts for which no item has come, oldest first. */
  *scripted(): Iterable<Call> {
    for (const call of this.#scripted) {
      if (call.hasItem) this.#scripted.delete(call);
      else yield call;
    }
  }

  /** Returns a unique item id for a new call: its id, with `#2`, `#3` and so on when repeated. */
  nextItemId(callId: string): string {
    if (!this.#calls.has(callId) && !this.#again.has(callId)) return callId;
    const count = (this.#again.get(callId) ?? 1) + 1;
    this.#repeat(callId, count);
    return `${callId}#${count}`;
  }

  /** Adds a call, which keeps some characters, and removes an earlier one with the same id. */
  add(call: Call, characters: number): void {
    const { callId } = call;
    if (callId === null) return;
    const known = this.#calls.get(callId);
    // Some providers repeat call ids: a command may run on after another call has taken its id.
    if (known?.state === "open" && this.#isBound(known)) {
      this.#calls.delete(callId);
    } else if (known !== undefined) this.#drop(known);
    this.#calls.set(callId, call);
    this.keep(call, characters);
  }

  /** Registers that a call keeps more; the oldest others are dropped if all keep too much. */
  keep(call: Call, characters: number): void {
    if (call.callId === null) return;
    call.weight += characters;
    this.#weight += characters;
    for (const kept of [this.#calls, this.#sessions]) {
      for (const each of kept.values()) {
        if (kept.size <= MAX.calls && this.#weight <= MAX.weight) break;
        if (each !== call) this.#drop(each);
      }
    }
  }

  /** Registers that a command or script continues in a session, instead of any other ones. */
  bind(call: Call, session: string): void {
    if (this.#isBound(call)) this.#sessions.delete(call.session);
    const earlier = this.#sessions.get(session);
    call.session = session;
    this.#sessions.set(session, call);
    if (earlier !== undefined) {
      earlier.session = null;
      if (this.get(earlier.callId) !== earlier) this.#drop(earlier);
    }
    this.keep(call, 0);
  }

  append(call: Call, text: string): void {
    // A longer output is not repeated at the end: its deltas have been emitted.
    if (call.output === "") return;
    const before = call.output ?? "";
    const output = before + text;
    call.output = output.length > MAX_OUTPUT ? "" : output;
    this.keep(call, call.output.length - before.length);
  }

  close(call: Call): void {
    call.state = "closed";
    const { command } = call.content;
    // The item of a command in a script may follow after the script has failed.
    const isAwaited = call.isScript && !call.hasItem && command !== undefined;
    call.content = isAwaited ? { command } : {};
    // The set is kept small, because each item of the program searches it.
    if (!isAwaited && call.session === null) this.#scripted.delete(call);
    call.output = null;
    call.pending = {};
    this.#weight -= call.weight;
    call.weight = 0;
    const { callId } = call;
    if (callId === null || this.#calls.get(callId) !== call) return;
    this.#closed.add(call);
    for (const oldest of this.#closed) {
      if (this.#closed.size <= MAX_CLOSED) break;
      this.#drop(oldest);
    }
  }

  /** Registers that an ended call is found by another id, too. */
  link(callId: string, call: Call): void {
    call.linkedId = keptText(callId);
    this.#calls.set(call.linkedId, call);
  }

  /** Removes the calls of rolled back turns: their ids may occur again. */
  forget(turnIds: ReadonlySet<string>): void {
    for (const kept of [this.#calls, this.#sessions]) {
      for (const call of kept.values()) {
        const { callId, turnId } = call;
        if (turnId !== null && !turnIds.has(turnId)) continue;
        if (callId !== null && !this.#again.has(callId)) {
          this.#repeat(callId, 1);
        }
        this.#drop(call);
      }
    }
  }

  save(): unknown {
    return {
      calls: Array.from(new Set(this.#calls.values()), saveCall),
      replaced: [...this.#sessions.values()].filter((call) =>
        call.state === "open" && this.get(call.callId) !== call
      ).map(saveCall),
      again: [...this.#again],
      closed: Array.from(this.#closed, ({ callId }) => callId),
    };
  }

  #restore(saved: unknown): Call {
    const call = newCall(fieldsOf(saved));
    this.#weight += call.weight;
    if (call.isScript) this.#scripted.add(call);
    if (call.session !== null) this.#sessions.set(call.session, call);
    return call;
  }

  #repeat(callId: string, count: number): void {
    this.#again.set(callId, count);
    for (const oldest of this.#again.keys()) {
      if (this.#again.size <= MAX.calls) break;
      this.#again.delete(oldest);
    }
  }

  /** Whether a call is the latest in its session. */
  #isBound(call: Call): call is Call & { session: string } {
    return call.session !== null && this.#sessions.get(call.session) === call;
  }

  #drop(call: Call): void {
    const { callId } = call;
    this.#weight -= call.weight;
    // The end of a call that is known elsewhere must not subtract it again.
    call.weight = 0;
    for (const id of [callId, call.linkedId]) {
      if (id !== null && this.#calls.get(id) === call) this.#calls.delete(id);
    }
    if (this.#isBound(call)) this.#sessions.delete(call.session);
    this.#closed.delete(call);
    this.#scripted.delete(call);
  }
}

function saveCall(call: Call): Fields {
  return { ...call, text: Reflect.get(call.content, ARGUMENTS_TEXT) };
}

function readBytes(saved: unknown): number[] | undefined {
  return arrayOf(saved)?.filter((byte) => typeof byte === "number");
}

/** Makes a call from some of its fields, which may be saved ones. */
export function newCall(saved: Fields): Call {
  const { stdout, stderr } = fieldsOf(saved.pending);
  return {
    callId: textOf(saved.callId) ?? null,
    linkedId: textOf(saved.linkedId) ?? null,
    itemId: textOf(saved.itemId) ?? "",
    type: textOf(saved.type) ?? "",
    name: textOf(saved.name) ?? "",
    turnId: textOf(saved.turnId) ?? null,
    content: withText(fieldsOf(saved.content), textOf(saved.text)),
    state: saved.state === "open" ? "open" : "closed",
    begunBy: listOf(saved.begunBy).filter((witness) =>
      witness === "item" || witness === "event"
    ),
    hasItem: saved.hasItem === true,
    isScript: saved.isScript === true,
    output: textOf(saved.output) ?? null,
    pending: knownFields({
      stdout: readBytes(stdout),
      stderr: readBytes(stderr),
    }),
    session: textOf(saved.session) ?? null,
    weight: numberOf(saved.weight) ?? 0,
  };
}
