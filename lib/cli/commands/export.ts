/** `codexpipe export`. */

import type { Exporter, ExportPiece } from "../../export/exporter.ts";
import { EXPORT_FORMATS, type ExportFormat } from "../../export/formats.ts";
import { TABLE_NAMES } from "../../export/tables.ts";
import { JsonlEvents } from "../../pipeline/event_pipeline.ts";
import type { Emit } from "../../stage.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext, RunCommand } from "../command.ts";
import { EXIT, UsageError } from "../endings.ts";
import { ALL_FLAGS, FORMATS, STDIN } from "../flags.ts";
import type { ChosenInput } from "../input.ts";
import { GATHERED, Gathered, Output } from "../output.ts";
import { chosenInputs } from "./_chosen_inputs.ts";
import type { InputFiles } from "./_overwriting.ts";
import { addSecrets, redactorOf, saySecrets } from "./_secrets.ts";
import { answerInputs } from "./normalize.ts";

export const run: RunCommand = async (context) => {
  const { args } = context;
  const format = exportFormat(args);
  const redactor = redactorOf(args);
  const table = args.choice("table", TABLE_NAMES);
  const target = args.value("output");
  // Modules for folders and sessions load slowly, so they are loaded where they are needed.
  const folders = target === undefined
    ? undefined
    : await import("./_folder_of_files.ts");
  const folder = target === undefined
    ? undefined
    : await folders?.targetFolder("output", target, context);
  if (format.flags.includes("table") && (folder ?? table) === undefined) {
    throw new UsageError(
      `--to=${format.name} needs --table=NAME (${
        TABLE_NAMES.join(", ")
      }), or --output=DIR for all of them`,
    );
  }
  const { inputs: chosen, isIncomplete } = await chosenInputs(context);
  const { process } = context;
  const names = chosen.map(({ name }) => name);
  const files = new ExportFiles(folder, names, context);
  const Format = await format.load();
  const exporter = new Format({
    redactor,
    hasFolder: folder !== undefined,
    content: args.has("content"),
    clock: args.has("stamp") ? () => context.process.now() : undefined,
    table,
    csv: args.choice("format", FORMATS.table) === "csv",
  });
  // Only files in a folder are named after their inputs.
  const stemOf = folders?.stems() ?? String;
  // The header rows come first; the rows after them may be written by threads.
  if (exporter.take) {
    const heads = [...exporter.flush()];
    if (!process.starter) heads.forEach(files.add);
  }
  const secrets = new Map<string, number>();
  let current = "";
  let begun = 0;
  let hasRefused = false;
  try {
    const status = await answerInputs<
      NestedInput,
      TakenExport,
      Parameters<Exporter["feed"]>[0]
    >({
      ...context,
      stdout: files,
    }, {
      names,
      inputs: exporter.agents === undefined
        ? chosen.map((input) => ({ ...input, stem: stemOf(input.name) }))
        : nested(chosen, exporter, context),
      // Rows of a file that is given twice are written once, which depends on earlier inputs.
      isInTurn: exporter.take === undefined ||
        new Set(names).size < names.length,
      answering: {
        make: (options) =>
          new JsonlEvents({
            ...options,
            // Exporters get failures in band, whether they are reported or not.
            onError: options.onError === "stop" ? "stop" : "inline",
            modelCalls: exporter.modelCalls,
            text: false,
          }),
        take: (outcome) => exporter.feed(outcome, files.add),
        write: () => files.write(),
      },
      onBegin: async ({ name, stem = stemOf(name), depth }) => {
        if (folder !== undefined && names.length > 1) {
          const { progress } = context;
          await progress.count("Exporting", begun, names.length, "files");
          begun += 1;
        }
        current = name;
        files.hasNews = false;
        exporter.begin({ name, stem, depth }, files.add);
      },
      take: () => ({
        taken: exporter.take?.(),
        secrets: redactor?.takeCounts(),
      }),
      add: ({ taken, secrets: more }) => {
        exporter.add?.(taken);
        addSecrets(secrets, more);
      },
      onEnd: async () => {
        exporter.end(files.add);
        await files.write();
        const { refusal } = exporter;
        if (refusal !== undefined) {
          hasRefused = true;
          context.diagnostics.say(
            `${current}: left out: ${refusal}: export a session file that does, or a run as it happens, with --stamp`,
          );
        } else if (!files.hasNews) {
          context.diagnostics.remark(`${current}: nothing in it to export`);
        }
      },
    });
    await files.writeAll(exporter.flush());
    await files.write();
    saySecrets(secrets, context);
    return isIncomplete || hasRefused ? EXIT.io : status;
  } finally {
    files.close();
  }
};

/** The format of `--to`. Refuses options of other formats. */
function exportFormat(args: Arguments): ExportFormat {
  const name = args.value("to");
  const format = EXPORT_FORMATS.find((format) => format.name === name);
  if (format === undefined) {
    const names = EXPORT_FORMATS.map(({ name }) => `--to=${name}`);
    throw new UsageError(`export needs a format: ${names.join(", ")}`);
  }
  const ofSome = EXPORT_FORMATS.flatMap(({ flags }) => flags);
  const idle = ALL_FLAGS.map(({ name }) => name)
    .filter((name) => ofSome.includes(name) && !format.flags.includes(name));
  args.refuseIdle(idle, `with --to=${format.name}`);
  return format;
}

interface TakenExport {
  readonly taken: unknown;
  readonly secrets: ReadonlyMap<string, number> | undefined;
}

interface NestedInput extends ChosenInput {
  readonly stem?: string;
  readonly depth?: number;
}

