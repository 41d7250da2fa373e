/**
 * Calls: from the line that makes one, by what comes of it, to its end.
 *
 * @module
 */

import {
  type Fields,
  fieldsOf,
  listOf,
  textOf,
  textsOf,
} from "../json/fields.ts";
import { ARGUMENTS_TEXT, withText } from "./session_items.ts";

/** Who tells of a call: a response item, or an event or item of the program. */
export type Witness = "item" | "event";

/** A call of the model, or something else that the program does and tells of in pieces. */
export interface Call {
  /** The id by which its pieces name it; null where nothing else can be told of it. */
  readonly callId: string | null;
  /** The id of its item in the events. */
  readonly itemId: string;
  /** The item type that it is told as. */
  type: string;
  /** What is called, as the model names it; empty where no response item did. */
  name: string;
  /** The turn that it belongs to. */
  turnId: string | null;
  /** What is known of it; dropped at its end. */
  content: Fields;
  /** How far it is: `closed` says that no output will change it. */
  state: "open" | "closed";
  /** Who has told of its beginning. */
  begunBy: Witness[];
  /** Whether an item of the program has said the last of it. */
  hasItem: boolean;
  /** Whether it stands in a script of code mode, whose output is told by the script. */
  isScript: boolean;
  /** Whether it is shown at all: polls of a session are not. */
  isShown: boolean;
  /** What it printed so far, if it went on after its first output. */
  output: string | null;
  /** The session of unified exec that it runs in, or is for. */
  session: string | null;
  /** How much of the input it holds, about, in characters. */
  weight: number;
}

/**
 * How much of calls is held. What has not ended by then is given up: its end makes an item of
 * its own. Releases of Codex run a few dozen commands at once at the most.
 */
const MAX = { calls: 8192, weight: 1 << 25 };
/**
 * How many calls are known that have ended: what is told again of them comes soon, and each makes
 * a checkpoint longer.
 */
const MAX_CLOSED = 512;
/** How much of the output of a command that goes on is held to be said again at its end. */
const MAX_OUTPUT = 1 << 20;

/** The calls of a session file, the newest of each id. */
export class CallBook {
  readonly #calls = new Map<string, Call>();
  /** The ids of those that have ended, in the order of their ends. */
  readonly #closed = new Set<string>();
  /** Commands that run in sessions of unified exec. */
  readonly #sessions = new Map<string, Call>();
  /** How often each id came again, so that no two calls have one item id. */
  readonly #again = new Map<string, number>();
  /** The calls of scripts, but for some that an item has told of. */
  readonly #scripted = new Set<Call>();
  #weight = 0;

  constructor(saved?: unknown) {
    const { calls, again, closed } = fieldsOf(saved);
    for (const each of listOf(calls)) {
      const call = readCall(fieldsOf(each));
      if (call.callId === null) continue;
      this.#calls.set(call.callId, call);
      this.#weight += call.weight;
      if (call.isScript) this.#scripted.add(call);
      if (call.type === "command_execution" && call.session !== null) {
        this.#sessions.set(call.session, call);
      }
    }
    for (const id of textsOf(closed)) this.#closed.add(id);
    for (const each of listOf(again)) {
      const [id, count] = listOf(each);
      if (typeof id === "string" && typeof count === "number") {
        this.#again.set(id, count);
      }
    }
  }

  /** Finds the newest call of an id; none is of no id. */
  get(callId: string | null | undefined): Call | undefined {
    return typeof callId === "string" ? this.#calls.get(callId) : undefined;
  }

  /** Finds the command that runs in a session. */
  inSession(session: string): Call | undefined {
    return this.#sessions.get(session);
  }

  /** Takes note whether a call stands in a script. */
  script(call: Call, isScript: boolean): void {
    call.isScript = isScript;
    if (isScript && call.callId !== null) this.#scripted.add(call);
    else this.#scripted.delete(call);
  }

  /** Gives the calls of scripts that no item has told of, oldest first. */
  *scripted(): Iterable<Call> {
    for (const call of this.#scripted) {
      if (call.hasItem) this.#scripted.delete(call);
      else yield call;
    }
  }

  /** Gives an item id for a call whose id has been another call's. */
  nextItemId(callId: string): string {
    if (!this.#calls.has(callId) && !this.#again.has(callId)) return callId;
    const count = (this.#again.get(callId) ?? 1) + 1;
    this.#again.set(callId, count);
    if (this.#again.size > MAX.calls) this.#again.delete(firstOf(this.#again));
    return `${callId}#${count}`;
  }

  /** Takes a call in, in the place of an older one of its id. */
  add(call: Call): void {
    if (call.callId === null) return;
    this.#drop(call.callId);
    this.#calls.set(call.callId, call);
    this.#weight += call.weight;
    while (this.#calls.size > MAX.calls || this.#weight > MAX.weight) {
      if (this.#calls.size <= 1) break;
      this.#drop(firstOf(this.#calls));
    }
  }

  /** Takes note that a command goes on in a session. */
  bind(call: Call, session: string): void {
    call.session = session;
    this.#sessions.set(session, call);
    if (this.#sessions.size > MAX.calls) {
      this.#sessions.delete(firstOf(this.#sessions));
    }
  }

  /** Takes note of what a command that goes on has printed. */
  append(call: Call, text: string): void {
    const isFirst = call.output === null && call.state === "open";
    const output = isFirst ? text : (call.output ?? "") + text;
    // What is more has been told piece by piece, and is not told again.
    call.output = output.length > MAX_OUTPUT ? "" : output;
  }

  /** Ends a call: what is known of it is no longer needed. */
  close(call: Call): void {
    call.state = "closed";
    const { command } = call.content;
    // The item of a command in a script may come behind what the script was given up with.
    const isAwaited = call.isScript && !call.hasItem && command !== undefined;
    call.content = isAwaited ? { command } : {};
    // Each item of the program looks through the calls of scripts.
    if (!isAwaited && call.session === null) this.#scripted.delete(call);
    call.output = null;
    this.#weight -= call.weight;
    call.weight = 0;
    const { callId } = call;
    if (callId === null || this.#calls.get(callId) !== call) return;
    this.#closed.add(callId);
    if (this.#closed.size > MAX_CLOSED) this.#drop(firstOf(this.#closed));
  }

  /** Forgets the calls of turns that are taken back: their ids may come again. */
  forget(turnIds: ReadonlySet<string>): void {
    for (const [callId, { turnId }] of this.#calls) {
      if (turnId !== null && !turnIds.has(turnId)) continue;
      if (!this.#again.has(callId)) this.#again.set(callId, 1);
      this.#drop(callId);
    }
  }

  /** Gives the calls as plain JSON. */
  save(): unknown {
    return {
      calls: [...this.#calls.values()].map((call) => ({
        ...call,
        text: Reflect.get(call.content, ARGUMENTS_TEXT),
      })),
      again: [...this.#again],
      closed: [...this.#closed],
    };
  }

  #drop(callId: string): void {
    const call = this.#calls.get(callId);
    if (call === undefined) return;
    this.#weight -= call.weight;
    this.#calls.delete(callId);
    this.#closed.delete(callId);
    this.#scripted.delete(call);
  }
}

function firstOf(
  collection: { keys(): Iterable<string> },
): string {
  const [first = ""] = collection.keys();
  return first;
}

function readCall(saved: Fields): Call {
  return {
    callId: textOf(saved.callId) ?? null,
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
    isShown: saved.isShown !== false,
    output: textOf(saved.output) ?? null,
    session: textOf(saved.session) ?? null,
    weight: typeof saved.weight === "number" ? saved.weight : 0,
  };
}
