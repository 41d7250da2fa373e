/** The list of sessions that the flags of a command select. */

import { countText } from "../../render/quantity_text.ts";
import { CursorError } from "../../sessions/cursor.ts";
import {
  listSessions,
  type ListSessionsOptions,
  type SessionPage,
} from "../../sessions/session_list.ts";
import type { CommandContext } from "../command.ts";
import { UsageError } from "../endings.ts";
import { homesToRead, sessionPlaces } from "./_places.ts";
import { reportHomes, workingFolderOf } from "./_sessions.ts";

export async function sessionPage(
  context: CommandContext,
  limit?: number | undefined,
): Promise<SessionPage> {
  const { args, process } = context;
  const cwd = args.value("cwd");
  const grep = args.value("grep");
  const options: ListSessionsOptions = {
    ...sessionPlaces({ args, process }),
    codexHomes: homesToRead({ args, process }),
    limit,
    cursor: args.value("cursor"),
    cwd: cwd === undefined ? undefined : workingFolderOf(cwd, process),
    ...args.period(process.now()),
    branch: args.value("branch"),
    originator: args.value("originator"),
    grep: grep === undefined ? undefined : new RegExp(grep, "i"),
    archived: args.has("archived") ? true : undefined,
  };
  try {
    // Starts the clock of the progress line before anything can be counted.
    await context.progress.update(() => "Looking for sessions");
    return await listSessions({ ...options, ...watchListing(context) });
  } catch (error) {
    if (!(error instanceof CursorError)) throw error;
    throw new UsageError(
      `--cursor cannot be ${
        JSON.stringify(error.cursor)
      }: expected a time and an id, as the previous page gave it`,
    );
  }
}

/** Shows the progress of work that lists sessions, and lets an interrupt end it. */
export function watchListing(
  { process, progress }: CommandContext,
): Pick<ListSessionsOptions, "signal" | "onProgress"> {
  return {
    signal: process.interrupt,
    onProgress: ({ done, total }) =>
      progress.count("Reading sessions", done, total),
  };
}

/** Reports what could not be read, and that no session matches; returns whether any was unread. */
export function reportPage(
  page: SessionPage,
  context: CommandContext,
): boolean {
  const isIncomplete = reportHomes(page, context);
  const { args, diagnostics } = context;
  const { sessions, total } = page;
  if (total > 0 && sessions.length === 0) {
    const where = args.has("cursor") ? " after the cursor" : "";
    const homes = sessionPlaces(context).codexHomes.join(", ");
    diagnostics.say(
      `no session matches${where}, of ${countText(total)} in ${homes}`,
    );
  }
  return isIncomplete;
}
