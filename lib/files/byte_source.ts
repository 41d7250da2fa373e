/**
 * Where bytes come from: a file, a pipe, or what is packed in them.
 *
 * @module
 */

/** Something that bytes are read from, a buffer at a time. */
export interface ByteSource {
  /**
   * Reads what is there, waiting until there is something.
   *
   * @param into Takes the bytes, from its start.
   * @returns How many bytes were read; `null` at the end.
   */
  read(into: Uint8Array): Promise<number | null>;
  /** Gives back what reading needs; safe to call twice. */
  close(): void;
}
