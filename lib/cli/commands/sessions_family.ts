/** `codexpipe sessions family`. */

import { countText } from "../../render/quantity_text.ts";
import {
  divideSessions,
  findSessionFamily,
  type SessionFamily,
  type SessionShard,
} from "../../sessions/session_family.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext, RunCommand } from "../command.ts";
import { EXIT, UsageError } from "../endings.ts";
import { FORMATS } from "../flags.ts";
import { bytesText, formatOf, writePages } from "./_formats.ts";
import { type Column, numbers, tableText } from "../table.ts";
import { homeInputs } from "./_home_inputs.ts";
import { sessionPage, watchListing } from "./_session_page.ts";
import { sessionPlaces } from "./_places.ts";
import { lookUpSession, sessionRecord } from "./_sessions.ts";
import { branchOf, sessionsTable } from "./_sessions_table.ts";

export const run: RunCommand = async (context) => {
  const { args } = context;
  const shards = args.number("shards");
  if (shards !== undefined) return await divide(shards, context);
  const query = args.oneSession("sessions family");
  const { family, status } = await lookUpFamily(query, context);
  if (family === undefined) return status;
  const form = formatOf(args, FORMATS.family);
  await writePages(form, await familyTexts(family, form, context), context);
  return status;
};

async function familyTexts(
  family: SessionFamily,
  form: typeof FORMATS.family[number],
  context: CommandContext,
): Promise<readonly string[]> {
  const { members, missing } = family;
  const records = members.map(({ session, depth }) => ({
    ...sessionRecord(session),
    depth,
    files: session.files.map(({ path }) => path),
  }));
  switch (form) {
    case "table":
      return [await tableOf(family, context)];
    case "json":
      return [
        `${JSON.stringify({ sessions: records, missing: missing ?? null })}\n`,
      ];
    case "jsonl":
      return records.map((each) => `${JSON.stringify(each)}\n`);
    case "ids":
    case "paths":
      return members.map(({ session: { head, file } }) =>
        `${form === "ids" && head.id || file.path}\n`
      );
  }
}

async function divide(count: number, context: CommandContext): Promise<number> {
  const { args } = context;
  if (args.operands.length > 0 || args.has("last")) {
    throw new UsageError("--shards divides all sessions: give no session");
  }
  const form = formatOf(args, FORMATS.family);
  if (form === "ids") {
    throw new UsageError(
      "--shards divides files, not ids: use --format=paths or jsonl",
    );
  }
  const page = await sessionPage(context);
  // The shards have the files that other commands read with --home.
  const { inputs, isIncomplete } = await homeInputs(context);
  const files = inputs.map(({ name, size = 0 }) => ({ path: name, size }));
  const shards = divideSessions(files, page.sessions, count);
  await writePages(form, await shardTexts(shards, form, context), context);
  return isIncomplete ? EXIT.io : EXIT.done;
}

async function shardTexts(
  shards: readonly SessionShard[],
  form: Exclude<typeof FORMATS.family[number], "ids">,
  { style, width }: CommandContext,
): Promise<readonly string[]> {
  const numbered = shards.map((shard, at) => ({ ...shard, shard: at + 1 }));
  const texts = numbered.map(({ shard, families, bytes, files }) => {
    const paths = files.map(({ path }) => path);
    return JSON.stringify({ shard, families, bytes, files: paths });
  });
  switch (form) {
    case "json":
      return ['{"shards":[', texts.join(",\n"), "]}\n"];
    case "jsonl":
      return texts.map((text) => `${text}\n`);
    case "paths":
      return shards.map(({ files }, at) =>
        `${at === 0 ? "" : "\n"}${
          files.map(({ path }) => `${path}\n`).join("")
        }`
      );
    case "table": {
      if (shards.length === 0) return [];
      const columns: Column<typeof numbered[number]>[] = [
        numbers("Shard", ({ shard }) => countText(shard)),
        numbers("Families", ({ families }) => countText(families)),
        numbers("Files", ({ files }) => countText(files.length)),
        numbers("Size", ({ bytes }) => bytesText(bytes)),
      ];
      return [await tableText(columns, numbered, { width: width(), style })];
    }
  }
}

/** The table of `sessions list`, with the titles of descendants indented. */
async function tableOf(
  { members, shortIds }: SessionFamily,
  context: CommandContext,
): Promise<string> {
  const sessions = members.map(({ session, depth }) => ({
    ...session,
    title: branchOf(depth) + session.title,
  }));
  return await sessionsTable({ sessions, shortIds }, context);
}

/** Finds the family of a session; reports why none was found, and a missing session. */
async function lookUpFamily(
  query: string | undefined,
  context: CommandContext,
): Promise<{ readonly family?: SessionFamily; readonly status: number }> {
  const { diagnostics } = context;
  const { session, status } = await lookUpSession(query, context);
  if (session === undefined) return { status };
  const family = await findSessionFamily(session, {
    ...sessionPlaces(context),
    ...watchListing(context),
  });
  if (family.missing !== undefined) {
    diagnostics.say(
      `the family is incomplete: session ${family.missing} was not found`,
    );
    await diagnostics.flush();
  }
  return { family, status };
}

/** Replaces `--family` by the files of the family; returns the exit status if there is none. */
export async function withFamily(
  context: CommandContext,
): Promise<Arguments | number> {
  const { args } = context;
  if (args.operands.length > 0) {
    throw new UsageError(
      "--family and files cannot be read together: give one or the other",
    );
  }
  const { family, status } = await lookUpFamily(args.value("family"), context);
  if (family === undefined) return status;
  return args.withOperands(
    family.members.flatMap(({ session }) =>
      session.files.map(({ path }) => path)
    ),
  );
}
