/** Follows a file that grows. */

import type { BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { checkedList } from "../checked.ts";
import { LF } from "../json/bytes.ts";
import {
  type ByteSource,
  codeOf,
  lastBytes,
  PackedDataError,
  sourceOf,
} from "./byte_source.ts";
import { decompressed, formatOf, MAGIC_BYTES } from "./decompress.ts";
import { type ChangeWaiter, FileChanges } from "./file_changes.ts";

/**
 * A change of a file while it is followed.
 *
 * - `awaited`: the file does not exist yet; the follower waits for it.
 * - `gone`: the file was removed; the follower waits for it.
 * - `moved`: the file goes on under another name, or as another file with the same content.
 * - `cut`: the end of the file was cut off; what is written there now is read.
 * - `truncated`: the file was emptied and begins anew: another content follows.
 * - `replaced`: another file has taken the name: another content follows.
 * - `unfinished`: following ends, and the last line is incomplete and was not returned.
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
   * Ends following. Lines that are complete by then are still returned.
   *
   * @default {undefined}
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called whenever all of the file has been read; `true` ends following.
   *
   * @default {undefined}
   */
  readonly atEnd?: (() => boolean) | undefined;
  /**
   * Called with each change and the current path of the file; a returned promise is awaited.
   *
   * @default {undefined}
   */
  readonly onChange?:
    | ((change: FollowChange, path: string) => unknown)
    | undefined;
  /**
   * Waits until the file may have changed.
   *
   * @default {new FileChanges()}
   */
  readonly changes?: ChangeWaiter | undefined;
}

const NEVER = new AbortController().signal;

/**
 * Follows a file that grows, as `tail -F` does, but line by line and without returning any line
 * twice.
 *
 * Each value is one content: a source of whole lines whose `read` waits for more lines. Usually
 * there is one. A content ends when the file is emptied or replaced by another content, which is
 * the next value, and another input for all later stages. So each source reads like an ordinary
 * file. A reader that stops before the end of a source has to leave the loop as well.
 *
 * - A last line is held back until its LF arrives, and with it any incomplete character. A line
 *   that never gets its LF is returned at the end of its content in two cases: another file has
 *   taken the place of its file, or following ends and the line is a complete JSON object. Half a
 *   record is not returned when following ends: it is still being written.
 * - The file may not exist yet, may vanish and come back, move to another one of the `paths`, be
 *   packed or be unpacked (gzip and zstd are unpacked while reading). Lines already returned are
 *   not returned again, because contents are compared by the hashes of their lines. So a file that
 *   is rewritten with the same beginning continues where it was.
 * - A file whose end was cut off continues behind what is left of it, if that is at least half of
 *   the bytes returned so far; otherwise it is another content, from its start. Lines that are
 *   written and cut off between two checks are never seen.
 * - Bytes written to a file before another file took its name are read first.
 * - Files are distinguished by device and inode, or by their time of birth where the file system
 *   has no inodes; in any case the last 64 bytes read must be unchanged.
 * - UTF-16 text that is not packed is returned unconverted: only {@linkcode openFile} and
 *   {@linkcode decompressed} convert it to UTF-8.
 *
 * @param paths The path of the file, then the paths where its content may be found once the file is
 *   gone. A file with another content under one of these is ignored.
 * @param options When to end, and the callbacks.
 * @returns The contents.
 * @throws {TypeError} If `paths` is not a list.
 * @throws {Error} If the file exists at the start and cannot be opened or is not a regular file;
 *   later, such a file is waited for. `read` throws if the file cannot be read.
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

/** Why a content ends: another content begins in this file, or following ends. */
type Ending = OpenedFile | "end";

class Follower {
  readonly #paths: readonly string[];
  readonly #options: FollowOptions;
  readonly #changes: ChangeWaiter;
  readonly #signal: AbortSignal;
  /** The content being read; `undefined` until the file exists. */
  #content: GrowingContent | undefined;
  /** The file to compare with the content once the content has been read to its end. */
  #successor: FoundFile | undefined;
  /** The path, identity and version of the file when it was last checked. */
  #seen: string | undefined;
  /** Whether the file lacks the bytes read last, so that its content must be compared. */
  #isDoubtful = false;
  #isAwaited = false;
  /** The size of the file when it was opened; infinite for a packed file. */
  #old = Infinity;
  /** Whether everything that the file held when it was opened has been read. */
  #isCaughtUp = false;
  #ending: Ending | undefined;
  #isClosed = false;

