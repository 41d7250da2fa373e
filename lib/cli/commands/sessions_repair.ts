/** `codexpipe sessions repair`. */

import { basename, join } from "node:path";
import { countedText, countText } from "../../render/quantity_text.ts";
import type { Session } from "../../sessions/session.ts";
import { isObjectPath, unpackedPath } from "../../sessions/session_start.ts";
import { SessionRepairer } from "../../sessions/session_repair.ts";
import type { CommandContext, RunCommand } from "../command.ts";
import { createFile } from "../created_file.ts";
import { EXIT, IoError, UsageError } from "../endings.ts";
import { openSessionInput } from "../input.ts";
import { Gathered } from "../output.ts";
import { targetFolder } from "./_folder_of_files.ts";
import { lookUpSession } from "./_sessions.ts";

export const run: RunCommand = async (context) => {
  const query = context.args.oneSession("sessions repair");
  const target = context.args.value("to");
  if (target === undefined) {
    throw new UsageError(
      "sessions repair needs --to=DIR: nothing is repaired in place",
    );
  }
  const { session, status } = await lookUpSession(query, context);
  if (session === undefined) return status;
  // Only now, since it creates the folder.
  const folder = await targetFolder("to", target, context);
  return Math.max(status, await repair(session, folder, context));
};

async function repair(
  { file }: Session,
  folder: string,
  { process, stdout, diagnostics }: CommandContext,
): Promise<number> {
  if (isObjectPath(file.path)) {
    throw new UsageError(
      `${file.path} is one JSON object, not lines: it cannot be repaired`,
    );
  }
  const target = join(folder, unpackedPath(basename(file.path)));
  if (await process.look(target) !== undefined) {
    throw new UsageError(`${target} exists already: use another folder`);
  }
  const { path: name, size } = file;
  const input = await openSessionInput({ name, size }, process);
  const output = await createFile(target, process);
  const repairer = new SessionRepairer();
  const pieces = new Gathered();
  const emit = (bytes: Uint8Array): void => pieces.add(bytes.slice());
  let problem: IoError | undefined;
  try {
    for (;;) {
      let block;
      try {
        block = await input.next();
      } catch (error) {
        // A truncated compressed file: the data before the error is kept.
        if (!(error instanceof IoError)) throw error;
        problem = error;
      }
      if (block === undefined) break;
      repairer.feed(block, emit);
      await pieces.writeTo(output);
    }
    repairer.flush(emit);
    await pieces.writeTo(output);
  } finally {
    input.close();
    output.close();
  }
  const { torn, tornCount, lines } = repairer;
  for (const part of torn) {
    const rest = part.hasRecord ? "; the record after it is kept" : "";
    diagnostics.say(
      `${file.path}:${part.line}: left out ${
        countedText(part.bytes, "byte")
      }: ${part.message}${rest}`,
    );
  }
  if (tornCount > torn.length) {
    diagnostics.say(`... and ${countText(tornCount - torn.length)} more`);
  }
  if (problem !== undefined) {
    diagnostics.say(`${problem.message}; the data before is kept`);
  }
  const left = tornCount === 0
    ? "nothing was left out"
    : `${countedText(tornCount, "torn part")} left out`;
  diagnostics.say(`${target}: ${countedText(lines, "line")}, ${left}`);
  await diagnostics.flush();
  await stdout.writeText(`${target}\n`);
  return EXIT.done;
}
