/** Cuts long output by lines. */

/** The lines of an output, with a gap where lines were left out. */
export interface CutOutput {
  /** The lines before the gap; all of them if nothing was cut. */
  readonly head: readonly string[];
  readonly omitted: number;
  /** The lines after the gap. */
  readonly tail: readonly string[];
}

/** Options of {@linkcode cutOutput}. */
export interface CutOptions {
  /**
   * The maximum number of lines that remain, a whole number. Output of one line more is not cut, as
   * the note on a missing line would be as long as that line; with 0, all lines are left out.
   */
  readonly maxLines: number;
  /** The lines that remain: the last ones, or half from the beginning and half from the end. */
  readonly keep: "both" | "end";
}

/**
 * Splits output into lines and cuts it to a length.
 *
 * A line feed at the end adds no empty line. Output that is all white space has no lines.
 */
export function cutOutput(
  text: string,
  { maxLines, keep }: CutOptions,
): CutOutput {
  if (text.trim() === "") return { head: [], omitted: 0, tail: [] };
  const lines = text.replace(/\r?\n$/, "").split("\n");
  // The note on one missing line would take a line itself.
  const isShort = lines.length <= maxLines + (maxLines > 0 ? 1 : 0);
  if (isShort) return { head: lines, omitted: 0, tail: [] };
  const kept = keep === "end" ? 0 : Math.floor(maxLines / 2);
  const end = lines.length - (maxLines - kept);
  return {
    head: lines.slice(0, kept),
    omitted: end - kept,
    tail: lines.slice(end),
  };
}
