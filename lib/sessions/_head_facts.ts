/**
 * Puts a head together from records, as they come.
 */

import {
  type Fields,
  fieldsOf,
  idOf,
  listOf,
  numberOf,
  textOf,
} from "../json/fields.ts";
import { HISTORY_MODES } from "../history/mapping/fold_memory.ts";
import { sourceText } from "../events/session_items.ts";
import { timestampOf } from "../events/times.ts";
import { goalOf, userMessageOf } from "./_user_message.ts";
import type { SessionFile } from "./session_files.ts";
import { idText, isSessionId } from "./session_id.ts";

/** What a session is to others. */
export type SessionKind = "main" | "fork" | "subagent";

/** What the first lines of a session file tell; `undefined` is what they do not. */
export interface SessionHead {
  /** The id of the session: that of the first header, else that in the name; else empty. */
  readonly id: string;
  /**
   * When it began, as its header says, else as its name says; in UTC since 0.34, local time
   * with a false `Z` before.
   */
  readonly started: string | undefined;
  /**
   * The first message that a person wrote in this session, without what the program put
   * around it; at most 500 characters. Of a message without text
   * `[Image]` or `[Audio]`; of a session without a message, the goal that it was given.
   */
  readonly firstMessage: string | undefined;
  /** The working directory. */
  readonly cwd: string | undefined;
  /** The branch of the repository. */
  readonly gitBranch: string | undefined;
  /** The commit of the repository. */
  readonly gitCommit: string | undefined;
  /** The URL of its remote. */
  readonly gitUrl: string | undefined;
  /** The version of Codex that began the session. */
  readonly cliVersion: string | undefined;
  /**
   * What started it, such as `cli`, `exec`, `vscode`; of an object its words, with colons
   * between: `subagent:review`, `subagent:thread_spawn`.
   */
  readonly source: string | undefined;
  /** The program that started it, such as `codex_exec`. */
  readonly originator: string | undefined;
  /** The model of the first turn. */
  readonly model: string | undefined;
  /** The provider of the model. */
  readonly modelProvider: string | undefined;
  /** What the session is to others. */
  readonly kind: SessionKind;
  /** The id of the session that this one was forked from. */
  readonly forkedFrom: string | undefined;
  /** The id of the session that spawned this one. */
  readonly parent: string | undefined;
  /** What a sub-agent is called: its path among the agents, else its nickname. */
  readonly agent: string | undefined;
  /** How the file is written: `legacy` or `paginated`; `undefined` is `legacy`. */
  readonly historyMode: string | undefined;
  /** Whether the file has a header: a `session_meta`, or the bare one of old releases. */
  readonly hasHeader: boolean;
  /** Why the file could not be read, or not as a session; `undefined` if it could. */
  readonly problem: string | undefined;
}

/** How much is kept of any other text: as much as a path may have. */
const MAX_TEXT = 4_096;
/** How many records more are looked at for the model when everything else is known. */
const MORE_RECORDS = 20;
const CWD_REGEXP = /<environment_context>\s*<cwd>([^<]+)<\/cwd>/;

/** What is known of a head so far. */
export class HeadFacts {
  readonly #file: SessionFile;
  #meta: Fields | undefined;
  /** Whether headers of other sessions follow: their history was copied. */
  #hasCopies = false;
  #ownStart = 0;
  #message: string | undefined;
  #goal: string | undefined;
  #model: string | undefined;
  #cwd: string | undefined;
  #problem: string | undefined;
  /** How many records were added. */
  #records = 0;
  /** How many came when all but the model was known, which not every release tells. */
  #recordsWithout = 0;

  /** Constructs a new instance. */
  constructor(file: SessionFile) {
    this.#file = file;
  }

