/** The table of sessions, for people. */

import { countText, durationText } from "../../render/quantity_text.ts";
import { userHomeFrom } from "../../sessions/codex_homes.ts";
import type { HiddenReason } from "../../sessions/codex_index.ts";
import type { Session } from "../../sessions/session.ts";
import type { SessionPage } from "../../sessions/session_list.ts";
import type { SessionRun } from "../../sessions/session_run.ts";
import { startedAt } from "../../sessions/session_start.ts";
import type { CommandContext } from "../command.ts";
import { type Column, tableText } from "../table.ts";
import { ageText } from "../times.ts";
import { minuteOf } from "./_sessions.ts";

const WIDE = 130;

const HIDDEN_TEXTS: Readonly<Record<HiddenReason, string>> = {
  unindexed: "not listed",
  moved: "moved",
  no_message: "not listed",
  refused: "",
};

const OUTCOME_TEXTS: Readonly<
  Record<Exclude<SessionRun["outcome"], null>, string>
> = {
  completed: "done",
  failed: "failed",
  aborted: "aborted",
  open: "no end",
};

/** Lays out a table of sessions, without columns that are empty for all. The maps are by path. */
export async function sessionsTable(
  { sessions, shortIds }: Pick<SessionPage, "sessions" | "shortIds">,
  { process, style, width: widthOf }: CommandContext,
  { hidden, runs }: {
    readonly hidden: ReadonlyMap<string, HiddenReason>;
    readonly runs: ReadonlyMap<string, SessionRun>;
  } = { hidden: new Map(), runs: new Map() },
): Promise<string> {
  const width = widthOf();
  const isWide = width === undefined || width >= WIDE;
  const userHome = userHomeFrom(process.env);
  const homes = new Set(sessions.map(({ file }) => file.home));
  const dim = (text: string): string => text === "" ? "" : style.dim(text);
  const isSet = (get: (session: Session) => unknown): boolean =>
    sessions.some((session) => (get(session) ?? "") !== "");
  // A terminal shows ages; elsewhere the text may be kept, so it has times.
  const { stdout: isScreen } = process.isTerminal;
  const zone = isScreen ? "" : " (UTC)";
  const now = process.now();
  const timeText = (time: number): string =>
    isScreen ? ageText(time, now) : minuteOf(time);
  const look = (text: string): string => {
    const { completed, open } = OUTCOME_TEXTS;
    if (text === "") return text;
    if (text === completed) return style.green(text);
    return text === open ? style.yellow(text) : style.red(text);
  };
  const runOf = ({ file }: Session): SessionRun | undefined =>
    runs.get(file.path);
  // A file that cannot be read is not marked here: its title has the reason.
  const hiddenText = ({ file }: Session): string =>
    HIDDEN_TEXTS[hidden.get(file.path) ?? "refused"];
  const all: readonly (Column<Session> | false)[] = [
    {
      title: "ID",
      look: (text) => style.cyan(text),
      cell: ({ head }) => shortIds.get(head.id) ?? head.id,
    },
    {
      title: `Started${zone}`,
      cell: ({ file, head }) => timeText(startedAt(file, head.started)),
    },
    isWide && {
      title: `Updated${zone}`,
      cell: ({ file }) => timeText(file.mtime),
    },
    runs.size > 0 && {
      title: "Outcome",
      look,
      cell: (each) => outcomeText(runOf(each)),
    },
    runs.size > 0 && {
      title: "Tokens",
      align: "right",
      isSpare: true,
      cell: (each) =>
        textOf(runOf(each)?.totalTokens, isScreen ? roundText : countText),
    },
    runs.size > 0 && {
      title: "Took",
      align: "right",
      isSpare: true,
      cell: (each) => textOf(runOf(each)?.durationMs, durationText),
    },
    homes.size > 1 && {
      title: "Home",
      cut: "start",
      keptWidth: 8,
      cell: ({ file }) => shortPath(file.home, userHome),
    },
    isSet(({ head }) => head.cwd) && {
      title: "Folder",
      cut: "start",
      keptWidth: 8,
      cell: ({ head }) => shortPath(head.cwd ?? "", userHome),
    },
    isSet(({ head }) => head.gitBranch) && {
      title: "Branch",
      cut: "end",
      keptWidth: 8,
      isSpare: true,
      cell: ({ head }) => head.gitBranch ?? "",
    },
    isWide && isSet(({ head }) => head.model) &&
    { title: "Model", cell: ({ head }) => head.model ?? "" },
    isWide && isSet(({ head }) => head.cliVersion) &&
    { title: "Codex", cell: ({ head }) => head.cliVersion ?? "" },
    isSet(kindText) && { title: "Kind", look: dim, cell: kindText },
    isSet(hiddenText) && {
      title: "In Codex",
      look: (text) => text === "" ? "" : style.red(text),
      cell: hiddenText,
    },
    {
      title: "Title",
      cut: "end",
      share: 2,
      keptWidth: 16,
      // A title in parentheses is a placeholder, not text of the session.
      look: (text) => text.startsWith("(") ? dim(text) : text,
      cell: titleText,
    },
  ];
  const columns = all.filter((column) => column !== false);
  return await tableText(columns, sessions, { width, style });
}

function outcomeText(run: SessionRun | undefined): string {
  const outcome = run?.outcome ?? null;
  return outcome === null ? "" : OUTCOME_TEXTS[outcome];
}

function textOf(
  value: number | null | undefined,
  write: (value: number) => string,
): string {
  return value === null || value === undefined ? "" : write(value);
}

/** Writes a rounded count: `950`, `12.3k`, `4.6M`. */
function roundText(count: number): string {
  const unit = [["k", 1e3], ["M", 1e6], ["G", 1e9]] as const;
  const [name, size] = unit.findLast(([, size]) => count >= 0.99995 * size) ??
    ["", 1];
  return name === "" ? String(count) : `${(count / size).toFixed(1)}${name}`;
}

export function kindText({ file, head }: Session): string {
  const words = [
    ...(file.isArchived ? ["archived"] : []),
    ...(head.kind === "subagent" ? ["sub-agent"] : []),
    ...(head.kind === "fork" ? ["fork"] : []),
  ];
  return words.join(", ");
}

export function titleText({ head, title }: Session): string {
  if (head.problem === undefined) return title;
  const problem = `(cannot be read: ${head.problem})`;
  return head.hasHeader ? `${problem} ${title}` : problem;
}

/** The mark before a session that another one in the table has spawned. */
export function branchOf(depth: number): string {
  return depth === 0 ? "" : `${"  ".repeat(depth - 1)}└ `;
}

/** Writes a path, with `~` for the user's home. */
export function shortPath(path: string, userHome: string | undefined): string {
  if (!userHome || !path.startsWith(userHome)) return path;
  const rest = path.slice(userHome.length);
  return rest === "" || /^[\\/]/.test(rest) ? `~${rest}` : path;
}
