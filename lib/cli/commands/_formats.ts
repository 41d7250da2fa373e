/** The formats of output: the one that is chosen, and what several commands write alike. */

import type { Verdict } from "../../check/verdict.ts";
import { countedText } from "../../render/quantity_text.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import { writeTexts } from "../output.ts";

/** The value of `--format`; by default the first of its choices. */
export function formatOf<T extends string>(
  args: Arguments,
  choices: readonly [T, ...T[]],
): T {
  return args.choice("format", choices) ?? choices[0];
}

/** Writes texts in a format, through a pager if that is possible: to the screen if it is for people. */
export async function writePages(
  format: string,
  texts: Iterable<string> | AsyncIterable<string>,
  { paging, screen, stdout }: CommandContext,
  enough?: number,
): Promise<void> {
  const isForPeople = format === "table" || format === "text";
  paging.begin();
  await writeTexts(isForPeople ? screen : stdout, texts, enough);
}

/** Yields a JSON list in pieces, a line for each element: a single text could be too long. */
export async function* listTexts(
  elements: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<string> {
  yield "[";
  let before = "\n";
  for await (const element of elements) {
    yield before + element;
    before = ",\n";
  }
  yield before === "\n" ? "]" : "\n]";
}

export function runFigures(
  { turns, failedCommands, tokens }: Pick<
    Verdict,
    "turns" | "failedCommands" | "tokens"
  >,
): string {
  return [
    countedText(turns, "turn"),
    ...(failedCommands === 0
      ? []
      : [countedText(failedCommands, "failed command")]),
    ...(tokens === null ? [] : [countedText(tokens.total_tokens, "token")]),
  ].join(", ");
}

const UNITS = ["B", "kB", "MB", "GB", "TB"] as const;

export function bytesText(bytes: number): string {
  let rest = bytes;
  let unit = 0;
  while (rest >= 999.5 && unit < UNITS.length - 1) {
    rest /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || rest >= 99.95 ? 0 : 1;
  return `${rest.toFixed(digits)} ${UNITS[unit]}`;
}
