/** Joins the transcripts of several interleaved threads into one. */

import { commandLine } from "../dialects/exec/command_line.ts";
import { shellWords } from "../history/mapping/commands.ts";
import { isDeclined } from "../events/contents.ts";
import { spawnedThreads } from "../events/session_items.ts";
import {
  type Fields,
  fieldsOf,
  idOf,
  isObject,
  listOf,
  parseJson,
  textOf,
  textsOf,
} from "../json/fields.ts";
import { checkOutcome } from "../checked.ts";
import { groupsBy } from "../groups.ts";
import type { Outcome } from "../outcome.ts";
import type { Emit, Stage } from "../stage.ts";
import type { SessionPart, TranscriptPart } from "./parts.ts";
import {
  type HistoryFacts,
  TranscriptBuilder,
  type TranscriptOptions,
} from "./transcript.ts";

/** By item type of a request that waits for the user, what it waits for if it does not say so. */
const REQUESTS: ReadonlyMap<unknown, string> = new Map([
  ["apply_patch_approval_request", "a patch"],
  ["exec_approval_request", "a command"],
  ["item_permissions_request_approval", "permissions"],
  ["item_tool_request_user_input", "an answer"],
  ["mcp_server_elicitation_request", "an answer"],
]);
/** The requests whose decision their item shows, too. */
const APPROVALS: ReadonlySet<unknown> = new Set([
  "apply_patch_approval_request",
  "exec_approval_request",
]);
const DECISIONS: ReadonlyMap<string, string> = new Map([
  ["accept", "accepted"],
  ["acceptForSession", "accepted for the session"],
  ["decline", "declined"],
  ["cancel", "cancelled"],
]);
const MAX_REQUESTS = 256;

interface Request {
  readonly thread: Thread;
  /** The command, the question, or the reason for the request. */
  readonly task: string;
  /** Whether its answer is not shown. */
  readonly isSecret: boolean;
  /** The id of the JSON-RPC request, which the response repeats. */
  readonly requestId: unknown;
}

class Thread {
  turn: number | null = null;
  /** Its session part, once that has been emitted. */
  session: SessionPart | undefined;
  /** Its parts, held while those of another thread are emitted. */
  held: TranscriptPart[] = [];
  parent: string | undefined;
  /** Whether the input has events of it, and not only its name in those of another thread. */
  hasEvents = false;

  constructor(readonly transcript: TranscriptBuilder) {}
}

/**
 * Makes one transcript of the threads of an app-server. The input is the outcomes of its events;
 * the parts of each thread follow a `session` part of their own.
 *
 * Parts of the first thread are emitted as they come. Those of the other threads are emitted when
 * the input ends, each thread after the one that started it. A live transcript emits final entries
 * of other threads as soon as the first thread has no open entries. Whenever parts of a different
 * thread follow, its `session` part is emitted again before them.
 *
 * Requests for approval, questions to the user, and the decisions on them become notices. Decisions
 * are read from the responses of the client, or from the state of the item if the input has no
 * responses.
 *
 * Memory is bounded like that of {@linkcode TranscriptBuilder} for each thread, and grows with the
 * parts that are held back.
 *
 * @example Two threads
 * ```ts
 * import {
 *   ThreadTranscripts,
 *   type TranscriptPart,
 * } from "@codexpipe/codexpipe/render";
 * import { assertEquals } from "@std/assert";
 *
 * const threads: (string | null)[] = [];
 * const take = (part: TranscriptPart) => {
 *   if (part.type === "session") threads.push(part.thread_id);
 * };
 * const transcripts = new ThreadTranscripts();
 * for (const thread_id of ["a", "b", "a"]) {
 *   const value = { type: "turn.started", thread_id, turn_id: "1" };
 *   transcripts.feed({ ok: true, line: 1, offset: 0, value }, take);
 * }
 * transcripts.flush(take);
 *
 * assertEquals(threads, ["a", "b"]);
 * ```
 */
