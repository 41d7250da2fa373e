/**
 * Reading a session file that is given as a file: joined with the session that it continues, if
 * that is found (history.md C.5). Messages tell what is missing in the history.
 */

import { shellWord } from "../../dialects/exec/command_line.ts";
import { goesOn } from "../../events/session_reader.ts";
import type { HistoryState } from "../../history/history_state.ts";
import { idText, isSessionId } from "../../sessions/session_id.ts";
import type { SessionLineage } from "../../sessions/session_lineage.ts";
import type { CommandContext } from "../command.ts";
import type { Blocks } from "../input.ts";
import type { PlaceOf } from "./_normalization.ts";
import type { Peeked } from "./_snapshot_text.ts";
import { STDIN } from "../flags.ts";

/** A file, joined with the sessions that it continues as far as they were found. */
export interface ContinuedInput {
  readonly blocks: Blocks;
  /** Maps a line to its own file, if several files are joined. */
  readonly placeOf?: PlaceOf;
  /** Whether the session that it continues was read, or reported as missing. */
  readonly isBaseKnown: boolean;
}

/** Joins a file with the session that it continues, of its Codex home or else of its folder. */
export async function continuedInput(
  file: string,
  { first, blocks }: Pick<Peeked, "first" | "blocks">,
  context: CommandContext,
): Promise<ContinuedInput> {
  const { args, diagnostics } = context;
  const asItIs = { blocks, isBaseKnown: false };
  if (file === STDIN || !goesOn(first)) return asItIs;
  const facts = await context.process.look(file);
  // A pipe cannot be read a second time; a file that was moved can.
  if (facts !== undefined && facts.identity === undefined) return asItIs;
  // Loaded here, since loading takes longer than rendering most files, which continue no session.
  const [
    { resolve },
    { readSessionLineage },
    { missingText, openWhole, pathsAround },
  ] = await Promise.all([
    import("node:path"),
    import("../../sessions/session_lineage.ts"),
    import("./_session_input.ts"),
  ]);
  const path = resolve(context.process.cwd(), file);
  let lineage: SessionLineage;
  try {
    lineage = await readSessionLineage({ path }, {
      codexHomes: [],
      paths: () => pathsAround(path, context),
    });
  } catch {
    // The file is open already and is read alone; reading it reports any error.
    return asItIs;
  }
  const { ancestors, missing, parts } = lineage;
  if (missing !== undefined) {
    const advice = missing.reason === "not_found"
      ? `; "codexpipe sessions show ${
        // Keeps a name that begins with a dash from being taken for an option.
        shellWord(
          file.startsWith("-") ? `./${file}` : file,
        )}" searches the default Codex home, too`
      : "";
    diagnostics.remark(`${file}: ${missingText(missing)}${advice}`);
  }
  if (parts.length === 1) return { blocks, isBaseKnown: missing !== undefined };
  if (args.has("verbose")) {
    const before = ancestors.length === 0
      ? "an earlier file of the session"
      : `the session ${ancestors.map(idText).join(", ")}`;
    diagnostics.say(`${file}: continues ${before}, which is read first`);
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

export type HistoryRemarks = (
  facts: Pick<HistoryState, "base" | "threadId" | "unknownMode">,
) => void;

/** Reports each lack of a history once, unless it is known: it was read, or reported already. */
export function historyRemarks(
  file: string,
  { diagnostics }: CommandContext,
  isBaseKnown: boolean,
  isModeKnown = false,
): HistoryRemarks {
  return ({ base, threadId, unknownMode }) => {
    if (!isBaseKnown && base !== null) {
      isBaseKnown = true;
      const advice = threadId !== null && isSessionId(threadId)
        ? `; "codexpipe sessions show ${threadId}" joins the two`
        : "";
      diagnostics.remark(
        `${file}: partial: it continues the session ${
          idText(base.thread_id)
        }, which was not read${advice}`,
      );
    }
    if (!isModeKnown && unknownMode !== null) {
      isModeKnown = true;
      diagnostics.remark(unknownModeText(file, unknownMode));
    }
  };
}

export function unknownModeText(file: string, mode: string): string {
  return `${file}: its history mode is ${
    JSON.stringify(mode)
  }, which codexpipe does not know: parts of the history may be missing; a later release of codexpipe may know the mode`;
}
