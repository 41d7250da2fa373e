/** The head of a session: the facts in the first lines of its file. */

import { LineSelection } from "../events/line_selection.ts";
import { sessionHeaderOf, SessionReader } from "../events/session_reader.ts";
import { sourceText } from "../events/session_items.ts";
import { workingFolderIn } from "../events/user_message.ts";
import {
  type HistoryBase,
  readHistoryBase,
} from "../history/mapping/fold_memory.ts";
import { type Fields, fieldsOf, idOf, listOf, textOf } from "../json/fields.ts";
import { startOf } from "../json/text_ends.ts";
import { RecordSelection } from "../pipeline/line_answers.ts";
import {
  modeProblem,
  readFirstRecords,
  type RecordTaker,
} from "./_first_records.ts";
import { messageOf } from "./open_session.ts";
import { idText, isSessionId } from "./session_id.ts";

/** How a session came about: started by a user, forked, or spawned as a sub-agent. */
export type SessionKind = "main" | "fork" | "subagent";

/** The facts in the first lines of a session file; `undefined` where a fact is missing. */
export interface SessionHead {
  /** The id of the session: from the first header, else from the file name, else empty. */
  readonly id: string;
  /**
   * The time at which the session began, from the header, else from the file name; in UTC since
   * 0.34, in local time with a false `Z` before.
   */
  readonly started: string | undefined;
  /**
   * The first message that a person wrote in this session, without the text that the program put
   * around it; at most 500 characters. `[Image]` or `[Audio]` for a message without text; the goal
   * of the session if it has no message.
   */
  readonly firstMessage: string | undefined;
  /** The working directory. */
  readonly cwd: string | undefined;
  /** The branch of the repository. */
  readonly gitBranch: string | undefined;
  /** The commit of the repository. */
  readonly gitCommit: string | undefined;
  /** The URL of the remote repository. */
  readonly gitUrl: string | undefined;
  /** The version of Codex that began the session. */
  readonly cliVersion: string | undefined;
  /**
   * The source that started the session, such as `cli`, `exec`, `vscode`; for an object its words
   * joined by colons: `subagent:review`, `subagent:thread_spawn`.
   */
  readonly source: string | undefined;
  /** The program that started the session, such as `codex_exec`. */
  readonly originator: string | undefined;
  /** The model of the first turn. */
  readonly model: string | undefined;
  /** The provider of the model. */
  readonly modelProvider: string | undefined;
  /** How the session came about. */
  readonly kind: SessionKind;
  /** The id of the session that this one was forked from. */
  readonly forkedFrom: string | undefined;
  /** The id of the session that spawned this one. */
  readonly parent: string | undefined;
  /** The part of another file that the file continues, if the header names it. */
  readonly historyBase: HistoryBase | undefined;
  /** The name of a sub-agent: its path among the agents, else its nickname. */
  readonly agent: string | undefined;
  /** The layout of the file: `legacy` or `paginated`; `undefined` means `legacy`. */
  readonly historyMode: string | undefined;
  /** Whether the file has a header: a `session_meta`, or the bare one of old releases. */
  readonly hasHeader: boolean;
  /** Why the file cannot be read, or not as a session; `undefined` if it can. */
  readonly problem: string | undefined;
}

/**
 * Reads the head of a session file: its first lines only, unpacked if it is packed.
 *
 * Files of all releases from 0.1 to 0.169 are read, legacy and paginated. At most 210 lines and 16
 * MiB are read, usually a few lines.
 *
 * A file that cannot be read, or that has no header, results in a head with a `problem` and the
 * facts of the file name. Nothing is thrown.
 *
 * @param file The file.
 * @returns Its head.
 *
 * @example The program and the first message
 * ```ts
 * import { readSessionHead, sessionFileAt } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const path = "testdata/captures/0.44.0/msg/" +
 *   "rollout-2026-11-20T15-30-37-01a1f994-bf38-7b30-a5b6-37341edadf48.jsonl";
 * const head = await readSessionHead(await sessionFileAt(path, "."));
 *
 * assertEquals(head.originator, "codex_exec");
 * assertEquals(head.firstMessage, "Please work on the demo [[msg]]");
 * ```
 */
export async function readSessionHead(
  file: {
    readonly path: string;
    readonly size: number;
    readonly id: string;
    readonly nameTime: string | undefined;
  },
): Promise<SessionHead> {
  let fold = new HeadFold(file);
  let problem: string | undefined;
  try {
    await readFirstRecords(file, () => fold = new HeadFold(file));
  } catch (error) {
    problem = messageOf(error);
  }
  return fold.head(problem);
}

type HeadFile = Parameters<typeof readSessionHead>[0];

/** The types of the lines with facts of a head, and of those that tell copies from own lines. */
const { types: TYPES } = new LineSelection([
  "thread.started",
  "turn.started",
  "turn_context",
  "prompt",
  "thread_goal_updated",
  "thread_settings_applied",
]);
const LINES = new RecordSelection(TYPES);
/**
 * The lines after a header with a working directory in paginated files, where events repeat what
 * the user wrote: without the response items, which are long.
 */
const EVENT_LINES = new RecordSelection(
  TYPES.filter((type) => !type.startsWith("response_item/")),
);
/** How much of a message is kept, in UTF-16 code units. */
const MAX_MESSAGE = 500;
/** Matches the heading that an editor's extension or the app writes before the person's words. */
const REQUEST_REGEXP = /^## My request(?: for Codex:|:\s*$)/m;
/** How much of any other text is kept, in UTF-16 code units: as much as the longest path. */
const MAX_TEXT = 4_096;
/** How many more records are read to find the model after all other facts are known. */
const MORE_RECORDS = 20;