export class ThreadTranscripts
  implements Stage<Outcome<unknown>, TranscriptPart> {
  readonly #options: TranscriptOptions;
  readonly #threads = new Map<string, Thread>();
  /** The first thread of the input, with all events that name no thread. */
  readonly #first: Thread;
  #firstId: string | undefined;
  #shown: Thread;
  /** Parts of other threads that wait; only in live transcripts. */
  #waiting: { readonly thread: Thread; readonly part: TranscriptPart }[] = [];
  /** The entries of the first thread that are not final yet. */
  readonly #open = new Set<number>();
  /** Undecided requests, by the id of their item for approvals, else by their own. */
  readonly #requests = new Map<unknown, Request>();
  #notices = 0;
  /** The number of turns in the threads before, which is added to turn numbers. */
  #turnsBefore = 0;
  #nextTurn: number;
  #emit: Emit<TranscriptPart> = () => {};

  /**
   * Constructs a new instance.
   *
   * @param options Live parts, the first number and images.
   */
  constructor(options: TranscriptOptions = {}) {
    this.#options = options;
    this.#nextTurn = options.firstTurn ?? 1;
    this.#first = new Thread(new TranscriptBuilder(options));
    this.#shown = this.#first;
  }

  /** The number of the next turn. */
  get nextTurn(): number {
    return this.#nextTurn;
  }

  /** The facts of the history of the first thread. */
  get history(): HistoryFacts {
    return this.#first.transcript.history;
  }

  /**
   * Reads an outcome and emits the parts that it completes.
   *
   * @param outcome The outcome of a line.
   * @param emit Is called with each part, in order.
   * @throws {TypeError} If `outcome` is not an outcome.
   */
  feed(outcome: Outcome<unknown>, emit: Emit<TranscriptPart>): void {
    checkOutcome(outcome);
    this.#emit = emit;
    const value = outcome.ok ? outcome.value : undefined;
    const event = fieldsOf(
      typeof value === "string" ? parseJson(value) : value,
    );
    const id = idOf(event.thread_id);
    if (id !== undefined) this.#firstId ??= id;
    const thread = id === undefined || id === this.#firstId
      ? this.#first
      : this.#thread(id);
    thread.hasEvents = true;
    if (id !== undefined) this.#link(event, id);
    this.#decide(event, thread);
    thread.transcript.feed(
      // The parsed event is passed on, so that its text is parsed only once.
      outcome.ok && typeof value === "string"
        ? { ...outcome, value: event, text: value }
        : outcome,
      (part) => this.#take(thread, part),
    );
  }

  /**
   * Ends the input and emits all parts that were held back.
   *
   * @param emit Is called with each part, in order.
   */
  flush(emit: Emit<TranscriptPart>): void {
    this.#emit = emit;
    const isLive = this.#options.live === true;
    for (const thread of this.#inOrder()) {
      if (!thread.hasEvents && thread !== this.#first) continue;
      if (!isLive) {
        const first = this.#options.firstTurn ?? 1;
        this.#turnsBefore = thread === this.#first ? 0 : this.#nextTurn - first;
        this.#shown = thread;
      }
      const { held } = thread;
      thread.held = [];
      for (const part of held) this.#show(part);
      thread.transcript.flush((part) => this.#take(thread, part));
      this.#open.clear();
      if (isLive) this.#showWaiting();
    }
  }

  #thread(id: string): Thread {
    let thread = this.#threads.get(id);
    if (thread === undefined) {
      // Only the parts of the first thread are emitted as they come.
      thread = new Thread(
        new TranscriptBuilder({ ...this.#options, live: false }),
      );
      this.#threads.set(id, thread);
    }
    return thread;
  }

  #link(event: Fields, id: string): void {
    if (event.type === "thread.started") {
      this.#adopt(id, idOf(event.parent_thread_id));
    }
    for (const child of spawnedThreads(event)) this.#adopt(child, id);
  }

  #decide(event: Fields, thread: Thread): void {
    const { type, item_id, item_type } = event;
    // Notices of `codex mcp-server` have no content; their command is a list of words.
    const content = fieldsOf(event.content ?? event);
    if (type === "rpc.response") {
      const decision = decisionIn(fieldsOf(event.result));
      if (decision === undefined) return;
      for (const [item, { requestId, isSecret }] of this.#requests) {
        if (requestId !== event.id) continue;
        return this.#resolve(item, isSecret ? "answered" : decision);
      }
    } else if (type !== "item.completed") return;
    else if (REQUESTS.has(item_type)) {
      const requestId = event.request_id;
      const item = APPROVALS.has(item_type) ? textOf(event.call_id) : requestId;
      if (item === undefined) return;
      const { command } = content;
      const words = typeof command === "string"
        ? shellWords(command)
        : textsOf(command);
      const questions = listOf(content.questions).map(fieldsOf);
      const task = commandLine(words) ||
        questions.map(({ question }) => textOf(question)).join("\n") ||
        textOf(content.message) || textOf(content.reason) ||
        (REQUESTS.get(item_type) ?? "");
      const isSecret = questions.some((each) => each.isSecret === true);
      this.#requests.set(item, { thread, task, isSecret, requestId });
      if (this.#requests.size > MAX_REQUESTS) {
        const [oldest] = this.#requests.keys();
        this.#requests.delete(oldest);
      }
      this.#notify(thread, "Waiting for a decision", task);
    } else {
      this.#resolve(item_id, isDeclined(event) ? "declined" : "accepted");
    }
  }

  #resolve(item: unknown, decision: string): void {
    const request = this.#requests.get(item);
    if (request === undefined) return;
    this.#requests.delete(item);
    const { thread, task } = request;
    this.#notify(thread, `Decided: ${decision}`, task);
  }

  #notify(thread: Thread, title: string, description: string): void {
    thread.transcript.settle((part) => this.#take(thread, part));
    // Negative, as the ids of history records begin with 1.
    this.#notices -= 1;
    const id = this.#notices;
    this.#take(thread, {
      type: "entry",
      phase: "final",
      id,
      turn: thread.turn,
      record: { id, type: "background_event", payload: { title, description } },
      startedAt: null,
      endedAt: null,
      durationMs: null,
    });
  }

  #adopt(child: string, parent: string | undefined): void {
    if (parent === undefined || child === parent || child === this.#firstId) {
      return;
    }
    this.#thread(child).parent ??= parent;
  }

  #take(thread: Thread, part: TranscriptPart): void {
    if (part.type === "session") thread.session = part;
    if (part.type === "turn_started") thread.turn = part.turn;
    if (this.#options.live === true) {
      this.#takeLive(thread, part);
    } else if (thread === this.#shown) this.#show(part);
    else thread.held.push(part);
  }

  #takeLive(thread: Thread, part: TranscriptPart): void {
    if (thread === this.#first) {
      this.#showOf(thread, part);
      if (part.type === "turn_ended") this.#open.clear();
      if (part.type === "entry") {
        const isOver = part.phase === "final" || part.phase === "late";
        if (isOver) this.#open.delete(part.id);
        else this.#open.add(part.id);
      }
    } else if (part.type !== "session") this.#waiting.push({ thread, part });
    if (this.#open.size === 0) this.#showWaiting();
  }

  #showWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { thread, part } of waiting) this.#showOf(thread, part);
  }

  /** Emits a part, after the session part of its thread if the last part was of another thread. */
  #showOf(thread: Thread, part: TranscriptPart): void {
    const isOther = thread !== this.#shown;
    this.#shown = thread;
    if (isOther && thread.session !== undefined && part.type !== "session") {
      this.#show(thread.session);
    }
    this.#show(part);
  }

  #show(part: TranscriptPart): void {
    if (part.type === "session") {
      // The parent is added here, as it may become known after the session part was made.
      const { parent } = this.#shown;
      return this.#emit(
        parent === undefined ? part : { ...part, parent_thread_id: parent },
      );
    }
    const before = this.#turnsBefore;
    if (part.type === "turn_started") {
      this.#nextTurn = Math.max(this.#nextTurn, part.turn + before + 1);
    }
    const isOfTurn = "turn" in part && part.turn !== null;
    this.#emit(isOfTurn ? { ...part, turn: part.turn + before } : part);
  }

  #inOrder(): Thread[] {
    const children = groupsBy(this.#threads.keys(), (id) => {
      const { parent = "" } = this.#thread(id);
      const isKnown = parent === this.#firstId || this.#threads.has(parent);
      return isKnown ? parent : undefined;
    });
    const idsBelow = (id?: string): string[] => children.get(id) ?? [];
    const threads: Thread[] = [this.#first];
    const left = new Set(this.#threads.keys());
    // Two threads may name each other as parent: those come last, and each only once.
    const open = [...idsBelow(this.#firstId), ...idsBelow(), ...left].reverse();
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (!left.delete(id)) continue;
      threads.push(this.#thread(id));
      for (const child of idsBelow(id).toReversed()) open.push(child);
    }
    return threads;
  }
}

/** Returns the decision in a client's response to an approval, a form, questions or permissions. */
function decisionIn(
  { decision, action, answers, permissions }: Fields,
): string | undefined {
  const word = textOf(decision ?? action) ?? Object.keys(fieldsOf(decision))[0];
  if (word !== undefined) return DECISIONS.get(word) ?? word;
  if (isObject(answers)) {
    return Object.values(answers)
      .flatMap((each) => textsOf(fieldsOf(each).answers)).join(", ") ||
      "no answer";
  }
  if (!isObject(permissions)) return undefined;
  const isGranted = Object.values(permissions).some((each) => each !== null);
  return isGranted ? "accepted" : "declined";
}
