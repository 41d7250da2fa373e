/**
 * What commands print.
 *
 * @module
 */

import type { ExecChunk } from "../records.ts";
import type { FoldContext } from "./fold_context.ts";

/** What a command printed. */
export interface CommandOutput {
  /** To stdout. */
  readonly stdout?: string | undefined;
  /** To stderr. */
  readonly stderr?: string | undefined;
}

const OUTPUTS = ["stdout", "stderr"] as const;

/** Adds output at the end of what a command has printed. */
export function appendOutput(
  context: FoldContext,
  id: number | undefined,
  { stdout, stderr }: CommandOutput,
): void {
  const index = id === undefined ? -1 : context.store.indexOf(id);
  if (index === -1) return;
  const chunk = (
    stream: "stdout" | "stderr",
    content = "",
  ): ExecChunk | null =>
    content === ""
      ? null
      : { offset: context.store.outputEnd(index, stream), content };
  const chunks = {
    stdout: chunk("stdout", stdout),
    stderr: chunk("stderr", stderr),
  };
  if (chunks.stdout === null && chunks.stderr === null) return;
  context.note(context.store.streamExec(index, chunks));
}

/** Takes over all of a command's output, of which a part may be known. */
export function replaceOutput(
  context: FoldContext,
  id: number | undefined,
  output: CommandOutput,
): void {
  appendOutput(context, id, unseenOutput(context, id, output));
}

/** Tells whether a text is all of the output so far, and not a piece of it. */
export function continuesOutput(
  context: FoldContext,
  id: number | undefined,
  output: CommandOutput,
): boolean {
  const record = context.get(id);
  if (record?.type !== "exec") return false;
  return OUTPUTS.every((stream) => {
    const known = knownText(record.payload[`${stream}_chunks`]);
    const text = output[stream] ?? "";
    return text === "" || (known !== undefined && text.startsWith(known));
  });
}

/**
 * Gives the part of a command's output that is not known yet. What contradicts the known text
 * takes its place at once.
 */
export function unseenOutput(
  context: FoldContext,
  id: number | undefined,
  output: CommandOutput,
): { stdout: string; stderr: string } {
  const record = context.get(id);
  const unseen = { stdout: "", stderr: "" };
  if (record?.type !== "exec") return unseen;
  const index = context.store.indexOf(record.id);
  for (const stream of OUTPUTS) {
    const text = output[stream] ?? "";
    if (text === "") continue;
    const known = knownText(record.payload[`${stream}_chunks`]);
    if (known !== undefined && text.startsWith(known)) {
      unseen[stream] = text.slice(known.length);
    } else {
      const chunk = { offset: 0, content: text };
      context.note(context.store.streamExec(index, { [stream]: chunk }));
    }
  }
  return unseen;
}

/** Gives what is known from the beginning; `undefined` if the beginning is lost. */
function knownText(chunks: readonly ExecChunk[]): string | undefined {
  if (chunks.length === 0) return "";
  const [first] = chunks;
  return chunks.length === 1 && first?.offset === 0 ? first.content : undefined;
}
