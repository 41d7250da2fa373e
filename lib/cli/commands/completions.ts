/** `codexpipe completions`. */

import type { CommandContext, RunCommand } from "../command.ts";
import { EXIT, UsageError } from "../endings.ts";
import { escapeControls } from "../escape.ts";
import { oneOf, SHELLS } from "../flags.ts";
import { type Candidate, completionOf } from "./_completed_word.ts";
import { sessionPage } from "./_session_page.ts";

type Shell = typeof SHELLS[number];

/** The number of sessions that complete an id, from the newest on. */
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
