/**
 * Following a file that grows.
 *
 * @module
 */

import { LF } from "../json/bytes.ts";
import { LineTrail, type TrailComparison } from "./line_trail.ts";
import { codeOf, factsOf, type FileFacts, OpenedFile } from "./_opened_file.ts";
import type { ByteSource } from "./byte_source.ts";
import { PackedDataError } from "./errors.ts";
import { type ChangeWaiter, FileChanges } from "./file_changes.ts";

/** Something that happened to a file while it was followed. */
export type FollowChange =
  /** Nothing is there yet; it is waited for. */
  | "awaited"
  /** It is gone; it is waited for. */
  | "gone"
  /** It goes on under another name, or with the same content in another file. */
  | "moved"
  /** Its end was cut off; what is written there now is read. */
  | "cut"
  /** It was emptied and begins anew: what follows is another content. */
  | "truncated"
  /** Another file is there: what follows is another content. */
  | "replaced";

/** Options for {@linkcode follow}. */
export interface FollowOptions {
  /**
   * Where to begin: an offset in bytes, or the end of what is there when the end is first
   * reached. A line that is not complete by then is given when it is. Another content, after
   * the file was emptied or replaced, is given from its start.
   *
   * @default {0}
   */
  readonly from?: number | "end";
  /**
   * Ends the following: what was complete by then is still given.
   *
   * @default {undefined}
   */
  readonly signal?: AbortSignal;
  /**
   * Is asked whenever everything that is there was read; `true` ends the following.
   *
   * @default {undefined}
   */
  readonly atEnd?: () => boolean;
  /**
   * Is told what happens to the file, and how it is called then; a promise is waited for.
   *
   * @default {undefined}
   */
  readonly onChange?: (
    change: FollowChange,
    path: string,
  ) => unknown;
  /**
   * Knows when to look again.
   *
   * @default {new FileChanges()}
   */
  readonly changes?: ChangeWaiter;
}

/** How much is compared before what was added is read. */
const OVERLAP = 64;
/** How much is read at once to compare. */
const BLOCK = 1 << 16;
/** How long a last line without end may be to be given if it is complete. */
const MAX_REST = 1 << 26;
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
 *
 * @param paths What the file is called, and then under which names its content may be found
 *   once it is not there any more: another content under one of these is none of it.
 * @param options Where to begin, when to end, who is told.
 * @returns The contents.
 * @throws {Error} If a file is there at the start and cannot be opened or is no regular
 *   file; later such a file is waited for. If it cannot be read, `read` throws.
 *
 * @example The lines that are there
 * ```ts
 * import { follow } from "@codexpipe/codexpipe/files";
 * import { assertEquals } from "@std/assert";
 *
 * const into = new Uint8Array(1 << 16);
 * let lines = 0;
 * for await (const content of follow(["deno.json"], { atEnd: () => true })) {
 *   for (;;) {
 *     const size = await content.read(into);
 *     if (size === null) break;
 *     lines += into.subarray(0, size).filter((byte) => byte === 10).length;
 *   }
 * }
 *
 * assertEquals(lines > 10, true);
 * ```
 */
export async function* follow(
  paths: readonly string[],
  options: FollowOptions = {},
): AsyncGenerator<ByteSource, void, void> {
  const follower = new Follower(paths, options);
  try {
    await follower.open();
    do yield follower.content(); while (follower.goOn());
  } finally {
    follower.close();
  }
}

/** Why no more lines are given of a content. */
type Ending =
  /** Another one begins; the file that it is in. */
  | { readonly type: "other"; readonly file: OpenedFile }
  /** The following ends. */
  | { readonly type: "end" };

/** Follows one file. */
class Follower {
  readonly #paths: readonly string[];
  readonly #options: FollowOptions;
  readonly #changes: ChangeWaiter;
  readonly #signal: AbortSignal;
  #file: OpenedFile | undefined;
  /** Another file that has come under the name, while the one before is read to its end. */
  #successor: FoundFile | undefined;
  /** What was read of the content. */
  #trail = new LineTrail();
  #overlap = new Uint8Array(0);
  #position = 0;
  /** Up to where lines are known to be complete. */
  #complete = 0;
  /** Up to where there is no line end behind that. */
  #scanned = 0;
  #from: number;
  #seen: string | undefined;
  /** Whether the content may not be what it was. */
  #isDoubtful = false;
  #isAwaited = false;
  /** Whether everything that was there has been read once. */
  #isCaughtUp = false;
  #ending: Ending | undefined;
  /** How much of the rest without a line end is given before the end. */
  #rest = 0;

  constructor(paths: readonly string[], options: FollowOptions) {
    this.#paths = paths;
    this.#options = options;
    this.#changes = options.changes ?? new FileChanges();
    this.#signal = options.signal ?? NEVER;
    this.#from = options.from === "end" ? Infinity : options.from ?? 0;
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
    this.#file = await OpenedFile.open(found.path);
    this.#seen = versionOf(found);
  }

