/**
 * The day that a time is on.
 */

/** Every offset of a time zone that is in use is a multiple of this, in milliseconds. */
const QUARTER_HOUR = 900_000;

/** Tells days in one time zone. */
export class Calendar {
  readonly #format: Intl.DateTimeFormat | undefined;
  #quarter = NaN;
  #day = "";

  /**
   * Constructs a new instance.
   *
   * @param timeZone An IANA name, or `UTC`.
   * @throws {RangeError} If there is no such time zone.
   */
  constructor(timeZone: string) {
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
    });
    const isUtc = format.resolvedOptions().timeZone === "UTC";
    this.#format = isUtc ? undefined : format;
  }

  /**
   * Tells the day.
   *
   * @param ms Milliseconds since 1970.
   * @returns `YYYY-MM-DD`.
   */
  dayOf(ms: number): string {
    if (this.#format === undefined) {
      return new Date(ms).toISOString().slice(0, 10);
    }
    const quarter = Math.floor(ms / QUARTER_HOUR);
    if (quarter !== this.#quarter) {
      this.#quarter = quarter;
      const parts = new Map(
        this.#format.formatToParts(ms).map(({ type, value }) => [type, value]),
      );
      const year = (parts.get("year") ?? "").padStart(4, "0");
      this.#day = `${year}-${parts.get("month")}-${parts.get("day")}`;
    }
    return this.#day;
  }
}
