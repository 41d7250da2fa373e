/** `codexpipe history`. */

import {
  HistoryState,
  type HistoryStateOptions,
  LINES_WITHOUT_RECORD,
} from "../../history/history_state.ts";
import type { HistoryMutation } from "../../history/mutations.ts";
import type { HistorySnapshot } from "../../history/snapshot.ts";
import { encodeLine } from "../../lines/jsonl_encoder.ts";
import type { Outcome, Success } from "../../outcome.ts";
import { JsonlRecords } from "../../pipeline/jsonl_records.ts";
import { idText } from "../../sessions/session_id.ts";
import type { CommandContext, RunCommand } from "../command.ts";
import { IoError, statusAfter, UsageError } from "../endings.ts";
import { GATHERED, writeTexts } from "../output.ts";
import { openNamed, readOrSay } from "../input.ts";
import {
  continuedInput,
  type HistoryRemarks,
  historyRemarks,
} from "./_continued_input.ts";
import { Normalization } from "./_normalization.ts";
import { isObject, peekSnapshot, snapshotText } from "./_snapshot_text.ts";
import { STDIN } from "../flags.ts";

const MAX_NAMED = 20;

export const run: RunCommand = async (context) => {
  const { args } = context;
  const { files } = args;
  const restore = args.value("restore");
  if (restore !== undefined && files.length > 1) {
    throw new UsageError(
      "--restore continues with one input, not with several",
    );
  }
  args.refuseSeveral();
  if (
    args.has("follow") && (!args.has("mutations") || args.has("checkpoint"))
  ) {
    throw new UsageError(
      "--follow needs --mutations and excludes --checkpoint: a file that grows has no final history",
    );
  }
  const base = restore === undefined
    ? undefined
    : await readSnapshotFile(restore, context);
  let isIncomplete = false;
  let hasFailures = false;
  for (const file of files) {
    const fold = new Fold(context, base);
    const isRead = await readOrSay(
      () => args.has("follow") ? fold.follow(file) : fold.run(file),
      context.diagnostics,
    );
    if (!isRead) await context.diagnostics.flush();
    isIncomplete ||= !isRead || fold.work.isIncomplete;
    hasFailures ||= fold.work.hasFailures;
  }
  return statusAfter({ isIncomplete, hasFailures }, args);
};

async function readSnapshotFile(
  file: string,
  { args, process }: CommandContext,
): Promise<HistorySnapshot> {
  const inputs = args.files.map((name) => ({ name }));
  const input = await openNamed("restore", file, inputs, process);
  try {
    // --from and --max-line-bytes apply to the input, not to the snapshot.
    const { snapshot } = await peekSnapshot(input, file);
    if (snapshot !== undefined) return snapshot;
    throw new IoError(`${file}: cannot restore: it holds no snapshot`);
  } finally {
    input.close();
  }
}

class Fold {
  readonly #options: HistoryStateOptions;
  #state: HistoryState;
  /** Whether the next record begins another stream, and a `truncated` mutation comes first. */
  #isOver = false;
  /** The time of the clock for the current event, with `--stamp`. */
  #stamp: string | undefined;
  readonly #context: CommandContext;
  /** Whether a snapshot was restored; the input is then not joined with an earlier session. */
  readonly #isRestored: boolean;
  #file = STDIN;
  #remarks: HistoryRemarks | undefined;
  readonly #threads = new Set<string>();
  #lines: JsonlRecords | undefined;
  /** Records that are not folded yet, with `--mutations`. */
  #records: Success<unknown>[] = [];
  readonly work: Normalization<Outcome<unknown>>;

