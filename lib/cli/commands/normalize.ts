/**
 * `codexpipe normalize`.
 */

import {
  DIALECTS,
  type FailedLine,
  JsonlNormalizer,
  type JsonlNormalizerOptions,
  MAX_LINE_BYTES,
  type OnError,
  type StreamKind,
} from "../../../mod.ts";
import {
  type ByteSource,
  decompressed,
  PackedDataError,
} from "../../files/files.ts";
import type { Arguments } from "../arguments.ts";
import { Diagnostics } from "../diagnostics.ts";
import { ErrorFile } from "../error_file.ts";
import { EXIT, type Io, IoError, UsageError } from "../io.ts";

/** How much is read at once: larger blocks take no less time, smaller ones more. */
const BLOCK = 1 << 18;
const LF = 0x0a;
const ON_ERROR: readonly OnError[] = ["report", "inline", "drop", "stop"];
const SIZE_REGEXP = /^(\d+)([KMG]?)$/i;
const UNITS: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["K", 2 ** 10],
  ["M", 2 ** 20],
  ["G", 2 ** 30],
]);

/** Normalizes the named files, or stdin, to stdout. */
export async function run(args: Arguments, io: Io): Promise<number> {
  const files = args.operands.length === 0 ? ["-"] : args.operands;
  const color = args.value("color") ?? "auto";
  const isColored = color === "always" ||
    (color === "auto" && io.stderr.isTerminal && !io.env("NO_COLOR"));
  const diagnostics = new Diagnostics(io.stderr, isColored);
  const errorsTo = args.value("errors-to");
  const options = optionsOf(args);
  if (errorsTo !== undefined) await refuseInput(errorsTo, files, io);
  const errors = errorsTo === undefined
    ? undefined
    : new ErrorFile(await io.create(errorsTo));
  const job = new Job(io, args, { diagnostics, errors, options });
  try {
    for (const file of files) {
      if (!await job.normalize(file)) break;
    }
  } finally {
    await diagnostics.flush();
    errors?.close();
  }
  return job.status;
}

/** The options that the flags ask for. */
function optionsOf(args: Arguments): JsonlNormalizerOptions {
  const from = args.value("from");
  const onError = args.value("on-error");
  const threadId = args.value("thread-id");
  const turnId = args.value("turn-id");
  return {
    from: DIALECTS.find((dialect) => dialect === from) ?? "auto",
    onError: ON_ERROR.find((how) => how === onError) ?? "report",
    maxLineBytes: bytesOf(args.value("max-line-bytes") ?? ""),
    ...(threadId === undefined ? {} : { initialThreadId: threadId }),
    ...(turnId === undefined ? {} : { initialTurnId: turnId }),
  };
}

function bytesOf(text: string): number {
  const [, digits = "", unit = ""] = SIZE_REGEXP.exec(text) ?? [];
  const bytes = Number(digits) * (UNITS.get(unit.toUpperCase()) ?? 1);
  if (digits === "" || bytes < 1 || bytes > MAX_LINE_BYTES) {
    throw new UsageError(
      `--max-line-bytes cannot be "${text}": expected a number from 1 to ${MAX_LINE_BYTES}, such as 1000000 or 16M`,
    );
  }
  return bytes;
}

async function refuseInput(
  errorsTo: string,
  files: readonly string[],
  io: Io,
): Promise<void> {
  for (const file of files) {
    if (file !== "-" && await io.isSameFile(errorsTo, file)) {
      throw new UsageError(
        `--errors-to would overwrite ${file}, which is to be read`,
      );
    }
  }
}

/** Normalizes one file after the other, and remembers how it went. */
class Job {
  readonly #io: Io;
  readonly #args: Arguments;
  readonly #diagnostics: Diagnostics;
  readonly #errors: ErrorFile | undefined;
  readonly #options: JsonlNormalizerOptions;
  readonly #block = new Uint8Array(BLOCK);
  #hasUnread = false;
  #hasFailed = false;
  #hasStopped = false;

  constructor(
    io: Io,
    args: Arguments,
    { diagnostics, errors, options }: {
      readonly diagnostics: Diagnostics;
      readonly errors: ErrorFile | undefined;
      readonly options: JsonlNormalizerOptions;
    },
  ) {
    this.#io = io;
    this.#args = args;
    this.#diagnostics = diagnostics;
    this.#errors = errors;
    this.#options = options;
  }

