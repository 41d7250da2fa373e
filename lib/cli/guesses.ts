/** What people try that is no command and no option, and what does it here. */

/** What does what an unknown word asks for. */
export const COMMANDS_MEANT: ReadonlyMap<string, string> = new Map([
  ...["cat", "head", "less", "open", "print", "view"].map((word) =>
    [
      word,
      '"codexpipe FILE" shows a file, "codexpipe sessions show ID" a session',
    ] as const
  ),
  [
    "tail",
    '"codexpipe watch" tells what happens in all sessions, "codexpipe sessions follow" shows what one does, "codexpipe render --follow FILE" a file that grows',
  ],
  ...["cost", "count", "stats", "tokens"].map((word) =>
    [word, '"codexpipe usage" counts tokens'] as const
  ),
  ...["lint", "test", "validate", "verify"].map((word) =>
    [
      word,
      '"codexpipe normalize --strict FILE" says which lines cannot be read, "codexpipe check FILE" whether the run ended well',
    ] as const
  ),
  ...["html", "markdown", "md"].map((word) =>
    [word, `"codexpipe render --to=${word} FILE" writes it`] as const
  ),
  ...["convert", "format", "json", "jsonl", "parse"].map((word) =>
    [
      word,
      '"codexpipe normalize FILE" writes JSONL, "codexpipe render FILE" text for people',
    ] as const
  ),
  ...["find", "grep"].map((word) =>
    [word, '"codexpipe sessions search QUERY" looks into all sessions'] as const
  ),
  ...["log", "ls"].map((word) =>
    [word, '"codexpipe sessions list" lists sessions'] as const
  ),
  ["version", '"codexpipe --version" says it'],
]);

/** What does what an unknown option asks for, by its name. */
export const OPTIONS_MEANT: ReadonlyMap<string, string> = new Map([
  ["html", "--to=html of render and sessions show does that"],
  ["markdown", "--to=markdown of render and sessions show does that"],
  ["md", "--to=markdown of render and sessions show does that"],
  ["text", "--to=text of render and sessions show does that"],
  ["csv", "--format=csv of usage does that"],
  ["tail", "--follow does that"],
  ["watch", '--follow does that; "codexpipe watch" watches all sessions'],
  ["indent", "--pretty of history does that, and jq of lines"],
  ["input", "files are named without an option"],
  ["file", "files are named without an option"],
  ["no-colour", "--no-color does that"],
]);

/** What does what an option of other commands asks for, where none has it but these. */
export function otherWay(flag: string, command: string): string | undefined {
  switch (flag) {
    case "output":
      return `"codexpipe ${command} … > FILE" does that`;
    case "json":
    case "jsonl":
      if (command === "render") {
        return '"codexpipe history" writes JSON, "codexpipe normalize" JSONL';
      }
      return ["normalize", "redact"].includes(command)
        ? "it writes JSONL"
        : ["history", "schema"].includes(command)
        ? "it writes JSON"
        : undefined;
    case "pretty":
      return '"| jq ." behind the command does that';
    case "to":
      return '"codexpipe render --to=FORM FILE" does that';
    default:
      return undefined;
  }
}
