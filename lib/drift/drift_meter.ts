/** Measures drift: the parts of Codex's lines that no known release writes. */

import { KNOWN_WIRE } from "../dialects/known_wire.ts";
import { releaseText } from "../dialects/releases.ts";
import type { LineSplitterOptions } from "../lines/line_splitter.ts";
import { RECORD_NAMES } from "./_user_data.ts";
import { isNewNode, type Occurrence, WireSource } from "./_wire_source.ts";
import type {
  DriftDialect,
  DriftFinding,
  DriftReport,
} from "./drift_finding.ts";
import {
  ANY_NAME,
  type Mark,
  WIRE_TYPES,
  type WireKind,
  type WireNode,
  WireTree,
} from "./wire_tree.ts";

/** Options for {@linkcode DriftMeter}. */
export interface DriftMeterOptions {
  /**
   * The format to compare with, instead of the one built in: a result of
   * {@linkcode DriftMeter.baseline}.
   *
   * @default {undefined}
   */
  readonly baseline?: string | undefined;
  /**
   * Compares with nothing; the input becomes a baseline.
   *
   * @default {false}
   */
  readonly isRecording?: boolean | undefined;
  /**
   * Whether the input holds no user data, so that all names may be shown.
   *
   * @default {false}
   */
  readonly isPublic?: boolean | undefined;
}

/** Options for one stream or session file. */
export interface DriftSourceOptions extends LineSplitterOptions {
  /**
   * The release that wrote the input, used unless the input names one.
   *
   * @default {undefined}
   */
  readonly release?: string | undefined;
}

/** One stream or session file being read. */
export interface DriftSource {
  /** The number of lines that could not be read. */
  readonly failures: number;
  /** The kind of input, if it is not a stream or session file of Codex. */
  readonly other: string | undefined;
  /**
   * Reads a block.
   *
   * @param block The bytes; the caller may reuse them after the call.
   */
  feed(block: Uint8Array): void;
  /** Ends the stream. */
  flush(): void;
}

/** A finding with its types and its count so far. */
interface Tally extends Omit<DriftFinding, "types" | "count"> {
  readonly types: Set<string>;
  count: number;
}

/**
 * The largest number of findings kept: the limit for streams where every record is of another kind.
 */
const MAX_FINDINGS = 10_000;
/** The number of sessions from which on a baseline reports missing kinds. */
const MANY_SESSIONS = 5;

let known: unknown;
let names: WireTree | undefined;

/** The built-in format, as it was saved. */
function knownWire(): unknown {
  return known ??= JSON.parse(KNOWN_WIRE);
}

/** The built-in format, for looking up names only. */
function knownNames(): WireTree {
  if (names !== undefined) return names;
  names = new WireTree();
  names.load(knownWire());
  return names;
}

/**
 * Compares streams and session files with the format that releases of Codex are known to write, and
 * reports new kinds of records, fields, types and words, and how codexpipe treats them.
 *
 * Findings hold no values: only names and words of Codex, and `*` in place of those that may be
 * user data.
 *
 * @example A field that no known release writes
 * ```ts
 * import { DriftMeter } from "@codexpipe/codexpipe/drift";
 * import { assertEquals } from "@std/assert";
 *
 * const log = '{"type":"thread.started","thread_id":"t","colour":"my secret"}\n';
 * const meter = new DriftMeter();
 * const source = meter.open("run.jsonl");
 * source.feed(new TextEncoder().encode(log));
 * source.flush();
 *
 * assertEquals(meter.findings(), [{
 *   release: null,
 *   dialect: "exec",
 *   kind: "thread.started",
 *   path: "colour",
 *   change: "field",
 *   types: ["string"],
 *   word: null,
 *   seen: null,
 *   count: 1,
 *   file: "run.jsonl",
 *   line: 1,
 *   treatment: "kept",
 * }]);
 * ```
 */