interface SessionInput extends ChosenInput {
  readonly id: string | undefined;
  readonly parent: string | undefined;
}

/**
 * Orders inputs so that the sessions of agents follow the session that spawned them. Agents of
 * a given file are also searched in the Codex home that it lies in, or else in its folder.
 */
async function* nested(
  inputs: readonly ChosenInput[],
  exporter: Exporter,
  context: CommandContext,
): AsyncGenerator<NestedInput, void, void> {
  const { process } = context;
  // The head of a single input would have no other input to lead to.
  const heads = inputs.length === 1
    ? []
    : await (await import("./_folder_of_files.ts"))
      .headsOfInputs(inputs, context);
  const sessions: readonly SessionInput[] = inputs.map((input, at) => ({
    ...input,
    id: heads[at]?.id,
    parent: heads[at]?.parent,
  }));
  const left = new Set<SessionInput>(sessions);
  const ids = new Set(sessions.map(({ id }) => id));
  async function* within(
    input: SessionInput,
    depth: number,
  ): AsyncGenerator<NestedInput, void, void> {
    left.delete(input);
    yield { ...input, depth };
    const agents = exporter.agents ?? [];
    // A trajectory may contain one of each agent only, so that its references are clear.
    const seen = new Set<string | undefined>();
    for (const child of sessions) {
      const isChild = child.parent !== undefined &&
        child.parent === input.id && left.has(child);
      if (!isChild || seen.has(child.id)) continue;
      seen.add(child.id);
      yield* within(child, depth + 1);
    }
    if (input.name === STDIN || agents.length === 0) return;
    const { resolve } = await import("node:path");
    const { pathsAround } = await import("./_session_input.ts");
    const path = resolve(process.cwd(), input.name);
    for (const id of agents) {
      // An agent is exported once, even if several sessions claim to have spawned it.
      if (ids.has(id)) continue;
      ids.add(id);
      const found = (await pathsAround(path, context)).get(id.toLowerCase());
      if (found === undefined || found === path) continue;
      yield* within({ name: found, id, parent: undefined }, depth + 1);
    }
  }
  for (const input of sessions) {
    const isWithin = input.parent !== undefined && ids.has(input.parent);
    if (!isWithin) yield* within(input, 0);
  }
  // Sessions whose headers form a cycle.
  for (const input of left) yield* within(input, 0);
}

const LF = 0x0a;

interface ExportFile {
  readonly pieces: Gathered;
  output?: Output;
  isComplete: boolean;
}

/** Writes the pieces of an export to files in a folder, or to stdout. */
class ExportFiles extends Output {
  readonly #folder: string | undefined;
  readonly #inputs: readonly string[];
  #guarded: InputFiles | undefined;
  readonly #context: CommandContext;
  readonly #files = new Map<string, ExportFile>();
  /** Set to `true` by `add`; callers reset it. */
  hasNews = false;

  constructor(
    folder: string | undefined,
    inputs: readonly string[],
    context: CommandContext,
  ) {
    super(
      { write: (bytes) => Promise.resolve(bytes.length) },
      "",
      context.process,
    );
    this.#folder = folder;
    this.#inputs = inputs;
    this.#context = context;
  }

  readonly add: Emit<ExportPiece> = ({ file, data, isLast = false }): void => {
    this.hasNews = true;
    const name = this.#folder === undefined ? "" : file;
    let open = this.#files.get(name);
    if (open === undefined) {
      open = { pieces: new Gathered(), isComplete: false };
      this.#files.set(name, open);
    }
    if (typeof data === "string") open.pieces.addText(data);
    else open.pieces.add(data);
    open.isComplete = isLast && name !== "";
  };

  /** Writes the buffered pieces, after one of another thread: file name, line feed, data. */
  override async write(bytes?: Uint8Array): Promise<void> {
    if (bytes !== undefined) {
      const end = bytes.indexOf(LF);
      const file = new TextDecoder().decode(bytes.subarray(0, end));
      this.add({ file, data: bytes.subarray(end + 1) });
    }
    for (const [name, file] of this.#files) {
      file.output ??= this.#context.process.starter !== undefined
        ? this.#shared(name)
        : name === ""
        ? this.#context.stdout
        : await this.#create(name);
      await file.pieces.writeTo(file.output);
      if (!file.isComplete) continue;
      file.output.close();
      this.#files.delete(name);
    }
  }

  async writeAll(pieces: Iterable<ExportPiece>): Promise<void> {
    let length = 0;
    for (const piece of pieces) {
      this.add(piece);
      length += piece.data.length;
      if (length < GATHERED) continue;
      await this.write();
      length = 0;
    }
  }

  async #create(name: string): Promise<Output> {
    const { join } = await import("node:path");
    const { InputFiles } = await import("./_overwriting.ts");
    this.#guarded ??= new InputFiles(this.#inputs, this.#context);
    return await this.#guarded.create(join(this.#folder ?? "", name), true);
  }

  /** In a thread: an output that sends pieces of a file, with its name, to the first thread. */
  #shared(name: string): Output {
    const { stdout, process } = this.#context;
    const head = new TextEncoder().encode(`${name}\n`);
    const write = async (bytes: Uint8Array): Promise<number> => {
      const piece = new Uint8Array(head.length + bytes.length);
      piece.set(head);
      piece.set(bytes, head.length);
      await stdout.write(piece);
      return bytes.length;
    };
    return new Output({ write }, name, process);
  }

  override close(): void {
    for (const { output } of this.#files.values()) output?.close();
  }
}
