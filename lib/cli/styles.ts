/**
 * Colours, or none.
 */

/** How text is set off from the text around it. */
export interface Style {
  /** Sets off a place or a heading. */
  bold(text: string): string;
  /** Sets off what is wrong. */
  red(text: string): string;
  /** Sets off what went well. */
  green(text: string): string;
  /** Sets off what is worth a look. */
  yellow(text: string): string;
  /** Sets off what can be acted on, such as an id. */
  cyan(text: string): string;
  /** Sets back what is beside the point. */
  dim(text: string): string;
}

/** Leaves text as it is. */
export const PLAIN: Style = {
  bold: (text) => text,
  red: (text) => text,
  green: (text) => text,
  yellow: (text) => text,
  cyan: (text) => text,
  dim: (text) => text,
};

/** Colours text for a terminal. */
export const COLORED: Style = {
  bold: (text) => `\x1b[1m${text}\x1b[22m`,
  red: (text) => `\x1b[31m${text}\x1b[39m`,
  green: (text) => `\x1b[32m${text}\x1b[39m`,
  yellow: (text) => `\x1b[33m${text}\x1b[39m`,
  cyan: (text) => `\x1b[36m${text}\x1b[39m`,
  dim: (text) => `\x1b[2m${text}\x1b[22m`,
};
