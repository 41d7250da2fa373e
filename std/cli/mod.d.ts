/** What an argument may be called: names known to the compiler, or any text. */
type Names<N extends string> = N | readonly N[];

/** `true` if the compiler knows the names one by one, `false` if it only sees text. */
type Known<N extends string> = string extends N ? false : true;

/** The members of {@linkcode Args} that hold texts. */
type StringMembers<S extends string, C extends string, N extends string> =
  & { [Name in Extract<S, C>]: string[] | NegatedValue<Name, N> }
  & { [Name in Exclude<S, C>]?: string | NegatedValue<Name, N> };

/** The members of {@linkcode Args} that hold switches. */
type BooleanMembers<B extends string, C extends string> =
  & { [Name in Extract<B, C>]: boolean[] }
  & { [Name in Exclude<B, C>]: boolean };

/** What `--no-NAME` leaves where it is allowed. */
type NegatedValue<Name extends string, N extends string> = Name extends N
  ? false
  : never;

/** How {@linkcode parseArgs} reads the arguments. */
export interface ParseOptions<
  B extends string = never,
  S extends string = never,
  C extends string = never,
  N extends string = never,
  D extends boolean = false,
> {
  /**
   * Keep what stands after `--` in a member of that name instead of in `_`.
   *
   * @default {false}
   */
  "--"?: D;
  /** Further names of an argument, by its name. */
  alias?: Record<string, string | readonly string[]>;
  /** Arguments that take no value; they are `false` where they are not given. */
  boolean?: Names<B>;
  /** Values of arguments that are not given. */
  default?: Record<string, unknown>;
  /**
   * Take everything after the first argument that is no option as it is.
   *
   * @default {false}
   */
  stopEarly?: boolean;
  /** Arguments whose value stays text, even if it looks like a number. */
  string?: Names<S>;
  /** Arguments that may be given several times; their values are collected. */
  collect?: Names<C>;
  /** Arguments that `--no-NAME` sets to `false`. */
  negatable?: Names<N>;
  /**
   * Called for each argument that no other option names; `false` leaves it out.
   *
   * @param arg The argument as it was given.
   * @param key The name in it, if it is an option.
   * @param value The value in it, if it has one.
   */
  unknown?: (arg: string, key?: string, value?: unknown) => unknown;
}

/**
 * The arguments that {@linkcode parseArgs} found.
 *
 * Names that the compiler knows have the type that the options gave them. Any
 * other member, an alias for example, is `unknown`.
 */
export type Args<
  B extends string = never,
  S extends string = never,
  C extends string = never,
  N extends string = never,
  D extends boolean = false,
> =
  & { [name: string]: unknown; _: (string | number)[] }
  & (Known<B> extends true ? BooleanMembers<B, C> : unknown)
  & (Known<S> extends true ? StringMembers<S, C, N> : unknown)
  & (D extends true ? { "--": string[] } : unknown);

/**
 * Reads command-line arguments into an object.
 *
 * @typeParam B The names in `boolean`.
 * @typeParam S The names in `string`.
 * @typeParam C The names in `collect`.
 * @typeParam N The names in `negatable`.
 * @typeParam D Whether `--` is kept apart.
 * @param args The arguments, without the program's name.
 * @param options How to read them.
 * @returns The values by name, and the rest in `_`.
 */
export function parseArgs<
  const B extends string = never,
  const S extends string = never,
  const C extends string = never,
  const N extends string = never,
  const D extends boolean = false,
>(args: string[], options?: ParseOptions<B, S, C, N, D>): Args<B, S, C, N, D>;
