/**
 * What holds for every stream, however broken it is.
 *
 * @module
 */

import type { CodexRecord } from "../../lib/decoder.ts";
import { JsonlDecoder } from "../../lib/event_pipeline.ts";
import { HistoryState } from "../../lib/history/history_state.ts";
import { isBlank } from "../../lib/lines/blank.ts";
import type { Outcome } from "../../lib/outcome.ts";
import { JsonlNormalizer } from "../../lib/pipeline.ts";
import { concat } from "../running.ts";
import { chunksOf, type Random } from "./mutations.ts";

const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** What does not hold. */
export class LawBroken extends Error {
  /** The name of the class. */
  override readonly name = "LawBroken";
}

/** Something that must hold for a stream. */
export interface Law {
  /** What it says. */
  readonly name: string;
  /** Throws if it does not hold. */
  check(stream: Uint8Array, random: Random): void | Promise<void>;
}

/** A stream, normalized with its failures in band. */
interface Normalized {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** How many answers there were. */
  readonly answers: number;
  readonly kind: string | undefined;
}

function normalize(chunks: Iterable<Uint8Array>): Normalized {
  let answers = 0;
  const blocks: Uint8Array[] = [];
  const emit = (block: Uint8Array): void => void blocks.push(block.slice());
  const stage = new JsonlNormalizer({
    onError: "inline",
    onAnswer: () => void answers++,
  });
  for (const chunk of chunks) stage.feed(chunk, emit);
  stage.flush(emit);
  return { bytes: concat(blocks), answers, kind: stage.kind };
}

function recordsOf({ bytes }: Normalized): Record<string, unknown>[] {
  const lines = DECODER.decode(bytes).split("\n");
  if (lines.pop() !== "") throw new LawBroken("the last line has no end");
  return lines.map((line) => {
    const record: unknown = JSON.parse(line);
    if (
      typeof record !== "object" || record === null || Array.isArray(record)
    ) {
      throw new LawBroken(`no object: ${line.slice(0, 200)}`);
    }
    return { ...record };
  });
}

/** What holds for normalizing, decoding and folding. */
export const LAWS: readonly Law[] = [
  {
    name: "each line that is not blank has one outcome, in order",
    check(stream): void {
      const expected = linesOf(stream).length;
      const normalized = normalize([stream]);
      const { answers, kind } = normalized;
      const written = recordsOf(normalized).length;
      // A torn line with a record glued to it has two, in rollouts.
      const isRight = kind === "rollout"
        ? answers === expected && written >= expected && written <= 2 * expected
        : answers === expected && written === expected;
      if (!isRight) {
        throw new LawBroken(
          `${expected} lines, ${answers} answers, ${written} lines written`,
        );
      }
    },
  },
  {
    name: "the output is objects in valid UTF-8, one a line",
    check(stream): void {
      recordsOf(normalize([stream]));
    },
  },
  {
    name: "how the stream is cut into chunks does not matter",
    check(stream, random): void {
      const whole = normalize([stream]);
      const cut = normalize(chunksOf(stream, random));
      const isSame = whole.bytes.length === cut.bytes.length &&
        whole.bytes.every((byte, i) => byte === cut.bytes[i]);
      if (!isSame) throw new LawBroken("the outputs differ");
    },
  },
  {
    name:
      "a line belongs to the thread that it names, or to one named since the last start of a thread",
    check(stream): void {
      const normalized = normalize([stream]);
      if (normalized.kind !== "exec") return;
      const lines = linesOf(stream);
      let named = new Set<unknown>();
      for (const [i, record] of recordsOf(normalized).entries()) {
        if (record.type === "line.failed") continue;
        const { thread_id: thread } = record;
        if (record.type === "thread.started") named = new Set();
        for (const id of stringsIn(lines[i] ?? "")) named.add(id);
        const isSynthetic = typeof thread === "string" &&
          thread.startsWith("synthetic-thread-");
        if (thread !== undefined && !isSynthetic && !named.has(thread)) {
          throw new LawBroken(
            `line ${i + 1} is said to be of ${String(thread)}`,
          );
        }
      }
    },
  },
  {
    name: "nothing that is decoded or folded throws, and a history is JSON",
    check(stream): void {
      const state = new HistoryState();
      const decoder = new JsonlDecoder();
      const take = (outcome: Outcome<CodexRecord>): void => {
        if (outcome.ok) state.apply(outcome.value);
      };
      decoder.feed(stream, take);
      decoder.flush(take);
      JSON.parse(JSON.stringify(state.snapshot()));
    },
  },
];

/** The lines that are not blank; those that are not UTF-8 as well as they can be read. */
function linesOf(stream: Uint8Array): string[] {
  const text = new TextDecoder("utf-8").decode(stream);
  return text.split("\n").filter((line) => !isBlank(line));
}

/** Every string in a line of JSON. */
function stringsIn(line: string): Set<string> {
  const strings = new Set<string>();
  try {
    JSON.parse(line, (_key, value: unknown) => {
      if (typeof value === "string") {
        // White space around an id is none of it (normalize.md).
        const edge = /^\p{White_Space}+|\p{White_Space}+$/gu;
        strings.add(value).add(value.replace(edge, ""));
      }
      if (typeof value === "number") strings.add(String(value));
      return value;
    });
  } catch {
    // What is no JSON names nobody.
  }
  return strings;
}
