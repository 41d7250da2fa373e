/** What tokens cost, by a list of prices that the user has. */

import { JsonReader } from "../json/reader.ts";
import { type JsonObject, JsonSlice } from "../json/value.ts";
import type { Tokens, UsageRow } from "./tokens.ts";

/**
 * Reads comma-separated values (RFC 4180). Fields may stand in quotes, with commas, line feeds and doubled quotes in
 * them; LF and CRLF end a row; empty rows are none.
 */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const pattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  pattern.lastIndex = text.startsWith("\uFEFF") ? 1 : 0;
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (match === null) throw new SyntaxError("a quote is not closed");
    const [, quoted, plain = "", end] = match;
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === ",") {
      // The last field of all may be empty.
      if (pattern.lastIndex === text.length) row.push("");
      else continue;
    }
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  }
  return rows;
}

const DECIMAL_REGEXP = /^(\d{1,15})(?:\.(\d{1,12}))?$/;

/** How many digits behind the point a parsed number can have. */
const DECIMAL_PLACES = 12;

/**
 * Parses a number that is not negative.
 *
 * @returns How many times 10^-12 it is; `undefined` if it is no such number.
 */
export function parseDecimal(text: string): bigint | undefined {
  const [, whole, places = ""] = DECIMAL_REGEXP.exec(text) ?? [];
  if (whole === undefined) return undefined;
  return BigInt(whole + places.padEnd(DECIMAL_PLACES, "0"));
}

/**
 * Writes a number.
 *
 * @param units How many times 10^-`scale` it is; not negative.
 * @param scale How many of its digits stand behind the point.
 * @param places How many digits it is rounded to, half up; all that are needed, if it is
 * left out.
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

/** The prices of a model, by the names that lists have for them. */
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

const NO_LIST = "it is neither a JSON object nor CSV with a column named model";

/** What stands for every model that is not in the list. */
const ANY_MODEL = "*";
/** A million tokens are priced, so an amount has six places more than a price. */
const AMOUNT_PLACES = DECIMAL_PLACES + 6;

/** What tokens cost. */
export interface UsageCost {
  /**
   * What those cost that have a price, as an exact decimal number in the currency of the
   * list.
   */
  readonly amount: string;
  /** The same, rounded half up to four places. */
  readonly rounded: string;
  /** Whether any of them have a price, or there are none at all. */
  readonly isKnown: boolean;
  /** The tokens without a price, by model; null is the model that nothing says. */
  readonly unpriced: ReadonlyMap<string | null, bigint>;
}

/**
 * A list of prices. There is none in this library: prices change, and are not the same for
 * everybody.
 *
 * A list is JSON or CSV: for each model, what a million tokens cost. `input` and `output` are
 * required; `cached_input` and `cache_write_input` are as dear as `input`, and
 * `reasoning_output` as `output`, unless the list says otherwise. The model `*` stands for
 * every model that is not in the list, and for usage that names none.
 *
 *     {"gpt-5": {"input": 1.25, "cached_input": 0.125, "output": 10}}
 *
 *     model,input,cached_input,output
 *     gpt-5,1.25,0.125,10
 *
 * Of the input, what was cached and what is kept from now on are charged as such and the
 * rest as input; of the output, reasoning as such and the rest as output. Arithmetic is
 * decimal and exact.
 *
 * @example What a request cost
 * ```ts
 * import { NO_TOKENS, PriceList, type UsageRow } from "@codexpipe/codexpipe/usage";
 * import { assertEquals } from "@std/assert";
 *
 * const row: UsageRow = {
 *   ...NO_TOKENS,
 *   input_tokens: 1200n,
 *   cached_input_tokens: 1000n,
 *   output_tokens: 60n,
 *   total_tokens: 1260n,
 *   source: "run.jsonl",
 *   thread_id: "t",
 *   parent_thread_id: null,
 *   turn_id: "1",
 *   model: "gpt-5",
 *   cwd: null,
 *   day: null,
 * };
 * const prices = PriceList.parse(
 *   '{"gpt-5": {"input": 1.25, "cached_input": 0.125, "output": 10}}',
 * );
 *
 * assertEquals(prices.costOf([row]).amount, "0.000975");
 * ```
 */
export class PriceList {
  readonly #models: ReadonlyMap<string, ModelPrices>;

  /** Constructs a new instance. */
  private constructor(models: ReadonlyMap<string, ModelPrices>) {
    this.#models = models;
  }

