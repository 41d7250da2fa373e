/** Splits diffs into classified lines. */

export interface DiffLine {
  /** The kind of line: added, removed, a file name or hunk heading, or unchanged. */
  readonly sign: "+" | "-" | "@" | " ";
  readonly text: string;
}

export function diffLines(diff: string): DiffLine[] {
  // Before the first hunk, `---` and `+++` introduce file names. A removed line that began with
  // `--` also starts with `---`, but no `+++` follows it.
  let isInPart = !/^ ?(?:--- .*\n ?\+\+\+|(?:diff|index|\*\*\*) )/.test(diff);
  return diff.replace(/\r\n/g, "\n").split("\n").map((text) => {
    if (text.startsWith("@@")) isInPart = true;
    // In a diff stored line by line, lines that are no change have a space in front.
    else if (/^ ?diff --git /.test(text)) isInPart = false;
    if (!isInPart || text.startsWith("@@")) return { sign: "@", text };
    if (text.startsWith("+")) return { sign: "+", text };
    return { sign: text.startsWith("-") ? "-" : " ", text };
  });
}

export function diffCounts(
  diff: string,
): { readonly added: number; readonly removed: number } {
  const signs = diffLines(diff).map(({ sign }) => sign);
  const count = (sign: string) => signs.filter((each) => each === sign).length;
  return { added: count("+"), removed: count("-") };
}
