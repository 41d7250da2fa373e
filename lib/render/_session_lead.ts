/**
 * The first part of a transcript: what the session is.
 *
 * @module
 */

import type { Emit } from "../stage.ts";
import type { SessionPart, TranscriptPart } from "./parts.ts";

/** What is known of a session, as far as an event says it. */
export type SessionFacts = {
  readonly [Name in Exclude<keyof SessionPart, "type">]?: NonNullable<
    SessionPart[Name]
  >;
};

/** How many parts may wait for the beginning of a session file to say what the session is. */
const MAX_HELD = 256;

const NO_SESSION: SessionPart = {
  type: "session",
  thread_id: null,
  startedAt: null,
  cwd: null,
  model: null,
  cli_version: null,
};

/** Holds parts back until it is known what the session is, which is said before them. */
export class SessionLead {
  readonly #emit: Emit<TranscriptPart>;
  #session = NO_SESSION;
  /** What waits for the session to be known; `undefined` once it has been said. */
  #held: TranscriptPart[] | undefined = [];

  /**
   * Constructs a new instance.
   *
   * @param emit Is called with each part, in order.
   */
  constructor(emit: Emit<TranscriptPart>) {
    this.#emit = emit;
  }

  /** What is known of the session. */
  get session(): SessionPart {
    return this.#session;
  }

  /** Takes in what is found out about the session. */
  learn(facts: SessionFacts): void {
    this.#session = { ...this.#session, ...facts };
  }

  /** Begins with another session, of which nothing is known. */
  restart(): void {
    this.#held = [];
    this.#session = NO_SESSION;
  }

  /**
   * Gives a part behind the session.
   *
   * @param part The part.
   * @param now The time, which is the session's beginning if nothing says that.
   */
  say(part: TranscriptPart, now: string | null): void {
    if (this.#held === undefined) return this.#emit(part);
    this.#held.push(part);
    if (this.#held.length > MAX_HELD) this.release(now);
  }

  /**
   * Says what the session is, as far as that is known, and what was held back.
   *
   * @param now The time, which is the session's beginning if nothing says that.
   */
  release(now: string | null): void {
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    const { startedAt, model, cwd } = this.#session;
    this.#emit({ ...this.#session, startedAt: startedAt ?? now });
    for (const part of held) {
      const isTurn = part.type === "turn_started";
      this.#emit(
        isTurn
          ? { ...part, model: part.model ?? model, cwd: part.cwd ?? cwd }
          : part,
      );
    }
  }
}
