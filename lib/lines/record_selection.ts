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

/**
 * Tells wanted records from others.
 *
 * It goes by words alone, so that whoever watches the reader knows what decided.
 */
export class RecordSelection {
  /** The same for selections of the same types. */
  readonly key: string;
  /** The kinds that are wanted of each type. */
  readonly #kinds = new Map<string, Set<string>>();

  /**
   * Constructs a new instance.
   *
   * @param names The types, as they are called when normalized; behind a slash the kind of
   *   item that an event is about, or the type of what a rollout line holds.
   * @throws {TypeError} If they are no list of texts.
   */
  constructor(names: readonly string[]) {
    this.key = checkedList("only", names).join("\n");
    for (const name of names) {
      if (typeof name !== "string") {
        throw new TypeError(
          `Cannot go by only: one is ${wordsOf(name)}, expected strings`,
        );
      }
      const [type = "", ...rest] = name.split("/");
      const kinds = this.#kinds.get(type) ?? new Set();
      this.#kinds.set(
        type,
        kinds.add(rest.length === 0 ? ALL : rest.join("/")),
      );
    }
  }

  /** Says whether a normalized record is wanted. */
  wants(reader: JsonReader, record: JsonSlice): boolean {
    const members = reader.members(record);
    const type = reader.wordOf(members.get("type")) ?? "";
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
