/** Colours, or none. */

import { PLAIN_STYLE, type TextStyle } from "../render/text_style.ts";

/** How text is set off from the text around it. */
export type Style = TextStyle;

/** Leaves text as it is. */
export const PLAIN: Style = PLAIN_STYLE;

/** Colours text for a terminal. */
export const COLORED: Style = {
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