  constructor(paths: readonly string[], options: FollowOptions) {
    this.#paths = checkedList("paths", paths);
    this.#options = options;
    this.#changes = options.changes ?? new FileChanges();
    this.#signal = options.signal ?? NEVER;
  }

  async open(): Promise<void> {
    const found = await this.#find();
    if (found === undefined || found.path !== this.#paths[0]) {
      return await this.#await("awaited");
    }
    if (!found.isRegular) {
      throw new TypeError(
        `Cannot follow "${found.path}": it is not a regular file`,
      );
    }
    this.#begin(await OpenedFile.open(found.path), found);
  }

  source(): ByteSource {
    return { read: (into) => this.#read(into), close: () => {} };
  }

  /** Moves on to the next content; returns whether there is one. */
  goOn(): boolean {
    const file = this.#ending;
    if (!(file instanceof OpenedFile)) return false;
    if (this.#content?.file !== file) this.#content?.file.close();
    this.#ending = undefined;
    this.#content = new GrowingContent(file);
    return true;
  }

  close(): void {
    this.#isClosed = true;
    if (this.#ending instanceof OpenedFile) this.#ending.close();
    this.#content?.file.close();
    this.#changes.close();
  }

  #begin(file: OpenedFile, found: FoundFile): void {
    this.#content = new GrowingContent(file);
    this.#seen = found.version;
    if (!file.isPacked) this.#old = found.size;
  }

  async #read(into: Uint8Array): Promise<number | null> {
    this.#isCaughtUp ||= (this.#content?.position ?? 0) >= this.#old;
    // A caller that aborts within the old lines does not want the rest of them.
    if (this.#signal.aborted && !this.#isCaughtUp) return null;
    for (;;) {
      // Read before the file is checked: lines that are complete when the caller aborts are
      // returned.
      const isEnding = this.#signal.aborted;
      // The caller has left the loop while this read was waiting.
      if (this.#isClosed) return null;
      const content = this.#content;
      if (this.#ending !== undefined) {
        return await content?.readRest(into) ?? null;
      }
      const size = this.#isDoubtful ? 0 : await content?.readLines(into) ?? 0;
      if (size > 0) return size;
      if (await this.#look()) continue;
      this.#isCaughtUp = true;
      if (isEnding || this.#options.atEnd?.()) {
        this.#ending = "end";
        const isWhole = this.#isDoubtful ||
          await this.#content?.endWithRecord();
        if (isWhole === false) await this.#report("unfinished");
      } else {
        await this.#changes.wait(this.#path, this.#signal);
        // Check before the next read: the content may have changed.
        if (!this.#isClosed) await this.#look();
      }
    }
  }

  /** Checks the file for changes. Returns whether there may be more to read. */
  async #look(): Promise<boolean> {
    if (this.#successor !== undefined) return await this.#succeed();
    const content = this.#content;
    if (content !== undefined && !this.#isDoubtful) {
      this.#isDoubtful = !await content.isThere();
      // An overwritten file may keep its size and its time: forget them, so that it is compared.
      if (this.#isDoubtful) this.#seen = undefined;
    }
    const found = await this.#find();
    const isThere = found?.isRegular === true &&
      (content !== undefined || found.path === this.#paths[0]);
    if (!isThere) {
      // Forget the version: a file that comes back is checked even if it has not changed.
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

  async #lookAt(content: GrowingContent, found: FoundFile): Promise<boolean> {
    const { file } = content;
    const isSeen = found.version === this.#seen;
    this.#seen = found.version;
    const isOther = found.identity !== file.identity;
    const isUnlike = !isOther && this.#isUnlike(content, found.size, isSeen);
    if (isSeen && !isUnlike) return false;
    if (isOther || isUnlike || file.isPacked) {
      // What was written to the open file before this one came is read first.
      this.#successor = found;
      return true;
    }
    if (found.path !== file.path) {
      file.path = found.path;
      await this.#report("moved");
    }
    if (this.#isDoubtful) return await this.#compareWith(content, file);
    if (found.size < content.scanned) content.scanAgain();
    return found.size > content.scanned;
  }

  /**
   * Whether a file of this size cannot be the open file: it is smaller than what was read, or it
   * has not changed and is larger than what can be read. Systems without inodes may give a new file
   * the time of birth of the old one.
   */
  #isUnlike(content: GrowingContent, size: number, isSeen: boolean): boolean {
    if (content.file.isPacked || this.#isDoubtful) return false;
    return size < content.position || (isSeen && size > content.scanned);
  }

  /** Compares the successor with the content, unless it cannot be opened just now. */
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

  /** Continues in a file, or ends the content; returns whether there may be more to read. */
  async #compareWith(
    content: GrowingContent,
    file: OpenedFile,
  ): Promise<boolean> {
    const isSame = file === content.file;
    const comparison = await content.compare(file);
    const { common, isWhole, hasParted } = comparison ?? {};
    const isItsName = isSame || file.path === this.#paths[0];
    if (common === undefined || !(isWhole || (hasParted && isItsName))) {
      // Undecided: the file is still being written, or was cut off and not added to since. Under a
      // later one of the paths, it may also be another content, which is ignored.
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
      if (!isWhole) await this.#report("cut");
      else if (isMoved) await this.#report("moved");
      return true;
    }
    this.#ending = file;
    // An emptied file has lost its incomplete last line; a replaced file still holds it.
    if (!isSame && !isDoubtful) content.endWithRest();
    await this.#report(isSame ? "truncated" : "replaced");
    return true;
  }

  async #find(): Promise<FoundFile | undefined> {
    for (const path of this.#paths) {
      const found = await findFile(path).catch((error) => {
        // Ignored while a content is open: the path may be accessible at the next check.
        if (this.#content === undefined) throw error;
        return undefined;
      });
      if (found !== undefined) return found;
    }
    return undefined;
  }

  async #await(change: FollowChange): Promise<void> {
    if (!this.#isAwaited) await this.#report(change);
    this.#isAwaited = true;
  }

  async #report(change: FollowChange): Promise<void> {
    await this.#options.onChange?.(change, this.#path);
  }

  /** The current path of the file, or the one where it is expected. */
  get #path(): string {
    const file = this.#ending instanceof OpenedFile
      ? this.#ending
      : this.#content?.file;
    return file?.path ?? this.#paths[0] ?? "";
  }
}

/** Opens a file. Returns nothing if it cannot be opened: it is tried again at the next check. */
async function tryOpen(path: string): Promise<OpenedFile | undefined> {
  return await OpenedFile.open(path).catch(() => undefined);
}

// An open file that others write, rename and replace.

/** A file found under one of the paths. */
interface FoundFile {
  readonly path: string;
  /** Distinguishes the file from all others that exist at the same time. */
  readonly identity: string;
  /** The size in bytes; of a packed file, its packed size. */
  readonly size: number;
  /** The path, identity, size and time of modification: changes with every write. */
  readonly version: string;
  readonly isRegular: boolean;
}

/** Returns the file at a path; `undefined` if the path does not exist. */
async function findFile(path: string): Promise<FoundFile | undefined> {
  const { stat } = await import("node:fs/promises");
  try {
    const stats = await stat(path, { bigint: true });
    const identity = identityOf(stats);
    return {
      path,
      identity,
      size: Number(stats.size),
      version: `${path} ${identity} ${stats.size}:${stats.mtimeNs}`,
      isRegular: stats.isFile(),
    };
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/**
 * On a file system without inodes the time of birth distinguishes files; where that is equal too,
 * the comparison of contents decides.
 */
function identityOf({ dev, ino, birthtimeNs }: BigIntStats): string {
  return ino ? `${dev}:${ino}` : `${dev}:born:${birthtimeNs}`;
}

/** An open file; its path may change. */
class OpenedFile {
  readonly #handle: FileHandle;
  path: string;
  readonly identity: string;
  /** Whether the file is packed. Offsets are those of the unpacked content. */
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

  static async open(path: string): Promise<OpenedFile> {
    const { open } = await import("node:fs/promises");
    const handle = await open(path, "r");
    try {
      const identity = identityOf(await handle.stat({ bigint: true }));
      const head = new Uint8Array(MAGIC_BYTES);
      const { bytesRead } = await handle.read(head, 0, MAGIC_BYTES, 0);
      const start = head.subarray(0, bytesRead);
      const format = formatOf(start, bytesRead < MAGIC_BYTES, path);
      return new OpenedFile(handle, path, identity, format !== undefined);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Reads from an offset of the content; returns the number of bytes read. */
  async readAt(into: Uint8Array, position: number): Promise<number> {
    if (!this.#isOpen) return 0;
    if (this.isPacked) return await this.#unpackAt(into, position);
    return (await this.#handle.read(into, 0, into.length, position)).bytesRead;
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (this.#content !== undefined) this.#content.source.close();
    else this.#handle.close().catch(() => {});
  }

  /** Unpacks from the start; starts over for an offset before the current one. */
  async #unpackAt(into: Uint8Array, position: number): Promise<number> {
    if (this.#content === undefined || this.#content.position > position) {
      const bytes = sourceOf(this.#handle, 0);
      const source = decompressed(bytes, { name: this.path });
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
}

// The hashes of the lines read so far: enough to decide how much of them another file begins with.

/** FNV-1a, 32 bits, of all before a line end. A collision matters only at the same offset. */
const SEED = 0x811c9dc5;
const PRIME = 0x01000193;
/** How many line ends are kept: a multiple of four. */
const MAX_LINES = 1 << 16;

class LineHash {
  offset = 0;
  #hash = SEED;

  /** Calls `onEnd` with the offset behind each line, and the hash of everything before it. */
  add(
    bytes: Uint8Array,
    onEnd: (offset: number, hash: number) => void,
  ): void {
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

  goTo(offset: number, hash: number): void {
    this.offset = offset;
    this.#hash = hash;
  }
}

/**
 * The line ends of the bytes read so far, in arrays of fixed size.
 *
 * The newest tens of thousands are complete; older ones are thinned out with age, so that memory
 * does not grow with the file.
 */
export class LineTrail {
  readonly #hash = new LineHash();
  readonly offsets: Float64Array = new Float64Array(MAX_LINES);
  readonly hashes: Int32Array = new Int32Array(MAX_LINES);
  length = 0;
  /** The index from which on all line ends are kept. */
  dense = 0;

  /** The offset behind the last line. */
  get end(): number {
    return this.offsets[this.length - 1] ?? 0;
  }

  add(bytes: Uint8Array): void {
    this.#hash.add(bytes, (offset, hash) => {
      if (this.length === MAX_LINES) this.#thin();
      this.offsets[this.length] = offset;
      this.hashes[this.length] = hash;
      this.length += 1;
    });
  }

  /** Drops every second line end of the older half. */
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

  /** Drops everything behind a line end that is kept. */
  cutTo(offset: number): void {
    while (this.end > offset) this.length -= 1;
    this.dense = Math.min(this.dense, this.length);
    this.#hash.goTo(this.end, this.hashes[this.length - 1] ?? SEED);
  }
}

/** Compares a content with the lines read so far, up to the first difference. */
export class TrailComparison {
  readonly #hash = new LineHash();
  readonly #trail: LineTrail;
  #next = 0;
  /** Whether the content differs from the lines read so far. */
  hasParted = false;

  constructor(trail: LineTrail) {
    this.#trail = trail;
  }

  /** The offset, a line end, up to which both contents are known to be equal. */
  get common(): number {
    return this.#trail.offsets[this.#next - 1] ?? 0;
  }

  /** Whether the content begins with all lines read so far. */
  get isWhole(): boolean {
    return this.#next === this.#trail.length;
  }

  add(bytes: Uint8Array): void {
    if (this.isWhole || this.hasParted) return;
    this.#hash.add(bytes, (offset, hash) => this.#compare(offset, hash));
    this.hasParted ||= !this.isWhole && this.#hash.offset >= this.#nextOffset;
  }

  get #nextOffset(): number {
    return this.#trail.offsets[this.#next] ?? 0;
  }

  #compare(offset: number, hash: number): void {
    if (this.isWhole || this.hasParted) return;
    const isNext = offset === this.#nextOffset;
    if (isNext && hash === this.#trail.hashes[this.#next]) this.#next += 1;
    else if (offset >= this.#nextOffset || this.#next >= this.#trail.dense) {
      this.hasParted = true;
    }
  }
}

// One content of a file that grows: its complete lines.

/** How many of the last bytes read are compared before bytes behind them are read. */
const OVERLAP = 64;
const BLOCK = 1 << 16;
/** The longest last line without LF that is tested for a complete record, in bytes. */
const MAX_REST = 1 << 26;

/** Reads the complete lines of a content, and recognizes the content in another file. */
class GrowingContent {
  file: OpenedFile;
  readonly #trail = new LineTrail();
  #overlap = new Uint8Array(0);
  /** The offset behind the bytes read. */
  position = 0;
  /** The offset up to which lines are known to be complete. */
  #complete = 0;
  /** The offset up to which line ends were searched. */
  scanned = 0;
  #rest = 0;

  constructor(file: OpenedFile) {
    this.file = file;
  }

  /** Reads complete lines that were not read yet; returns 0 if there are none. */
  async readLines(into: Uint8Array): Promise<number> {
    for (;;) {
      const known = this.#complete - this.position;
      const isKnown = known > 0;
      const part = into.subarray(0, isKnown ? known : into.length);
      const at = isKnown ? this.position : this.scanned;
      const size = await this.file.readAt(part, at);
      if (size === 0) {
        // The complete lines found before have been cut off.
        if (isKnown) this.scanAgain();
        return 0;
      }
      const length = isKnown ? size : into.lastIndexOf(LF, size - 1) + 1;
      if (!isKnown) {
        if (length > 0) this.#complete = at + length;
        this.scanned = at + (length || size);
      }
      if (length > 0 && at === this.position) {
        const bytes = into.subarray(0, length);
        this.#trail.add(bytes);
        this.#overlap = lastBytes(this.#overlap, bytes, OVERLAP);
        this.position += length;
        return length;
      }
    }
  }

  /** Searches line ends again in everything not read yet. */
  scanAgain(): void {
    this.#complete = this.position;
    this.scanned = this.position;
  }

  /** Whether the file still holds the last bytes read from it. */
  async isThere(): Promise<boolean> {
    // A packed file is never appended to, only replaced.
    if (this.file.isPacked) return true;
    const before = new Uint8Array(this.#overlap.length);
    const at = this.position - before.length;
    const read = await this.file.readAt(before, at);
    return read === before.length &&
      before.every((byte, i) => byte === this.#overlap[i]);
  }

  /** Compares a file with the lines read so far; `undefined` if it does not unpack yet. */
  async compare(file: OpenedFile): Promise<TrailComparison | undefined> {
    const comparison = new TrailComparison(this.#trail);
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
      // The file is still being packed.
      return undefined;
    }
    return comparison;
  }

  /** Continues in a file that is known to be equal up to an offset, a line end. */
  goOnIn(file: OpenedFile, common: number): void {
    if (this.file !== file) this.file.close();
    this.file = file;
    if (common < this.position) {
      this.#trail.cutTo(common);
      this.#overlap = new Uint8Array(0);
      this.position = common;
    }
    this.scanAgain();
  }

  /** Makes {@linkcode readRest} return everything left, including a line without LF. */
  endWithRest(): void {
    this.#rest = Infinity;
  }

  /**
   * Makes {@linkcode readRest} return the last line without LF if it is a whole record; returns
   * whether no incomplete line is left out.
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

  /** Reads what is left to return at the end of the content; `null` when there is no more. */
  async readRest(into: Uint8Array): Promise<number | null> {
    const part = into.subarray(0, Math.min(into.length, this.#rest));
    const size = part.length === 0
      ? 0
      : await this.file.readAt(part, this.position);
    this.#rest -= size;
    this.position += size;
    return size === 0 ? null : size;
  }
}

/** Whether bytes are a whole JSON object: a cut-off object never parses. */
function isRecord(bytes: Uint8Array): boolean {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.trimStart().startsWith("{") &&
      typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}
