/**
 * Writes bytes to stdout, in several writes if one writes only a part.
 *
 * @param bytes The bytes.
 */
export function writeAllSync(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) {
    at += Deno.stdout.writeSync(bytes.subarray(at));
  }
}
