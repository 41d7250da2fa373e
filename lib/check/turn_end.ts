/**
 * How a turn ended, where an event says it and where none does.
 */

import { isRetryNotice } from "../dialects/exec/retry_notices.ts";
import { fieldsOf, parseJson, textOf } from "../json/fields.ts";
import type { TurnStatus } from "../render/parts.ts";
import type { Verdict, VerdictReasonKind } from "./verdict.ts";

/** What the judgement of a turn depends on. */
export interface TurnFacts {
  /** How the transcript says that it ended. */
  readonly status: TurnStatus;
  /** Why, as the event that ended it says. */
  readonly error: string | null;
  /** What was the last thing to go wrong, if nothing has gone on since then. */
  readonly pendingError: string | null;
  /** Whether the last thing of it that a reader sees is what the model says. */
  readonly endsWithAnswer: boolean;
  /** Whether its end says that a prompt was left without an answer. */
  readonly isUnanswered: boolean;
}

/** How a turn ended. */
export interface TurnEnd {
  /** In one word. */
  readonly status: Exclude<Verdict["status"], null>;
  /** What is wrong with it; `undefined` if nothing is. */
  readonly reason?: {
    readonly kind: VerdictReasonKind;
    /** What follows the name of the turn in a sentence. */
    readonly message: string;
  };
}

/** What 0.8 says when it is interrupted. */
const INTERRUPTED = "Turn interrupted";

/**
 * Why turns are aborted. In the old dialect of exec streams that is all that is left of a
 * `turn_aborted`: normalized, it is a turn that failed for one of these words.
 */
const ABORT_REASONS: ReadonlySet<string | null> = new Set([
  "budget_limited",
  "interrupted",
  "replaced",
  "review_ended",
]);

/**
 * Judges how a turn ended.
 *
 * What ends with an event ended as that says. What ends without one, though its release writes
 * them, was cut off. Exec streams up to 0.42 (but for 0.8) and session files up to 0.98 have no
 * such events: there a turn that ends with an error failed, one that ends with an answer is
 * done, even if commands were left running, and any other one was cut off. A turn that was cut
 * off right behind an answer that was not to be the last cannot be told from one that is done.
 *
 * @param facts What is known of the turn.
 * @returns How it ended.
 */
export function judgeTurn(facts: TurnFacts): TurnEnd {
  const { status, error, pendingError } = facts;
  switch (status) {
    case "completed":
      return { status };
    case "failed":
      if (facts.isUnanswered) {
        return failed(
          "turn_failed",
          "ended without an answer; the log does not say why",
        );
      }
      if (ABORT_REASONS.has(error)) return abortedFor(error);
      return failed("turn_failed", because("failed", error ?? pendingError));
    case "aborted":
      return abortedFor(error);
    case "open":
      return pendingError === null ? open() : judgeError(pendingError);
    case "unknown":
      if (pendingError !== null) return judgeError(pendingError);
      return facts.endsWithAnswer ? { status: "completed" } : open();
  }
}

/**
 * Judges an error that nothing follows.
 *
 * @param message What it says.
 * @returns How the turn, or the run, ended.
 */
export function judgeError(message: string): TurnEnd {
  if (message === INTERRUPTED) return aborted(null);
  return isRetryNotice(message)
    ? open(`: the last thing it says is "${message}"`)
    : failed("fatal_error", because("ended with an error", message));
}

/**
 * Gives what an error says: of JSON that a server sent, its message.
 *
 * @param text The message of an error: prose, JSON, or JSON behind prose.
 * @returns The part of it for people.
 */
export function errorText(text: string): string {
  const start = text.indexOf("{");
  if (start === -1) return text.trim();
  const fields = fieldsOf(parseJson(text.slice(start)));
  const inner = textOf(fieldsOf(fields.error).message) ??
    textOf(fields.message) ?? textOf(fields.detail) ?? "";
  return inner.trim() === ""
    ? text.trim()
    : text.slice(0, start) + inner.trim();
}

function failed(kind: VerdictReasonKind, message: string): TurnEnd {
  return { status: "failed", reason: { kind, message } };
}

function abortedFor(reason: string | null): TurnEnd {
  return aborted(reason === "interrupted" ? null : reason);
}

function aborted(why: string | null): TurnEnd {
  const message = because("was interrupted", why);
  return { status: "aborted", reason: { kind: "interrupted", message } };
}

function open(why = ""): TurnEnd {
  const message = `has no end: the log ends before it does${why}`;
  return { status: "open", reason: { kind: "no_end", message } };
}

function because(what: string, why: string | null): string {
  return why === null || why.trim() === ""
    ? what
    : `${what}: ${errorText(why)}`;
}
