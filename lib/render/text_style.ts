/** Text styles for the live view. */

/** The styles of the live view. Each function gets one line, or a part of one, at a time. */
export interface TextStyle {
  /** Styles messages of the user, and headings. */
  bold(text: string): string;
  /** Styles errors and failures. */
  red(text: string): string;
  /** Styles success and added lines. */
  green(text: string): string;
  /** Styles warnings. */
  yellow(text: string): string;
  /** Styles commands and code. */
  cyan(text: string): string;
  /** Styles secondary text. */
  dim(text: string): string;
  /** Styles emphasis. */
  italic(text: string): string;
  /** Styles struck-out text. */
  strike(text: string): string;
  /** Styles a hyperlink; the target is a web or mail URL in ASCII. */
  link(text: string, target: string): string;
}

/** Returns text unchanged. */
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
