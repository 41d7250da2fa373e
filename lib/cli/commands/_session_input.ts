/** Reading one whole session: its file, joined with the sessions that it continues. */

import { dirname } from "node:path";
import type { Session } from "../../sessions/session.ts";
import { idText } from "../../sessions/session_id.ts";
import {
  type MissingHistory,
  openLineage,
  readSessionLineage,
  type SessionLineage,
  sessionPaths,
} from "../../sessions/session_lineage.ts";
import { homeInPath } from "../../sessions/session_places.ts";
import type { CommandContext } from "../command.ts";
import { Input, refuseOwnOutput } from "../input.ts";
import { EXIT } from "../endings.ts";
import { cannot } from "../reasons.ts";
import {
  Normalization,
  type NormalizationOptions,
  type PlaceOf,
} from "./_normalization.ts";
import { sessionPlaces } from "./_places.ts";
import { lookUpSession } from "./_sessions.ts";

export interface WholeSession {
  readonly session: Session;
  readonly lineage: SessionLineage;
}

/**
 * Finds the session that the arguments name, and those that it continues; reports one that is missing.
 *
 * @returns The session; or the exit status if no session or several match, which is reported.
 */
export async function wholeSession(
  context: CommandContext,
  command: string,
): Promise<WholeSession | number> {
  const query = context.args.oneSession(command);
  const { session, status } = await lookUpSession(query, context);
  if (session === undefined) return status;
  const { path } = session.file;
  const { codexHomes } = sessionPlaces(context);
  // A file that is given by its path may lie in another home.
  const homes = new Set([...codexHomes, session.file.home]);
  try {
    const lineage = await readSessionLineage(session.file, {
      codexHomes: [...homes],
    });
    const { missing } = lineage;
    if (missing !== undefined) {
      context.diagnostics.remark(`${path}: ${missingText(missing)}`);
      await context.diagnostics.flush();
    }
    return { session, lineage };
  } catch (error) {
    throw cannot("read", path, error);
  }
}

/** The paths of sessions by id, for each home or folder that a run has listed. */
const PATHS = new WeakMap<
  CommandContext,
  Map<string, Promise<ReadonlyMap<string, string>>>
>();

/** The sessions in the Codex home of a file, or else in its folder; listed once in a run. */
export function pathsAround(
  path: string,
  context: CommandContext,
): Promise<ReadonlyMap<string, string>> {
  const home = homeInPath(path);
  const folder = dirname(path);
  const known = PATHS.get(context) ?? new Map();
  PATHS.set(context, known);
  const found = known.get(home ?? folder) ??
    sessionPaths(home === undefined ? [] : [home], folder);
  known.set(home ?? folder, found);
  return found;
}

/** Opens a session, joined with those that it continues. `placeOf` maps a line to its own file. */
export async function openWhole(
  name: string,
  lineage: SessionLineage,
  { process }: CommandContext,
): Promise<{ readonly input: Input; readonly placeOf: PlaceOf }> {
  for (const { path } of lineage.parts) await refuseOwnOutput(path, process);
  const source = openLineage(lineage);
  return {
    input: new Input(source, name, process),
    placeOf: (line) => source.placeOf(line),
  };
}

/** Processes the lines of a session; calls `onOpen` when it is safe to write to stdout. */
export async function answerWhole<A>(
  { session: { file: { path }, head }, lineage }: WholeSession,
  context: CommandContext,
  { onOpen, ...answering }:
    & Pick<NormalizationOptions<A>, "make" | "take" | "write">
    & { readonly onOpen?: () => Promise<void> },
): Promise<number> {
  const { input, placeOf } = await openWhole(path, lineage, context);
  await onOpen?.();
  const work = new Normalization(context, {
    ...answering,
    // A file that is given by its path may not be a session file.
    options: { from: head.hasHeader ? "rollout" : "auto" },
  });
  await work.normalizeInput(path, input, placeOf);
  return work.isIncomplete ? EXIT.io : EXIT.done;
}

/** The missing part of a session as a record; `null` if the session is complete. */
export function missingRecord(
  { missing }: SessionLineage,
): Readonly<Record<string, unknown>> | null {
  return missing === undefined
    ? null
    : { session_id: missing.threadId, reason: missing.reason };
}

export function missingText(
  { threadId, reason, message }: MissingHistory,
): string {
  const states: Readonly<Record<typeof reason, string>> = {
    not_found: "which was not found",
    unknown_extent: "but does not record from which line on",
    too_short: "whose file is shorter than it was then",
    unreadable: `which cannot be read: ${message}`,
  };
  const whose = `the session ${idText(threadId)}`;
  return `partial: it continues ${whose}, ${states[reason]}`;
}
