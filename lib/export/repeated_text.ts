/** Texts of values of which many equal the value before. */

/** Writes values of one kind, and keeps the last text. */
export class RepeatedText<T> {
  readonly #write: (value: T) => string;
  #value: T | undefined;
  #text: string | undefined;

  /**
   * Constructs a new instance.
   *
   * @param write Returns the text of a value.
   */
  constructor(write: (value: T) => string) {
    this.#write = write;
  }

  /** Returns the text of a value. */
  of(value: T): string {
    if (value !== this.#value || this.#text === undefined) {
      this.#value = value;
      this.#text = this.#write(value);
    }
    return this.#text;
  }
}
