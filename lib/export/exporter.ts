/**
 * The interface of exporters, which every format implements.
 *
 * @module
 */

import type { ThreadEvent } from "../dialects/exec/events.ts";
import type { Outcome } from "../outcome.ts";
import type { Redactor } from "../redact/redactor.ts";
import type { Emit } from "../stage.ts";
import type { TableName } from "./tables.ts";

/** Options for an {@linkcode Exporter}. */
export interface ExporterOptions {
  /**
   * Masks secrets in the output.
   *
   * @default {undefined} None are masked.
   */
  readonly redactor?: Redactor | undefined;
  /**
   * Whether the output goes to files of a folder; otherwise it is one stream.
   *
   * @default {false}
   */
  readonly hasFolder?: boolean | undefined;
  /**
   * Whether messages, and the inputs and outputs of calls, are written in formats that can leave
   * them out.
   *
   * @default {false}
   */
  readonly content?: boolean | undefined;
  /**
   * Returns the time for events without a timestamp, in milliseconds since 1970.
   *
   * @default {undefined} Such events have no time.
   */
  readonly clock?: (() => number) | undefined;
  /**
   * The only table that is written, in a format with tables.
   *
   * @default {undefined} All tables are written, each to a file of its own.
   */
  readonly table?: TableName | undefined;
  /**
   * Whether rows of tables are written as CSV (RFC 4180) with a header, instead of JSONL.
   *
   * @default {false}
   */
  readonly csv?: boolean | undefined;
}

/** A file or stream that is exported. */
export interface ExportInput {
  /** The name of the file or stream. */
  readonly name: string;
  /** The beginning of the names of output files for this input alone. */
  readonly stem: string;
  /**
   * How deep the input is nested in the inputs before it: the session of an agent is one deeper
   * than that of the thread that spawned it. A format without nesting may ignore it.
   *
   * @default {0}
   */
  readonly depth?: number | undefined;
}

/** A piece of output. */
export interface ExportPiece {
  /** The name of the file that the piece belongs to, without a folder. */
  readonly file: string;
  /** The text or bytes to append to the file. */
  readonly data: string | Uint8Array;
  /**
   * Whether it is the last piece of the file.
   *
   * @default {false}
   */
  readonly isLast?: boolean | undefined;
}

/**
 * Writes one format: takes the events of the inputs, one input after the other, and emits pieces
 * of files. In one stream, the pieces are written in the order in which they come.
 */
export interface Exporter {
  /** Why nothing is written for the input, if the format cannot represent it. */
  readonly refusal?: string | undefined;
  /**
   * Whether the exporter wants the calls of session files also as the model made them: see
   * `modelCalls` of `JsonlEvents`.
   */
  readonly modelCalls?: boolean;
  /**
   * The ids of the threads that the last input has spawned, in a format that nests their
   * sessions in its output. The caller looks for their sessions and feeds them next.
   */
  readonly agents?: readonly string[];
  /**
   * Begins an input.
   *
   * @param input The names of the input, and its depth.
   * @param emit Called with pieces of output.
   */
  begin(input: ExportInput, emit: Emit<ExportPiece>): void;
  /**
   * Reads the outcome of a line of the input.
   *
   * @param outcome An event, or a failure.
   * @param emit Called with pieces of output.
   */
  feed(outcome: Outcome<ThreadEvent>, emit: Emit<ExportPiece>): void;
  /**
   * Ends the input.
   *
   * @param emit Called with pieces of output.
   */
  end(emit: Emit<ExportPiece>): void;
  /**
   * Ends the export.
   *
   * @returns The remaining pieces, made lazily because they may be large.
   */
  flush(): Iterable<ExportPiece>;
  /**
   * Removes the state of the inputs so far that the end of the export needs, and returns it as
   * data that `structuredClone` can copy. Only formats whose output for an input does not depend
   * on the inputs before it have this method: so inputs can be read in several threads. The
   * headers of their files come from {@linkcode Exporter.flush}, which the caller then calls
   * before the first input, too.
   */
  take?(): unknown;
  /**
   * Adds the state of an exporter in another thread, after that of this one.
   *
   * @param taken The result of `take` of the other exporter.
   */
  add?(taken: unknown): void;
}
