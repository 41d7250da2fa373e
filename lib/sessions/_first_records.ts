/** Reads the first records of a session file only. */

import { readPlainLine } from "../dialects/rollout/plain_line.ts";
import { HISTORY_MODES } from "../history/mapping/fold_memory.ts";
import { LF } from "../json/bytes.ts";
import { type Fields, fieldsOf, parseJson, textOf } from "../json/fields.ts";
import { decodeUtf8 } from "../json/utf8.ts";
import { LineAnswers, type RecordSelection } from "../pipeline/line_answers.ts";
import { sessionBlocks, withSession } from "./open_session.ts";

/** Receives the first records of a file until it has enough. */
export interface RecordTaker {
  /** Whether no more records are needed. */
  readonly isDone: boolean;
  /** The records that are needed; all, if `undefined`. */
  readonly wanted: RecordSelection | undefined;
  /** Receives a normalized record. One that is not selected may arrive as an empty object. */
  add(record: Fields): void;
}

/** The most lines read: as many as Codex reads (rollout.md D.4). */
const MAX_LINES = 10 + 200;
/** The most bytes read. Large, because a first message with images can be long. */
const MAX_BYTES = 16 << 20;
/** How many bytes are read first: most heads have fewer. */
const FIRST_READ = 1 << 14;
/** How many bytes are fed at once: few records are longer. */
const SLICE = 1 << 13;

/**
 * Reads the first records of a session file: at most those of the first 210 lines and 16 MiB. Lines
 * that are no records are skipped. `begin` makes the taker; it is called a second time if a line
 * turns out to need the rules: the second taker then receives all records, from the first one on.
 */
export async function readFirstRecords(
  file: { readonly path: string },
  begin: () => RecordTaker,
): Promise<void> {
  // Errors are ignored here: reading by the rules runs into them again, and throws them.
  const taker = begin();
  const isRead = taker.wanted !== undefined &&
    await readPlainLines(file, taker).catch(() => false);
  if (!isRead) await readByRules(file, begin());
}

/** Describes the problem with a history mode; `undefined` if the mode is known or missing. */
export function modeProblem(value: unknown): string | undefined {
  const mode = textOf(value);
  if (mode === undefined || HISTORY_MODES.has(mode)) return undefined;
  return `its history mode is ${
    JSON.stringify(mode.slice(0, 40))
  }, which is not known`;
}

/**
 * Reads the first records if no rule changes one of them, that is, if no line is from an old
 * release, torn, or longer than 128 KiB. Setting the rules up for each file takes longer than
 * reading most heads.
 */
async function readPlainLines(
  file: { readonly path: string },
  taker: RecordTaker,
): Promise<boolean> {
  return await withSession(file, async (source, block) => {
    let lines = 0;
    let held = 0;
    for (let bytes = 0; bytes < MAX_BYTES;) {
      const room = bytes === 0 ? FIRST_READ : block.length;
      const size = await source.read(block.subarray(held, room));
      // A last line without LF may be torn.
      if (size === null) return held === 0;
      bytes += size;
      const end = held + size;
      let start = 0;
      for (;;) {
        const lineEnd = block.indexOf(LF, start);
        if (lineEnd === -1 || lineEnd >= end) break;
        const { wanted } = taker;
        const record = wanted &&
          readPlainLine(block, start, lineEnd, wanted);
        if (record === undefined) return false;
        taker.add(record);
        lines += 1;
        if (taker.isDone || lines === MAX_LINES) return true;
        start = lineEnd + 1;
      }
      held = end - start;
      if (held === block.length) return false;
      block.copyWithin(0, start, end);
    }
    return false;
  });
}

async function readByRules(
  file: { readonly path: string },
  taker: RecordTaker,
): Promise<void> {
  const isDone = (): boolean =>
    taker.isDone || answers.records + answers.failures >= MAX_LINES;
  const answers = new LineAnswers(
    { from: "rollout", engine: "js", onError: "drop", fileName: file.path },
    {
      record(out): undefined {
        if (!isDone()) {
          const end = out.length;
          // The reader expects a control character behind a value.
          out.byte(LF);
          const bytes = out.view();
          taker.add(
            taker.wanted === undefined
              ? fieldsOf(parseJson(decodeUtf8(bytes, 0, end)))
              : readPlainLine(bytes, 0, end, taker.wanted) ?? {},
          );
        }
        out.truncate(0);
      },
      failure(): void {},
    },
  );
  let bytes = 0;
  for await (const block of sessionBlocks(file)) {
    bytes += block.length;
    for (let at = 0; at < block.length && !isDone(); at += SLICE) {
      answers.feed(block.subarray(at, at + SLICE));
    }
    if (isDone() || bytes >= MAX_BYTES) return;
  }
  answers.flush();
}
