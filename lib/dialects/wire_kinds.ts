/** Detects the dialect and the kind of each record, for drift. */

import { EVENTS } from "./exec/field_rules.ts";
import { hashBytes, WORDS } from "../json/names.ts";
import { JsonReader } from "../json/reader.ts";
import { DEEPEST_LEVEL } from "../json/tape.ts";
import { RESPONSE_ITEM_TYPES } from "./rollout/kinds.ts";
import { releaseNumber } from "./releases.ts";

/** The dialects that are checked for drift. */
export type WireDialectName = "exec" | "rollout" | "app-server";

/** The kind of lines that codexpipe wrote: items and messages that `normalize` rewrote. */
export const NORMALIZED = "(normalized)";

/** Matches the release in the user agent of an app-server: the client, a slash and the release. */
const AGENT_REGEXP = /\/(\d+\.\d+\.\d+)\b/;
/** The length limit of words; the user agent of an app-server is one of the longest. */
const MAX_WORD = 200;

const BARE_TYPES: ReadonlySet<string> = new Set(RESPONSE_ITEM_TYPES);

/** Returns the kind of each record of one stream. */
export class KindTeller {
  /** The reader of the records, with all of their values on its tape. */
  readonly reader: JsonReader = new JsonReader(DEEPEST_LEVEL);
  #bytes: Uint8Array = new Uint8Array(0);
  /** The dialect of the stream: that of the first record that was read. */
  dialect: WireDialectName | undefined;
  /** The dialect of the last record. */
  last: WireDialectName = "exec";

  /** Returns the kind of the record that the reader has read, and sets `last` to its dialect. */
  kind(bytes: Uint8Array): string {
    this.#bytes = bytes;
    const type = this.#word(0, "type");
    if (type?.startsWith("rpc.")) return NORMALIZED;
    const method = this.#word(0, "method");
    if (method !== undefined) return this.#is("app-server", this.#rpc(method));
    if (type !== undefined) return this.#typed(type);
    if (this.#member(0, "msg") !== -1) {
      return this.#is("exec", `msg/${this.#typeIn(0, "msg") ?? "(no type)"}`);
    }
    const id = this.#member(0, "id");
    const isAnswer = this.#member(0, "result") !== -1 ||
      this.#member(0, "error") !== -1;
    if (id !== -1 && isAnswer) {
      const isError = this.#member(0, "error") !== -1;
      return this.#is("app-server", isError ? "(error)" : "(result)");
    }
    const state = this.#word(0, "record_type");
    if (state !== undefined) return this.#is("rollout", `(${state})`);
    if (this.#member(0, "prompt") !== -1) return this.#is("exec", "(prompt)");
    if (this.#member(0, "workdir") !== -1) return this.#is("exec", "(config)");
    if (id !== -1 && this.#member(0, "timestamp") !== -1) {
      return this.#is("rollout", "(meta)");
    }
    return this.#is(this.dialect ?? "exec", "(no type)");
  }

  /** Returns the release that the record names; 0 if it names none. */
  release(kind: string): number {
    if (kind === "session_meta") {
      const payload = this.#member(0, "payload");
      return releaseNumber(this.#word(payload, "cli_version"));
    }
    if (kind !== "(result)") return 0;
    const agent = this.#word(this.#member(0, "result"), "userAgent");
    return releaseNumber(AGENT_REGEXP.exec(agent ?? "")?.[1]);
  }

  #typed(type: string): string {
    const payload = this.#member(0, "payload");
    if (payload !== -1) {
      return this.#is("rollout", kindOf(type, this.#inner(type, payload)));
    }
    if (type.startsWith("item.")) {
      if (
        this.#member(0, "item") === -1 && this.#member(0, "item_type") !== -1
      ) return NORMALIZED;
      // Items of 0.42 have their type in another field; all of them are one kind.
      return this.#is("exec", kindOf(type, this.#typeIn(0, "item")));
    }
    if (EVENTS.has(type)) return this.#is("exec", type);
    const isBare = BARE_TYPES.has(type) || this.dialect === "rollout";
    return this.#is(isBare ? "rollout" : "exec", type);
  }

  /**
   * The type of the payload of a session file's record, with the type of its item if it has one.
   */
  #inner(type: string, payload: number): string | undefined {
    if (type === "event") return this.#typeIn(payload, "msg");
    if (type !== "event_msg" && type !== "response_item") return undefined;
    const inner = this.#word(payload, "type");
    return inner === "item_completed" || inner === "item_started"
      ? kindOf(inner, this.#typeIn(payload, "item"))
      : inner;
  }

  #rpc(method: string): string {
    const name = method === "codex/event" ? "msg" : "item";
    return kindOf(method, this.#typeIn(this.#member(0, "params"), name));
  }

  /** Returns the type of an object in another one; nothing if there is none. */
  #typeIn(entry: number, name: string): string | undefined {
    return this.#word(this.#member(entry, name), "type");
  }

  #is(dialect: WireDialectName, kind: string): string {
    this.dialect ??= dialect;
    this.last = dialect;
    return kind;
  }

  /** Returns the tape entry of a member of an object; -1 if there is none. */
  #member(entry: number, name: string): number {
    const { tape } = this.reader;
    if (entry === -1 || tape.kind(entry) !== "object") return -1;
    const behind = tape.next(entry);
    for (let at = entry + 1; at < behind; at = tape.next(at)) {
      if (tape.name(at) === name) return at;
    }
    return -1;
  }

  #word(entry: number, name: string): string | undefined {
    const at = this.#member(entry, name);
    return at === -1 ? undefined : this.word(at);
  }

  /**
   * Returns the text of a string on the tape; `*` for one that is too long or escaped, and
   * `undefined` for any other value.
   */
  word(at: number): string | undefined {
    const { tape } = this.reader;
    const bytes = this.#bytes;
    if (tape.kind(at) !== "string") return undefined;
    const start = tape.start(at) + 1;
    const end = tape.end(at) - 1;
    // No word has escapes or more than {@linkcode MAX_WORD} bytes.
    if (tape.isEscaped(at) || end - start > MAX_WORD) return "*";
    return WORDS.text(bytes, start, end, hashBytes(bytes, start, end));
  }
}

/** The kind of a record of a type, with the type of what is in it. */
function kindOf(type: string, inner: string | undefined): string {
  return inner === undefined ? type : `${type}/${inner}`;
}
