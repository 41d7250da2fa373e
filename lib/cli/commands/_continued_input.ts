/**
 * Reading a session file that was named as a file: joined with what it goes on from, if that
 * is there (history.md C.5).
 */

import { shellWord } from "../../render/command_line.ts";
import { resolve } from "node:path";
import { idText } from "../../sessions/session_id.ts";
import {
  goesOn,
  readSessionLineage,
  type SessionLineage,
} from "../../sessions/session_lineage.ts";
import { homeInPath } from "../../sessions/session_places.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import type { Blocks } from "../input.ts";
import { STDIN } from "../context.ts";
import type { PlaceOf } from "./_normalization.ts";
import { missingText, openWhole } from "./_session_input.ts";
import type { Peeked } from "./_snapshot_text.ts";

/** A file, with what it goes on from as far as that is there. */
export interface ContinuedInput {
  readonly blocks: Blocks;
  /** Where its lines are, if they are in several files. */
  readonly placeOf?: PlaceOf;
  /** Whether what it goes on from was read, or said to be missing. */
  readonly isBaseKnown: boolean;
}

/**
 * Puts what a session file goes on from before it. Other sessions are looked for in the Codex
 * home that the file lies in, else beside it; that one is missing is said.
 *
 * @param file The path of the file, or `-`, which is taken as it is.
 */
export async function continuedInput(
  file: string,
  { first, blocks }: Pick<Peeked, "first" | "blocks">,
  args: Arguments,
  context: CommandContext,
): Promise<ContinuedInput> {
  const asItIs = { blocks, isBaseKnown: false };
  if (file === STDIN || !goesOn(first)) return asItIs;
  const lineage = await lineageOf(file, context);
  if (lineage === undefined) return asItIs;
  const { ancestors, missing, parts } = lineage;
  const { diagnostics } = context;
  if (missing !== undefined && !args.has("quiet")) {
    const advice = missing.reason === "not_found"
      ? `; "codexpipe sessions show ${
        // A name that begins with a dash is no option then.
        shellWord(
          file.startsWith("-") ? `./${file}` : file,
        )}" looks for it in the usual Codex home, too`
      : "";
    diagnostics.say(`${file}: ${missingText(missing)}${advice}`);
  }
  if (parts.length === 1) return { blocks, isBaseKnown: missing !== undefined };
  if (args.has("verbose")) {
    diagnostics.say(
      `${file}: goes on from the session ${
        ancestors.map(idText).join(", ")
      }, which is read with it`,
    );
  }
  blocks.close();
  const { input, placeOf } = await openWhole(file, lineage, context);
  const own = pathOf(file, context);
  return {
    blocks: input,
    isBaseKnown: true,
    placeOf(line) {
      const place = placeOf(line);
      return place?.path === own ? { ...place, path: file } : place;
    },
  };
}

/** Finds out what a file goes on from; `undefined` if it cannot be read twice. */
async function lineageOf(
  file: string,
  context: CommandContext,
): Promise<SessionLineage | undefined> {
  const facts = await context.process.look(file);
  // What a pipe has given is gone.
  if (facts?.identity === undefined) return undefined;
  const path = pathOf(file, context);
  const home = homeInPath(path);
  try {
    return await readSessionLineage({ path }, {
      codexHomes: home === undefined ? [] : [home],
    });
  } catch {
    // It is open, so it is read as it is; whatever is wrong with it will be seen.
    return undefined;
  }
}

function pathOf(file: string, { process }: CommandContext): string {
  return resolve(process.cwd(), file);
}