  /**
   * Reads a list.
   *
   * @param text JSON, if it begins with a brace, else CSV with a line of names.
   * @returns The list.
   * @throws {SyntaxError} If it is neither, or a price is missing, there twice, or no number, or a
   * model is there twice; the message says which.
   */
  static parse(text: string): PriceList {
    const isJson = /^\uFEFF?\s*[[{]/.test(text);
    const entries = isJson ? jsonEntries(text) : csvEntries(text);
    const models = new Map<string, ModelPrices>();
    for (const [model, prices] of entries) {
      if (models.has(model)) throw twoEntries(model);
      models.set(model, pricesOf(model, prices));
    }
    return new PriceList(models);
  }

  /**
   * Adds up what rows cost.
   *
   * @param rows The rows.
   * @returns The cost, and what has no price.
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

/** What tokens cost, in units of 10^-18. */
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

/** The prices of a model as texts, by the names in the list. */
type Entry = readonly [
  model: string,
  prices: readonly (readonly [name: string, text: string])[],
];

function pricesOf(model: string, given: Entry[1]): ModelPrices {
  const prices = new Map<PriceName, bigint>();
  for (const [spelled, text] of given) {
    const name = PRICE_NAMES.find((name) =>
      spelled === name || spelled === `${name}_tokens`
    );
    if (name === undefined) {
      throw new SyntaxError(
        `model "${model}" has an unknown price "${spelled}": expected ${
          PRICE_NAMES.join(", ")
        }`,
      );
    }
    if (text === "") continue;
    const price = parseDecimal(text);
    if (price === undefined) {
      throw new SyntaxError(
        `${name} of model "${model}" is ${text}: expected a number such as 1.25, for a million tokens`,
      );
    }
    if (prices.has(name)) throw twoPrices(model, name);
    prices.set(name, price);
  }
  const required = (name: PriceName): bigint => {
    const price = prices.get(name);
    if (price === undefined) {
      throw new SyntaxError(`model "${model}" has no price for ${name}`);
    }
    return price;
  };
  const input = required("input");
  const output = required("output");
  return {
    input,
    cached_input: prices.get("cached_input") ?? input,
    cache_write_input: prices.get("cache_write_input") ?? input,
    output,
    reasoning_output: prices.get("reasoning_output") ?? output,
  };
}

/** Reads JSON with its numbers as they are spelled. */
function jsonEntries(text: string): Entry[] {
  const reader = new JsonReader(1);
  const bytes = new TextEncoder().encode(text.replace(/^\uFEFF/, "") + "\n");
  const root = reader.read(bytes, 0, bytes.length - 1);
  if (root === undefined) {
    throw new SyntaxError(`it is not JSON: ${reader.problem}`);
  }
  if (root.kind !== "object") {
    throw new SyntaxError("it is a list: expected an object of models");
  }
  const models = reader.members(root);
  const twice = nameOfTwo(reader, root, models);
  if (twice !== undefined) throw twoEntries(twice);
  return namesOf(models).map((model): Entry => {
    const value = models.get(model);
    if (!(value instanceof JsonSlice) || value.kind !== "object") {
      throw new SyntaxError(
        `model "${model}" has no prices: expected an object such as {"input": 1.25, "output": 10}`,
      );
    }
    const members = reader.members(value);
    const twice = nameOfTwo(reader, value, members);
    if (twice !== undefined) throw twoPrices(model, twice);
    return [
      model,
      namesOf(members).map((name) => {
        const price = members.get(name);
        if (price?.kind === "null") return [name, ""];
        const text = reader.textOf(price) ??
          (price instanceof JsonSlice ? reader.source(price) : "");
        // An empty text is no price, where null says that there is none.
        return [name, text === "" ? '""' : text];
      }),
    ];
  });
}

function twoEntries(model: string): SyntaxError {
  return new SyntaxError(`model "${model}" has two entries`);
}

function twoPrices(model: string, name: string): SyntaxError {
  return new SyntaxError(`model "${model}" has two prices for ${name}`);
}

/** Finds a name that an object has more than once: of its values only the last one is a member. */
function nameOfTwo(
  reader: JsonReader,
  object: JsonSlice,
  members: JsonObject,
): string | undefined {
  let count = 0;
  for (const _ of reader.elements(object)) count += 1;
  return count === members.size
    ? undefined
    : namesOf(members).find((name) => members.shadowed(name) !== undefined);
}

function namesOf(
  object: { size: number; nameAt(place: number): string },
): string[] {
  return Array.from(
    { length: object.size },
    (_, place) => object.nameAt(place),
  );
}

/** Reads CSV as people and spreadsheets write it: with blanks around fields, and rows of commas. */
function csvEntries(text: string): Entry[] {
  const [names = [], ...rows] = rowsOf(text).map((row) =>
    row.map((field) => field.trim())
  ).filter((row) => row.some((field) => field !== ""));
  const modelColumn = names.indexOf("model");
  if (modelColumn === -1) {
    throw new SyntaxError(NO_LIST);
  }
  return rows.map((row): Entry => [
    row[modelColumn] ?? "",
    names.flatMap((name, column) =>
      column === modelColumn ? [] : [[name, row[column] ?? ""] as const]
    ),
  ]);
}

function rowsOf(text: string): string[][] {
  try {
    return parseCsv(text);
  } catch (cause) {
    throw new SyntaxError(NO_LIST, { cause });
  }
}
