/** Following a file that grows. */

import type { BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { checkedCount, checkedList } from "../checked.ts";
import { copyOf, LF } from "../json/bytes.ts";
import { type ByteSource, codeOf, PackedDataError } from "./byte_source.ts";
import {
  cutOffFormat,
  decompressed,
  formatOf,
  MAGIC_BYTES,
} from "./decompress.ts";
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
 * source for an ordinary file. A reader that leaves a source before its end has to leave the loop.
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

/** Why no more lines are given of a content: another one begins, in this file, or all ends. */
type Ending = OpenedFile | "end";

/** A file that is found under a name. */
type FoundFile = FileFacts & { readonly path: string };

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
    const file = this.#ending;
    if (!(file instanceof OpenedFile)) return false;
    if (this.#content?.file !== file) this.#content?.file.close();
    this.#ending = undefined;
    this.#content = new GrowingContent(file, 0);
    return true;
  }

  close(): void {
    if (this.#ending instanceof OpenedFile) this.#ending.close();
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
    // A caller that ends it in the middle of old lines does not want the rest of them.
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
        this.#ending = "end";
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
    this.#ending = file;
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
    const file = this.#ending instanceof OpenedFile
      ? this.#ending
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
    if (codeOf(error) === "") throw error;
    return undefined;
  }
}

// A file that is open while others write, rename and replace it.

/** What is known of a file without reading it. */
interface FileFacts {
  /** Tells it from any other file that is there at the same time. */
  readonly identity: string;
  /** How large it is, in bytes, packed if it is packed. */
  readonly size: number;
  /** Changes when it is written to. */
  readonly version: string;
  /** Whether it is a file, and no directory, pipe or device. */
  readonly isRegular: boolean;
}

/**
 * Looks at a path.
 *
 * @returns What is there; `undefined` if nothing is.
 * @throws {Error} If it cannot be told, with the `code` of the platform.
 */
async function factsOf(path: string): Promise<FileFacts | undefined> {
  const { stat } = await import("node:fs/promises");
  try {
    return toFacts(await stat(path, { bigint: true }));
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/**
 * A file system that does not number its files tells them apart by when they were made.
 * Where that is the same too, the content decides in the end.
 */
function toFacts(stats: BigIntStats): FileFacts {
  const { dev, ino, birthtimeNs, size, mtimeNs } = stats;
  return {
    identity: ino ? `${dev}:${ino}` : `${dev}:born:${birthtimeNs}`,
    size: Number(size),
    version: `${size}:${mtimeNs}`,
    isRegular: stats.isFile(),
  };
}

/** A file that is open; what it is called may change. */
class OpenedFile {
  readonly #handle: FileHandle;
  /** What it is called. */
  path: string;
  /** Tells it from any other file that is there at the same time. */
  readonly identity: string;
  /** Whether it is packed; offsets are those of its content either way. */
  readonly isPacked: boolean;
  #content: { readonly source: ByteSource; position: number } | undefined;
  #isOpen = true;

  private constructor(
    handle: FileHandle,
    path: string,
    identity: string,
    isPacked: boolean,
  ) {
    this.#handle = handle;
    this.path = path;
    this.identity = identity;
    this.isPacked = isPacked;
  }

  /**
   * Opens a file.
   *
   * @throws {Error} If it cannot be opened, with the `code` of the platform.
   */
  static async open(path: string): Promise<OpenedFile> {
    const { open } = await import("node:fs/promises");
    const handle = await open(path, "r");
    try {
      const stats = await handle.stat({ bigint: true });
      const head = new Uint8Array(MAGIC_BYTES);
      const { bytesRead } = await handle.read(head, 0, MAGIC_BYTES, 0);
      const start = head.subarray(0, bytesRead);
      const format = formatOf(start) ??
        (bytesRead < MAGIC_BYTES ? cutOffFormat(start, path) : undefined);
      const { identity } = toFacts(stats);
      return new OpenedFile(handle, path, identity, format !== undefined);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /**
   * Reads what is there at a place of the content.
   *
   * @throws {Error} If it cannot be read; a `PackedDataError` if it does not unpack.
   */
  async readAt(into: Uint8Array, position: number): Promise<number> {
    if (!this.#isOpen) return 0;
    if (this.isPacked) return await this.#unpackAt(into, position);
    const { bytesRead } = await this.#handle.read(
      into,
      0,
      into.length,
      position,
    );
    return bytesRead;
  }

  /** Gives back what reading needs; safe to call twice. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#handle.close().catch(() => {});
  }

  /** Packed data is read from its start, and once more if something before is wanted. */
  async #unpackAt(into: Uint8Array, position: number): Promise<number> {
    if (this.#content === undefined || this.#content.position > position) {
      const source = decompressed(this.#bytes(), { name: this.path });
      this.#content = { source, position: 0 };
    }
    const content = this.#content;
    for (;;) {
      const before = Math.min(into.length, position - content.position);
      const part = before > 0 ? into.subarray(0, before) : into;
      const size = await content.source.read(part) ?? 0;
      content.position += size;
      if (before === 0 || size === 0) return size;
    }
  }

  #bytes(): ByteSource {
    let at = 0;
    return {
      read: async (into): Promise<number | null> => {
        if (!this.#isOpen) return null;
        const { bytesRead } = await this.#handle.read(into, 0, into.length, at);
        at += bytesRead;
        return bytesRead === 0 && into.length > 0 ? null : bytesRead;
      },
      close(): void {},
    };
  }
}

// What was read of a file, remembered by the hashes of its lines: enough to tell how much
// of it another file begins with.

/** FNV-1a, 32 bits: a line is taken for another one only if the place is the same too. */
const SEED = 0x811c9dc5;
const PRIME = 0x01000193;
/** How many line ends are remembered: a multiple of four. */
const MAX_LINES = 1 << 16;

/** Takes a line end: the offset behind it, and the hash of everything before. */
type TakeEnd = (offset: number, hash: number) => void;

/** Hashes bytes and says where lines end. */
class LineHash {
  /** How many bytes were taken. */
  offset = 0;
  #hash = SEED;

  add(bytes: Uint8Array, onEnd: TakeEnd): void {
    let hash = this.#hash;
    const start = this.offset;
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i] ?? 0;
      hash = Math.imul(hash ^ byte, PRIME);
      if (byte === LF) onEnd(start + i + 1, hash);
    }
    this.#hash = hash;
    this.offset = start + bytes.length;
  }

  /** Goes back to a line end. */
  goTo(offset: number, hash: number): void {
    this.offset = offset;
    this.#hash = hash;
  }
}

/** Line ends in order, in arrays that stay where they are. */
class LineEnds {
  readonly offsets = new Float64Array(MAX_LINES);
  readonly hashes = new Int32Array(MAX_LINES);
  length = 0;
  /** From here on no line end between two of them was forgotten. */
  dense = 0;

  /** Adds one; if there is no room, every second one of the older half is forgotten. */
  add(offset: number, hash: number): void {
    if (this.length === MAX_LINES) this.#thin();
    this.offsets[this.length] = offset;
    this.hashes[this.length] = hash;
    this.length += 1;
  }

  #thin(): void {
    const half = MAX_LINES >> 1;
    for (let i = 1; i < half; i += 2) {
      this.offsets[i >> 1] = this.offsets[i] ?? 0;
      this.hashes[i >> 1] = this.hashes[i] ?? 0;
    }
    this.offsets.copyWithin(half >> 1, half);
    this.hashes.copyWithin(half >> 1, half);
    this.length -= half >> 1;
    this.dense = half >> 1;
  }
}

/**
 * The line ends of what was read.
 *
 * The newest tens of thousands are all there, older ones are sparser the older they are, so
 * that the memory it takes does not grow with the file.
 */
export class LineTrail {
  readonly #hash = new LineHash();
  readonly #ends = new LineEnds();

  /** Where the last line ends. */
  get end(): number {
    return this.#ends.offsets[this.#ends.length - 1] ?? 0;
  }

  /** Takes what was read next. */
  add(bytes: Uint8Array): void {
    this.#hash.add(bytes, (offset, hash) => this.#ends.add(offset, hash));
  }

  /** Forgets everything behind a line end that is remembered. */
  cutTo(offset: number): void {
    const ends = this.#ends;
    while (ends.length > 0 && this.end > offset) ends.length -= 1;
    ends.dense = Math.min(ends.dense, ends.length);
    const hash = ends.hashes[ends.length - 1] ?? SEED;
    this.#hash.goTo(this.end, hash);
  }

  /** Begins to compare another content with this one. */
  comparison(): TrailComparison {
    return new TrailComparison(this.#ends);
  }
}

/** Compares a content with what was read, as long as they are the same. */
export class TrailComparison {
  readonly #hash = new LineHash();
  readonly #ends: LineEnds;
  #next = 0;
  /** Whether the content goes on otherwise than what was read. */
  hasParted = false;

  /** Constructs a new instance. */
  constructor(ends: LineEnds) {
    this.#ends = ends;
  }

  /** Up to where both are known to be the same: a line end. */
  get common(): number {
    return this.#ends.offsets[this.#next - 1] ?? 0;
  }

  /** Whether the content begins with all that was read. */
  get isWhole(): boolean {
    return this.#next === this.#ends.length;
  }

  /** Takes the next bytes of the content. */
  add(bytes: Uint8Array): void {
    if (this.isWhole || this.hasParted) return;
    this.#hash.add(bytes, (offset, hash) => this.#compare(offset, hash));
    this.hasParted ||= !this.isWhole && this.#hash.offset >= this.#nextOffset;
  }

  get #nextOffset(): number {
    return this.#ends.offsets[this.#next] ?? 0;
  }

  #compare(offset: number, hash: number): void {
    if (this.isWhole || this.hasParted) return;
    const isNext = offset === this.#nextOffset;
    if (isNext && hash === this.#ends.hashes[this.#next]) this.#next += 1;
    else if (offset >= this.#nextOffset || this.#next >= this.#ends.dense) {
      this.hasParted = true;
    }
  }
}

// One content of a file that grows: its lines, as they are complete.

/** How much is compared before what was added is read. */
const OVERLAP = 64;
/** How much is read at once to compare. */
const BLOCK = 1 << 16;
/** How long a last line without end may be to be given if it is complete. */
const MAX_REST = 1 << 26;

/** Reads the lines of a content, and knows it again in another file. */
class GrowingContent {
  file: OpenedFile;
  readonly #trail = new LineTrail();
  #overlap = new Uint8Array(0);
  /** Up to where it was read. */
  position = 0;
  /** Up to where lines are known to be complete. */
  #complete = 0;
  /** Up to where it was looked for line ends. */
  scanned = 0;
  #from: number;
  #rest = 0;

  /**
   * Constructs a new instance.
   *
   * @param from The offset that is the first to be given; infinite until it is known.
   */
  constructor(file: OpenedFile, from: number) {
    this.file = file;
    this.#from = from;
  }

  /** Begins to give lines here, if it was not known where. */
  beginHere(): void {
    if (this.#from === Infinity) this.#from = this.position;
  }

  /** Reads lines that are complete and were not read yet; 0 if there are none. */
  async readLines(into: Uint8Array): Promise<number> {
    for (;;) {
      const known = this.#complete - this.position;
      const isKnown = known > 0;
      const part = into.subarray(0, isKnown ? known : into.length);
      const at = isKnown ? this.position : this.scanned;
      const size = await this.file.readAt(part, at);
      if (size === 0) {
        // What was known to be there has been cut off since.
        if (isKnown) this.scanAgain();
        return 0;
      }
      const length = isKnown ? size : into.lastIndexOf(LF, size - 1) + 1;
      if (!isKnown) {
        if (length > 0) this.#complete = at + length;
        this.scanned = at + (length || size);
      }
      if (length > 0 && at === this.position) {
        const given = this.#give(into, length);
        if (given > 0) return given;
      }
    }
  }

  /** Looks for line ends once more in what was not read yet. */
  scanAgain(): void {
    this.#complete = this.position;
    this.scanned = this.position;
  }

  /** Whether the file still has what was read of it last. */
  async isThere(): Promise<boolean> {
    // A packed file is not written to, but replaced.
    if (this.file.isPacked) return true;
    const before = new Uint8Array(this.#overlap.length);
    const at = this.position - before.length;
    const read = await this.file.readAt(before, at);
    return read === before.length &&
      before.every((byte, i) => byte === this.#overlap[i]);
  }

  /** Compares a file with what was read; `undefined` if it cannot be read just now. */
  async compare(file: OpenedFile): Promise<TrailComparison | undefined> {
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
      // The program that packs it has not finished.
      return undefined;
    }
    return comparison;
  }

  /** Goes on in a file behind what it is known to have: a line end. */
  goOnIn(file: OpenedFile, common: number): void {
    if (this.file !== file) this.file.close();
    this.file = file;
    if (common < this.position) {
      this.#trail.cutTo(common);
      this.#overlap = new Uint8Array(0);
      this.#from = Math.min(this.#from, common);
      this.position = common;
    }
    this.scanAgain();
  }

  /** Ends with all that is left, with a line end or without. */
  endWithRest(): void {
    this.#rest = Infinity;
  }

  /**
   * Ends with a last line without end if it is a whole record.
   *
   * @returns Whether nothing is left out.
   */
  async endWithRecord(): Promise<boolean> {
    const size = this.scanned - this.position;
    const rest = new Uint8Array(Math.min(size, MAX_REST + 1));
    let length = 0;
    while (length < rest.length) {
      const part = rest.subarray(length);
      const read = await this.file.readAt(part, this.position + length);
      if (read === 0) break;
      length += read;
    }
    const isWhole = length <= MAX_REST && isRecord(rest.subarray(0, length));
    if (isWhole) this.#rest = length;
    return isWhole || length === 0;
  }

  /** Reads what is left to be given at its end; `null` behind it. */
  async readRest(into: Uint8Array): Promise<number | null> {
    const part = into.subarray(0, Math.min(into.length, this.#rest));
    const size = part.length === 0
      ? 0
      : await this.file.readAt(part, this.position);
    this.#rest -= size;
    this.position += size;
    return size === 0 ? null : size;
  }

  /** Takes note of what was read, and leaves what is to be given of it. */
  #give(into: Uint8Array, size: number): number {
    const bytes = into.subarray(0, size);
    this.#trail.add(bytes);
    this.#overlap = overlapOf(this.#overlap, bytes);
    const skipped = Math.min(size, Math.max(0, this.#from - this.position));
    this.position += size;
    if (skipped > 0) into.copyWithin(0, skipped, size);
    return size - skipped;
  }
}

/** The last bytes of what was read. */
function overlapOf(
  before: Uint8Array,
  bytes: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const last = copyOf(bytes, -OVERLAP);
  if (last.length === OVERLAP || before.length === 0) return last;
  const kept = copyOf(before, -(OVERLAP - last.length));
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
