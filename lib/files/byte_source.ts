/** Where bytes come from: a file, a pipe, or what is packed in them. */

/** Something that bytes are read from, a buffer at a time. */
export interface ByteSource {
  /**
   * Reads what is there, waiting until there is something.
   *
   * @param into Takes the bytes, from its start.
   * @returns How many bytes were read; `null` at the end.
   */
  read(into: Uint8Array): Promise<number | null>;
  /** Gives back what reading needs; safe to call twice. */
  close(): void;
}

/** Gives chunks in pieces that fit the buffers that it is given. */
export class ChunkSource implements ByteSource {
  readonly #chunks: AsyncGenerator<Uint8Array>;
  readonly #onClose: () => void;
  #chunk: Uint8Array = new Uint8Array(0);

  /** Constructs a new instance. */
  constructor(chunks: AsyncGenerator<Uint8Array>, onClose: () => void) {
    this.#chunks = chunks;
    this.#onClose = onClose;
  }

  /** Reads what comes next; throws what making the chunks throws. */
  async read(into: Uint8Array): Promise<number | null> {
    while (this.#chunk.length === 0) {
      const next = await this.#chunks.next();
      if (next.done === true) return null;
      this.#chunk = next.value;
    }
    const size = Math.min(into.length, this.#chunk.length);
    into.set(this.#chunk.subarray(0, size));
    this.#chunk = this.#chunk.subarray(size);
    return size;
  }

  /** Gives back what reading needs. */
  close(): void {
    this.#onClose();
    // What the generator still waits for is not waited for here.
    this.#chunks.return(undefined).catch(() => {});
  }
}

/** Gives the blocks of a source, each in the room of the one before, and closes it. */
export async function* blocksOf(
  source: ByteSource,
  room: Uint8Array,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    for (;;) {
      const size = await source.read(room);
      if (size === null) return;
      yield room.subarray(0, size);
    }
  } finally {
    source.close();
  }
}

/** What the platform calls an error, such as `ENOENT`; empty if it has no name for it. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error &&
      typeof error.code === "string"
    ? error.code
    : "";
}

/** A packed file that ends too early or does not unpack; what came before was delivered. */
export class PackedDataError extends Error {
  /** The name of the class. */
  override readonly name = "PackedDataError";
  /** How the data was packed. */
  readonly format: PackedFormat;

  /**
   * Constructs a new instance.
   *
   * @param message What is wrong.
   * @param format How the data was packed.
   * @param options The cause.
   */
  constructor(message: string, format: PackedFormat, options?: ErrorOptions) {
    super(message, options);
    this.format = format;
  }
}

/** The ways of packing that are read through. */
export type PackedFormat = "gzip" | "zstd";
