/**
 * Following a file that grows.
 *
 * @module
 */

import { GrowingContent } from "./_growing_content.ts";
import { codeOf, factsOf, type FileFacts, OpenedFile } from "./_opened_file.ts";
import { checkedCount, checkedList } from "../checked.ts";
import type { ByteSource } from "./byte_source.ts";
import { type ChangeWaiter, FileChanges } from "./file_changes.ts";

/**
 * Something that happened to a file while it was followed.
 *
 * - `awaited`: nothing is there yet; it is waited for.
 * - `gone`: it is gone; it is waited for.
 * - `moved`: it goes on under another name, or with the same content in another file.
 * - `cut`: its end was cut off; what is written there now is read.
 * - `truncated`: it was emptied and begins anew: what follows is another content.
 * - `replaced`: another file is there: what follows is another content.
 * - `unfinished`: the following ends, and its last line is not complete: it is not given.
 */
export type FollowChange =
  | "awaited"
  | "gone"
  | "moved"
  | "cut"
  | "truncated"
  | "replaced"
  | "unfinished";

/** Options for {@linkcode follow}. */
export interface FollowOptions {
  /**
   * Where to begin: an offset in bytes, or the end of what is there when the end is first
   * reached. A line that is not complete by then is given when it is. Another content, after
   * the file was emptied or replaced, is given from its start.
   *
   * @default {0}
   */
  readonly from?: number | "end" | undefined;
  /**
   * Ends the following: what was complete by then is still given.
   *
   * @default {undefined}
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Is asked whenever everything that is there was read; `true` ends the following.
   *
   * @default {undefined}
   */
  readonly atEnd?: (() => boolean) | undefined;
  /**
   * Is told what happens to the file, and how it is called then; a promise is waited for.
   *
   * @default {undefined}
   */
  readonly onChange?:
    | ((
      change: FollowChange,
      path: string,
    ) => unknown)
    | undefined;
  /**
   * Knows when to look again.
   *
   * @default {new FileChanges()}
   */
  readonly changes?: ChangeWaiter | undefined;
}

const NEVER = new AbortController().signal;

/**
 * Follows a file that grows, as `tail -F` does, but line by line and without giving anything
 * twice.
 *
 * Each value is one content, a source of whole lines, whose `read` waits for more. Usually
 * there is one. It ends when the file was emptied or replaced by another content, which is
 * then the next value and, for everything above, another input. So a reader takes every
 * source for an ordinary file. Whoever leaves a source before its end has to leave the loop.
 *
 * - A last line is held back until its LF is there, and with it any character that is not
 *   complete. A line that never gets one is given at the end of its content if that is
 *   decided: another file has taken its place, or the following ends and the line is a
 *   complete JSON object. Half a record is not given then: its writer is still at it.
 * - The file may not be there yet, may vanish and come back, be moved to another one of the
 *   `paths`, be packed or unpacked (gzip and zstd are read through): what was given is not
 *   given again, because contents are compared by the hashes of their lines. So a file that
 *   is written anew with the same beginning goes on where it was.
 * - A file whose end was cut off goes on behind what is left of it, if at least half of what
 *   was given is still there; otherwise it is another content, from its start. Lines that are
 *   written and cut off between two looks are never seen.
 * - What was written to a file before another one took its name is read first.
 * - A file is told from another one by its number, and by its time of birth where there are
 *   no numbers; in any case the last bytes before what was added must be what they were.
 * - Text in UTF-16 that is not packed is given as it stands: only {@linkcode openFile} and
 *   {@linkcode decompressed} make UTF-8 of it.
 *
 * @param paths What the file is called, and then under which names its content may be found
 *   once it is not there any more: another content under one of these is none of it.
 * @param options Where to begin, when to end, who is told.
 * @returns The contents.
 * @throws {RangeError} If `from` is neither `end` nor a whole number from 0.
 * @throws {TypeError} If the paths are no list.
 * @throws {Error} If a file is there at the start and cannot be opened or is no regular
 *   file; later such a file is waited for. If it cannot be read, `read` throws.
 *
 * @example The events of a log, as they are written
 * ```ts
 * import { decodeEvents } from "@codexpipe/codexpipe";
 * import { follow, streamOf } from "@codexpipe/codexpipe/files";
 * import { assertEquals } from "@std/assert";
 *
 * const path = "testdata/captures/0.169.0/shellmany/stdout.jsonl";
 * let last = "";
 * // Without `atEnd` it waits for more until a `signal` or the loop ends it.
 * for await (const content of follow([path], { atEnd: () => true })) {
 *   for await (const outcome of decodeEvents(streamOf(content))) {
 *     if (outcome.ok) last = outcome.value.type;
 *   }
 * }
 *
 * assertEquals(last, "turn.completed");
 * ```
 */
