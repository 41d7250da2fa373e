/**
 * What every family of dialects is to the pipeline: bytes of one line in, bytes of its
 * normalized records out.
 */

import type { ByteWriter } from "../json/byte_writer.ts";
import type { RecordContext, WatchedRecord } from "../json/record_watch.ts";
import type { FailedRange } from "./failures.ts";

/** Learns how records are rewritten, to do it without the rules. */
export interface RecordLearner {
  /** Whether there is use in watching how the next record is rewritten. */
  readonly isEager: boolean;
  /**
   * Is told what was done with a record.
   *
   * @param watched What was done; nothing if it cannot be done again.
   * @returns Whether it can be done again now.
   */
  learn(watched: WatchedRecord | undefined): boolean;
}

/**
 * The rules of a family of dialects, with the state of one stream.
 *
 * This is the seam of the pipeline: rules of any dialect take a range of bytes and append
 * bytes.
 */
export interface LineRules {
  /**
   * Normalizes one line that is not blank.
   *
   * @param bytes The bytes that hold the line; the one at `end`, if there is one, is a
   *   control character.
   * @param start Where the line starts.
   * @param end Where it ends, without its terminator.
   * @param out Takes the record, without a line end; is left as it was if the line fails
   *   whole.
   * @returns What failed, or `undefined`.
   */
  apply(
    bytes: Uint8Array,
    start: number,
    end: number,
    out: ByteWriter,
  ): FailedRange | undefined;

  /** What records depend on besides themselves; absent if none are to be repeated. */
  readonly context?: RecordContext | undefined;

  /** Whether there was a record that can be repeated. */
  readonly isTeachable?: boolean;

  /**
   * Lets a learner learn how records are rewritten: it rewrites most of them itself then.
   *
   * @param learner Is told of the records that it is eager for; nobody, if it is absent.
   */
  teach?(learner: RecordLearner | undefined): void;

  /** Forgets the stream: the next line is the first one of another. */
  reset(): void;

  /**
   * Writes down what later lines depend on.
   *
   * @returns Plain JSON for `load`.
   */
  save(): unknown;

  /**
   * Goes on from what was written down; what is not understood of it is left out.
   *
   * @param saved What `save` gave.
   */
  load(saved: unknown): void;
}
