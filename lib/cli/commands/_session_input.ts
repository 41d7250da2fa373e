/** Reading one whole session: its file, joined with what it goes on from. */

import type { Session } from "../../sessions/session.ts";
import { idText } from "../../sessions/session_id.ts";
import {
  type MissingHistory,
  openLineage,
  readSessionLineage,
  type SessionLineage,
} from "../../sessions/session_lineage.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import { Input, refuseOwnOutput } from "../input.ts";
import { cannot } from "../reasons.ts";
import { oneSession } from "../refusals.ts";
import type { PlaceOf } from "./_normalization.ts";
import { lookUpSession, sessionPlaces } from "./_sessions.ts";

/** A session, and what it consists of. */
export interface WholeSession {
  readonly session: Session;
  readonly lineage: SessionLineage;
}

/**
 * Finds the session that the arguments name, and what it goes on from. That some of that is
 * missing is said; what is wrong with its beginning is for the command to say.
 *
 * @param args Name a session, or say `--last`.
 * @returns The session; if there is none, or several, which has been said, the exit status.
 * @throws {UsageError} If no session is named, or several are.
 */
export async function wholeSession(
  args: Arguments,
  context: CommandContext,
  command: string,
): Promise<WholeSession | number> {
  const query = oneSession(args, command);
  const { session, status } = await lookUpSession(query, args, context);
  if (session === undefined) return status;
  const { path } = session.file;
  const { codexHomes } = sessionPlaces(args, context.process);
  // A file that was named by its path may lie in a home that was not named.
  const homes = new Set([...codexHomes, session.file.home]);
  try {
    const lineage = await readSessionLineage(session.file, {
      codexHomes: [...homes],
    });
    const { missing } = lineage;
    if (missing !== undefined && !args.has("quiet")) {
      context.diagnostics.say(`${path}: ${missingText(missing)}`);
      await context.diagnostics.flush();
    }
    return { session, lineage };
  } catch (error) {
    throw cannot("read", path, error);
  }
}

/** What a session consists of, as one input. */
export interface JoinedInput {
  readonly input: Input;
  /** Where its lines are. */
  readonly placeOf: PlaceOf;
}

/**
 * Opens a session, with what it goes on from.
 *
 * @throws {UsageError} If stdout is one of its files.
 */
export async function openWhole(
  name: string,
  lineage: SessionLineage,
  { process }: CommandContext,
): Promise<JoinedInput> {
  for (const { path } of lineage.parts) await refuseOwnOutput(path, process);
  const source = openLineage(lineage);
  return {
    input: new Input(source, name, process),
    placeOf: (line) => source.placeOf(line),
  };
}

/** Writes what is missing of a session as a record; `null` if nothing is. */
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
    not_found: "which is not there",
    unknown_extent: "and does not say from where",
    too_short: "whose file is shorter than it was",
    unreadable: `which cannot be read: ${message}`,
  };
  const whose = `the session ${idText(threadId)}`;
  return `partial: it goes on from ${whose}, ${states[reason]}`;
}
