/** Messages by which Codex reports that it sends a failed request again. */

/**
 * `Reconnecting... 1/5`, `Re-connecting... 1/5` (0.53), `stream error: …; retrying 1/5 in 210ms…`
 * (up to 0.44), `waiting for network` (0.169).
 */
const RETRY_REGEXP =
  /^(?:re-?connecting\b|waiting for network)|\bretrying \d+\/\d+ in /i;

/**
 * Returns whether an error message only reports that Codex sends a request again.
 *
 * Streams have these messages as events of type `error`, like the errors that end a turn.
 */
export function isRetryNotice(message: string): boolean {
  return RETRY_REGEXP.test(message);
}
