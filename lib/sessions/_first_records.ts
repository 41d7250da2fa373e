/** Reads the first records of a session file, and no more than that. */

import { readPlainLine } from "../dialects/rollout/plain_line.ts";
import { LineSelection } from "../events/line_selection.ts";
import { sessionHeaderOf } from "../events/session_reader.ts";
import { HISTORY_MODES } from "../history/mapping/fold_memory.ts";
import { LF } from "../json/bytes.ts";
import { type Fields, fieldsOf, parseJson, textOf } from "../json/fields.ts";
import { decodeUtf8 } from "../json/utf8.ts";
import { LineAnswers, RecordSelection } from "../pipeline/line_answers.ts";
import { withSession } from "./open_session.ts";

/** Takes the records of a file until it has enough. */
export interface RecordTaker {
  /** Whether it has enough. */
  readonly isDone: boolean;
  /** Takes a normalized record; one that is not wanted may be there with nothing in it. */
  add(record: Fields): void;
}

/** How many lines are looked at: as many as Codex itself does (rollout.md D.4). */
const MAX_LINES = 10 + 200;
/** How many bytes are looked at; a first message with images in it can be long. */
const MAX_BYTES = 16 << 20;
/** How many bytes are looked at at once, which few records are longer than. */
const SLICE = 1 << 13;

/**
 * Reads the first records of a session file: at most those of 210 lines and 16 MiB. Lines
 * that are none are passed over.
 *
 * @param wanted The records that are wanted; all, without it.
 * @param begin Makes what takes the records; where it turns out that rules are needed, another
 *   one, for all of them.
 * @throws {Error} If the file cannot be opened or read, or unpacked that far.
 */
export async function readFirstRecords(
  file: { readonly path: string },
  wanted: RecordSelection | undefined,
  begin: () => RecordTaker,
): Promise<void> {
  if (wanted !== undefined) {
    // Who reads it by the rules finds out why it cannot be read.
    const isRead = await readPlainLines(file, wanted, begin())
      .catch(() => false);
    if (isRead) return;
  }
  await readByRules(file, wanted, begin());
}

/** The lines that have the time in the header. */
const HEADERS = new RecordSelection(
  new LineSelection(["thread.started"]).types,
);

/**
 * Reads when a session began, as its header says.
 *
 * @returns The time; `undefined` if its first records have no header, or that no time.
 * @throws {Error} If the file cannot be opened or read, or unpacked that far.
 */
export async function headerTime(
  file: { readonly path: string },
): Promise<string | undefined> {
  let header: Fields | undefined;
  await readFirstRecords(file, HEADERS, () => ({
    get isDone(): boolean {
      return header !== undefined;
    },
    add(record): void {
      header = sessionHeaderOf(record);
    },
  }));
  return textOf(header?.timestamp);
}

/** Says what is wrong with a history mode; `undefined` if it is known, or not said. */
export function modeProblem(value: unknown): string | undefined {
  const mode = textOf(value);
  if (mode === undefined || HISTORY_MODES.has(mode)) return undefined;
  return `its history mode is ${
    JSON.stringify(mode.slice(0, 40))
  }, which is not known`;
}

/**
 * Reads the first records, if no rule changes one of them: no line is of old releases, torn, or
 * longer than 128 KiB. To begin with the rules for each file takes more time than most heads.
 */
async function readPlainLines(
  file: { readonly path: string },
  wanted: RecordSelection,
  taker: RecordTaker,
): Promise<boolean> {
  return await withSession(file, async (source, block) => {
    let lines = 0;
    let held = 0;
    for (let bytes = 0; bytes < MAX_BYTES;) {
      const size = await source.read(block.subarray(held));
      // A last line without an end may be torn.
      if (size === null) return held === 0;
      bytes += size;
      const end = held + size;
      let start = 0;
      for (;;) {
        const lineEnd = block.indexOf(LF, start);
        if (lineEnd === -1 || lineEnd >= end) break;
        const record = readPlainLine(block, start, lineEnd, wanted);
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
  wanted: RecordSelection | undefined,
  taker: RecordTaker,
): Promise<void> {
  let lines = 0;
  const isDone = (): boolean => taker.isDone || lines >= MAX_LINES;
  const answers = new LineAnswers(
    {
      from: "rollout",
      onError: "drop",
      fileName: file.path,
      onAnswer: () => lines += 1,
    },
    {
      record(out, start): undefined {
        if (!isDone()) {
          const end = out.length;
          // The text behind a value must be a control character.
          out.byte(LF);
          const bytes = out.view();
          taker.add(
            wanted === undefined
              ? fieldsOf(parseJson(decodeUtf8(bytes, start, end)))
              : readPlainLine(bytes, start, end, wanted) ?? {},
          );
        }
        out.truncate(start);
      },
      failure(): void {},
    },
  );
  await withSession(file, async (source, block) => {
    for (let bytes = 0; !isDone() && bytes < MAX_BYTES;) {
      const size = await source.read(block);
      if (size === null) return answers.flush();
      bytes += size;
      for (let at = 0; at < size && !isDone(); at += SLICE) {
        answers.feed(block.subarray(at, Math.min(size, at + SLICE)));
      }
    }
  });
}
