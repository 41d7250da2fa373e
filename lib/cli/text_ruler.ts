/** How wide texts are on a terminal, and how they are made to fit. */

/** Text whose characters take one column each. */
const ASCII_REGEXP = /^[\u0020-\u007e]*$/;

const ELLIPSIS = "…";

/** Measures texts, and shortens them. */
export class TextRuler {
  /** Gives the columns that a text takes. */
  readonly widthOf: (text: string) => number;

  private constructor(widthOf: (text: string) => number) {
    this.widthOf = widthOf;
  }

  /**
   * Makes a ruler for some texts.
   *
   * What measures all others than ASCII takes as long to load as an empty program takes to
   * start: it is loaded if there is something for it.
   *
   * @param texts All texts that are to be measured; parts of them may be, too.
   */
  static async for(texts: Iterable<string>): Promise<TextRuler> {
    for (const text of texts) {
      if (ASCII_REGEXP.test(text)) continue;
      const { default: stringWidth } = await import("string-width");
      return new TextRuler(stringWidth);
    }
    return new TextRuler((text) => text.length);
  }

  /**
   * Shortens a text that is wider than there is room.
   *
   * @param room What it may take, in columns of a terminal.
   * @returns The text, or as much of it as there is room for beside an ellipsis.
   */
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
