/**
 * How a live view sets text off.
 *
 * @module
 */

/** How text is set off from the text around it. Each gets one line at a time. */
export interface TextStyle {
  /** Sets off what the user says, and headings. */
  bold(text: string): string;
  /** Sets off what is wrong. */
  red(text: string): string;
  /** Sets off what went well. */
  green(text: string): string;
  /** Sets off what is worth a look. */
  yellow(text: string): string;
  /** Sets off what was done. */
  cyan(text: string): string;
  /** Sets back what is beside the point. */
  dim(text: string): string;
  /** Sets off what is stressed. */
  italic(text: string): string;
  /** Sets off what no longer holds. */
  strike(text: string): string;
  /** Sets off what leads somewhere; the address is of the web and in ASCII. */
  link(text: string, target: string): string;
}

/** Leaves text as it is. */
export const PLAIN_STYLE: TextStyle = {
  bold: (text) => text,
  red: (text) => text,
  green: (text) => text,
  yellow: (text) => text,
  cyan: (text) => text,
  dim: (text) => text,
  italic: (text) => text,
  strike: (text) => text,
  link: (text) => text,
};

/** Colours text for a terminal. */
export const COLORED_STYLE: TextStyle = {
  bold: (text) => `\x1b[1m${text}\x1b[22m`,
  red: (text) => `\x1b[31m${text}\x1b[39m`,
  green: (text) => `\x1b[32m${text}\x1b[39m`,
  yellow: (text) => `\x1b[33m${text}\x1b[39m`,
  cyan: (text) => `\x1b[36m${text}\x1b[39m`,
  dim: (text) => `\x1b[2m${text}\x1b[22m`,
  italic: (text) => `\x1b[3m${text}\x1b[23m`,
  strike: (text) => `\x1b[9m${text}\x1b[29m`,
  link: (text, target) =>
    `\x1b]8;;${target}\x1b\\\x1b[4m${text}\x1b[24m\x1b]8;;\x1b\\`,
};
