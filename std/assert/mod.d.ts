/** A class, abstract ones included. */
type Class<T> = abstract new (...args: never[]) => T;

/** The error of an assertion that does not hold. */
export class AssertionError extends Error {
  /**
   * Constructs a new instance.
   *
   * @param message What does not hold.
   * @param options The cause, if there is one.
   */
  constructor(message: string, options?: ErrorOptions);
}

/** Throws unless `expr` is truthy. */
export function assert(expr: unknown, msg?: string): asserts expr;

/** Throws unless `expr` is falsy. */
export function assertFalse(
  expr: unknown,
  msg?: string,
): asserts expr is false | 0 | 0n | "" | null | undefined;

/** Throws unless both values are equal, member by member. */
export function assertEquals<T>(actual: T, expected: T, msg?: string): void;

/** Throws if both values are equal, member by member. */
export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void;

/** Throws unless both values are the same, as `Object.is` has it. */
export function assertStrictEquals<T>(
  actual: unknown,
  expected: T,
  msg?: string,
): asserts actual is T;

/** Throws if both values are the same, as `Object.is` has it. */
export function assertNotStrictEquals<T>(
  actual: T,
  expected: T,
  msg?: string,
): void;

/** Throws unless the numbers differ by `tolerance` at most, which is a ten-millionth of `expected` unless given. */
export function assertAlmostEquals(
  actual: number,
  expected: number,
  tolerance?: number,
  msg?: string,
): void;

/** Throws unless `actual` is greater than `expected`. */
export function assertGreater<T>(actual: T, expected: T, msg?: string): void;

/** Throws unless `actual` is greater than `expected` or equal to it. */
export function assertGreaterOrEqual<T>(
  actual: T,
  expected: T,
  msg?: string,
): void;

/** Throws unless `actual` is less than `expected`. */
export function assertLess<T>(actual: T, expected: T, msg?: string): void;

/** Throws unless `actual` is less than `expected` or equal to it. */
export function assertLessOrEqual<T>(
  actual: T,
  expected: T,
  msg?: string,
): void;

/** Throws if `actual` is `null` or `undefined`. */
export function assertExists<T>(
  actual: T,
  msg?: string,
): asserts actual is NonNullable<T>;

/** Throws unless `actual` is an instance of the class. */
export function assertInstanceOf<T>(
  actual: unknown,
  expectedType: Class<T>,
  msg?: string,
): asserts actual is T;

/** Throws unless `error` is an error, of the class and with the message if they are given. */
export function assertIsError<E extends Error = Error>(
  error: unknown,
  ErrorClass?: Class<E>,
  msgMatches?: string | RegExp,
  msg?: string,
): asserts error is E;

/** Throws unless the expression matches the text. */
export function assertMatch(
  actual: string,
  expected: RegExp,
  msg?: string,
): void;

/** Throws if the expression matches the text. */
export function assertNotMatch(
  actual: string,
  expected: RegExp,
  msg?: string,
): void;

/** Throws unless the text contains the other one. */
export function assertStringIncludes(
  actual: string,
  expected: string,
  msg?: string,
): void;

/** Throws unless each of the expected values is equal to one of the actual ones. */
export function assertArrayIncludes<T>(
  actual: ArrayLike<T>,
  expected: ArrayLike<T>,
  msg?: string,
): void;

/** Throws unless `actual` has all the members of `expected`, with equal values; it may have more. */
export function assertObjectMatch(
  actual: object,
  expected: object,
  msg?: string,
): void;

/**
 * Throws unless the function throws.
 *
 * @returns What the function threw.
 */
export function assertThrows(fn: () => unknown, msg?: string): unknown;
/**
 * Throws unless the function throws an error of the class, with the text in its message if one is given.
 *
 * @returns The error that the function threw.
 */
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  ErrorClass: Class<E>,
  msgIncludes?: string,
  msg?: string,
): E;

/**
 * Rejects unless the function's promise rejects.
 *
 * @returns What the promise was rejected with.
 */
export function assertRejects(
  fn: () => PromiseLike<unknown>,
  msg?: string,
): Promise<unknown>;
/**
 * Rejects unless the function's promise rejects with an error of the class, with the text in its message if one is given.
 *
 * @returns The error that the promise was rejected with.
 */
export function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  ErrorClass: Class<E>,
  msgIncludes?: string,
  msg?: string,
): Promise<E>;

/** Tells whether both values are equal, member by member. */
export function equal(a: unknown, b: unknown): boolean;

/** Throws: the code that calls it should not have been reached in a passing test. */
export function fail(msg?: string): never;

/** Throws: the code that calls it cannot be reached. */
export function unreachable(msg?: string): never;
