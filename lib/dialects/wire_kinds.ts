/** Detects the dialect and the kind of each record, for drift. */

import { EVENTS } from "./exec/field_rules.ts";
import { releaseNumber } from "./releases.ts";
import { RESPONSE_ITEM_TYPES } from "./rollout/kinds.ts";
import { JsonReader } from "../json/reader.ts";
import { DEEPEST_LEVEL } from "../json/tape.ts";
import type { JsonNode, JsonSlice } from "../json/value.ts";

type WireDialectName = "exec" | "rollout" | "app-server";

/** The kind of lines that codexpipe wrote: items and messages that `normalize` rewrote. */
export const NORMALIZED = "(normalized)";

/** Matches the release in the user agent of an app-server: the client, a slash and the release. */
const AGENT_REGEXP = /\/(\d+\.\d+\.\d+)\b/;

/** Returns the kind of each record of one stream. */
export class KindTeller {
  /** The reader of the records, with all of their values on its tape. */
  readonly reader: JsonReader = new JsonReader(DEEPEST_LEVEL);
  /** The dialect of the stream: that of the first record that was read. */
  dialect: WireDialectName | undefined;
  last: WireDialectName = "exec";

  /** Returns the kind of the record that the reader has read, and sets `last` to its dialect. */
  kind(record: JsonSlice): string {
    const has = (name: string) =>
      this.reader.member(record, name) !== undefined;
    const type = this.#word(record, "type");
    if (type?.startsWith("rpc.")) return NORMALIZED;
    const method = this.#word(record, "method");
    if (method !== undefined) {
      const name = method === "codex/event" ? "msg" : "item";
      const inner = this.#typeIn(this.reader.member(record, "params"), name);
      return this.#is("app-server", kindOf(method, inner));
    }
    if (type !== undefined) return this.#typed(record, type);
    if (has("msg")) {
      const inner = this.#typeIn(record, "msg") ?? "(no type)";
      return this.#is("exec", `msg/${inner}`);
    }
    if (has("id") && has("error")) return this.#is("app-server", "(error)");
    if (has("id") && has("result")) return this.#is("app-server", "(result)");
    const state = this.#word(record, "record_type");
    if (state !== undefined) return this.#is("rollout", `(${state})`);
    if (has("prompt")) return this.#is("exec", "(prompt)");
    if (has("workdir")) return this.#is("exec", "(config)");
    if (has("id") && has("timestamp")) return this.#is("rollout", "(meta)");
    return this.#is(this.dialect ?? "exec", "(no type)");
  }

  /** Returns the release that a record of a kind names; 0 if it names none. */
  release(record: JsonSlice, kind: string): number {
    if (kind === "session_meta") {
      const payload = this.reader.member(record, "payload");
      return releaseNumber(this.#word(payload, "cli_version"));
    }
    if (kind !== "(result)") return 0;
    const agent = this.#word(this.reader.member(record, "result"), "userAgent");
    return releaseNumber(AGENT_REGEXP.exec(agent ?? "")?.[1]);
  }

  #typed(record: JsonSlice, type: string): string {
    const payload = this.reader.member(record, "payload");
    if (payload !== undefined) {
      return this.#is("rollout", kindOf(type, this.#inner(type, payload)));
    }
    if (type.startsWith("item.")) {
      const item = this.reader.member(record, "item");
      const isFlat = this.reader.member(record, "item_type") !== undefined;
      if (item === undefined && isFlat) return NORMALIZED;
      // Items of 0.42 have their type in another field; all of them are one kind.
      return this.#is("exec", kindOf(type, this.#word(item, "type")));
    }
    if (EVENTS.has(type)) return this.#is("exec", type);
    const isBare = RESPONSE_ITEM_TYPES.has(type) || this.dialect === "rollout";
    return this.#is(isBare ? "rollout" : "exec", type);
  }

  /**
   * The type of the payload of a session file's record; of an event of an item, with its type.
   */
  #inner(type: string, payload: JsonNode): string | undefined {
    if (type === "event") return this.#typeIn(payload, "msg");
    if (type !== "event_msg" && type !== "response_item") return undefined;
    const inner = this.#word(payload, "type");
    return inner?.startsWith("item_")
      ? kindOf(inner, this.#typeIn(payload, "item"))
      : inner;
  }

  /** Returns the type of an object in another one; nothing if there is none. */
  #typeIn(node: JsonNode | undefined, name: string): string | undefined {
    return this.#word(this.reader.member(node, name), "type");
  }

  #is(dialect: WireDialectName, kind: string): string {
    this.dialect ??= dialect;
    this.last = dialect;
    return kind;
  }

  #word(node: JsonNode | undefined, name: string): string | undefined {
    return this.reader.wordOf(this.reader.member(node, name));
  }
}

/** The kind of a record of a type, with the type of what is in it. */
function kindOf(type: string, inner: string | undefined): string {
  return inner === undefined ? type : `${type}/${inner}`;
}
