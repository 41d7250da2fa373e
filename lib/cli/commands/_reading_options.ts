/** The flags that set how lines are read, as options. */

import { type Dialect, DIALECTS } from "../../dialects/dialect_names.ts";
import type { Arguments } from "../arguments.ts";
import { parseByteSize } from "../flags.ts";

export interface ReadingOptions {
  readonly from: Dialect | undefined;
  readonly maxLineBytes: number | undefined;
  /** The only thread to read. */
  readonly thread: string | undefined;
  readonly initialThreadId: string | undefined;
  readonly initialTurnId: string | undefined;
}

export function readingOptions(args: Arguments): ReadingOptions {
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
