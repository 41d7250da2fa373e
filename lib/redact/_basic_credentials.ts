/**
 * A user and a password in base64, as settings of Docker keep them.
 */

/**
 * Tells whether a text is a user and a password in base64.
 *
 * @param text The text.
 */
export function isBasicCredentials(text: string): boolean {
  if (!/^[A-Za-z\d+/]{6,1000}={0,2}$/.test(text)) return false;
  try {
    return /^[!-9;-~]{1,256}:[ -~]{1,512}$/.test(atob(text));
  } catch {
    return false;
  }
}
