/** The error of an index of sessions that cannot be used. */

/**
 * The reason why an index could not be used.
 *
 * - `foreign`: the file is not an index; it was not changed.
 * - `newer`: a newer version of codexpipe made the index; it was not changed.
 * - `io`: the file or its folder could not be opened, read or written.
 * - `busy`: other processes kept the index busy for too long.
 */
export type SessionIndexErrorKind =
  | "foreign"
  | "newer"
  | "io"
  | "busy";

/** An index of sessions that could not be used. */
export class SessionIndexError extends Error {
  /** The name of the class. */
  override readonly name = "SessionIndexError";
  /** The kind of the problem. */
  readonly kind: SessionIndexErrorKind;
  /** The path of the index. */
  readonly path: string;
  /** The problem in words, and what to do. */
  readonly reason: string;

  /**
   * Constructs a new instance.
   *
   * @param kind The kind of the problem.
   * @param path The path of the index.
   * @param options The cause, whose message is shown, for `io`.
   *
   * @example An index of a newer version
   * ```ts
   * import { SessionIndexError } from "@codexpipe/codexpipe/sessions";
   * import { assertEquals } from "@std/assert";
   *
   * const error = new SessionIndexError("newer", "my.sqlite");
   *
   * assertEquals(
   *   error.message,
   *   "Cannot use the index my.sqlite: a newer version of codexpipe made it; name another one",
   * );
   * ```
   */
  constructor(
    kind: SessionIndexErrorKind,
    path: string,
    options?: ErrorOptions,
  ) {
    const cause = options?.cause;
    const reason = REASONS[kind] ??
      (cause instanceof Error ? cause.message : String(cause));
    super(`Cannot use the index ${path}: ${reason}`, options);
    this.kind = kind;
    this.path = path;
    this.reason = reason;
  }
}

/** The problems in words; for `io` the message of the cause is used instead. */
const REASONS: Partial<Record<SessionIndexErrorKind, string>> = {
  foreign:
    "it is not an index of sessions; name another file, or delete it yourself if nobody needs it",
  newer: "a newer version of codexpipe made it; name another one",
  busy: "another process is writing to it; try again",
};
