/** The flags that set how lines are read, as options. */

import { DIALECTS } from "../../dialects/dialect_names.ts";
import type { JsonlNormalizerOptions } from "../../pipeline/pipeline.ts";
import type { Arguments } from "../arguments.ts";
import { parseByteSize } from "../flags.ts";

export function readingOptions(args: Arguments): Pick<
  JsonlNormalizerOptions,
  "from" | "maxLineBytes" | "thread" | "initialThreadId" | "initialTurnId"
> {
  return {
    from: args.choice("from", DIALECTS),
    maxLineBytes: maxLineBytesOf(args),
    thread: args.value("thread"),
    initialThreadId: args.value("thread-id"),
    initialTurnId: args.value("turn-id"),
  };
}

export function maxLineBytesOf(args: Arguments): number | undefined {
  return parseByteSize(args.value("max-line-bytes") ?? "");
}
