/**
 * Writes all of some bytes to stdout; one write may take fewer.
 *
 * @param bytes The bytes.
 */
export function writeAllSync(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) {
    at += Deno.stdout.writeSync(bytes.subarray(at));
  }
}