  /** Whether no further record is wanted. */
  get isDone(): boolean {
    if (this.#meta === undefined) return false;
    if (this.#message === undefined && !this.#isCopyOfUnknownLength) {
      return false;
    }
    return this.#model !== undefined || this.#recordsWithout >= MORE_RECORDS;
  }

  /** Says that the file could not be read. */
  fail(why: string): void {
    this.#problem ??= why;
  }

  /**
   * Adds a normalized rollout record; of one that does not {@linkcode concernsHead}, the type
   * is enough.
   */
  add(record: unknown): void {
    this.#records += 1;
    if (this.#message !== undefined) this.#recordsWithout += 1;
    const line = fieldsOf(record);
    const payload = fieldsOf(line.payload);
    this.#addMessage(line);
    switch (line.type) {
      case "session_meta":
        this.#addMeta(payload);
        break;
      case "turn_context":
        this.#addTurn(payload, line);
        break;
      case "response_item":
        if (payload.role === "user") this.#cwd ??= cwdIn(payload.content);
        break;
      case "event_msg":
        this.#addEvent(payload, line);
        break;
      case "event":
        this.#addEvent(fieldsOf(payload.msg), line);
        break;
    }
  }

  /** What is known. */
  head(): SessionHead {
    const file = this.#file;
    const meta = this.#meta ?? {};
    const git = fieldsOf(meta.git);
    const spawn = fieldsOf(
      fieldsOf(fieldsOf(meta.source).subagent).thread_spawn,
    );
    const forkedFrom = sessionIdOf(meta.forked_from_id);
    const parent = sessionIdOf(meta.parent_thread_id) ??
      sessionIdOf(spawn.parent_thread_id);
    const isSubagent = meta.thread_source === "subagent" ||
      fieldsOf(meta.source).subagent !== undefined || parent !== undefined;
    return {
      id: sessionIdOf(meta.id) ?? file.id,
      started: timestampOf(meta.timestamp) ?? file.nameTime,
      firstMessage: this.#message ?? this.#goal,
      cwd: shortText(meta.cwd) ?? shortText(this.#cwd),
      gitBranch: shortText(git.branch),
      gitCommit: shortText(git.commit_hash),
      gitUrl: shortText(git.repository_url),
      cliVersion: shortText(meta.cli_version),
      source: shortText(sourceText(meta.source)),
      originator: shortText(meta.originator),
      model: shortText(this.#model),
      modelProvider: shortText(meta.model_provider),
      kind: isSubagent
        ? "subagent"
        : forkedFrom !== undefined
        ? "fork"
        : "main",
      forkedFrom,
      parent,
      agent: shortText(meta.agent_path) ?? shortText(spawn.agent_path) ??
        shortText(meta.agent_nickname) ?? shortText(spawn.agent_nickname),
      historyMode: shortText(meta.history_mode),
      hasHeader: this.#meta !== undefined,
      problem: this.#problem ?? this.#missing(meta),
    };
  }

  #missing(meta: Fields): string | undefined {
    if (this.#meta === undefined) {
      if (this.#file.size === 0) return "it is empty";
      return this.#records === 0
        ? "nothing in its first lines is a record of a session"
        : "it has no session header in its first lines";
    }
    const id = idOf(meta.id);
    if (id !== undefined && !isSessionId(id)) {
      return `its header has the id ${idText(id)}, which is none`;
    }
    const mode = textOf(meta.history_mode);
    if (mode === undefined || HISTORY_MODES.has(mode)) return undefined;
    return `its history mode is ${
      JSON.stringify(mode.slice(0, 40))
    }, which is not known`;
  }

  /** Whether the file begins with another session's history, and does not say how much. */
  get #isCopyOfUnknownLength(): boolean {
    return this.#hasCopies && this.#ownStart === 0 && this.#isSubagent;
  }

  get #isSubagent(): boolean {
    return fieldsOf(this.#meta?.source).subagent !== undefined;
  }

  #addMeta(meta: Fields): void {
    if (this.#meta !== undefined) {
      this.#hasCopies = true;
      return;
    }
    this.#meta = meta;
    this.#ownStart = numberOf(meta.subagent_history_start_ordinal) ?? 0;
  }

  #addTurn(turn: Fields, line: Fields): void {
    this.#cwd ??= textOf(turn.cwd);
    if (this.#isOwn(line)) this.#model ??= idOf(turn.model);
  }

  #addEvent(event: Fields, line: Fields): void {
    if (event.type !== "thread_settings_applied" || !this.#isOwn(line)) return;
    this.#model ??= idOf(fieldsOf(event.thread_settings).model);
  }

  #addMessage(line: Fields): void {
    if (this.#message !== undefined || !this.#isOwn(line)) return;
    if (this.#isCopyOfUnknownLength) return;
    this.#message = userMessageOf(line);
    this.#goal ??= goalOf(line);
  }

  /** Whether a line is the session's own, not copied from the one that spawned it. */
  #isOwn(line: Fields): boolean {
    return this.#ownStart === 0 ||
      (numberOf(line.ordinal) ?? 0) >= this.#ownStart;
  }
}

/** The events that tell something of a head. */
const EVENTS: ReadonlySet<string | undefined> = new Set([
  "item_completed",
  "thread_goal_updated",
  "thread_settings_applied",
  "user_message",
]);

/**
 * Says whether {@linkcode HeadFacts.add} may look into the payload of a record.
 *
 * @param type The type of the record.
 * @param payload What the payload says of itself, if it is a text.
 */
export function concernsHead(
  type: string,
  payload: {
    readonly type: string | undefined;
    readonly role: string | undefined;
  },
): boolean {
  switch (type) {
    case "session_meta":
    case "turn_context":
    case "event":
      return true;
    case "response_item":
      return payload.role === "user";
    case "event_msg":
      return EVENTS.has(payload.type);
    default:
      return false;
  }
}

/** The working directory that the program told the model, before files had it. */
function cwdIn(content: unknown): string | undefined {
  for (const part of listOf(content)) {
    const text = textOf(fieldsOf(part).text);
    if (text === undefined || text.length > 100_000) continue;
    const cwd = CWD_REGEXP.exec(text)?.[1];
    if (cwd !== undefined) return cwd;
  }
  return undefined;
}

/** Gives an id; what cannot be one is none. */
function sessionIdOf(value: unknown): string | undefined {
  const id = idOf(value);
  return id !== undefined && isSessionId(id) ? id : undefined;
}

/** Gives a text, and not more of it than anybody meant to write. */
function shortText(value: unknown): string | undefined {
  return textOf(value)?.slice(0, MAX_TEXT).toWellFormed();
}
