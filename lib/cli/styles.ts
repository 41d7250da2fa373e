/**
 * Colours, or none.
 */

/** How text is set off from the text around it. */
export interface Style {
  /** Sets off a place or a heading. */
  bold(text: string): string;
  /** Sets off what is wrong. */
  red(text: string): string;
}

/** Leaves text as it is. */
export const PLAIN: Style = {
  bold: (text) => text,
  red: (text) => text,
};

/** Colours text for a terminal. */
export const COLORED: Style = {
  bold: (text) => `\x1b[1m${text}\x1b[22m`,
  red: (text) => `\x1b[31m${text}\x1b[39m`,
};
