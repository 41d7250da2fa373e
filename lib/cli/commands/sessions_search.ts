/** `codexpipe sessions search`. */

import { countedText, countText } from "../../render/quantity_text.ts";
import { MESSAGE_ROLES } from "../../sessions/session_records.ts";
import type { SnippetPart } from "../../sessions/search_snippet.ts";
import {
  type SearchHit,
  type SearchMakeshift,
  type SearchResult,
  searchSessions,
} from "../../sessions/session_search.ts";
import type { CommandContext, RunCommand } from "../command.ts";
import { EXIT, UsageError } from "../endings.ts";
import { escapeControls } from "../escape.ts";
import { FORMATS } from "../flags.ts";
import { TextRuler } from "../text_ruler.ts";
import { formatOf, listTexts, writePages } from "./_formats.ts";
import { indexPlaces, indexReason, withProgress } from "./_session_index.ts";
import { minuteOf, reportHomes, workingFolderOf } from "./_sessions.ts";

/** The time limit for updating the index before a search, in milliseconds. */
const PATIENCE = 3_000;
const INDENT = "    ";

const MIN_SNIPPET = 60;

const MIN_TITLE = 10;

/** The marks around a match if the output has no styles. */
const MARK = "**";

export const run: RunCommand = async (context) => {
  const { args } = context;
  const query = args.operands.join(" ");
  if (query.trim() === "") {
    throw new UsageError(
      'sessions search needs a query: words, "a phrase", begin*, or any string',
    );
  }
  const form = formatOf(args, FORMATS.search);
  const { process } = context;
  const roles = args.choices("role", MESSAGE_ROLES);
  const cwd = args.value("cwd");
  const start = process.now();
  const places = await indexPlaces(context);
  const result = await withProgress(
    context,
    places.path,
    (watch) =>
      searchSessions({
        ...places,
        query,
        refresh: !args.has("no-refresh"),
        shouldStop: () =>
          process.interrupt.aborted || process.now() - start > PATIENCE,
        ...watch,
        roles: roles.length === 0 ? undefined : roles,
        cwd: cwd === undefined ? undefined : workingFolderOf(cwd, process),
        since: args.time("since", start),
        limit: args.number("limit"),
        snippetLength: snippetLength(context),
      }),
  );
  await writePages(form, textsOf(query, result, form, context), context);
  const isIncomplete = remark(result, context);
  if (result.hits.length === 0) hint(args.operands, context);
  if (isIncomplete) return EXIT.io;
  if (result.hits.length > 0) return EXIT.done;
  // What was not searched may have matches.
  return (result.refresh?.filesLeft ?? 0) > 0 ? EXIT.io : EXIT.no;
};

/** Prints a hint after a search without results: words must match whole. */
function hint(
  words: readonly string[],
  { process, diagnostics }: CommandContext,
): void {
  if (!process.isTerminal.stderr) return;
  const begun = words.flatMap((word) => word.split(/\s+/))
    .filter((word) => /^[\p{L}\p{N}]+$/u.test(word)).map((word) => `${word}*`);
  diagnostics.say(
    begun.length === 0
      ? "nothing found"
      : `nothing found; words match whole: ${
        begun.join(" ")
      } also finds longer words`,
  );
}

/** The length of snippets: one line on a terminal, and elsewhere that of the library. */
function snippetLength({ width }: CommandContext): number | undefined {
  const columns = width();
  return columns === undefined
    ? undefined
    : Math.max(MIN_SNIPPET, columns - INDENT.length - 2);
}

async function* textsOf(
  query: string,
  { hits, hasMore, refresh, makeshift }: SearchResult,
  form: typeof FORMATS.search[number],
  context: CommandContext,
): AsyncGenerator<string> {
  const records = hits.map((hit) => JSON.stringify(hitRecord(hit)));
  switch (form) {
    case "text": {
      const titles = hits.map(({ title }) => escapeControls(title));
      const ruler = await TextRuler.for(titles);
      yield hits.map((hit) => hitText(hit, context, ruler)).join("\n");
      break;
    }
    case "json": {
      const rest = {
        has_more: hasMore,
        files_left: refresh?.filesLeft ?? null,
        makeshift: makeshift?.searched ?? null,
      };
      yield `{"query":${JSON.stringify(query)},"hits":`;
      yield* listTexts(records);
      yield `,${JSON.stringify(rest).slice(1)}\n`;
      break;
    }
    case "jsonl":
      for (const record of records) yield `${record}\n`;
  }
}

/** A message that was found, as a record. Fields may be added over time. */
function hitRecord(hit: SearchHit): Readonly<Record<string, unknown>> {
  const { short_id: _, snippet, ...facts } = hit;
  return {
    ...facts,
    snippet: snippet.map(({ text, isMatch }) => ({ text, is_match: isMatch })),
  };
}

function hitText(
  { session_id, short_id, title, time, role, snippet }: SearchHit,
  { process, style, width }: CommandContext,
  ruler: TextRuler,
): string {
  // A terminal shows the short id, which is enough for other commands.
  const id = escapeControls(process.isTerminal.stdout ? short_id : session_id);
  const facts = `  ${minuteOf(Date.parse(time))}  ${role}  `;
  const room = (width() ?? Infinity) - id.length - facts.length;
  const name = ruler.fitted(escapeControls(title), Math.max(MIN_TITLE, room));
  return `${style.cyan(id)}${style.dim(facts)}${name}\n${INDENT}${
    snippet.map((part) => partText(part, style)).join("")
  }\n`;
}

function partText(
  { text, isMatch }: SnippetPart,
  { bold }: CommandContext["style"],
): string {
  const shown = escapeControls(text);
  if (!isMatch) return shown;
  const isPlain = bold(shown) === shown;
  return isPlain ? `${MARK}${shown}${MARK}` : bold(shown);
}

/** Prints the messages after a search, and returns whether anything could not be read. */
function remark(
  { hasMore, files, refresh, makeshift }: SearchResult,
  context: CommandContext,
): boolean {
  const { diagnostics } = context;
  const isIncomplete = refresh !== undefined &&
    reportHomes({ ...refresh, total: refresh.files }, context);
  if (refresh === undefined && files === 0) {
    diagnostics.say(
      "the index is empty; without --no-refresh it is updated first",
    );
  }
  if (makeshift !== undefined) {
    diagnostics.say(makeshiftText(makeshift, refresh?.filesLeft ?? 0));
  } else if (refresh !== undefined && refresh.filesLeft > 0) {
    diagnostics.say(
      `searched without the ${
        countText(refresh.filesLeft)
      } oldest of the session files that are not in the index yet; "codexpipe sessions index" reads them all`,
    );
  }
  if (hasMore) {
    diagnostics.say("more were found; --limit=NUM shows more than these");
  }
  return isIncomplete;
}

function makeshiftText(
  { searched, error }: SearchMakeshift,
  filesLeft: number,
): string {
  const reason = indexReason(error);
  const [verb, instead, lack] = searched === "old_index"
    ? [
      "write",
      "searched it as it was",
      `what is new in ${countedText(filesLeft, "session file")}`,
    ]
    : [
      "use",
      "read the session files instead",
      `the ${countText(filesLeft)} oldest of them`,
    ];
  const without = filesLeft === 0 ? "" : `, without ${lack}`;
  return `${error.path}: cannot ${verb} the index: ${reason}; ${instead}${without}`;
}
