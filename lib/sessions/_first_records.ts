/**
 * Reads the first records of a session file, and no more than that.
 */

import { fieldsOf, parseJson, textOf } from "../json/fields.ts";
import { decodeUtf8 } from "../json/utf8.ts";
import { LineAnswers } from "../pipeline/line_answers.ts";
import { withSession } from "./_lent_block.ts";

/** Takes the records of a file until it has enough. */
export interface RecordTaker {
  /** Whether it has enough. */
  readonly isDone: boolean;
  /** Takes a normalized rollout record, as it was parsed. */
  add(record: unknown): void;
}

/** How many lines are looked at: as many as Codex itself does (rollout.md D.4). */
export const MAX_LINES = 10 + 200;
/** How many bytes are looked at; a first message with images in it can be long. */
export const MAX_BYTES = 16 << 20;
/** How many bytes are looked at at once, which few records are longer than. */
const SLICE = 1 << 13;

/**
 * Reads the first records of a session file: at most those of 210 lines and 16 MiB. Lines
 * that are none are passed over.
 *
 * @param file The file.
 * @param taker Takes the records.
 * @throws {Error} If the file cannot be opened or read, or unpacked that far.
 */
export async function readFirstRecords(
  file: { readonly path: string },
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
          taker.add(parseJson(decodeUtf8(out.view(), start, out.length)));
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

/**
 * Reads when a session began, as its header says.
 *
 * @param file The file.
 * @returns The text of the time; `undefined` if its first records have no header, or that no time.
 * @throws {Error} If the file cannot be opened or read, or unpacked that far.
 */
export async function headerTime(
  file: { readonly path: string },
): Promise<string | undefined> {
  const header = new FirstHeader();
  await readFirstRecords(file, header);
  return textOf(fieldsOf(fieldsOf(header.record).payload).timestamp);
}

/** Takes records up to the first header. */
class FirstHeader implements RecordTaker {
  record: unknown;

  get isDone(): boolean {
    return this.record !== undefined;
  }

  add(record: unknown): void {
    if (fieldsOf(record).type === "session_meta") this.record = record;
  }
}
