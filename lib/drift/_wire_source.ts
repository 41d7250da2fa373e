/** Reads one stream, walks all values of its records, and finds their marks in a tree. */

import { DIALECTS } from "../dialects/dialect_names.ts";
import { streamKindOf } from "../dialects/dialects.ts";
import { releaseNumber } from "../dialects/releases.ts";
import { gluedRecord } from "../dialects/rollout/rollout_rules.ts";
import { KindTeller, NORMALIZED } from "../dialects/wire_kinds.ts";
import { DOT } from "../json/bytes.ts";
import { NULL_VALUE } from "../json/literal.ts";
import { hashBytes, WORDS } from "../json/names.ts";
import type { JsonTape } from "../json/tape.ts";
import { decodeUtf8 } from "../json/utf8.ts";
import type { JsonSlice } from "../json/value.ts";
import { isBlankLine } from "../lines/blank.ts";
import { LINE_FAILED } from "../lines/failures.ts";
import { LineFramer, type LineVisitor } from "../lines/line_framer.ts";
import {
  checkedMaxLineBytes,
  type LineSplitterOptions,
} from "../lines/line_splitter.ts";
import { treatmentOf } from "./_treatment.ts";
import type { DriftDialect, DriftFinding } from "./drift_finding.ts";
import { MAX_WORD_LENGTH } from "./_user_data.ts";
import {
  ANY_NAME,
  ARRAY,
  INTEGER,
  type Mark,
  NUMBER,
  STRING,
  WIRE_TYPES,
  type WireKind,
  type WireNode,
  type WireTree,
} from "./wire_tree.ts";

const LOWER_E = 0x65;
const UPPER_E = 0x45;

/**
 * How many bytes of records of one stream are normalized again to find out the treatment of their
 * parts. Later new parts are reported as `kept`.
 */
const MAX_TRIED = 1 << 24;

/** One occurrence of a mark. */
export interface Occurrence {
  readonly file: string;
  readonly line: number;
  readonly release: number;
  readonly dialect: DriftDialect;
  readonly treatment: () => DriftFinding["treatment"];
}

/** Receives the marks found in a stream. */
export interface SourceReports {
  found(mark: Mark, at: Occurrence): void;
  ended(dialect: DriftDialect, kinds: ReadonlySet<WireKind>): void;
}

/** Reads one stream or session file: walks all values of its records. */
export class WireSource implements LineVisitor {
  readonly #file: string;
  readonly #tree: WireTree;
  readonly #isRecording: boolean;
  readonly #reports: SourceReports;
  readonly #framer: LineFramer;
  readonly #teller = new KindTeller();
  /** Marks whose last release is before this one are reported. */
  #limit: number;
  readonly #kinds = new Set<WireKind>();
  #release: number;
  other: string | undefined;
  /** The current record, and the number of its line. */
  #record: JsonSlice = NULL_VALUE;
  #line = 0;
  #tried = 0;
  /**
   * Reports from before the first item. Whether codexpipe wrote the stream shows at an item only:
   * events of threads and turns look the same in both.
   */
  #early: (() => void)[] | undefined = [];
  /**
   * Whether a turn has a thread id, before the first item. Codex writes none there, and codexpipe
   * writes it in all turns.
   */
  #isOwn = false;
  failures = 0;

  constructor(
    file: string,
    tree: WireTree,
    { isRecording, release, maxLineBytes }: LineSplitterOptions & {
      readonly isRecording: boolean;
      readonly release?: string | undefined;
    },
    reports: SourceReports,
  ) {
    this.#file = file;
    this.#tree = tree;
    this.#isRecording = isRecording;
    this.#limit = isRecording ? Infinity : 0;
    this.#release = releaseNumber(release);
    this.#reports = reports;
    this.#framer = new LineFramer(checkedMaxLineBytes(maxLineBytes));
  }

  feed(block: Uint8Array): void {
    if (this.other === undefined) this.#framer.feed(block, this);
  }

  flush(): void {
    if (this.other === undefined) this.#framer.flush(this);
    if (this.#early !== undefined && this.#isOwn) {
      this.other = NORMALIZED_STREAM;
    }
    const { dialect } = this.#teller;
    if (dialect === undefined && this.failures > 0) this.other ??= NO_STREAM;
    if (this.other !== undefined) return;
    this.#reportEarly();
    if (dialect !== undefined) this.#reports.ended(dialect, this.#kinds);
  }

