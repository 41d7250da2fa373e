/**
 * What the rules of all dialects begin with.
 */

import {
  LINE_FAILURE_KINDS,
  type LineFailureKind,
  type LineProblem,
} from "../errors.ts";
import type { ByteWriter } from "../json/byte_writer.ts";
import { syntaxProblem } from "../json/problems.ts";
import { JsonReader, type NotedLevels } from "../json/reader.ts";
import { JsonObject, type JsonSlice, KIND_WORDS } from "../json/value.ts";
import { LINE_FAILED } from "./line_failed.ts";
import type { LineFault, LineRules } from "./line_rules.ts";

const KINDS: ReadonlyMap<string, LineFailureKind> = new Map(
  LINE_FAILURE_KINDS.map((kind) => [kind, kind]),
);

/**
 * Reads a line as a JSON object and leaves it to a dialect to make a record of it.
 *
 * A failure that an earlier run reported in band passes as it is, in every dialect
 * (normalize.md T6).
 */
export abstract class RecordRules implements LineRules {
  /** Reads the lines; its values hold until the next one. */
  protected readonly reader: JsonReader;

  /**
   * Constructs a new instance.
   *
   * @param levels How deep the dialect looks into most records.
   */
  constructor(levels: NotedLevels) {
    this.reader = new JsonReader(levels);
  }

  /** Forgets the stream: the next line is the first one of another. */
  abstract reset(): void;

  /** Writes down what later lines depend on, as plain JSON. */
  abstract save(): unknown;

  /** Goes on from what was written down. */
  abstract load(saved: unknown): void;

  /**
   * Makes a record of a line.
   *
   * @param root The object that the line is.
   * @param line Its members.
   * @param out Takes the record; what is written when the line fails is dropped.
   * @returns Why the line failed, or `undefined`.
   */
  protected abstract record(
    root: JsonSlice,
    line: JsonObject,
    out: ByteWriter,
  ): LineProblem | undefined;

  /**
   * Makes the record of a line from what was learned of another one like it.
   *
   * @param _bytes The bytes that hold the line; the reader has read it.
   * @param _out Takes the record.
   * @returns Whether that was done.
   */
  protected repeat(_bytes: Uint8Array, _out: ByteWriter): boolean {
    return false;
  }

  /** Normalizes one line; see {@linkcode LineRules.apply}. */
  apply(
    bytes: Uint8Array,
    start: number,
    end: number,
    out: ByteWriter,
  ): LineFault | undefined {
    const root = this.reader.read(bytes, start, end);
    if (root === undefined) {
      const problem = syntaxProblem(this.reader, bytes, start, end);
      return { problem, start, end, inBand: false };
    }
    if (root.kind !== "object") {
      const problem = unnormalizable(
        `the line is ${KIND_WORDS[root.kind]}, expected an object`,
      );
      return { problem, start, end, inBand: false };
    }
    if (this.repeat(bytes, out)) return undefined;
    const line = this.reader.members(root);
    if (this.reader.wordOf(line.get("type")) === LINE_FAILED) {
      const problem = reportedProblem(this.reader, line);
      return { problem, start: root.start, end: root.end, inBand: true };
    }
    const length = out.length;
    const problem = this.record(root, line, out);
    if (problem === undefined) return undefined;
    out.truncate(length);
    return { problem, start, end, inBand: false };
  }
}

/** The problem of a line that is JSON, but no record. */
export function unnormalizable(state: string, field?: string): LineProblem {
  const message = `Cannot normalize the line: ${state}`;
  return field === undefined
    ? { kind: "normalize", message }
    : { kind: "normalize", message, field };
}

/** What a failure that was reported in band says of itself. */
function reportedProblem(reader: JsonReader, line: JsonObject): LineProblem {
  const error = line.get("error");
  const members = error?.kind === "object"
    ? reader.members(error)
    : new JsonObject();
  const kind = KINDS.get(reader.wordOf(members.get("kind")) ?? "") ?? "typed";
  const message = reader.textOf(members.get("message")) ??
    "The line failed in an earlier run";
  return { kind, message };
}
