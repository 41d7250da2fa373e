/**
 * What Codex says when a request went wrong and is sent again.
 *
 * @module
 */

/**
 * `Reconnecting... 1/5`, `Re-connecting... 1/5` (0.53), `stream error: …; retrying 1/5 in 210ms…`
 * (up to 0.44), `waiting for network` (0.169).
 */
const RETRY_REGEXP =
  /^(?:re-?connecting\b|waiting for network)|\bretrying \d+\/\d+ in /i;

/**
 * Tells whether an error is none yet: Codex tries again.
 *
 * Streams give these messages as events of type `error`, like those that end a turn.
 *
 * @returns Whether it only says that a request is sent again.
 */
export function isRetryNotice(message: string): boolean {
  return RETRY_REGEXP.test(message);
}
