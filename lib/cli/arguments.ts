/** Parsing of the command line with the table of flags. */

import { DIALECTS } from "../dialects/dialect_names.ts";
import type { JsonlOptions } from "../pipeline/line_answers.ts";
import { UsageError } from "./endings.ts";
import {
  ALL_FLAGS,
  expectationOf,
  type Flag,
  type FlagName,
  parseByteSize,
  STDIN,
} from "./flags.ts";
import { answerTo, OPTIONS_MEANT, suggestion } from "./guesses.ts";
import { parseTime } from "./times.ts";

interface GivenFlag {
  readonly name: FlagName;
  /** Whether it was given by its letter. */
  readonly isShort: boolean;
  /** The value, or all values of a repeatable flag, in order; an empty text for a switch. */
  readonly values: readonly string[];
}

export class Arguments {
  /** The arguments that are neither flags nor their values, in order. */
  readonly operands: readonly string[];
  readonly #given: ReadonlyMap<FlagName, GivenFlag>;
  readonly #flags: readonly Flag[];

  constructor(
    operands: readonly string[],
    given: ReadonlyMap<FlagName, GivenFlag>,
    flags: readonly Flag[],
  ) {
    this.operands = operands;
    this.#given = given;
    this.#flags = flags;
  }

  get given(): GivenFlag[] {
    return [...this.#given.values()];
  }

  has(name: FlagName): boolean {
    return this.#given.has(name);
  }

  isShort(name: FlagName): boolean {
    return this.#given.get(name)?.isShort ?? false;
  }

  value(name: FlagName): string | undefined {
    const flag = this.#flags.find((flag) => flag.name === name);
    return this.#given.get(name)?.values.at(-1) ?? flag?.value?.default;
  }

  values(name: FlagName): readonly string[] {
    return this.#given.get(name)?.values ?? [];
  }

  choice<T extends string>(
    name: FlagName,
    choices: readonly T[],
  ): T | undefined {
    const value = this.value(name);
    return choices.find((choice) => choice === value);
  }

  choices<T extends string>(name: FlagName, choices: readonly T[]): T[] {
    return this.values(name).flatMap((value) =>
      choices.find((choice) => choice === value) ?? []
    );
  }

  /** The value of a flag as a number; the table has validated it. */
  number(name: FlagName): number | undefined {
    const value = this.value(name);
    return value === undefined ? undefined : Number(value);
  }

  /** The value of a flag as a time, in milliseconds since 1970. */
  time(name: FlagName, now: number): number | undefined {
    return parseTime(this.value(name) ?? "", now);
  }

  /** The times of `--since` and `--until`; refuses a period that is empty. */
  period(now: number): Record<"since" | "until", number | undefined> {
    const since = this.time("since", now);
    const until = this.time("until", now);
    if (since !== undefined && until !== undefined && since >= until) {
      throw new UsageError(
        `nothing is between --since=${this.value("since")} and --until=${
          this.value("until")
        }: a date means its beginning`,
      );
    }
    return { since, until };
  }

  get readingOptions(): Omit<JsonlOptions, "onError"> {
    return {
      from: this.choice("from", DIALECTS),
      maxLineBytes: this.maxLineBytes,
      thread: this.value("thread"),
      initialThreadId: this.value("thread-id"),
      initialTurnId: this.value("turn-id"),
    };
  }

  get maxLineBytes(): number | undefined {
    return parseByteSize(this.value("max-line-bytes") ?? "");
  }

  get files(): readonly string[] {
    return this.operands.length === 0 ? [STDIN] : this.operands;
  }

  /** The operand of a command for one session; `undefined` with `--last`, or if it is optional. */
  oneSession(command: string, least: 0 | 1 = 1): string | undefined {
    const { operands } = this;
    const count = operands.length + Number(this.has("last"));
    if (count === 1 || count === least) return operands[0];
    throw new UsageError(
      `${command} takes one session: its id, its name or its file, or --last`,
    );
  }

  /** Refuses flags without effect: a user relies on them. `where` is such as `with --jsonl`. */
  refuseIdle(flags: readonly FlagName[], where: string): void {
    const idle = flags.find((name) => this.has(name));
    if (idle === undefined) return;
    throw new UsageError(`--${idle} has no effect ${where}`);
  }

  /** Refuses to follow several files: their lines would be mixed in one output. */
  refuseSeveral(): void {
    if (!this.has("follow") || this.files.length === 1) return;
    throw new UsageError(
      "--follow takes one file, since the lines of several would be mixed; run one codexpipe for each",
    );
  }

  withOperands(operands: readonly string[]): Arguments {
    return new Arguments(operands, this.#given, this.#flags);
  }
}

/** Parses arguments; `flagsFor` gives the flags of the command that the operands name. */
export function parseArguments(
  args: readonly string[],
  flagsFor: (operands: readonly string[]) => readonly Flag[] = () => ALL_FLAGS,
): Arguments {
  const { operands, found } = takenApart(args);
  // The values of a flag depend on the command, whose name may follow the flag.
  const flags = flagsFor(operands);
  const given = new Map<FlagName, GivenFlag>();
  for (const { flag: known, isShort, value } of found) {
    const { name } = known;
    const ofCommand = flags.find((flag) => flag.name === name);
    const flag = ofCommand ?? known;
    const { choices, aliases = {} } = flag.value ?? {};
    // A list of choices, if the flag is repeatable: `--by=turn,model`.
    const isList = flag.isRepeatable && choices !== undefined;
    const texts = isList && value !== undefined ? value.split(",") : [value];
    const parts = texts.map((part) =>
      part !== undefined && Object.hasOwn(aliases, part) ? aliases[part] : part
    );
    // A flag that the command lacks is reported by the caller, not its value here.
    if (ofCommand !== undefined) {
      for (const part of parts) check(flag, part);
    }
    const values = parts.map((part) => part ?? "");
    if (flag.isRepeatable) values.unshift(...given.get(name)?.values ?? []);
    given.set(name, { name, isShort, values });
    for (const { name } of ALL_FLAGS) {
      if (name === flag.undoes) given.delete(name);
      if (name === flag.means?.name) {
        given.set(name, { name, isShort: false, values: [flag.means.value] });
      }
    }
  }
  return new Arguments(operands, given, flags);
}

interface FoundFlag {
  readonly flag: Flag;
  readonly isShort: boolean;
  readonly value: string | undefined;
}

function takenApart(
  args: readonly string[],
): { readonly operands: string[]; readonly found: readonly FoundFlag[] } {
  const operands: string[] = [];
  const found: FoundFlag[] = [];
  const end = args.indexOf("--");
  const before = end === -1 ? args : args.slice(0, end);
  for (let at = 0; at < before.length; at++) {
    const arg = before[at] ?? "";
    if (!arg.startsWith("-") || arg === "-") {
      operands.push(arg);
      continue;
    }
    for (const part of flagsIn(arg)) {
      const next = before[at + 1];
      // The next argument is the value, unless it is an option itself.
      const isNext = part.flag.value !== undefined &&
        part.value === undefined && next !== undefined && !/^-./s.test(next);
      found.push(isNext ? { ...part, value: next } : part);
      if (isNext) at += 1;
    }
  }
  const after = args.slice(before.length + 1);
  return { operands: [...operands, ...after], found };
}

/** Splits one argument into flags: `--name`, `--name=value`, or several letters. */
function flagsIn(arg: string): FoundFlag[] {
  if (arg.startsWith("--")) {
    const [, name = "", value] = /^--([^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
    return [{ flag: flagOf(name, false), isShort: false, value }];
  }
  const found: FoundFlag[] = [];
  for (let at = 1; at < arg.length; at++) {
    const flag = flagOf(arg.charAt(at), true);
    const rest = arg.slice(at + 1);
    const isWhole = rest === "" ||
      flag.value === undefined && /^[A-Za-z]/.test(rest);
    const value = isWhole ? undefined : rest.replace(/^=/, "");
    found.push({ flag, isShort: true, value });
    if (!isWhole) break;
  }
  return found;
}

function flagOf(key: string, isShort: boolean): Flag {
  const flag = ALL_FLAGS.find(({ name, short }) =>
    isShort ? short === key : name === key
  );
  if (flag !== undefined) return flag;
  // A single letter is too short for advice.
  if (isShort) throw new UsageError(`unknown option "-${key}"`);
  const meant = answerTo(key, OPTIONS_MEANT);
  const advice = meant === undefined
    ? suggestion(`--${key}`, ALL_FLAGS.map(({ name }) => `--${name}`))
    : `; ${meant}`;
  throw new UsageError(`unknown option "--${key}"${advice}`);
}

function check({ name, value }: Flag, text: string | undefined): void {
  if (value === undefined) {
    if (text !== undefined) throw new UsageError(`--${name} takes no value`);
  } else if (text === undefined) {
    throw new UsageError(
      `--${name} needs a value: ${expectationOf(value)}`,
    );
  } else {
    const { choices, admits } = value;
    if (choices?.includes(text) ?? admits?.(text) ?? text !== "") return;
    throw new UsageError(
      `--${name} cannot be "${text}": expected ${expectationOf(value)}`,
    );
  }
}
