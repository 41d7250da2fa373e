/**
 * Which records are wanted, by their types.
 */

import { checkedList, wordsOf } from "../checked.ts";
import type { JsonReader } from "../json/reader.ts";
import type { JsonSlice } from "../json/value.ts";

/** All kinds of a type. */
const ALL = "";
/** What the types of events of items begin with. */
const ITEM_EVENT = "item.";
/** What the types of messages begin with that are of no thread. */
const MESSAGE = "rpc.";

/**
 * Tells wanted records from others.
 *
 * It goes by words alone, so that whoever watches the reader knows what decided.
 */
export class RecordSelection {
  /** The same for selections of the same types. */
  readonly key: string;
  /** The kinds that are wanted of each type; all of all, without it. */
  readonly #kinds: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  readonly #thread: string | undefined;

  /**
   * Constructs a new instance.
   *
   * @param names The types, as they are called when normalized; behind a slash the kind of
   *   item that an event is about, or the type of what a rollout line holds. All, without it.
   * @param thread The only thread whose events are wanted. Lines of session files say no thread,
   *   and are wanted.
   * @throws {TypeError} If they are no list of texts, or no text.
   */
  constructor(names: readonly string[] | undefined, thread?: string) {
    if (thread !== undefined && typeof thread !== "string") {
      throw new TypeError(
        `Cannot go by thread: it is ${wordsOf(thread)}, expected a string`,
      );
    }
    this.#thread = thread;
    this.#kinds = names && kindsOf(names);
    this.key = JSON.stringify([names ?? null, thread ?? null]);
  }

  /** Says whether a normalized record is wanted. */
  wants(reader: JsonReader, record: JsonSlice): boolean {
    const members = reader.members(record);
    const type = reader.wordOf(members.get("type")) ?? "";
    if (this.#thread !== undefined) {
      if (type.startsWith(MESSAGE)) return false;
      const thread = reader.wordOf(members.get("thread_id"));
      if (thread !== undefined && thread !== this.#thread) return false;
    }
    if (this.#kinds === undefined) return true;
    const kinds = this.#kinds.get(type);
    if (kinds === undefined) return false;
    if (kinds.has(ALL)) return true;
    // Events of items may have a field `payload` of somebody else's.
    const payload = type.startsWith(ITEM_EVENT)
      ? undefined
      : members.get("payload");
    const kind = payload?.kind === "object"
      ? reader.members(payload).get("type")
      : members.get("item_type");
    return kinds.has(reader.wordOf(kind) ?? ALL);
  }
}

/** The kinds that are wanted of each type. */
function kindsOf(
  names: readonly string[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const kindsByType = new Map<string, Set<string>>();
  for (const name of checkedList("only", names)) {
    if (typeof name !== "string") {
      throw new TypeError(
        `Cannot go by only: one is ${wordsOf(name)}, expected strings`,
      );
    }
    const [type = "", ...rest] = name.split("/");
    const kinds = kindsByType.get(type) ?? new Set();
    kindsByType.set(type, kinds.add(rest.length === 0 ? ALL : rest.join("/")));
  }
  return kindsByType;
}
