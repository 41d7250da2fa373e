import { assertEquals, assertStrictEquals } from "@std/assert";
import { onSuccess, type Outcome, type Success } from "../lib/outcome.ts";
import type { Stage } from "../lib/stage.ts";
import { emitted } from "./running.ts";

function success<T>(line: number, value: T): Outcome<T> {
  return { ok: true, line, offset: 0, value };
}

function failure(line: number): Outcome<never> {
  const error = { kind: "json", message: "m" } as const;
  return { ok: false, line, offset: 0, error, raw: "{" };
}

/** Emits the lengths of texts, failures for empty ones, and at the end the number of texts. */
class Lengths implements Stage<Success<string>, Outcome<number>> {
  #count = 0;

  feed(
    { line, value }: Success<string>,
    emit: (outcome: Outcome<number>) => void,
  ): void {
    this.#count += 1;
    emit(value === "" ? failure(line) : success(line, value.length));
  }

  flush(emit: (outcome: Outcome<number>) => void): void {
    emit(success(0, this.#count));
  }
}

Deno.test("onSuccess() feeds its stage only successes, and keeps the order", () => {
  const outcomes = emitted(onSuccess(new Lengths()), [
    success(1, "abc"),
    failure(2),
    success(3, ""),
    success(4, "d"),
    failure(5),
  ]);
  assertEquals(outcomes, [
    success(1, 3),
    failure(2),
    failure(3),
    success(4, 1),
    failure(5),
    success(0, 3),
  ]);
});

Deno.test("onSuccess() passes failures on without a copy", () => {
  const failed = failure(1);
  const [passed] = emitted(onSuccess(new Lengths()), [failed]);
  assertStrictEquals(passed, failed);
});

Deno.test("onSuccess() accepts a stage without flush()", () => {
  const same = onSuccess<string, string>({
    feed: (outcome, emit) => emit(outcome),
  });
  assertEquals(emitted(same, [success(1, "a")]), [success(1, "a")]);
});
