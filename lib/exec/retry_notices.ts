/**
 * What Codex says when a request went wrong and is sent again.
 *
 * @module
 */

/**
 * `Reconnecting... 2/5`, with the reason in parentheses from 0.92 on; before that
 * `stream error: …; retrying 2/5 in 414ms…`.
 */
const RETRY_REGEXP =
  /^Reconnecting\.{3} \d+\/\d+|^stream error: [^]*; retrying \d+\/\d+ in [\d.]+m?s/;

/**
 * Tells whether an error is none yet: Codex tries again.
 *
 * Streams give these messages as events of type `error`, like those that end a turn.
 *
 * @param message The message of the error.
 * @returns Whether it only says that a request is sent again.
 */
export function isRetryNotice(message: string): boolean {
  return RETRY_REGEXP.test(message);
}
