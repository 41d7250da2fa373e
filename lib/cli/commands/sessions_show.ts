/** `codexpipe sessions show`. */

import { HistoryState } from "../../history/history_state.ts";
import { JsonlRecords } from "../../pipeline/jsonl_records.ts";
import type { CommandContext, RunCommand } from "../command.ts";
import { EXIT, statusAfter, UsageError } from "../endings.ts";
import { writeTexts } from "../output.ts";
import { normalizing, writing } from "./_normalization.ts";
import {
  answerWhole,
  missingRecord,
  openWhole,
  type WholeSession,
  wholeSession,
} from "./_session_input.ts";
import { sessionRecord } from "./_sessions.ts";
import { snapshotText } from "./_snapshot_text.ts";

const OTHER_FORMS = ["jsonl", "history", "meta"] as const;

const OF_TRANSCRIPTS = [
  "output",
  "reasoning",
  "tools",
  "max-output-lines",
  "images",
] as const;

export const run: RunCommand = async (context) => {
  const { args } = context;
  const forms = OTHER_FORMS.filter((form) => args.has(form));
  const [form] = forms;
  if (forms.length > 1 || (form !== undefined && args.has("to"))) {
    const [one = "", other = "to"] = forms;
    throw new UsageError(`--${one} and --${other} exclude each other`);
  }
  if (form !== undefined) {
    args.refuseIdle(OF_TRANSCRIPTS, `with --${form}`);
    args.refuseIdle(
      ["redact", "redact-pattern"],
      `with --${form}: "codexpipe sessions show --jsonl ID | codexpipe redact" masks secrets`,
    );
  }
  if (form === undefined || form === "jsonl") {
    args.refuseIdle(["pretty"], "without --history or --meta");
  }
  const whole = await wholeSession(context, "sessions show");
  if (typeof whole === "number") return whole;
  const { file, head } = whole.session;
  if (head.problem !== undefined) {
    context.diagnostics.remark(`${file.path}: ${head.problem}`);
    await context.diagnostics.flush();
  }
  switch (form) {
    case undefined:
      return await render(whole, context);
    case "jsonl":
      return await answerWhole(whole, context, {
        make: normalizing,
        ...writing(context.stdout),
      });
    case "history":
      return await writeHistory(whole, context);
    case "meta":
      return await writeMeta(whole, context);
    default:
      return form satisfies never;
  }
};

async function render(
  whole: WholeSession,
  context: CommandContext,
): Promise<number> {
  context.paging.begin();
  const { path, copies } = whole.session.file;
  const inputs = [...copies, ...whole.lineage.parts.map(({ path }) => path)];
  // Loaded here: the other forms need no renderer.
  const [{ Rendering }, { openDocument }] = await Promise.all([
    import("./_rendering.ts"),
    import("./_document_file.ts"),
  ]);
  const document = await openDocument(context, inputs);
  try {
    const rendering = await Rendering.create(context, document);
    const { input, placeOf } = await openWhole(path, whole.lineage, context);
    await rendering.renderInput(path, input, placeOf);
    await rendering.end();
    return statusAfter(rendering.work, context.args);
  } finally {
    document.close?.();
  }
}

async function writeHistory(
  whole: WholeSession,
  context: CommandContext,
): Promise<number> {
  const state = new HistoryState();
  const status = await answerWhole(whole, context, {
    make: (options) => new JsonlRecords(options),
    take(outcome): void {
      if (outcome.ok) state.apply(outcome.value, outcome.text);
    },
    write: () => Promise.resolve(),
  });
  const history = state.snapshot({ copy: false });
  const texts = snapshotText(history, context.args.has("pretty"));
  await writeTexts(context.stdout, texts);
  return status;
}

async function writeMeta(
  { session, lineage }: WholeSession,
  { args, stdout }: CommandContext,
): Promise<number> {
  const meta = {
    ...sessionRecord(session),
    ancestors: lineage.ancestors,
    missing: missingRecord(lineage),
  };
  const text = JSON.stringify(meta, undefined, args.has("pretty") ? 2 : 0);
  await stdout.writeText(`${text}\n`);
  return EXIT.done;
}
