/** Measures drift: the parts of Codex's lines that no known release writes. */

import { KNOWN_WIRE } from "../dialects/known_wire.ts";
import { releaseNumber, releaseText } from "../dialects/releases.ts";
import type { LineSplitterOptions } from "../lines/line_splitter.ts";
import { RECORD_NAMES } from "./_user_data.ts";
import { isNewNode, type Occurrence, WireSource } from "./_wire_source.ts";
import type {
  DriftDialect,
  DriftFinding,
  DriftReport,
} from "./drift_finding.ts";
import {
  type Mark,
  namesIn,
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
  types: readonly string[];
  count: number;
}

/**
 * The largest number of findings kept: the limit for streams where every record is of another kind.
 */
const MAX_FINDINGS = 10_000;
/** The number of sessions from which on a baseline reports missing kinds. */
const MANY_SESSIONS = 5;

/** The paths that a record of any kind has: of its tag, and of the member that wraps it. */
const ENVELOPE: ReadonlySet<string> = new Set([
  "type",
  "method",
  ...[...RECORD_NAMES].flatMap((name) => [name, `${name}.type`]),
]);

let builtIn: unknown;

function knownWire(): unknown {
  return builtIn ??= JSON.parse(KNOWN_WIRE);
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
  readonly #isRecording: boolean;
  readonly #hasBaseline: boolean;
  readonly #tallies = new Map<string, Tally>();
  /** The last finding of each part: most occurrences are of the same release and type. */
  readonly #last = new Map<WireNode | Mark, Tally>();
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
    let known: ReadonlySet<string> | undefined;
    const names = () => known ??= namesIn([knownWire(), saved]);
    this.#newTree = () => {
      const tree = new WireTree(isPublic, names);
      if (baseline !== undefined) tree.load(saved);
      else if (!isRecording) tree.load(knownWire());
      return tree;
    };
    this.#tree = this.#newTree();
  }

  /** The number of occurrences that are in no finding, past the limit of 10,000 findings. */
  get more(): number {
    return this.#more;
  }

  /** The number of findings. Cheaper than {@linkcode DriftMeter.findings}. */
  get count(): number {
    return this.#tallies.size;
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
    const findings = [...this.#tallies.values()].map((tally) => ({ ...tally }));
    return findings.sort((a, b) =>
      compare(a.dialect, b.dialect) || compare(a.kind, b.kind) ||
      compare(a.path, b.path) || compare(a.change, b.change) ||
      compare(a.word ?? "", b.word ?? "") ||
      releaseNumber(b.release) - releaseNumber(a.release)
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
    const counts = { findings: [...this.#tallies.values()], more: this.#more };
    // New parts are marked in the tree.
    if (this.count > 0) this.#tree = this.#newTree();
    this.#tallies.clear();
    this.#last.clear();
    this.#more = 0;
    return counts;
  }

  /**
   * Adds the findings of another meter, after those of this one.
   *
   * @param counts The result of {@linkcode DriftMeter.take} there.
   */
  add({ findings, more }: DriftReport): void {
    this.#more += more;
    for (const finding of findings) this.#add(finding);
  }

  /** Adds a finding to the one of other occurrences, or else with the treatment. Returns it. */
  #add(
    finding: DriftFinding,
    treatment: () => DriftFinding["treatment"] = () => finding.treatment,
  ): Tally | undefined {
    const { dialect, kind, path, change, word, release, types, count } =
      finding;
    const key = JSON.stringify(
      [dialect, kind, path, change, word, release, change === "type" && types],
    );
    const known = this.#tallies.get(key);
    if (known !== undefined) {
      known.types = [...new Set([...known.types, ...types])];
      known.count += count;
      return known;
    }
    if (this.#tallies.size >= MAX_FINDINGS) {
      this.#more += count;
      return undefined;
    }
    const tally = { ...finding, treatment: treatment() };
    this.#tallies.set(key, tally);
    return tally;
  }

  /**
   * Returns the input, added to the format that it was compared with, as a baseline.
   *
   * @returns JSON, without values of the input.
   */
  baseline(): string {
    return this.#tree.save(!this.#isRecording);
  }

  #found(mark: Mark, at: Occurrence): void {
    const { node, word } = mark;
    const { release, dialect, file, line } = at;
    const isNew = isNewNode(node);
    // The words of a new field are not reported separately, nor is the envelope of a new kind.
    if (isNew && word !== undefined) return;
    if (isNew && isNewNode(node.kind) && ENVELOPE.has(node.path)) return;
    const change = word !== undefined
      ? "word"
      : node.parent === undefined
      ? "kind"
      : isNew
      ? "field"
      : "type";
    const types = change === "kind" ? [] : [WIRE_TYPES[mark.type] ?? ""];
    const written = release === 0 ? null : releaseText(release);
    const part = isNew ? node : mark;
    const last = this.#last.get(part);
    if (
      last !== undefined && last.release === written &&
      types.every((type) => last.types.includes(type))
    ) {
      last.count += 1;
      return;
    }
    const tally = this.#add({
      release: written,
      dialect,
      kind: node.kind.name,
      path: node.path,
      change,
      types,
      word: word ?? null,
      seen: mark.isKnown ? seenOf(mark) : null,
      count: 1,
      file,
      line,
      treatment: null,
    }, at.treatment);
    if (tally !== undefined) this.#last.set(part, tally);
  }

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
      this.#add({
        release: null,
        kind: kind.name,
        path: "",
        change: "missing",
        types: [],
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

function seenOf(mark: Mark | undefined): DriftFinding["seen"] {
  if (mark === undefined || mark.first === 0) return null;
  return [releaseText(mark.first), releaseText(mark.last)];
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
