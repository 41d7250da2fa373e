/** `codexpipe completions`. */

import {
  type Command,
  type CommandContext,
  type RunCommand,
  SESSIONS,
} from "../command.ts";
import { EXIT, UsageError } from "../endings.ts";
import { escapeControls } from "../escape.ts";
import {
  ALL_FLAGS,
  COMMON_FLAGS,
  type Flag,
  flagsOf,
  oneOf,
  SHELLS,
} from "../flags.ts";

type Shell = typeof SHELLS[number];

const MAX_SESSIONS = 100;

export const run: RunCommand = async (context) => {
  const { args, stdout } = context;
  const [name, ...words] = args.operands;
  const shell = SHELLS.find((shell) => shell === name);
  const isScript = !args.has("complete");
  if (shell === undefined || (isScript && words.length > 0)) {
    throw new UsageError(`expected one shell: ${oneOf(SHELLS)}`);
  }
  await stdout.writeText(
    isScript ? SCRIPTS[shell] : await candidatesText(shell, words, context),
  );
  return EXIT.done;
};

/** The lines that the scripts read: candidates, or `:files` or `:folders`. */
async function candidatesText(
  shell: Shell,
  words: readonly string[],
  context: CommandContext,
): Promise<string> {
  const completion = completionOf(words, context.commands);
  if (completion === "files" || completion === "folders") {
    return `:${completion}\n`;
  }
  const candidates = completion === "sessions"
    ? await sessionCandidates(context)
    : completion;
  return candidates.map((each) => `${lineFor(shell, each)}\n`).join("");
}

async function sessionCandidates(
  context: CommandContext,
): Promise<readonly Candidate[]> {
  // Loaded here: most completions, and the scripts, need no sessions.
  const { sessionPage } = await import("./_session_page.ts");
  const { sessions } = await sessionPage(context, MAX_SESSIONS);
  return sessions.flatMap(({ head, title }) =>
    head.id === "" ? [] : [{ word: head.id, summary: escapeControls(title) }]
  );
}

function lineFor(shell: Shell, { word, summary }: Candidate): string {
  const text = summary.replace(/\.$/, "");
  switch (shell) {
    case "bash":
      return word;
    case "zsh":
      return `${word.replaceAll(":", "\\:")}:${text}`;
    case "fish":
      return `${word}\t${text}`;
  }
}

interface Candidate {
  readonly word: string;
  readonly summary: string;
}

/** What can complete a word: one of some words, or a kind of words. */
type Completion =
  | readonly Candidate[]
  | "files"
  | "folders"
  | "sessions";

/**
 * Completes the last of the words up to the cursor; bash passes `--flag=value` as three words. The
 * shell leaves out candidates that do not begin as it does.
 */
function completionOf(
  words: readonly string[],
  commands: readonly Command[],
): Completion {
  const last = words.at(-1) ?? "";
  const current = last === "=" ? "" : last;
  const operands: string[] = [];
  let open: Flag | undefined;
  for (const word of words.slice(0, -1)) {
    if (word === "=") continue;
    if (open !== undefined) open = undefined;
    else if (word.startsWith("-")) open = flagBefore(word);
    else operands.push(word);
  }
  const isHelp = operands[0] === "help";
  const names = isHelp ? operands.slice(1) : operands;
  const command = commands.find(({ name }) =>
    name.split(" ").every((word, at) => word === names[at])
  );
  const flags = [...(command ? flagsOf(command) : []), ...COMMON_FLAGS];
  const [before = "", name = open?.name] = /^--([^=]*)=/.exec(current) ?? [];
  if (name !== undefined) {
    const flag = flags.find((flag) => flag.name === name);
    return flag === undefined ? [] : valuesOf(flag, current, before);
  }
  if (current.startsWith("-")) {
    return flags.map(({ name, summary }) => ({ word: `--${name}`, summary }));
  }
  if (command === undefined) {
    const next = nextWords(names, isHelp, commands);
    const isCommand = next.some(({ word }) => word.startsWith(current));
    // Without a command, operands are files.
    return isCommand || isHelp ? next : "files";
  }
  const [operand] = command.operands;
  return isHelp || operand === undefined
    ? []
    : completionFor(operand[0], operand[2]);
}

