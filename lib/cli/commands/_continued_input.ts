/**
 * Reading a session file that was named as a file: joined with what it goes on from, if that
 * is there (history.md C.5).
 */

import { goesOn } from "../../events/session_reader.ts";
import { shellWord } from "../../render/command_line.ts";
import { idText } from "../../sessions/session_id.ts";
import type { SessionLineage } from "../../sessions/session_lineage.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import type { Blocks } from "../input.ts";
import type { PlaceOf } from "./_normalization.ts";
import type { Peeked } from "./_snapshot_text.ts";
import { STDIN } from "../flags.ts";

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
  const facts = await context.process.look(file);
  // What a pipe has given is gone, and cannot be read twice.
  if (facts?.identity === undefined) return asItIs;
  // To load what looks for sessions takes longer than to render most files, which go on from none.
  const [{ resolve }, { missingText, openWhole }] = await Promise.all([
    import("node:path"),
    import("./_session_input.ts"),
  ]);
  const path = resolve(context.process.cwd(), file);
  const lineage = await lineageOf(path);
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
  return {
    blocks: input,
    isBaseKnown: true,
    placeOf(line) {
      const place = placeOf(line);
      return place?.path === path ? { ...place, path: file } : place;
    },
  };
}

/** Finds out what a file goes on from; `undefined` if it cannot be read again. */
async function lineageOf(path: string): Promise<SessionLineage | undefined> {
  const [{ readSessionLineage }, { homeInPath }] = await Promise.all([
    import("../../sessions/session_lineage.ts"),
    import("../../sessions/session_places.ts"),
  ]);
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
