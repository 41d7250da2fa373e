/** Control sequences of terminals in texts. */

/**
 * Sequences for colours, cursor moves and modes, which print nothing themselves. All introducers
 * before one are included: removing the sequence alone would let them begin a new one.
 */
const CONTROL_SEQUENCE_REGEXP =
  // deno-lint-ignore no-control-regex
  /(?<![\u001b\u009b])[\u001b\u009b]*(?:\u001b\[|\u009b)[\d;:?]*[A-HJKSTfhlmnsu]/g;

/** Whether a text may have a control sequence. */
export function mayHaveControlSequence(text: string): boolean {
  return text.includes("\u001b[") || text.includes("\u009b");
}

/** Removes the control sequences from a text. */
export function withoutControlSequences(text: string): string {
  return text.replace(CONTROL_SEQUENCE_REGEXP, "");
}
