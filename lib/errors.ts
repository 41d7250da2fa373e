/**
 * The reasons for which a line cannot be read, as data and as an error.
 *
 * @module
 */

/** The kinds of line failures, as `line.failed` records spell them. */
export const FAILURE_KINDS = [
  "utf8",
  "line_too_long",
  "json",
  "normalize",
  "typed",
] as const;

/**
 * The kind of a line failure.
 *
 * - `utf8`: the line is not valid UTF-8.
 * - `line_too_long`: the line is longer than the limit.
 * - `json`: the line is not one complete JSON value.
 * - `normalize`: the line is JSON, but no record: it has no type, or its thread or turn is not
 *   known.
 * - `typed`: the record has a type that is not known, or a field that its type does not
 *   admit.
 */
export type FailureKind = typeof FAILURE_KINDS[number];

/** One field of a record that does not fit the record's type. */
export interface Issue {
  /** The path of the field from the top of the record, such as `content.exit_code`. */
  readonly path: string;
  /** The value that was found and the one that was expected. */
  readonly message: string;
}

/**
 * The reason for which a line failed, as plain data. A bad stream has many failures, so an `Error`
 * with its stack is made only where one is thrown ({@linkcode LineError}).
 */
export interface FailureReason {
  /** The kind of failure. */
  readonly kind: FailureKind;
  /** The mistake, its place in the line, and the expected text. */
  readonly message: string;
  /** The field at fault, if there is one. */
  readonly field?: string;
  /** All issues of a record, where all of them were collected; at least one. */
  readonly issues?: readonly Issue[];
  /** The length of the line in bytes, for `line_too_long`. */
  readonly bytes?: number;
  /** The limit that was exceeded, for `line_too_long`. */
  readonly limit?: number;
}

/**
 * The error that is thrown for a line that cannot be read, where `onError` is `stop`. It holds the
 * members of a {@linkcode Failure}. `switch` on `kind`.
 *
 * @example The line at which reading a log fails
 * ```ts
 * import { decodeEvents, LineError } from "@codexpipe/codexpipe";
 * import { assertEquals } from "@std/assert";
 *
 * const log = new Blob(['{"type":"thread.started","thread_id":"t"}\n', "torn\n"]);
 * let place = "";
 * try {
 *   await Array.fromAsync(decodeEvents(log.stream(), { onError: "stop" }));
 * } catch (error) {
 *   if (!(error instanceof LineError)) throw error;
 *   place = `line ${error.line}, byte ${error.offset}: ${error.kind}`;
 * }
 *
 * assertEquals(place, "line 2, byte 42: json");
 * ```
 */
export class LineError extends Error {
  /** The name of the class. */
  override readonly name = "LineError";
  /** The physical line number, counted from 1; blank lines count. */
  readonly line: number;
  /** Where the line starts, in bytes from the start of the (decompressed) input. */
  readonly offset: number;
  /** The kind of failure. */
  readonly kind: FailureKind;
  /** The whole reason, with the members that depend on the kind. */
  readonly reason: FailureReason;

  /**
   * Constructs a new instance.
   *
   * @param failure The place of the line and the reason for its failure.
   */
  constructor(
    { line, offset, error }: {
      readonly line: number;
      readonly offset: number;
      readonly error: FailureReason;
    },
  ) {
    super(`Line ${line}: ${error.message}`);
    this.line = line;
    this.offset = offset;
    this.kind = error.kind;
    this.reason = error;
  }
}
