/** Why a file or a stream could not be read. */

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