export class DriftMeter {
  /** The known format; new parts are marked in it. */
  #tree: WireTree;
  /** Builds the tree without the marks of the input. */
  readonly #newTree: () => WireTree;
  /** Whether new parts are marked in the tree. */
  #isMarked = false;
  readonly #isRecording: boolean;
  readonly #tallies = new Map<WireNode | Mark, Map<number, Tally>>();
  readonly #hasBaseline: boolean;
  /** The kinds that all sessions of the baseline had and sessions here lack. */
  readonly #lacking = new Map<WireKind, Tally>();
  /** Findings added from other meters, by their key. */
  readonly #added = new Map<string, DriftFinding>();
  #moreAdded = 0;
  #count = 0;
  #more = 0;

  /**
   * Constructs a new instance.
   *
   * @param options The format to compare with.
   * @throws {SyntaxError} If the baseline is not a result of {@linkcode DriftMeter.baseline}.
   */
  constructor(options: DriftMeterOptions = {}) {
    const { baseline, isRecording = false, isPublic = false } = options;
    this.#isRecording = isRecording;
    this.#hasBaseline = baseline !== undefined;
    const saved = baseline === undefined ? undefined : JSON.parse(baseline);
    this.#newTree = () => {
      const tree = new WireTree({ isTrusted: isPublic, moreNames: knownNames });
      if (baseline !== undefined) tree.load(saved);
      else if (!isRecording) tree.load(knownWire());
      return tree;
    };
    this.#tree = this.#newTree();
  }

  /** The number of occurrences that are in no finding, past the limit of 10,000 findings. */
  get more(): number {
    return this.#more + this.#moreAdded;
  }

  /** The number of findings. Cheaper than {@linkcode DriftMeter.findings}. */
  get count(): number {
    return this.#count + this.#added.size;
  }

  /**
   * Opens a stream or session file.
   *
   * @param file Its name in findings.
   * @param options The limit on lines, and the release.
   * @returns The source to feed with its bytes.
   * @throws {RangeError} If the limit is not a whole number from 1 to 2^29 - 24.
   */
  open(file: string, options: DriftSourceOptions = {}): DriftSource {
    const how = { ...options, isRecording: this.#isRecording };
    return new WireSource(file, this.#tree, how, {
      marked: () => this.#isMarked = true,
      found: (mark, at) => this.#found(mark, at),
      ended: (dialect, kinds) => this.#ended(file, dialect, kinds),
    });
  }

  /**
   * Returns the findings.
   *
   * @returns The findings, sorted by dialect, kind and path; of one path, the latest release first.
   */
  findings(): readonly DriftFinding[] {
    const findings = [...this.#added.values(), ...this.#ownFindings()];
    return findings.sort((a, b) =>
      compare(a.dialect, b.dialect) || compare(a.kind, b.kind) ||
      compare(a.path, b.path) || compare(a.change, b.change) ||
      compare(a.word ?? "", b.word ?? "") ||
      compare(a.types.join(), b.types.join()) ||
      compare(b.release ?? "", a.release ?? "")
    );
  }

  /**
   * Removes and returns the findings so far, to be added to another meter: so files can be read in
   * several threads. Later input is compared with the format as it was at the start.
   *
   * @returns The findings, in the order of their first occurrence; `structuredClone` can copy them.
   *   This meter no longer counts them.
   *
   * @example From one thread to another
   * ```ts
   * import { DriftMeter } from "@codexpipe/codexpipe/drift";
   * import { assertEquals } from "@std/assert";
   *
   * const there = new DriftMeter();
   * const source = there.open("run.jsonl");
   * source.feed(new TextEncoder().encode('{"type":"thread.started","hue":1}\n'));
   * source.flush();
   * const meter = new DriftMeter();
   * meter.add(structuredClone(there.take()));
   *
   * assertEquals(meter.findings().map(({ path }) => path), ["hue"]);
   * ```
   */
  take(): DriftReport {
    const counts = { findings: this.#ownFindings(), more: this.#more };
    this.#tallies.clear();
    this.#lacking.clear();
    this.#count = 0;
    this.#more = 0;
    if (this.#isMarked) this.#tree = this.#newTree();
    this.#isMarked = false;
    return counts;
  }

  /**
   * Adds the findings of another meter, after those of this one.
   *
   * @param counts The result of {@linkcode DriftMeter.take} there.
   */
  add({ findings, more }: DriftReport): void {
    this.#moreAdded += more;
    for (const finding of findings) {
      const { dialect, kind, path, change, word, release, types } = finding;
      const type = change === "type" ? types : [];
      const key = JSON.stringify(
        [dialect, kind, path, change, word, release, type],
      );
      const known = this.#added.get(key);
      if (known !== undefined) {
        this.#added.set(key, {
          ...known,
          types: [...new Set([...known.types, ...types])],
          count: known.count + finding.count,
        });
      } else if (this.#added.size < MAX_FINDINGS || change === "missing") {
        this.#added.set(key, finding);
      } else this.#moreAdded += finding.count;
    }
  }

  #ownFindings(): DriftFinding[] {
    const tallies = [...this.#tallies.values(), this.#lacking];
    return tallies.flatMap((some) => [...some.values()]).map((tally) => ({
      ...tally,
      types: tally.change === "kind" ? [] : [...tally.types],
    }));
  }

  /**
   * Returns the input, added to the format that it was compared with, as a baseline.
   *
   * @returns JSON, without values of the input.
   */
  baseline(): string {
    return this.#tree.save();
  }

  #found(mark: Mark, at: Occurrence): void {
    const { node, word } = mark;
    const { release } = at;
    const isNew = isNewNode(node);
    // The words of a new field are not reported separately.
    if (isNew && (word !== undefined || isEnvelope(node))) return;
    const key = isNew ? node : mark;
    const byRelease = this.#tallies.get(key) ?? new Map<number, Tally>();
    this.#tallies.set(key, byRelease);
    const type = WIRE_TYPES[mark.type] ?? "";
    const tally = byRelease.get(release);
    if (tally !== undefined) {
      tally.types.add(type);
      tally.count += 1;
      return;
    }
    if (this.#count >= MAX_FINDINGS) {
      this.#more += 1;
      return;
    }
    this.#count += 1;
    const change = changeOf(mark, isNew);
    byRelease.set(release, {
      release: release === 0 ? null : releaseText(release),
      dialect: at.dialect,
      kind: node.kind.name,
      path: node.path,
      change,
      types: new Set([type]),
      word: change === "word" ? word ?? ANY_NAME : null,
      seen: mark.isKnown ? seenOf(mark) : null,
      count: 1,
      file: at.file,
      line: at.line,
      treatment: at.treatment(mark),
    });
  }

  /** Counts the kinds of records that a session had. */
  #ended(
    file: string,
    dialect: DriftDialect,
    kinds: ReadonlySet<WireKind>,
  ): void {
    if (this.#isRecording) {
      this.#tree.dialect(dialect).sessions += 1;
      for (const kind of kinds) kind.sessions += 1;
      return;
    }
    if (!this.#hasBaseline) return;
    const { sessions, kinds: all } = this.#tree.dialect(dialect);
    if (sessions < MANY_SESSIONS) return;
    for (const kind of all.values()) {
      if (kind.sessions < sessions || kinds.has(kind)) continue;
      const lacking = this.#lacking.get(kind);
      if (lacking !== undefined) {
        lacking.count += 1;
        continue;
      }
      this.#count += 1;
      this.#lacking.set(kind, {
        release: null,
        kind: kind.name,
        path: "",
        change: "missing",
        types: new Set(),
        word: null,
        seen: seenOf(kind.marks[0]),
        dialect,
        file,
        count: 1,
        line: null,
        treatment: null,
      });
    }
  }
}

/**
 * Returns whether a path exists only because its kind of record is new: the tag of the kind, and
 * the member that wraps the record.
 */
function isEnvelope({ kind, parent, name }: WireNode): boolean {
  if (parent === undefined || !isNewNode(kind)) return false;
  if (parent.parent !== undefined) {
    return name === "type" && parent.parent.parent === undefined &&
      RECORD_NAMES.has(parent.name);
  }
  return name === "type" || name === "method" || RECORD_NAMES.has(name);
}

function changeOf(
  { node, word }: Mark,
  isNew: boolean,
): DriftFinding["change"] {
  if (isNew || (node.parent === undefined && word === undefined)) {
    return node.parent === undefined ? "kind" : "field";
  }
  return word === undefined ? "type" : "word";
}

function seenOf(mark: Mark | undefined): DriftFinding["seen"] {
  if (mark === undefined || mark.first === 0) return null;
  return [releaseText(mark.first), releaseText(mark.last)];
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
