/** What the standard streams are called. */

/** What stands for stdin among files, and for stdout where a file is written. */
export const STDIN = "-";
