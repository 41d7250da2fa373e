/** The size of a terminal whose size is unknown, and escape sequences. */

/** The width, in columns. */
export const COLUMNS = 80;

/** The height, in lines. */
export const ROWS = 24;

/** Erases the screen from the cursor on. */
export const ERASE_BELOW = "\x1b[J";
