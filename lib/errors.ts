/**
 * Why a line could not be read: one class per kind of failure.
 *
 * @module
 */

/** The kinds of line failures, as `line.failed` records spell them. */
export const LINE_FAILURE_KINDS = [
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
 * - `normalize`: the line is JSON, but no record: it has no type, or nothing says which
 *   thread or turn it belongs to.
 * - `typed`: the record has a type that is not known, or a field that its type does not
 *   admit.
 */
export type LineFailureKind = typeof LINE_FAILURE_KINDS[number];

/** One complaint about a record: where in it, and what. */
export interface Issue {
  /** The path of the field from the top of the record, such as `content.exit_code`. */
  readonly path: string;
  /** What the field is, and what was expected. */
  readonly message: string;
}

/**
 * Why a line failed, as plain data. {@linkcode toLineError} makes an error of it.
 *
 * Stages make many of these on a bad stream, so the cost of an `Error` and its stack is
 * paid only where somebody asks for one.
 */
export interface LineProblem {
  /** The kind of failure. */
  readonly kind: LineFailureKind;
  /** What is wrong, where in the line, and what was expected. */
  readonly message: string;
  /** The field at fault, if there is one. */
  readonly field?: string;
  /** All complaints about a record, where more than the first one is known; at least one. */
  readonly issues?: readonly Issue[];
  /** The length of the line in bytes, for `line_too_long`. */
  readonly bytes?: number;
  /** The limit that was exceeded, for `line_too_long`. */
  readonly limit?: number;
}

/** A line that is not valid UTF-8 (normalize.md L7). */
export class Utf8Error extends TypeError {
  /** The name of the class. */
  override readonly name = "Utf8Error";
  /** The kind of failure. */
  readonly kind = "utf8";
}

/** A line that is longer than the limit (normalize.md L8). */
export class LineTooLongError extends RangeError {
  /** The name of the class. */
  override readonly name = "LineTooLongError";
  /** The kind of failure. */
  readonly kind = "line_too_long";
  /** The limit in bytes. */
  readonly limit: number;
  /** The length of the line in bytes, without its LF. */
  readonly bytes: number;

  /**
   * Constructs a new instance.
   *
   * @param message What is wrong.
   * @param lengths The length of the line and the limit, in bytes.
   */
  constructor(
    message: string,
    lengths: { readonly bytes: number; readonly limit: number },
  ) {
    super(message);
    this.bytes = lengths.bytes;
    this.limit = lengths.limit;
  }
}

/** A line that is not one complete JSON value (normalize.md J1 to J8). */
export class RecordSyntaxError extends SyntaxError {
  /** The name of the class. */
  override readonly name = "RecordSyntaxError";
  /** The kind of failure. */
  readonly kind = "json";
}

/** A JSON value that is no record, or belongs to no known thread or turn. */
export class NormalizeError extends TypeError {
  /** The name of the class. */
  override readonly name = "NormalizeError";
  /** The kind of failure. */
  readonly kind = "normalize";
  /** The field at fault, if there is one. */
  readonly field: string | undefined;

  /**
   * Constructs a new instance.
   *
   * @param message What is wrong.
   * @param field The field at fault.
   */
  constructor(message: string, field?: string) {
    super(message);
    this.field = field;
  }
}

/** A record of an unknown type, or one that its type does not admit. */
export class DecodeError extends TypeError {
  /** The name of the class. */
  override readonly name = "DecodeError";
  /** The kind of failure. */
  readonly kind = "typed";
  /** The complaints, at least one. */
  readonly issues: readonly Issue[];

  /**
   * Constructs a new instance.
   *
   * @param message What is wrong.
   * @param issues The complaints, one for each field.
   */
  constructor(message: string, issues: readonly Issue[]) {
    super(message);
    this.issues = issues;
  }
}

/** Why a line could not be read; `switch` on `kind`. */
export type LineError =
  | Utf8Error
  | LineTooLongError
  | RecordSyntaxError
  | NormalizeError
  | DecodeError;

/**
 * Makes the error that says what a {@linkcode LineProblem} says.
 *
 * @param problem The problem.
 * @returns The error of its kind.
 *
 * @example An error to throw
 * ```ts
 * import { NormalizeError, toLineError } from "@codexpipe/codexpipe";
 * import { assertInstanceOf } from "@std/assert";
 *
 * const error = toLineError({ kind: "normalize", message: "Cannot tell the thread" });
 *
 * assertInstanceOf(error, NormalizeError);
 * ```
 */
export function toLineError(problem: LineProblem): LineError {
  const { kind, message, field } = problem;
  switch (kind) {
    case "utf8":
      return new Utf8Error(message);
    case "line_too_long":
      return new LineTooLongError(message, {
        bytes: problem.bytes ?? 0,
        limit: problem.limit ?? 0,
      });
    case "json":
      return new RecordSyntaxError(message);
    case "normalize":
      return new NormalizeError(message, field);
    case "typed":
      return new DecodeError(
        message,
        problem.issues ?? [{ path: field ?? "", message }],
      );
  }
}