  /** The exit status: what could not be read weighs more than what failed. */
  get status(): number {
    if (this.#hasUnread) return EXIT.io;
    if (this.#hasStopped) return EXIT.no;
    return this.#hasFailed && this.#args.has("strict") ? EXIT.no : EXIT.done;
  }

  /** Normalizes a file; says whether to go on with the next one. */
  async normalize(file: string): Promise<boolean> {
    let content: ByteSource;
    try {
      const source = file === "-" ? this.#io.stdin : await this.#io.open(file);
      content = decompressed(source, { name: file });
    } catch (error) {
      this.#unread(file, error);
      await this.#diagnostics.flush();
      return true;
    }
    const normalizer = new JsonlNormalizer({
      ...this.#options,
      fileName: file,
      onFailure: (failed) => this.#failed(file, failed),
    });
    try {
      await this.#copy(file, content, normalizer);
    } finally {
      content.close();
    }
    this.#conclude(file, normalizer);
    await this.#diagnostics.flush();
    return !this.#hasStopped;
  }

  async #copy(
    file: string,
    content: ByteSource,
    normalizer: JsonlNormalizer,
  ): Promise<void> {
    const block = this.#block;
    while (!this.#hasStopped) {
      let size: number | null;
      try {
        size = await content.read(block);
      } catch (error) {
        this.#unread(file, error);
        size = null;
      }
      // What came before the end, or before what broke, is answered either way.
      if (size === null) {
        return await this.#answer((emit) => normalizer.flush(emit));
      }
      const bytes = block.subarray(0, size);
      if (this.#args.has("line-buffered")) {
        await this.#answerEach(bytes, normalizer);
      } else await this.#answer((emit) => normalizer.feed(bytes, emit));
    }
  }

  /** Answers one line, and writes the answer, before the next one is looked at. */
  async #answerEach(
    bytes: Uint8Array,
    normalizer: JsonlNormalizer,
  ): Promise<void> {
    let start = 0;
    while (start < bytes.length && !this.#hasStopped) {
      const end = bytes.indexOf(LF, start);
      const next = end === -1 ? bytes.length : end + 1;
      const line = bytes.subarray(start, next);
      await this.#answer((emit) => normalizer.feed(line, emit));
      start = next;
    }
  }

  /** Lets a normalizer work, and writes what it emits. */
  async #answer(
    work: (emit: (answers: Uint8Array) => void) => void,
  ): Promise<void> {
    let answers: Uint8Array | undefined;
    try {
      work((bytes) => answers = bytes);
    } catch (error) {
      if (!this.#hasStopped) throw error;
    }
    if (answers !== undefined) await this.#io.stdout.write(answers);
    await this.#errors?.flush();
    await this.#diagnostics.flush();
  }

  #failed(file: string, failed: FailedLine): void {
    this.#hasFailed = true;
    this.#errors?.add(failed);
    const { onError } = this.#options;
    if (onError === "stop") this.#hasStopped = true;
    if (this.#args.has("quiet")) return;
    if (onError !== "report" && onError !== "stop") return;
    const { line, error: { kind, message } } = failed;
    this.#diagnostics.failed(file, { line, kind, message });
  }

  #unread(file: string, error: unknown): void {
    if (!(error instanceof PackedDataError || error instanceof IoError)) {
      throw error;
    }
    this.#hasUnread = true;
    this.#diagnostics.say(`${file}: ${error.message}`);
  }

  /** Says what a file was read as, and if that looks like a wrong guess. */
  #conclude(file: string, { kind, records, failures }: JsonlNormalizer): void {
    if (this.#args.has("verbose")) {
      this.#diagnostics.say(
        `${file}: read as ${
          kind ?? "exec"
        }: ${records} records, ${failures} failed lines`,
      );
    }
    const isGuess = this.#options.from === "auto";
    if (!isGuess || failures <= records || this.#args.has("quiet")) return;
    const hint = hintOf(kind, failures, failures + records);
    if (hint !== undefined) this.#diagnostics.say(`${file}: ${hint}`);
  }
}

/** What to say of a file most of whose lines failed. */
function hintOf(
  kind: StreamKind | undefined,
  failures: number,
  lines: number,
): string | undefined {
  switch (kind) {
    case undefined:
      return `none of its ${lines} lines is a JSON object; is it a Codex log?`;
    case "exec":
      return `${failures} of ${lines} lines failed when read as exec; if it is a session file, say --from=rollout`;
    case "rollout":
      return `${failures} of ${lines} lines failed when read as rollout; if codex exec printed it, say --from=exec`;
    default:
      // Each of its lines was said to be what it is.
      return undefined;
  }
}