  /** The content that begins here. */
  content(): ByteSource {
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
    this.#use(this.#ending.file);
    this.#ending = undefined;
    this.#trail = new LineTrail();
    this.#overlap = new Uint8Array(0);
    this.#goTo(0);
    this.#from = 0;
    return true;
  }

  close(): void {
    if (this.#ending?.type === "other") this.#ending.file.close();
    this.#file?.close();
    this.#changes.close();
  }

  async #read(into: Uint8Array): Promise<number | null> {
    // Whoever wants an end in the middle of old lines does not want the rest of them.
    if (this.#signal.aborted && !this.#isCaughtUp) return null;
    for (;;) {
      if (this.#ending !== undefined) return await this.#readRest(into);
      const size = await this.#readLines(into);
      if (size > 0) return size;
      if (await this.#look()) continue;
      this.#isCaughtUp = true;
      if (this.#from === Infinity) this.#from = this.#position;
      if (this.#signal.aborted || this.#options.atEnd?.()) await this.#end();
      else {
        await this.#changes.wait(this.#path, this.#signal);
        // Before anything is read: it may be no longer what it was.
        await this.#look();
      }
    }
  }

  /** Reads lines that are complete and were not given yet; 0 if there are none. */
  async #readLines(into: Uint8Array): Promise<number> {
    const file = this.#file;
    if (file === undefined || this.#isDoubtful) return 0;
    for (;;) {
      const known = this.#complete - this.#position;
      const isKnown = known > 0;
      const part = into.subarray(0, isKnown ? known : into.length);
      const at = isKnown ? this.#position : this.#scanned;
      const size = await file.readAt(part, at);
      if (size === 0) {
        // What was known to be there has been cut off since.
        if (isKnown) this.#goTo(this.#position);
        return 0;
      }
      if (isKnown) {
        const given = this.#given(into, size);
        if (given > 0) return given;
        continue;
      }
      const length = into.lastIndexOf(LF, size - 1) + 1;
      if (length > 0) this.#complete = at + length;
      this.#scanned = at + (length || size);
      if (length > 0 && at === this.#position) {
        const given = this.#given(into, length);
        if (given > 0) return given;
      }
    }
  }

  /** Takes note of what was read, and leaves what is to be given of it. */
  #given(into: Uint8Array, size: number): number {
    const bytes = into.subarray(0, size);
    this.#trail.add(bytes);
    this.#overlap = overlapOf(this.#overlap, bytes);
    this.#position += size;
    const isSkipped = this.#position <= this.#from;
    const start = Math.max(0, this.#from - (this.#position - size));
    if (isSkipped) return 0;
    if (start > 0) into.copyWithin(0, start, size);
    return size - start;
  }

  /** Looks what has become of the file; tells whether there is something to read. */
  async #look(): Promise<boolean> {
    if (this.#successor !== undefined) return await this.#succeed();
    if (!this.#isDoubtful && !await this.#isGrown()) {
      this.#isDoubtful = true;
      // It may look the same: of the same size, and written at the same time.
      this.#seen = undefined;
    }
    const found = await this.#find();
    const file = this.#file;
    const isThere = found?.isRegular === true &&
      (file !== undefined || found.path === this.#paths[0]);
    if (!isThere) {
      // A file that comes back is looked at, whatever it looks like.
      this.#seen = undefined;
      await this.#await(file === undefined ? "awaited" : "gone");
      return false;
    }
    if (found.path === this.#paths[0]) this.#isAwaited = false;
    if (file === undefined) {
      this.#file = await tryOpen(found.path);
      if (this.#file !== undefined) this.#seen = versionOf(found);
      return this.#file !== undefined;
    }
    const version = versionOf(found);
    const isSeen = version === this.#seen;
    if (isSeen && !this.#isUnlike(found.size, isSeen)) return false;
    this.#seen = version;
    const isOther = found.identity !== file.identity;
    if (isOther || this.#isUnlike(found.size, isSeen)) {
      // First everything that was written before it came.
      this.#successor = found;
      return true;
    }
    if (found.path !== file.path) {
      file.path = found.path;
      await this.#tell("moved");
    }
    if (file.isPacked) {
      this.#successor = found;
      return true;
    }
    if (this.#isDoubtful) return await this.#compareWith(file);
    if (found.size < this.#scanned) this.#goTo(this.#position);
    return found.size > this.#scanned;
  }

  /**
   * Whether a file of such a size cannot be the one that is open: it has less than that one, or
   * more that cannot be read there. Systems that do not number files may give a new one the
   * time of birth of the old one.
   */
  #isUnlike(size: number, isSeen: boolean): boolean {
    if (this.#file?.isPacked === true || this.#isDoubtful) return false;
    return size < this.#position || (isSeen && size > this.#scanned);
  }

  /** Whether the file still has what was read of it last. */
  async #isGrown(): Promise<boolean> {
    const file = this.#file;
    // One that is packed is not written to, but replaced.
    if (file === undefined || file.isPacked) return true;
    const before = new Uint8Array(this.#overlap.length);
    const read = await file.readAt(before, this.#position - before.length);
    return read === before.length &&
      before.every((byte, i) => byte === this.#overlap[i]);
  }

  /** Goes on with the file that has come under the name, if it can be told how. */
  async #succeed(): Promise<boolean> {
    const successor = this.#successor;
    this.#successor = undefined;
    const opened = successor && await tryOpen(successor.path);
    if (opened === undefined) {
      this.#seen = undefined;
      return false;
    }
    return await this.#compareWith(opened);
  }

  /** Goes on with a file as its content says; tells whether there is something to read. */
  async #compareWith(file: OpenedFile): Promise<boolean> {
    const isSame = file === this.#file;
    const comparison = await this.#compare(file);
    const { common, isWhole, hasParted } = comparison ?? {};
    const isItsName = isSame || file.path === this.#paths[0];
    if (common === undefined || !(isWhole || (hasParted && isItsName))) {
      // It cannot be told yet: it is being written, or what is left of it is not added to.
      if (!isSame) file.close();
      if (!isItsName) await this.#await("gone");
      return false;
    }
    this.#isAwaited = false;
    if (isWhole || common * 2 >= this.#position) {
      const isMoved = !isSame && file.path !== this.#file?.path;
      this.#use(file);
      this.#isDoubtful = false;
      this.#trail.cutTo(common);
      if (!isWhole) this.#overlap = new Uint8Array(0);
      this.#goTo(common);
      if (!isWhole) await this.#tell("cut");
      else if (isMoved) await this.#tell("moved");
      return true;
    }
    this.#ending = { type: "other", file };
    // What stood behind the last line end is gone if the file itself was emptied.
    this.#rest = isSame || this.#isDoubtful ? 0 : Infinity;
    this.#isDoubtful = false;
    await this.#tell(isSame ? "truncated" : "replaced");
    return true;
  }

  /** Compares a file with what was read; `undefined` if it cannot be read just now. */
  async #compare(file: OpenedFile): Promise<TrailComparison | undefined> {
    const comparison = this.#trail.comparison();
    const block = new Uint8Array(BLOCK);
    try {
      for (let at = 0; !comparison.isWhole && !comparison.hasParted;) {
        const size = await file.readAt(block, at);
        if (size === 0) break;
        comparison.add(block.subarray(0, size));
        at += size;
      }
    } catch (error) {
      if (!(error instanceof PackedDataError)) throw error;
      // Whoever packs it is still at it.
      return undefined;
    }
    return comparison;
  }

  /** Ends the following: a rest that is a whole record is given. */
  async #end(): Promise<void> {
    this.#ending = { type: "end" };
    const file = this.#file;
    if (file === undefined || this.#isDoubtful) return;
    const rest = new Uint8Array(
      Math.min(this.#scanned - this.#position, MAX_REST + 1),
    );
    let length = 0;
    while (length < rest.length) {
      const part = rest.subarray(length);
      const size = await file.readAt(part, this.#position + length);
      if (size === 0) break;
      length += size;
    }
    if (length <= MAX_REST && isRecord(rest.subarray(0, length))) {
      this.#rest = length;
    }
  }

  /** Reads what is given without a line end; `null` behind it. */
  async #readRest(into: Uint8Array): Promise<number | null> {
    const part = into.subarray(0, Math.min(into.length, this.#rest));
    if (part.length === 0 || this.#file === undefined) return null;
    const size = await this.#file.readAt(part, this.#position);
    this.#rest = size === 0 ? 0 : this.#rest - size;
    if (size === 0) return null;
    this.#position += size;
    return size;
  }

  /** Finds what is there under one of the names. */
  async #find(): Promise<FoundFile | undefined> {
    for (const path of this.#paths) {
      const facts = await factsOf(path).catch((error) => {
        if (this.#file === undefined) throw error;
        return undefined;
      });
      if (facts !== undefined) return { ...facts, path };
    }
    return undefined;
  }

  #use(file: OpenedFile): void {
    if (this.#file !== file) this.#file?.close();
    this.#file = file;
  }

  #goTo(position: number): void {
    this.#position = position;
    this.#complete = position;
    this.#scanned = position;
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
      : this.#file;
    return file?.path ?? this.#paths[0] ?? "";
  }
}

/** A file that is found under a name. */
type FoundFile = FileFacts & { readonly path: string };

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

/** The last bytes of what was read. */
function overlapOf(
  before: Uint8Array,
  bytes: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const last = bytes.slice(-OVERLAP);
  if (last.length === OVERLAP || before.length === 0) return last;
  const kept = before.subarray(
    Math.max(0, before.length - OVERLAP + last.length),
  );
  const overlap = new Uint8Array(kept.length + last.length);
  overlap.set(kept);
  overlap.set(last, kept.length);
  return overlap;
}

/** Whether bytes are a whole JSON object: a part of one never is. */
function isRecord(bytes: Uint8Array): boolean {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.trimStart().startsWith("{") &&
      typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}
