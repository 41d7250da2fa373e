/**
 * Output that comes as bytes.
 *
 * @module
 */

/**
 * Reads the bytes of an output delta.
 *
 * @param chunk The field `chunk`: base64, or a list of numbers in older releases.
 * @returns The bytes, or `undefined` if it is neither.
 */
export function chunkBytes(chunk: unknown): Uint8Array | undefined {
  if (typeof chunk === "string") {
    try {
      return Uint8Array.from(atob(chunk), (char) => char.charCodeAt(0));
    } catch {
      return undefined;
    }
  }
  if (!Array.isArray(chunk)) return undefined;
  const isBytes = chunk.every((byte) =>
    Number.isInteger(byte) && byte >= 0 && byte <= 255
  );
  return isBytes ? Uint8Array.from(chunk) : undefined;
}