  line(bytes: Uint8Array, start: number, end: number, line: number): void {
    if (this.other !== undefined || isBlankLine(bytes, start, end)) return;
    const { reader, dialect: known } = this.#teller;
    let record = reader.read(bytes, start, end);
    if (record?.kind !== "object") {
      this.failures += 1;
      if ((known ?? "rollout") !== "rollout") return;
      record = gluedRecord(reader, bytes, start, end)?.root;
      if (record === undefined) return;
    }
    if (known === undefined) {
      const kind = streamKindOf(reader, reader.members(record));
      if (!STREAMS.has(kind)) this.other = kind;
      if (this.other !== undefined) return;
    }
    const kind = this.#teller.kind(record);
    // Records that codexpipe wrote show nothing about the format of Codex.
    if (kind === LINE_FAILED) return;
    if (kind === NORMALIZED) {
      if (this.#early !== undefined) this.other = NORMALIZED_STREAM;
      return;
    }
    if (!EARLY_REGEXP.test(kind)) this.#reportEarly();
    const dialect = this.#tree.dialect(this.#teller.last);
    this.#release ||= this.#teller.release(record, kind);
    if (this.#isRecording) dialect.addRelease(this.#release);
    else {
      this.#limit ||= dialect.limitOf(this.#release);
    }
    const node = this.#tree.kind(dialect, kind);
    this.#kinds.add(node);
    this.#record = record;
    this.#line = line;
    this.#value(reader.tape, 0, node);
  }

  tooLong(): void {
    this.failures += 1;
  }

  /** Reports the marks of a value and of its parts; a tape has no parts below its levels. */
  #value(tape: JsonTape, at: number, node: WireNode): void {
    let type = tape.code(at);
    if (type === NUMBER && this.#isInteger(tape, at)) {
      // A whole number is nothing new where fractions are known.
      type = node.marks[NUMBER] === undefined ? INTEGER : NUMBER;
    }
    const mark = node.marks[type] ?? node.mark(type);
    if (mark.last < this.#limit) this.#report(mark);
    if (type === STRING && node.words !== undefined) {
      const mark = node.wordMark(this.#word(tape, at), this.#tree);
      if (mark !== undefined && mark.last < this.#limit) this.#report(mark);
    }
    if (type > ARRAY || node.isData) return;
    const behind = tape.next(at);
    for (let part = at + 1; part < behind; part = tape.next(part)) {
      const inner = type === ARRAY
        ? node.element(this.#tree)
        : node.member(tape.name(part), this.#tree);
      if (inner !== undefined) this.#value(tape, part, inner);
    }
  }

  #word(tape: JsonTape, at: number): string {
    const { bytes } = this.#record;
    const start = tape.start(at) + 1;
    const end = tape.end(at) - 1;
    if (tape.isEscaped(at) || end - start > MAX_WORD_LENGTH) return ANY_NAME;
    return WORDS.text(bytes, start, end, hashBytes(bytes, start, end));
  }

  #isInteger(tape: JsonTape, at: number): boolean {
    const { bytes } = this.#record;
    const end = tape.end(at);
    for (let i = tape.start(at); i < end; i++) {
      const byte = bytes[i];
      if (byte === DOT || byte === LOWER_E || byte === UPPER_E) return false;
    }
    return true;
  }

  #report(mark: Mark): void {
    const release = this.#release;
    if (this.#isRecording) return this.#hold(mark, () => mark.widen(release));
    // A part that returned together with the object around it is reported once, as that object.
    if (mark.isKnown && lastAround(mark) < this.#limit) return;
    // The bytes of the line are overwritten before an early report.
    const treatment = this.#early && this.#treatment(mark);
    const at = {
      file: this.#file,
      line: this.#line,
      release,
      dialect: this.#teller.last,
      treatment: () => treatment ?? this.#treatment(mark),
    };
    this.#hold(mark, () => this.#reports.found(mark, at));
  }

  /** Makes a report, or stores it until the first item. */
  #hold({ node }: Mark, report: () => void): void {
    if (this.#early === undefined) return report();
    this.#isOwn ||= node.path === "thread_id" && isNewNode(node) &&
      node.kind.name.startsWith("turn.");
    this.#early.push(report);
    if (this.#early.length >= MAX_EARLY) this.#reportEarly();
  }

  #reportEarly(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const report of early) report();
  }

  #treatment({ node, type, word }: Mark): DriftFinding["treatment"] {
    const { bytes, start, end } = this.#record;
    this.#tried += end - start;
    if (this.#tried > MAX_TRIED) return "kept";
    const text = decodeUtf8(bytes, start, end);
    const dialect = this.#teller.last;
    const part = node.parent === undefined
      ? undefined
      : { steps: node.steps, type: WIRE_TYPES[type] ?? "", word };
    return treatmentOf(text, dialect, part);
  }
}

/** The kinds of files whose records are compared; others are not of one stream or session. */
const STREAMS: ReadonlySet<string> = new Set(DIALECTS);
const NORMALIZED_STREAM = "normalized stream";
const NO_STREAM = "file without a JSON object";
/** Matches the kinds that Codex and codexpipe spell alike. */
const EARLY_REGEXP = /^(?:thread\.|turn\.|error$)/;
/** After so many early marks the stream is taken for one of Codex. */
const MAX_EARLY = 1000;

/** The last release known to write the object that holds a type, or the field that holds a word. */
function lastAround({ node, word }: Mark): number {
  const around = word === undefined ? node.parent : node;
  if (around === undefined) return Infinity;
  const known = around.marks.filter((mark) => mark !== undefined);
  return Math.max(-1, ...known.map(({ last }) => last));
}

/** Returns whether a path is unknown to the baseline. */
export function isNewNode({ marks }: WireNode): boolean {
  return !marks.some((mark) => mark?.isKnown);
}
