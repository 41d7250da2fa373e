/**
 * The output of commands: pieces of it, or all of it so far (B.5).
 *
 * @module
 */

import type { ExecChunk } from "../records.ts";
import type { MappingContext } from "./mapping_context.ts";

/** What a command has printed: pieces, or all of it. */
export interface CommandOutput {
  /** What went to stdout. */
  readonly stdout?: string | undefined;
  /** What went to stderr. */
  readonly stderr?: string | undefined;
}

const OUTPUTS = ["stdout", "stderr"] as const;

/** Shows pieces of output at the end of what is known. */
export function appendOutput(
  context: MappingContext,
  callId: string,
  { stdout, stderr }: CommandOutput,
): void {
  const index = context.indexOfExec(callId);
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

/**
 * Shows all that a command has printed so far: what is new of it, or all of it again if it
 * does not continue what is known.
 *
 * @param context Where.
 * @param callId The id of the call.
 * @param output The output; what is empty or absent changes nothing.
 */
export function replaceOutput(
  context: MappingContext,
  callId: string,
  output: CommandOutput,
): void {
  const { stdout, stderr } = unseenOutput(context, callId, output);
  appendOutput(context, callId, { stdout, stderr });
}

/** Tells whether an output begins with all that is known of it. */
export function continuesOutput(
  context: MappingContext,
  callId: string,
  output: CommandOutput,
): boolean {
  const record = context.at(context.indexOfExec(callId));
  if (record?.type !== "exec") return false;
  return OUTPUTS.every((stream) => {
    const known = knownText(record.payload[`${stream}_chunks`]);
    const text = output[stream] ?? "";
    return text === "" || (known !== undefined && text.startsWith(known));
  });
}

/** Gives what is new of an output; rewrites what it does not continue. */
export function unseenOutput(
  context: MappingContext,
  callId: string,
  output: CommandOutput,
): { stdout: string; stderr: string } {
  const { store } = context;
  const index = context.indexOfExec(callId);
  const record = context.at(index);
  const unseen = { stdout: "", stderr: "" };
  if (record?.type !== "exec") return unseen;
  for (const stream of OUTPUTS) {
    const text = output[stream] ?? "";
    if (text === "") continue;
    const known = knownText(record.payload[`${stream}_chunks`]);
    if (known !== undefined && text.startsWith(known)) {
      unseen[stream] = text.slice(known.length);
    } else {
      const chunk = { offset: 0, content: text };
      context.note(store.streamExec(index, { [stream]: chunk }));
    }
  }
  return unseen;
}

/** Joins the pieces of an output; `undefined` if some of it is missing. */
function knownText(chunks: readonly ExecChunk[]): string | undefined {
  if (chunks.length === 0) return "";
  const [first] = chunks;
  return chunks.length === 1 && first?.offset === 0 ? first.content : undefined;
}

/** Forgets the beginnings of characters that a command has left. */
export function dropDecoders({ memory }: MappingContext, callId: string): void {
  if (memory.decoders.size === 0) return;
  for (const stream of OUTPUTS) {
    memory.decoders.delete(decoderKey(callId, stream));
  }
}

/** What the decoder of an output is known by. */
export function decoderKey(callId: string, stream: string): string {
  return `${stream}:${callId}`;
}
