/** Measuring and shortening of texts for a terminal. */

const ASCII_REGEXP = /^[\u0020-\u007e]*$/;

const ELLIPSIS = "…";

export class TextRuler {
  readonly widthOf: (text: string) => number;

  private constructor(widthOf: (text: string) => number) {
    this.widthOf = widthOf;
  }

  /**
   * Creates a ruler for some texts and parts of them. The library that measures text beyond ASCII takes
   * as long to load as an empty program to start, so it is loaded only for such text.
   */
  static async for(texts: Iterable<string>): Promise<TextRuler> {
    for (const text of texts) {
      if (ASCII_REGEXP.test(text)) continue;
      const { default: stringWidth } = await import("string-width");
      return new TextRuler(stringWidth);
    }
    return new TextRuler((text) => text.length);
  }

  /** Shortens a text to a number of terminal columns: as much of it as fits beside an ellipsis. */
  fitted(text: string, room: number, cut: "start" | "end" = "end"): string {
    if (this.widthOf(text) <= room) return text;
    const clusters = Array.from(
      new Intl.Segmenter().segment(text),
      ({ segment }) => segment,
    );
    if (cut === "start") clusters.reverse();
    let left = room - 1;
    const kept: string[] = [];
    for (const cluster of clusters) {
      left -= this.widthOf(cluster);
      if (left < 0) break;
      kept.push(cluster);
    }
    return cut === "start"
      ? ELLIPSIS + kept.reverse().join("")
      : kept.join("") + ELLIPSIS;
  }
}

/** Folds a text at its spaces; a longer word has a line of its own. */
export function fold(
  text: string,
  width: number,
  widthOf = (line: string): number => line.length,
): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && widthOf(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
