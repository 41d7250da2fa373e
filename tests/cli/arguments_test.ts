import { assertEquals, assertThrows } from "@std/assert";
import { parseArguments } from "../../lib/cli/arguments.ts";
import { UsageError } from "../../lib/cli/endings.ts";

/** Parses a command line; returns the value of each flag, empty for a switch, and the operands. */
function parsed(args: readonly string[]): {
  flags: Record<string, string>;
  operands: readonly string[];
} {
  const { given, operands } = parseArguments(args);
  const flags = Object.fromEntries(
    given.map(({ name, values }) => [name, values.at(-1) ?? ""]),
  );
  return { flags, operands };
}

const CASES = [
  { name: "nothing", args: [], flags: {}, operands: [] },
  {
    name: "operands in order, stdin among them",
    args: ["normalize", "a", "-", "b"],
    flags: {},
    operands: ["normalize", "a", "-", "b"],
  },
  {
    name: "operands that look like numbers and booleans",
    args: ["007", "1e3", "true", ""],
    flags: {},
    operands: ["007", "1e3", "true", ""],
  },
  {
    name: "a value after an equals sign",
    args: ["--from=exec"],
    flags: { from: "exec" },
    operands: [],
  },
  {
    name: "a value after a space",
    args: ["--from", "exec", "a"],
    flags: { from: "exec" },
    operands: ["a"],
  },
  {
    name: "a value with equals signs, dots and spaces",
    args: ["--errors-to=a=b. c"],
    flags: { "errors-to": "a=b. c" },
    operands: [],
  },
  {
    name: "a value that looks like a number",
    args: ["--thread-id", "0x10", "--turn-id=1.50"],
    flags: { "thread-id": "0x10", "turn-id": "1.50" },
    operands: [],
  },
  {
    name: "a value that looks like an option, after an equals sign",
    args: ["--thread-id=--strict"],
    flags: { "thread-id": "--strict" },
    operands: [],
  },
  {
    name: "an empty id, after an equals sign and after a space",
    args: ["--thread-id=", "--turn-id", ""],
    flags: { "thread-id": "", "turn-id": "" },
    operands: [],
  },
  {
    name: "a switch before a file named true",
    args: ["--strict", "true", "-q", "false"],
    flags: { strict: "", quiet: "" },
    operands: ["true", "false"],
  },
  {
    name: "flags after operands",
    args: ["normalize", "a", "--strict", "b"],
    flags: { strict: "" },
    operands: ["normalize", "a", "b"],
  },
  {
    name: "the last of several values",
    args: ["--from=exec", "--from", "rollout"],
    flags: { from: "rollout" },
    operands: [],
  },
  {
    name: "the last of two flags that undo each other",
    args: ["-q", "--verbose"],
    flags: { verbose: "" },
    operands: [],
  },
  {
    name: "letters together, the last one wins",
    args: ["-vq"],
    flags: { quiet: "" },
    operands: [],
  },
  {
    name:
      "a value after a letter: directly, after an equals sign, after a space",
    args: ["-oa.md", "-qo=b.md", "-fo", "c.md"],
    flags: { output: "c.md", quiet: "", follow: "" },
    operands: [],
  },
  {
    name: "no flags after two dashes",
    args: ["--strict", "--", "--from", "-q", "--"],
    flags: { strict: "" },
    operands: ["--from", "-q", "--"],
  },
] satisfies {
  name: string;
  args: string[];
  flags: Record<string, string>;
  operands: string[];
}[];

for (const { name, args, flags, operands } of CASES) {
  Deno.test(`parseArguments() parses: ${name}`, () => {
    assertEquals(parsed(args), { flags, operands });
  });
}

const ERRORS = [
  {
    name: "an unknown option",
    args: ["--nonsense"],
    message: 'unknown option "--nonsense"',
  },
  {
    name: "a misspelled option",
    args: ["--stict"],
    message: 'unknown option "--stict"; did you mean "--strict"?',
  },
  {
    name: "a misspelled option with a value",
    args: ["--on-eror=drop"],
    message: 'unknown option "--on-eror"; did you mean "--on-error"?',
  },
  {
    name: "a switch turned off",
    args: ["--no-strict"],
    message: 'unknown option "--no-strict"',
  },
  {
    name: "an unknown letter",
    args: ["-x"],
    message: 'unknown option "-x"',
  },
  {
    name: "an unknown letter among known ones",
    args: ["-qxv"],
    message: 'unknown option "-x"',
  },
  {
    name: "a negative number",
    args: ["-1"],
    message: 'unknown option "-1"',
  },
  {
    name: "a property name of objects",
    args: ["--__proto__=1"],
    message: 'unknown option "--__proto__"',
  },
  {
    name: "a switch with a value",
    args: ["--strict=yes"],
    message: "--strict takes no value",
  },
  {
    name: "a switch with an empty value",
    args: ["--strict="],
    message: "--strict takes no value",
  },
  {
    name: "a letter with a value",
    args: ["-q5"],
    message: "--quiet takes no value",
  },
  {
    name: "a missing value at the end",
    args: ["--from"],
    message: "--from needs a value: auto, exec, app-server or rollout",
  },
  {
    name: "a missing value before an option",
    args: ["--errors-to", "--strict"],
    message: "--errors-to needs a value: the name of " +
      "a file",
  },
  {
    name: "a missing value before two dashes",
    args: ["--on-error", "--", "drop"],
    message: "--on-error needs a value: report, inline, drop or stop",
  },
  {
    name: "a wrong choice",
    args: ["--color=sometimes"],
    message: '--color cannot be "sometimes": expected auto, always or never',
  },
  {
    name: "an empty choice",
    args: ["--color="],
    message: '--color cannot be "": expected auto, always or never',
  },
  {
    name: "- as a file to write",
    args: ["--errors-to", "-"],
    message: '--errors-to cannot be "-": expected the name of a file',
  },
  ...["0", "-5", "1.5", "1e3", "12B", "536870889", "1G", "many", ""].map(
    (value) => ({
      name: `the limit ${JSON.stringify(value)}`,
      args: [`--max-line-bytes=${value}`],
      message:
        `--max-line-bytes cannot be "${value}": expected a number of bytes ` +
        "from 1 to 536870888, such as 1000000 or 16M",
    }),
  ),
] satisfies { name: string; args: string[]; message: string }[];

for (const { name, args, message } of ERRORS) {
  Deno.test(`parseArguments() refuses: ${name}`, () => {
    const error = assertThrows(() => parseArguments(args), UsageError);
    assertEquals(error.message, message);
  });
}

Deno.test("parseArguments() parses several choices of a flag, in a list or one by one", () => {
  for (
    const args of [
      ["--by=day,model,turn"],
      ["--by", "day", "--by", "model,turn"],
      ["--by=day", "--by=model", "--by=turn"],
    ]
  ) {
    assertEquals(parseArguments(args).values("by"), ["day", "model", "turn"]);
  }
  assertThrows(
    () => parseArguments(["--by=day,week"]),
    UsageError,
    '--by cannot be "week": expected ',
  );
  assertThrows(() => parseArguments(["--by=day,"]), UsageError);
  // A flag without choices does not split its value.
  const { values } = parseArguments(["--codex-home=a,b"]).given[0] ?? {};
  assertEquals(values, ["a,b"]);
});

Deno.test("refuseIdle() refuses a flag only if it was given", () => {
  const args = parseArguments(["--tee", "--pretty"]);
  args.refuseIdle(["redact", "github"], "here");
  assertThrows(
    () => args.refuseIdle(["redact", "pretty"], "with --jsonl"),
    UsageError,
    "--pretty has no effect with --jsonl",
  );
});
