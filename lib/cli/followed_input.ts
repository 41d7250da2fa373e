/** Reading a file that grows, block by block. */

import type { ByteSource } from "../files/byte_source.ts";
import { follow, type FollowChange } from "../files/follow.ts";
import { otherPlacesOf } from "../sessions/session_places.ts";
import type { CommandContext } from "./command.ts";
import type { Surroundings } from "./context.ts";
import { Interrupted, IoError } from "./endings.ts";
import {
  type Blocks,
  isDirectory,
  openInput,
  refuseOwnOutput,
  unreadable,
} from "./input.ts";
import { cannot } from "./reasons.ts";
import { STDIN } from "./flags.ts";

/** As much as is read at once of any other input. */
const BLOCK = 1 << 19;

export interface FollowInputOptions {
  /** Is asked whenever everything that is there was worked on; `true` ends the following. */
  readonly atEnd?: () => boolean;
  /** Whether nothing is said of what happens to the file. */
  readonly isQuiet?: boolean;
  /** Whether all that happens to it is said, and not only that it is not there yet. */
  readonly isVerbose?: boolean;
}

/**
 * Opens a file that grows, and reads through how it is packed.
 *
 * Each value is an input of its own: a file that is emptied or replaced begins another one.
 * Usually there is one, which lasts until the following ends. A session file is followed to
 * the archive and back, and any file to its packed form. Stdin, pipes and devices are read to
 * their end, since what they give next is waited for anyway.
 *
 * When the user wants the work to end, the last input ends behind what is complete, and
 * whoever asks for the next one is told then. So whoever works on an input does not look at
 * the signal, but reads to the end.
 *
 * @param path The path of a file, or `-`.
 * @returns The inputs; a loop that is left early gives back what reading needs.
 * @throws {UsageError} If stdout goes to it.
 * @throws {Interrupted} After the last input, if the user wanted the work to end.
 */
export async function* followInput(
  path: string,
  context: Pick<CommandContext, "process" | "diagnostics">,
  options: FollowInputOptions = {},
): AsyncGenerator<Blocks, void, void> {
  const { process, diagnostics } = context;
  if (path === STDIN || !await isFollowed(path, process)) {
    yield await openInput(path, process);
    return;
  }
  await refuseOwnOutput(path, process);
  const { isQuiet = false, isVerbose = false, atEnd } = options;
  const { changes, interrupt } = process;
  let name = path;
  const contents = follow([path, ...otherPlacesOf(path)], {
    signal: interrupt,
    ...(atEnd === undefined ? {} : { atEnd }),
    ...(changes === undefined ? {} : { changes }),
    async onChange(change, where): Promise<void> {
      const nameBefore = name;
      name = where;
      // Without these, nobody knows why nothing comes any more.
      const isWaited = change === "awaited" || change === "gone";
      if (isQuiet || !(isVerbose || isWaited)) return;
      diagnostics.say(`${nameBefore}: ${textOf(change, where)}`);
      await diagnostics.flush();
    },
  });
  try {
    for await (const content of contents) yield blocksOf(content, path);
  } catch (error) {
    throw cannot("open", path, error);
  }
  if (interrupt.aborted) throw new Interrupted();
}

/** Whether more may come behind the end of what is there now. */
async function isFollowed(
  path: string,
  process: Surroundings,
): Promise<boolean> {
  const facts = await process.look(path);
  if (facts?.isDirectory) throw isDirectory(path);
  // What is not there yet will be a file.
  return facts === undefined || facts.identity !== undefined;
}

/**
 * The blocks of a file that grows. None is read ahead: the next one is asked for when what is
 * made of the one before has been seen.
 */
function blocksOf(content: ByteSource, path: string): Blocks {
  const block = new Uint8Array(BLOCK);
  return {
    async next(): Promise<Uint8Array | undefined> {
      try {
        const size = await content.read(block);
        return size === null ? undefined : block.subarray(0, size);
      } catch (error) {
        const message = `${path}: ${unreadable(error)}`;
        throw new IoError(message, { cause: error });
      }
    },
    close: () => content.close(),
  };
}

/** What has happened to a file, in words. */
function textOf(change: FollowChange, where: string): string {
  const texts: Readonly<Record<FollowChange, string>> = {
    awaited: "not there yet; waiting for it",
    gone: "gone; waiting for it to come back",
    moved: `goes on as ${where}`,
    cut: "its end was cut off; going on behind what is left",
    truncated: "emptied; starting over",
    replaced: "another file has taken its place; starting over",
    unfinished: "its last line is not complete, and is left out",
  };
  return texts[change];
}
