/** Computes the cost of tokens from a list of prices that the user supplies. */

import { isObject } from "../json/fields.ts";
import { wordsOf } from "../checked.ts";
import type { Tokens, UsageRow } from "./tokens.ts";

/** How many digits after the decimal point a price can have. */
const DECIMAL_PLACES = 12;

/**
 * Formats `units` * 10^-`scale` as a decimal number.
 *
 * @param units The digits of the number; not negative.
 * @param scale How many of the digits stand after the decimal point.
 * @param places To how many digits after the point the number is rounded, half up. Without it,
 * the number is exact, without trailing zeros.
 */
export function decimalText(
  units: bigint,
  scale: number,
  places?: number,
): string {
  if (places !== undefined && places < scale) {
    const step = 10n ** BigInt(scale - places);
    return decimalText((units + step / 2n) / step, places, places);
  }
  const digits = String(units).padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  const behind = digits.slice(digits.length - scale);
  const shown = places === undefined ? behind.replace(/0+$/, "") : behind;
  return shown === "" ? whole : `${whole}.${shown}`;
}

/** The names of a model's prices in a list. */
const PRICE_NAMES = [
  "input",
  "cached_input",
  "cache_write_input",
  "output",
  "reasoning_output",
] as const;

type PriceName = typeof PRICE_NAMES[number];

/** The prices of a model, in units of 10^-12 for a million tokens. */
type ModelPrices = Readonly<Record<PriceName, bigint>>;

/** The name in a list that matches every model without prices of its own. */
const ANY_MODEL = "*";
/** A price is for a million tokens, so an amount has six places more than a price. */
const AMOUNT_PLACES = DECIMAL_PLACES + 6;

/** The cost of rows of usage. */
export interface UsageCost {
  /** The exact cost of all tokens that have a price, in the currency of the list. */
  readonly amount: string;
  /** The amount, rounded half up to four places. */
  readonly rounded: string;
  /** Whether at least one row has a price, or there are no rows. */
  readonly isKnown: boolean;
  /** The tokens without a price, by model; null stands for rows without a model. */
  readonly unpriced: ReadonlyMap<string | null, bigint>;
}

/**
 * A list of prices. This library has none: prices change, and differ between customers.
 *
 * A list is a JSON object with the prices of a million tokens, by model. `input` and `output`
 * are required; `cached_input` and `cache_write_input` default to `input`, and
 * `reasoning_output` defaults to `output`. The model `*` matches every model that is not in the
 * list, and usage without a model.
 *
 *     {"gpt-5": {"input": 1.25, "cached_input": 0.125, "output": 10}}
 *
 * Cached input and cache writes are charged at their own prices and the rest of the input as
 * input; reasoning is charged at its own price and the rest of the output as output. Arithmetic
 * is decimal and exact.
 *
 * @example The cost of a request
 * ```ts
 * import { PriceList, UsageMeter } from "@codexpipe/codexpipe/usage";
 * import { assertEquals } from "@std/assert";
 *
 * const meter = new UsageMeter();
 * const source = meter.open("run.jsonl");
 * const line = '{"type":"turn.completed","usage":{"input_tokens":1200,"output_tokens":60}}\n';
 * source.feed(new TextEncoder().encode(line), () => {});
 * source.flush(() => {});
 * const prices = PriceList.parse('{"*": {"input": 1.25, "output": 10}}');
 *
 * assertEquals(prices.costOf(meter.rows()).amount, "0.0021");
 * ```
 */
export class PriceList {
  readonly #models: ReadonlyMap<string, ModelPrices>;

  private constructor(models: ReadonlyMap<string, ModelPrices>) {
    this.#models = models;
  }

  /**
   * Parses a list of prices.
   *
   * @param text JSON.
   * @returns The list.
   * @throws {SyntaxError} If the text is not JSON, or not such a list; the message says why.
   */
  static parse(text: string): PriceList {
    const list: unknown = JSON.parse(text);
    if (!isObject(list)) {
      throw new SyntaxError(
        `it is ${wordsOf(list)}: expected an object of models`,
      );
    }
    return new PriceList(
      new Map(
        Object.entries(list).map((
          [model, prices],
        ) => [model, pricesOf(model, prices)]),
      ),
    );
  }

  /**
   * Adds up the costs of rows.
   *
   * @param rows The rows.
   * @returns The cost, and the tokens without a price.
   */
  costOf(rows: readonly UsageRow[]): UsageCost {
    let units = 0n;
    let isPriced = false;
    const unpriced = new Map<string | null, bigint>();
    for (const row of rows) {
      const prices =
        (row.model === null ? undefined : this.#models.get(row.model)) ??
          this.#models.get(ANY_MODEL);
      if (prices !== undefined) {
        isPriced = true;
        units += unitsOf(row, prices);
      } else {
        const before = unpriced.get(row.model) ?? 0n;
        unpriced.set(row.model, before + row.total_tokens);
      }
    }
    return {
      amount: decimalText(units, AMOUNT_PLACES),
      rounded: decimalText(units, AMOUNT_PLACES, 4),
      isKnown: isPriced || rows.length === 0,
      unpriced,
    };
  }
}

/** Returns the cost of tokens, in units of 10^-18. */
function unitsOf(tokens: Tokens, prices: ModelPrices): bigint {
  const cached = tokens.cached_input_tokens;
  const written = tokens.cache_write_input_tokens;
  const reasoning = tokens.reasoning_output_tokens;
  return atLeastNone(tokens.input_tokens - cached - written) * prices.input +
    cached * prices.cached_input +
    written * prices.cache_write_input +
    atLeastNone(tokens.output_tokens - reasoning) * prices.output +
    reasoning * prices.reasoning_output;
}

function atLeastNone(count: bigint): bigint {
  return count < 0n ? 0n : count;
}

function pricesOf(model: string, entry: unknown): ModelPrices {
  if (!isObject(entry)) {
    throw new SyntaxError(
      `model "${model}" has no prices: expected an object such as {"input": 1.25, "output": 10}`,
    );
  }
  const unknown = Object.keys(entry).find((name) =>
    !PRICE_NAMES.some((each) => each === name)
  );
  if (unknown !== undefined) {
    throw new SyntaxError(
      `model "${model}" has an unknown price "${unknown}": expected ${
        PRICE_NAMES.join(", ")
      }`,
    );
  }
  const priceOf = (name: PriceName, otherwise?: bigint): bigint => {
    const price = entry[name];
    if (price === undefined && otherwise !== undefined) return otherwise;
    if (typeof price === "number" && price >= 0 && price < 1e9) {
      // The digits as they are in the list. `toFixed` of any price would add those of its
      // binary form. Below 1e-6 a template would write an exponent.
      const text = price < 1e-6 ? price.toFixed(DECIMAL_PLACES) : `${price}`;
      const [whole = "", places = ""] = text.split(".");
      return BigInt(
        whole + places.slice(0, DECIMAL_PLACES).padEnd(DECIMAL_PLACES, "0"),
      );
    }
    throw new SyntaxError(
      price === undefined
        ? `model "${model}" has no price for ${name}`
        : `${name} of model "${model}" is ${
          JSON.stringify(price)
        }: expected a number such as 1.25, for a million tokens`,
    );
  };
  const input = priceOf("input");
  const output = priceOf("output");
  return {
    input,
    cached_input: priceOf("cached_input", input),
    cache_write_input: priceOf("cache_write_input", input),
    output,
    reasoning_output: priceOf("reasoning_output", output),
  };
}
