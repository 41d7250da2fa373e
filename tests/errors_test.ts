import { assert, assertEquals } from "@std/assert";
import {
  DecodeError,
  LINE_FAILURE_KINDS,
  type LineFailureKind,
  type LineProblem,
  LineTooLongError,
  NormalizeError,
  RecordSyntaxError,
  toLineError,
  Utf8Error,
} from "../lib/errors.ts";

const CASES = [
  {
    problem: { kind: "utf8", message: "m" },
    class: Utf8Error,
    builtIn: TypeError,
    fields: {},
  },
  {
    problem: { kind: "line_too_long", message: "m", bytes: 7, limit: 5 },
    class: LineTooLongError,
    builtIn: RangeError,
    fields: { bytes: 7, limit: 5 },
  },
  {
    problem: { kind: "json", message: "m" },
    class: RecordSyntaxError,
    builtIn: SyntaxError,
    fields: {},
  },
  {
    problem: { kind: "normalize", message: "m", field: "thread_id" },
    class: NormalizeError,
    builtIn: TypeError,
    fields: { field: "thread_id" },
  },
  {
    problem: { kind: "normalize", message: "m" },
    class: NormalizeError,
    builtIn: TypeError,
    fields: { field: undefined },
  },
  {
    problem: { kind: "typed", message: "m", field: "content.exit_code" },
    class: DecodeError,
    builtIn: TypeError,
    fields: { issues: [{ path: "content.exit_code", message: "m" }] },
  },
  {
    problem: { kind: "typed", message: "m" },
    class: DecodeError,
    builtIn: TypeError,
    fields: { issues: [{ path: "", message: "m" }] },
  },
] satisfies {
  problem: LineProblem;
  class: new (...args: never[]) => Error;
  builtIn: new (message: string) => Error;
  fields: Record<string, unknown>;
}[];

for (const { problem, class: Class, builtIn, fields } of CASES) {
  const what = JSON.stringify(problem);
  Deno.test(`toLineError() makes a ${Class.name} of ${what}`, () => {
    const error = toLineError(problem);
    assert(error instanceof Class);
    assert(error instanceof builtIn);
    assertEquals(error.name, Class.name);
    assertEquals(error.message, problem.message);
    assertEquals<LineFailureKind>(error.kind, problem.kind);
    assertEquals(pick(error, Object.keys(fields)), fields);
    assert(error.stack?.includes(Class.name));
  });
}

function pick(object: object, names: string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object).filter(([name]) => names.includes(name)),
  );
}

Deno.test("toLineError() knows every kind of failure", () => {
  assertEquals(
    [...new Set(CASES.map(({ problem }) => problem.kind))],
    [...LINE_FAILURE_KINDS],
  );
});