export async function* follow(
  paths: readonly string[],
  options: FollowOptions = {},
): AsyncGenerator<ByteSource, void, void> {
  const follower = new Follower(paths, options);
  try {
    await follower.open();
    do yield follower.source(); while (follower.goOn());
  } finally {
    follower.close();
  }
}

/** Why no more lines are given of a content. */
type Ending =
  /** Another one begins, in this file. */
  | { readonly type: "other"; readonly file: OpenedFile }
  /** The following ends. */
  | { readonly type: "end" };

/** A file that is found under a name. */
type FoundFile = FileFacts & { readonly path: string };

/** Follows one file. */
class Follower {
  readonly #paths: readonly string[];
  readonly #options: FollowOptions;
  readonly #changes: ChangeWaiter;
  readonly #signal: AbortSignal;
  /** What is read; `undefined` while the file is not there yet. */
  #content: GrowingContent | undefined;
  /** Another file that has come under the name, while the one before is read to its end. */
  #successor: FoundFile | undefined;
  /** What the file looked like when it was looked at last. */
  #seen: string | undefined;
  /** Whether the content may not be what it was. */
  #isDoubtful = false;
  #isAwaited = false;
  /** Up to where the file was there when it was opened, if that can be told. */
  #old = Infinity;
  /** Whether everything that was there has been read once. */
  #isCaughtUp = false;
  #ending: Ending | undefined;

  constructor(paths: readonly string[], options: FollowOptions) {
    const { from = 0 } = options;
    if (from !== "end") checkedCount("from", from);
    this.#paths = checkedList("paths", paths);
    this.#options = options;
    this.#changes = options.changes ?? new FileChanges();
    this.#signal = options.signal ?? NEVER;
  }

  /** Opens the file if it is there. */
  async open(): Promise<void> {
    const found = await this.#find();
    if (found === undefined || found.path !== this.#paths[0]) {
      return await this.#await("awaited");
    }
    if (!found.isRegular) {
      throw new TypeError(
        `Cannot follow "${found.path}": it is no regular file`,
      );
    }
    this.#begin(await OpenedFile.open(found.path), found);
  }

  /** The content that begins here, as a source. */
  source(): ByteSource {
    let isOpen = true;
    return {
      read: async (into): Promise<number | null> =>
        isOpen ? await this.#read(into) : null,
      close: (): void => {
        isOpen = false;
      },
    };
  }

