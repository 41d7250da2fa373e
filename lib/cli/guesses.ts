/** Suggestions for unknown commands and options: similar names, and equivalents here. */

/** The length up to which words are compared: no command or flag is longer. */
const MAX_LENGTH = 40;

/** Suggests the most similar word, if any is close; a `shared` beginning does not count. */
export function suggestion(
  given: string,
  known: readonly string[],
  shared: string = "",
): string {
  if (given.length > MAX_LENGTH) return "";
  let best: string | undefined;
  // A third of the letters may be wrong, and one of a short word.
  const letters = given.slice(shared.length).replaceAll("-", "").length;
  let limit = Math.max(1, Math.floor(letters / 3));
  for (const word of known) {
    const distance = editDistance(given, word);
    if (distance <= limit) {
      best = word;
      limit = distance - 1;
    }
  }
  return best === undefined ? "" : `; did you mean "${best}"?`;
}

/** Counts the letters to insert, delete, replace or swap with the next one. */
function editDistance(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = one[i - 1] === other[j - 2] &&
        one[i - 2] === other[j - 1];
      next.push(Math.min(
        at(row, j) + 1,
        at(next, j - 1) + 1,
        at(row, j - 1) + (isSame ? 0 : 1),
        isSwapped ? at(before, j - 2) + 1 : Infinity,
      ));
    }
    before = row;
    row = next;
  }
  return at(row, other.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}

/** Unknown words, and the advice for each of them; `WORD` in it stands for the word. */
type Answers = Readonly<Record<string, string>>;

export const COMMANDS_MEANT: Answers = {
  "cat head less open print view":
    '"codexpipe FILE" shows a file, "codexpipe sessions show ID" a session',
  tail:
    '"codexpipe watch" follows all sessions, "codexpipe sessions follow" one session, "codexpipe render --follow FILE" a file',
  "cost count stats tokens": '"codexpipe usage" counts tokens',
  "lint test validate verify":
    '"codexpipe normalize --strict FILE" reports lines that cannot be read, "codexpipe check FILE" whether the run ended well',
  "html markdown md": '"codexpipe render --to=WORD FILE" writes it',
  "convert format json jsonl parse":
    '"codexpipe normalize FILE" writes JSONL, "codexpipe render FILE" text for people',
  "find grep": '"codexpipe sessions search QUERY" looks into all sessions',
  "log ls": '"codexpipe sessions list" lists sessions',
  version: '"codexpipe --version" prints it',
};

export const OPTIONS_MEANT: Answers = {
  html: "--to=html of render and sessions show does that",
  "markdown md": "--to=markdown of render and sessions show does that",
  text: "--to=text of render and sessions show does that",
  csv: "--format=csv of usage, sessions du and export --to=tables does that",
  tail: "--follow does that",
  watch: '--follow does that; "codexpipe watch" watches all sessions',
  indent: "--pretty of history does that, and jq of lines",
  "input file": "files are named without an option",
  "no-colour": "--no-color does that",
};

export const OPERANDS_MEANT: Answers = {
  watch:
    '--codex-home=DIR names a home, "codexpipe sessions follow" takes one session',
  "sessions list":
    '--grep=REGEXP searches titles, "sessions search" searches whole sessions',
  "sessions index":
    '"sessions search" searches for words, --index=FILE names an index',
  "sessions du": "use --codex-home=DIR for another home",
};

export function answerTo(word: string, answers: Answers): string | undefined {
  const [, answer] = Object.entries(answers)
    .find(([words]) => words.split(" ").includes(word)) ?? [];
  return answer?.replace("WORD", word);
}

/** The equivalent of an option that a command lacks; `formats` are the values of its `--format`. */
export function otherWay(
  flag: string,
  command: string,
  formats: readonly string[] = [],
): string | undefined {
  if (formats.includes(flag)) return `--format=${flag} does that`;
  switch (flag) {
    case "output":
      return `"codexpipe ${command} … > FILE" does that`;
    case "json":
    case "jsonl":
      return JSON_OF[command];
    case "pretty":
      return '"| jq ." behind the command does that';
    case "to":
      return '"codexpipe render --to=FORM FILE" does that';
    default:
      return undefined;
  }
}

const JSON_OF: Readonly<Record<string, string>> = {
  render: '"codexpipe history" writes JSON, "codexpipe normalize" JSONL',
  normalize: "it writes JSONL",
  events: "it writes JSONL",
  redact: "it writes JSONL",
  history: "it writes JSON",
  "sessions show": "--meta and --history write JSON",
  "sessions follow": "--format=jsonl writes JSONL",
};
