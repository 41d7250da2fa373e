/** Changes a file in a packed tarball. */

/** The size of the blocks of a tarball, in bytes. */
const BLOCK = 512;
/** The offsets and lengths of the name, size and checksum in a header, in bytes. */
const NAME = { at: 0, length: 100 };
const SIZE = { at: 124, length: 12 };
const SUM = { at: 148, length: 8 };

/**
 * Changes one file in a tarball.
 *
 * @param tarball The gzipped tarball.
 * @param name The name of the file in the tarball.
 * @param change Returns the new text of the file.
 * @returns The gzipped tarball with the new text.
 * @throws {TypeError} If no file has the name.
 */
export async function withFile(
  tarball: Uint8Array<ArrayBuffer>,
  name: string,
  change: (text: string) => string,
): Promise<Uint8Array<ArrayBuffer>> {
  const unpacked = await through(tarball, new DecompressionStream("gzip"));
  for (let at = 0; at < unpacked.length;) {
    const header = unpacked.slice(at, at + BLOCK);
    const size = parseInt(textOf(header, SIZE), 8) || 0;
    const start = at + BLOCK;
    const end = start + padded(size);
    if (textOf(header, NAME) !== name) {
      at = end;
      continue;
    }
    const text = new TextDecoder().decode(
      unpacked.subarray(start, start + size),
    );
    const bytes = new TextEncoder().encode(change(text));
    const body = new Uint8Array(padded(bytes.length));
    body.set(bytes);
    const blob = new Blob([
      unpacked.subarray(0, at),
      withSize(header, bytes.length),
      body,
      unpacked.subarray(end),
    ]);
    const whole = new Uint8Array(await blob.arrayBuffer());
    return await through(whole, new CompressionStream("gzip"));
  }
  throw new TypeError(`Cannot change ${name}: the tarball has no such file`);
}

/** Rounds a size up to whole blocks. */
function padded(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK;
}

/** Returns a header with another size, and its new checksum. */
function withSize(
  header: Uint8Array<ArrayBuffer>,
  size: number,
): Uint8Array<ArrayBuffer> {
  const changed = header.slice();
  const write = (text: string, { at }: typeof SIZE): void =>
    changed.set(new TextEncoder().encode(text), at);
  write(size.toString(8).padStart(SIZE.length - 1, "0") + "\0", SIZE);
  // The checksum counts its own bytes as spaces.
  write(" ".repeat(SUM.length), SUM);
  const sum = changed.reduce((sum, byte) => sum + byte, 0);
  write(`${sum.toString(8).padStart(6, "0")}\0 `, SUM);
  return changed;
}

function textOf(
  header: Uint8Array,
  { at, length }: typeof NAME,
): string {
  const text = new TextDecoder().decode(header.subarray(at, at + length));
  return text.split("\0", 1)[0] ?? "";
}

/** Packs or unpacks bytes. */
async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  return await new Response(new Blob([bytes]).stream().pipeThrough(stream))
    .bytes();
}