  constructor(context: CommandContext, base: HistorySnapshot | undefined) {
    const { args } = context;
    this.#context = context;
    this.#isRestored = base !== undefined;
    const clock = (): string =>
      this.#stamp = new Date(context.process.now()).toISOString();
    this.#options = args.has("stamp") ? { clock } : {};
    this.#state = base === undefined
      ? new HistoryState(this.#options)
      : HistoryState.restore(base, this.#options);
    const { resume } = base ?? {};
    this.work = new Normalization(context, {
      make: (options) => this.#lines = new JsonlRecords(options),
      take: (outcome) => this.#take(outcome),
      write: () => this.#write(),
      options: {
        ...args.readingOptions,
        except: LINES_WITHOUT_RECORD,
        resume: isObject(resume) ? resume.normalizer : undefined,
      },
      onEnd: () => {
        this.#isOver = true;
        return Promise.resolve();
      },
    });
  }

  /** Folds a growing file. If it is emptied or replaced, another history begins. */
  async follow(file: string): Promise<void> {
    this.#file = file;
    this.#remarks = this.#newRemarks();
    await this.work.follow(file);
  }

  async run(file: string): Promise<void> {
    const input = await this.work.open({ name: file });
    if (input === undefined) return;
    const { args, stdout } = this.#context;
    const isPretty = args.has("pretty");
    const peeked = await peekSnapshot(input, file, args);
    const { snapshot, spelling } = peeked;
    if (snapshot !== undefined) {
      input.close();
      if (this.#isRestored) {
        throw new IoError(
          `${file}: it is a snapshot: --restore needs the lines that come after a snapshot`,
        );
      }
      const texts = snapshotText(snapshot, isPretty, spelling?.());
      return await writeTexts(stdout, texts);
    }
    const { blocks, placeOf, isBaseKnown } = this.#isRestored
      ? { ...peeked, placeOf: undefined, isBaseKnown: false }
      : await continuedInput(file, peeked, this.#context);
    this.#file = file;
    this.#remarks = this.#newRemarks(isBaseKnown);
    await this.work.normalizeInput(file, blocks, placeOf);
    this.#refuseThreads();
    const isCheckpoint = args.has("checkpoint");
    if (args.has("mutations") && !isCheckpoint) return;
    const history = this.#state.snapshot({ resume: isCheckpoint, copy: false });
    const { resume } = history;
    const whole = isCheckpoint && isObject(resume)
      ? { ...history, resume: { ...resume, normalizer: this.#lines?.save() } }
      : history;
    await writeTexts(stdout, snapshotText(whole, isPretty));
  }

  /** Throws if the input has several threads: a history is that of one thread. */
  #refuseThreads(): void {
    if (this.#threads.size < 2) return;
    const names = [...this.#threads].slice(0, MAX_NAMED).map(idText);
    const more = this.#threads.size > MAX_NAMED ? ", ..." : "";
    throw new UsageError(
      `${this.#file}: it has several threads: choose one, as in --thread=${
        names[0]
      }: ${names.join(", ")}${more}`,
    );
  }

  #newRemarks(isBaseKnown = false): HistoryRemarks {
    const { base, unknownMode } = this.#state;
    return historyRemarks(
      this.#file,
      this.#context,
      // Remarks about a restored history were printed when it was made.
      isBaseKnown || base !== null,
      unknownMode !== null,
    );
  }

  /** Folds a record; with `--mutations`, keeps it until its mutations can be written. */
  #take(outcome: Outcome<unknown>): void {
    if (!outcome.ok) return;
    if (this.#context.args.has("mutations")) this.#records.push(outcome);
    else this.#fold(outcome);
  }

  async #write(): Promise<void> {
    const { stdout } = this.#context;
    const records = this.#records;
    this.#records = [];
    let changes = "";
    for (const record of records) {
      if (this.#isOver) changes += encodeLine({ type: "truncated", index: 0 });
      const mutations = this.#fold(record);
      const stamp = this.#stamp === undefined ? {} : { timestamp: this.#stamp };
      for (const mutation of mutations) {
        changes += encodeLine({ ...mutation, ...stamp });
      }
      if (changes.length > GATHERED) {
        await stdout.writeText(changes);
        changes = "";
      }
    }
    if (changes !== "") await stdout.writeText(changes);
    // Checked here too, so that a live stream fails at once.
    if (records.length > 0) this.#refuseThreads();
    this.#remarks?.(this.#state);
  }

  /** Folds a record into the history; after the end of an input, begins a new history. */
  #fold({ value, text }: Success<unknown>): readonly HistoryMutation[] {
    if (this.#isOver) {
      this.#isOver = false;
      this.#state = new HistoryState(this.#options);
      this.#threads.clear();
      this.#remarks = this.#newRemarks();
    }
    this.#stamp = undefined;
    // Lines of session files, which have a payload, are of one thread.
    if (isObject(value) && value.payload === undefined) {
      const { thread_id } = value;
      if (typeof thread_id === "string") this.#threads.add(thread_id);
    }
    // With several threads the command fails; only their names are still collected.
    return this.#threads.size > 1 ? [] : this.#state.apply(value, text);
  }
}