  /** Goes on to the next content, if the one before has ended and there is one. */
  goOn(): boolean {
    if (this.#ending?.type !== "other") return false;
    const { file } = this.#ending;
    if (this.#content?.file !== file) this.#content?.file.close();
    this.#ending = undefined;
    this.#content = new GrowingContent(file, 0);
    return true;
  }

  close(): void {
    if (this.#ending?.type === "other") this.#ending.file.close();
    this.#content?.file.close();
    this.#changes.close();
  }

  #begin(file: OpenedFile, found: FoundFile): void {
    const { from = 0 } = this.#options;
    this.#content = new GrowingContent(file, from === "end" ? Infinity : from);
    this.#seen = versionOf(found);
    if (!file.isPacked) this.#old = found.size;
  }

  async #read(into: Uint8Array): Promise<number | null> {
    this.#isCaughtUp ||= (this.#content?.position ?? 0) >= this.#old;
    // Whoever wants an end in the middle of old lines does not want the rest of them.
    if (this.#signal.aborted && !this.#isCaughtUp) return null;
    for (;;) {
      // What is complete when the end is wished is read: so this is asked before it is looked.
      const isEnding = this.#signal.aborted;
      const content = this.#content;
      if (this.#ending !== undefined) {
        return await content?.readRest(into) ?? null;
      }
      const size = this.#isDoubtful ? 0 : await content?.readLines(into) ?? 0;
      if (size > 0) return size;
      if (await this.#look()) continue;
      this.#isCaughtUp = true;
      this.#content?.beginHere();
      if (isEnding || this.#options.atEnd?.()) {
        this.#ending = { type: "end" };
        const isWhole = this.#isDoubtful ||
          await this.#content?.endWithRecord();
        if (isWhole === false) await this.#tell("unfinished");
      } else {
        await this.#changes.wait(this.#path, this.#signal);
        // Before anything is read: it may be no longer what it was.
        await this.#look();
      }
    }
  }

  /** Looks what has become of the file; tells whether there is something to read. */
  async #look(): Promise<boolean> {
    if (this.#successor !== undefined) return await this.#succeed();
    const content = this.#content;
    if (content !== undefined && !this.#isDoubtful) {
      this.#isDoubtful = !await content.isThere();
      // It may look the same: of the same size, and written at the same time.
      if (this.#isDoubtful) this.#seen = undefined;
    }
    const found = await this.#find();
    const isThere = found?.isRegular === true &&
      (content !== undefined || found.path === this.#paths[0]);
    if (!isThere) {
      // A file that comes back is looked at, whatever it looks like.
      this.#seen = undefined;
      await this.#await(content === undefined ? "awaited" : "gone");
      return false;
    }
    if (found.path === this.#paths[0]) this.#isAwaited = false;
    if (content !== undefined) return await this.#lookAt(content, found);
    const file = await tryOpen(found.path);
    if (file !== undefined) this.#begin(file, found);
    return file !== undefined;
  }

  /** Looks at what is there under one of the names. */
  async #lookAt(content: GrowingContent, found: FoundFile): Promise<boolean> {
    const { file } = content;
    const version = versionOf(found);
    const isSeen = version === this.#seen;
    this.#seen = version;
    const isOther = found.identity !== file.identity;
    const isUnlike = !isOther && this.#isUnlike(content, found.size, isSeen);
    if (isSeen && !isUnlike) return false;
    if (isOther || isUnlike || file.isPacked) {
      // First everything is read that was written before it came.
      this.#successor = found;
      return true;
    }
    if (found.path !== file.path) {
      file.path = found.path;
      await this.#tell("moved");
    }
    if (this.#isDoubtful) return await this.#compareWith(content, file);
    if (found.size < content.scanned) content.scanAgain();
    return found.size > content.scanned;
  }

  /**
   * Whether a file of such a size cannot be the one that is open: it has less than was read, or
   * more that cannot be read there. Systems that do not number files may give a new one the
   * time of birth of the old one.
   */
  #isUnlike(content: GrowingContent, size: number, isSeen: boolean): boolean {
    if (content.file.isPacked || this.#isDoubtful) return false;
    return size < content.position || (isSeen && size > content.scanned);
  }

  /** Goes on with the file that has come under the name, if it can be told how. */
  async #succeed(): Promise<boolean> {
    const successor = this.#successor;
    this.#successor = undefined;
    const opened = successor && await tryOpen(successor.path);
    if (opened === undefined || this.#content === undefined) {
      this.#seen = undefined;
      return false;
    }
    return await this.#compareWith(this.#content, opened);
  }

  /** Goes on with a file as its content says; tells whether there is something to read. */
  async #compareWith(
    content: GrowingContent,
    file: OpenedFile,
  ): Promise<boolean> {
    const isSame = file === content.file;
    const comparison = await content.compare(file);
    const { common, isWhole, hasParted } = comparison ?? {};
    const isItsName = isSame || file.path === this.#paths[0];
    if (common === undefined || !(isWhole || (hasParted && isItsName))) {
      // It cannot be told yet: it is being written, or what is left of it is not added to.
      if (!isSame) file.close();
      if (!isItsName) await this.#await("gone");
      return false;
    }
    this.#isAwaited = false;
    const isDoubtful = this.#isDoubtful;
    this.#isDoubtful = false;
    if (isWhole || common * 2 >= content.position) {
      const isMoved = file.path !== content.file.path;
      content.goOnIn(file, common);
      if (!isWhole) await this.#tell("cut");
      else if (isMoved) await this.#tell("moved");
      return true;
    }
    this.#ending = { type: "other", file };
    // What stood behind the last line end is gone if the file itself was emptied.
    if (!isSame && !isDoubtful) content.endWithRest();
    await this.#tell(isSame ? "truncated" : "replaced");
    return true;
  }

  /** Finds what is there under one of the names. */
  async #find(): Promise<FoundFile | undefined> {
    for (const path of this.#paths) {
      const facts = await factsOf(path).catch((error) => {
        // What cannot be looked at just now may be looked at later.
        if (this.#content === undefined) throw error;
        return undefined;
      });
      if (facts !== undefined) return { ...facts, path };
    }
    return undefined;
  }

  async #await(change: FollowChange): Promise<void> {
    if (!this.#isAwaited) await this.#tell(change);
    this.#isAwaited = true;
  }

  async #tell(change: FollowChange): Promise<void> {
    await this.#options.onChange?.(change, this.#path);
  }

  /** What the file is called, or will be. */
  get #path(): string {
    const file = this.#ending?.type === "other"
      ? this.#ending.file
      : this.#content?.file;
    return file?.path ?? this.#paths[0] ?? "";
  }
}

function versionOf({ path, identity, version }: FoundFile): string {
  return `${path} ${identity} ${version}`;
}

/** Opens a file; one that cannot be opened just now is looked at again. */
async function tryOpen(path: string): Promise<OpenedFile | undefined> {
  try {
    return await OpenedFile.open(path);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}
