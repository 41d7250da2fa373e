/** `codexpipe redact`. */

import { JsonlRedactor } from "../../redact/jsonl_redactor.ts";
import type { RunCommand } from "../command.ts";
import { statusAfter } from "../endings.ts";
import { invite, openInput, readOrSay } from "../input.ts";
import { addSecrets, patternsOf, saySecrets } from "./_secrets.ts";

const LF = 0x0a;
const LINE_END = new Uint8Array([LF]);

export const run: RunCommand = async (context) => {
  const { args, diagnostics, process, stdout } = context;
  const { files, maxLineBytes } = args;
  const patterns = patternsOf(args);
  const counts = new Map<string, number>();
  let last = LF;
  let isIncomplete = false;
  let hasFailures = false;
  const write = async (lines: Uint8Array): Promise<void> => {
    last = lines.at(-1) ?? last;
    await stdout.write(lines);
  };
  const pass = async (
    work: (emit: (lines: Uint8Array) => void) => void,
  ): Promise<void> => {
    let lines: Uint8Array | undefined;
    // The bytes are not copied: the redactor is not called again until they are written.
    work((bytes) => lines = bytes);
    if (lines !== undefined) await write(lines);
    await diagnostics.flush();
  };
  const redact = async (file: string): Promise<void> => {
    const input = await openInput(file, process);
    await invite(file, context);
    const redactor = new JsonlRedactor({
      patterns,
      maxLineBytes,
      onFailure: ({ line, error }) => {
        hasFailures = true;
        diagnostics.failed(file, line, error);
      },
    });
    // Keeps the last line of one file and the first of the next apart.
    if (last !== LF) await write(LINE_END);
    try {
      for await (const block of input) {
        await pass((emit) => redactor.feed(block, emit));
      }
    } finally {
      // At the end, and after an error, the bytes that were read are written.
      await pass((emit) => redactor.flush(emit));
      addSecrets(counts, redactor.counts);
    }
  };
  try {
    for (const file of files) {
      // An error of reading is reported, and the other files are still read.
      const isRead = await readOrSay(() => redact(file), diagnostics);
      isIncomplete ||= !isRead;
      await diagnostics.flush();
    }
  } finally {
    saySecrets(counts, context);
    await diagnostics.flush();
  }
  return statusAfter({ isIncomplete, hasFailures }, args);
};