class HeadFold implements RecordTaker {
  readonly #file: HeadFile;
  readonly #reader = new SessionReader(undefined, {
    initialThreadId: "",
    isSelection: true,
  });
  readonly #take = (event: Fields): void => this.#takeEvent(event);
  #header: Fields | undefined;
  /** How many headers the file has so far. Those after the first were copied with other lines. */
  #headers = 0;
  #message: string | undefined;
  /** The first message that was copied from the session that this one was forked from. */
  #copied: string | undefined;
  #goal: string | undefined;
  #model: string | undefined;
  #cwd: string | undefined;
  #records = 0;
  /** How many records came after all facts but the model were known, which some releases lack. */
  #recordsWithout = 0;

  constructor(file: HeadFile) {
    this.#file = file;
  }

  get isDone(): boolean {
    if (this.#header === undefined || this.#message === undefined) return false;
    return this.#model !== undefined || this.#recordsWithout >= MORE_RECORDS;
  }

  get wanted(): RecordSelection {
    const isPaged = this.#headers === 1 &&
      this.#reader.context.mode === "paginated" &&
      textOf(this.#header?.cwd) !== undefined;
    return isPaged ? EVENT_LINES : LINES;
  }

  add(record: Fields): void {
    this.#records += 1;
    if (sessionHeaderOf(record) !== undefined) this.#headers += 1;
    if (this.#message !== undefined) this.#recordsWithout += 1;
    if (record.payload !== undefined) this.#reader.read(record, {}, this.#take);
  }

  #takeEvent(event: Fields): void {
    if (event.type === "thread.started") {
      this.#header = event;
      return;
    }
    const isOwn = event.inherited !== true;
    const content = fieldsOf(event.content);
    switch (event.item_type) {
      case "user_message":
        if (isOwn) this.#message ??= messageText(content);
        else this.#copied ??= messageText(content);
        break;
      case "injected_context":
        this.#cwd ??= workingFolderIn(textOf(content.text) ?? "");
        break;
      case "turn_context":
        this.#cwd ??= textOf(content.cwd);
        if (isOwn) this.#model ??= idOf(content.model);
        break;
      case "thread_settings_applied":
        if (isOwn) {
          this.#model ??= idOf(fieldsOf(content.thread_settings).model);
        }
        break;
      case "thread_goal_updated": {
        const goal = textOf(fieldsOf(content.goal).objective);
        if (isOwn) this.#goal ??= saidIn(goal ?? "");
      }
    }
  }

  /** Returns the head; `problem` tells why the file could not be read. */
  head(problem: string | undefined): SessionHead {
    const file = this.#file;
    const header = this.#header ?? {};
    const git = fieldsOf(header.git);
    const forkedFrom = sessionIdOf(header.forked_from_id);
    const parent = sessionIdOf(header.parent_thread_id);
    const isSubagent = header.thread_source === "subagent" ||
      fieldsOf(header.source).subagent !== undefined || parent !== undefined;
    return {
      id: sessionIdOf(header.thread_id) ?? file.id,
      started: textOf(header.started_at) ?? file.nameTime,
      firstMessage: this.#message ?? this.#goal ??
        (isSubagent ? undefined : this.#copied),
      cwd: shortText(header.cwd) ?? shortText(this.#cwd),
      gitBranch: shortText(git.branch),
      gitCommit: shortText(git.commit_hash),
      gitUrl: shortText(git.repository_url),
      cliVersion: shortText(header.cli_version),
      source: shortText(sourceText(header.source)),
      originator: shortText(header.originator),
      model: shortText(this.#model),
      modelProvider: shortText(header.model_provider),
      kind: isSubagent
        ? "subagent"
        : forkedFrom !== undefined
        ? "fork"
        : "main",
      forkedFrom,
      parent,
      historyBase: readHistoryBase(header.history_base) ?? undefined,
      agent: shortText(header.agent_path) ?? shortText(header.agent_nickname),
      historyMode: shortText(header.history_mode),
      hasHeader: this.#header !== undefined,
      problem: problem ?? this.#missing(),
    };
  }

  #missing(): string | undefined {
    const header = this.#header;
    if (header === undefined) {
      if (this.#file.size === 0) return "it is empty";
      return this.#records === 0
        ? "its first lines hold no record of a session"
        : "it has no session header in its first lines";
    }
    const id = idOf(header.thread_id);
    if (id !== undefined && !isSessionId(id)) {
      return `its header has the id ${idText(id)}, which is not a session id`;
    }
    return modeProblem(header.history_mode);
  }
}

/** Returns the words of a person in a message, or a mark for a message without words. */
function messageText({ text, images }: Fields): string | undefined {
  const words = textOf(text) ?? "";
  const mark = REQUEST_REGEXP.exec(words);
  const start = mark === null ? 0 : mark.index + mark[0].length;
  return saidIn(words.slice(start)) ??
    (listOf(images).length > 0 ? "[Image]" : saidIn(words));
}

function saidIn(text: string): string | undefined {
  const words = text.trim();
  return words === "" ? undefined : startOf(words, MAX_MESSAGE).toWellFormed();
}

function sessionIdOf(value: unknown): string | undefined {
  const id = idOf(value);
  return id !== undefined && isSessionId(id) ? id : undefined;
}

/** Returns a text, truncated to the longest that is plausible. */
function shortText(value: unknown): string | undefined {
  return textOf(value)?.slice(0, MAX_TEXT).toWellFormed();
}
