/** `codexpipe sessions family`. */

import {
  type FamilyMember,
  findSessionFamily,
  type SessionFamily,
} from "../../sessions/session_family.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import { UsageError } from "../endings.ts";
import { FAMILY_FORMATS } from "../flags.ts";
import { writeTexts } from "../gathered.ts";
import { lookUpSession, sessionPlaces, sessionRecord } from "./_sessions.ts";
import { sessionsTable } from "./_sessions_table.ts";

/** Shows what a session was forked or spawned from, and what was from it. */
export async function run(
  args: Arguments,
  context: CommandContext,
): Promise<number> {
  const { operands } = args;
  if (operands.length + Number(args.has("last")) !== 1) {
    throw new UsageError(
      "sessions family takes the id, the name or the file of one session, or --last",
    );
  }
  const { family, status } = await lookUpFamily(operands[0], args, context);
  if (family === undefined) return status;
  const { members, missing } = family;
  const form = args.choice("format", FAMILY_FORMATS) ?? "table";
  const output = form === "table" ? context.screen : context.stdout;
  context.paging.begin();
  const records = members.map(recordOf);
  switch (form) {
    case "table":
      await writeTexts(output, [await tableOf(members, context)]);
      break;
    case "json":
      await writeTexts(output, [
        `${JSON.stringify({ sessions: records, missing: missing ?? null })}\n`,
      ]);
      break;
    case "jsonl":
      await writeTexts(
        output,
        records.map((each) => `${JSON.stringify(each)}\n`),
      );
      break;
    case "ids":
    case "paths":
      await writeTexts(
        output,
        members.map(({ session: { head, file } }) =>
          `${form === "ids" && head.id || file.path}\n`
        ),
      );
  }
  return status;
}

/** The table of lists, in the order of the family: what is from a session stands below it. */
async function tableOf(
  members: readonly FamilyMember[],
  context: CommandContext,
): Promise<string> {
  const sessions = members.map(({ session, depth }) => ({
    ...session,
    title: `${
      depth === 0 ? "" : `${"  ".repeat(depth - 1)}└ `
    }${session.title}`,
  }));
  // What tells ids of one family apart does not tell them from others.
  return await sessionsTable({ sessions, shortIds: new Map() }, context);
}

function recordOf(
  { session, depth, files }: FamilyMember,
): Readonly<Record<string, unknown>> {
  return {
    ...sessionRecord(session),
    depth,
    files: files.map(({ path }) => path),
  };
}

/** A family that was looked up. */
interface LookedUpFamily {
  /** The family; `undefined` if there is no such session, or there are several. */
  readonly family: SessionFamily | undefined;
  /** The exit status of a command that does no more than to look it up. */
  readonly status: number;
}

/** Finds the family of a session; says why there is none, and what of it is not there. */
async function lookUpFamily(
  query: string | undefined,
  args: Arguments,
  context: CommandContext,
): Promise<LookedUpFamily> {
  const { process, diagnostics } = context;
  const { session, status } = await lookUpSession(query, args, context);
  if (session === undefined) return { family: undefined, status };
  const family = await findSessionFamily(session, sessionPlaces(args, process));
  if (family.missing !== undefined) {
    diagnostics.say(
      `the family is not whole: session ${family.missing} is not there`,
    );
    await diagnostics.flush();
  }
  return { family, status };
}

/** The same arguments, with the files of the family that they name; or how the command ends. */
export async function withFamily(
  args: Arguments,
  context: CommandContext,
): Promise<Arguments | number> {
  if (args.operands.length > 0) {
    throw new UsageError(
      "--family names what is read: name no files beside it",
    );
  }
  const found = await lookUpFamily(args.value("family"), args, context);
  const { family, status } = found;
  if (family === undefined) return status;
  return args.withOperands(
    family.members.flatMap(({ files }) => files.map(({ path }) => path)),
  );
}
