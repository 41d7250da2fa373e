/**
 * What every format of an export is made by.
 *
 * @module
 */

import type { ThreadEvent } from "../dialects/exec/events.ts";
import type { Outcome } from "../outcome.ts";
import type { JsonRedactor } from "../redact/json_redactor.ts";
import type { Emit } from "../stage.ts";
import type { TableName } from "./tables.ts";

/** Options for an {@linkcode Exporter}. */
export interface ExporterOptions {
  /**
   * Masks the secrets in what is written.
   *
   * @default {undefined} None are masked.
   */
  readonly redactor?: JsonRedactor | undefined;
  /**
   * Whether what is written goes to files of a folder: else all of it is one stream.
   *
   * @default {false}
   */
  readonly hasFolder?: boolean | undefined;
  /**
   * Whether messages, and what went into calls and came out of them, are written where a format
   * can do without.
   *
   * @default {false}
   */
  readonly content?: boolean | undefined;
  /**
   * Gives the time, in milliseconds since 1970, of what does not say when it happened.
   *
   * @default {undefined} It has none.
   */
  readonly clock?: (() => number) | undefined;
  /**
   * The only table that is written, by a format that has tables.
   *
   * @default {undefined} All are, each to a file of its own.
   */
  readonly table?: TableName | undefined;
  /**
   * Whether rows of tables are written as CSV (RFC 4180), below a row of names, and not as JSON.
   *
   * @default {false}
   */
  readonly csv?: boolean | undefined;
}

/** A file or stream that is exported. */
export interface ExportInput {
  /** What it is called. */
  readonly name: string;
  /** What the names of files begin with that are written of it alone. */
  readonly stem: string;
  /**
   * How deep it stands within the inputs before it, as the session of an agent stands within
   * that of the thread that spawned it; a format that has no such place may leave it where it is.
   *
   * @default {0}
   */
  readonly depth?: number | undefined;
}

/** A piece of what is written. */
export interface ExportPiece {
  /** The name of the file that it goes to; it has no folder in it. */
  readonly file: string;
  /** What is written behind the pieces of the file before it. */
  readonly data: string | Uint8Array;
  /**
   * Whether it is the last one of the file.
   *
   * @default {false}
   */
  readonly isLast?: boolean | undefined;
}

/**
 * Writes one format: the events of one input after the other in, pieces of files out. As one
 * stream they are written in the order in which they come.
 */
export interface Exporter {
  /** Why nothing is written of the input, if the format cannot have it. */
  readonly refusal?: string | undefined;
  /**
   * Whether it takes the calls of session files as the model made them, too: see the option of
   * that name of `JsonlEvents`.
   */
  readonly modelCalls?: boolean;
  /**
   * The threads that those of the last input have spawned, if their sessions belong within what
   * is written of it: they are looked for and come next.
   */
  readonly agents?: readonly string[];
  /**
   * Begins an input.
   *
   * @param input What it is called.
   * @param emit Is called with what there is to write.
   */
  begin(input: ExportInput, emit: Emit<ExportPiece>): void;
  /**
   * Takes what a line of the input has become.
   *
   * @param outcome An event, or a failure.
   * @param emit Is called with what there is to write.
   */
  feed(outcome: Outcome<ThreadEvent>, emit: Emit<ExportPiece>): void;
  /**
   * Ends the input.
   *
   * @param emit Is called with what there is to write.
   */
  end(emit: Emit<ExportPiece>): void;
  /**
   * Ends the export.
   *
   * @returns What there still is to write, which is made as it is asked for: it may be much.
   */
  flush(): Iterable<ExportPiece>;
  /**
   * Gives away what the end of the export takes of the inputs so far, as data that
   * `structuredClone` can copy. Only formats have it that write the same of an input whatever came
   * before: inputs can so be read in several threads. What begins their files is written by
   * {@linkcode Exporter.flush} then, which is also called before the first input.
   */
  take?(): unknown;
  /**
   * Adds what the exporter of another thread has given away, behind all that this one has.
   *
   * @param taken What it was.
   */
  add?(taken: unknown): void;
}