/** The flag of a word that is followed by its value, if the word is one. */
function flagBefore(word: string): Flag | undefined {
  return ALL_FLAGS.find(({ name, short, value }) =>
    value !== undefined && (word === `--${name}` || word === `-${short}`)
  );
}

/** @param before The part of the word before the value. */
function valuesOf(flag: Flag, current: string, before: string): Completion {
  const { name, value, isRepeatable } = flag;
  // Every other ID is the id of a session.
  if (value === undefined || name === "turn-id") return [];
  const completion = completionFor(value.name, value.choices);
  if (typeof completion === "string") return completion;
  // The last word of a list with commas.
  const start = isRepeatable && current.includes(",")
    ? current.slice(0, current.lastIndexOf(",") + 1)
    : before;
  return completion.map(({ word, summary }) => ({
    word: start + word,
    summary,
  }));
}

/** Derives a completion from the placeholder of the help. */
function completionFor(
  placeholder: string,
  choices?: readonly string[],
): Completion {
  if (choices !== undefined) {
    return choices.map((word) => ({ word, summary: "" }));
  }
  if (/\bFILE\b/.test(placeholder)) return "files";
  if (/\bDIR\b/.test(placeholder)) return "folders";
  return /\bID\b/.test(placeholder) ? "sessions" : [];
}

function nextWords(
  names: readonly string[],
  isHelp: boolean,
  commands: readonly Command[],
): readonly Candidate[] {
  const found = new Map<string, string>();
  for (const { name, summary } of commands) {
    const words = name.split(" ");
    const word = words[names.length];
    if (word === undefined || names.some((name, at) => name !== words[at])) {
      continue;
    }
    const isGroup = words.length > names.length + 1;
    found.set(word, isGroup ? SESSIONS.summary : summary);
  }
  if (names.length === 0 && !isHelp) {
    found.set("help", "Shows the help of a command.");
  }
  return [...found].map(([word, summary]) => ({ word, summary }));
}

/** The scripts, which ask the command what completes a word. */
const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# bash completion of codexpipe: source <(codexpipe completions bash)

_codexpipe() {
  local IFS=$'\\n' cur=\${COMP_WORDS[COMP_CWORD]} before="" found word
  found=$(codexpipe completions --complete bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  # bash splits "--flag=value" at "=", unless COMP_WORDBREAKS lacks it.
  if [[ $cur == "=" ]]; then cur=""; fi
  if [[ $found != :* ]]; then
    # compgen -W would run commands in the ids of sessions.
    COMPREPLY=()
    while read -r word; do
      if [[ $word && $word == "$cur"* ]]; then COMPREPLY+=("$word"); fi
    done <<<"$found"
    return
  fi
  if [[ $cur == --*=* ]]; then
    before=\${cur%%=*}=
    cur=\${cur#*=}
  fi
  compopt -o filenames 2>/dev/null
  if [[ $found == :files ]]; then
    COMPREPLY=($(compgen -f -P "$before" -- "$cur"))
  else
    COMPREPLY=($(compgen -d -P "$before" -- "$cur"))
  fi
}

complete -F _codexpipe codexpipe
`,
  zsh: `#compdef codexpipe
# zsh completion of codexpipe: source <(codexpipe completions zsh)

_codexpipe() {
  local -a found
  found=("\${(@f)$(codexpipe completions --complete zsh -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  case $found[1] in
    "") return 1 ;;
    :files) compset -P '--*='; _files ;;
    :folders) compset -P '--*='; _files -/ ;;
    *) _describe -V word found ;;
  esac
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _codexpipe "$@"
else
  compdef _codexpipe codexpipe
fi
`,
  fish: `# fish completion of codexpipe: codexpipe completions fish | source

function __codexpipe
    set -l word (commandline -ct)
    set -l found (codexpipe completions --complete fish -- (commandline -opc)[2..-1] "$word" 2>/dev/null)
    set -l before (string match -r -- '^--[^=]*=' "$word")
    set -l path (string replace -r -- '^--[^=]*=' '' "$word")
    switch "$found[1]"
        case :files
            string join \\n -- "$before"(__fish_complete_path "$path")
        case :folders
            string join \\n -- "$before"(__fish_complete_directories "$path" "")
        case '*'
            string join \\n -- $found
    end
end

complete -c codexpipe -f -k -a '(__codexpipe)'
`,
};
