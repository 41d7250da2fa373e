/** Reading a growing file, block by block. */

import type { ByteSource } from "../files/byte_source.ts";
import { follow, type FollowChange } from "../files/follow.ts";
import { otherPlacesOf } from "../sessions/session_places.ts";
import type { CommandContext } from "./command.ts";
import { IoError } from "./endings.ts";
import {
  BLOCK,
  type Blocks,
  openInput,
  refuseOwnOutput,
  unreadable,
} from "./input.ts";
import { cannot } from "./reasons.ts";
import { STDIN } from "./flags.ts";

/** The messages for changes of the file; `PATH` stands for its new path. */
const TEXTS: Readonly<Record<FollowChange, string>> = {
  awaited: "does not exist yet; waiting for it",
  gone: "no longer exists; waiting for it to come back",
  moved: "moved to PATH; following it there",
  cut: "its end was cut off; continuing after the rest",
  truncated: "emptied; starting over",
  replaced: "replaced by another file; starting over",
  unfinished: "its last line is incomplete and is left out",
};

/** Receives what is read of a growing file, and decides when following it ends. */
export interface FollowListener {
  /** Called before each input: at the start, and after the file was emptied or replaced. */
  begin(): void;
  /** Called with each block, before it is processed. */
  hear(block: Uint8Array): void;
  /** Called whenever all current content was processed; `true` ends the following. */
  isOver(): boolean;
}

/**
 * Follows a growing file: to the archive and back, and to its compressed form. Stdin, pipes and
 * devices are read to their end. A file that is emptied or replaced begins a new input.
 *
 * After an interrupt, the last input ends after its last complete line, and the next request throws.
 * So the consumer of an input must not check the interrupt signal, but read the input to its end.
 */
export async function* followInput(
  path: string,
  context: CommandContext,
  listener?: FollowListener,
): AsyncGenerator<Blocks, void, void> {
  const { args, process, diagnostics } = context;
  const facts = path === STDIN ? undefined : await process.look(path);
  // A path that does not exist yet is expected to become a file.
  const isFile = path !== STDIN &&
    (facts === undefined || facts.identity !== undefined);
  if (!isFile) {
    yield await openInput(path, process);
    return;
  }
  await refuseOwnOutput(path, process);
  const { changes, interrupt } = process;
  let name = path;
  const contents = follow([path, ...otherPlacesOf(path)], {
    signal: interrupt,
    atEnd: listener && (() => listener.isOver()),
    changes,
    async onChange(change, where): Promise<void> {
      const nameBefore = name;
      name = where;
      // These are reported without --verbose too: they explain why there is no output.
      const isWaited = change === "awaited" || change === "gone";
      if (!isWaited && !args.has("verbose")) return;
      const text = TEXTS[change].replace("PATH", () => where);
      diagnostics.remark(`${nameBefore}: ${text}`);
      await diagnostics.flush();
    },
  });
  try {
    for await (const content of contents) {
      listener?.begin();
      yield blocksOf(content, path, listener);
    }
  } catch (error) {
    throw cannot("open", path, error);
  }
  interrupt.throwIfAborted();
}

/** The blocks of a growing file. Each is read after the output of the one before is written. */
function blocksOf(
  content: ByteSource,
  path: string,
  listener: FollowListener | undefined,
): Blocks {
  const block = new Uint8Array(BLOCK);
  return {
    async next(): Promise<Uint8Array | undefined> {
      try {
        const size = await content.read(block);
        if (size === null) return undefined;
        const read = block.subarray(0, size);
        listener?.hear(read);
        return read;
      } catch (error) {
        const message = `${path}: ${unreadable(error)}`;
        throw new IoError(message, { cause: error });
      }
    },
    close: () => content.close(),
  };
}
