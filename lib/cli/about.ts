/** What codexpipe is, for the helps and the manual page. */

import config from "../../deno.json" with { type: "json" };
import { EXIT } from "./endings.ts";

export const VERSION: string = config.version;

export const VERSION_TEXT: string = `codexpipe ${VERSION}`;

export const ABOUT =
  "Reads what OpenAI's Codex CLI writes as JSONL and makes it reliable.";

export const STATUSES: readonly (readonly [number, string])[] = [
  [EXIT.done, "done, or the reader of stdout has closed it"],
  [
    EXIT.no,
    "the answer is no: a check failed, nothing was found, or a line failed with --strict or --on-error=stop",
  ],
  [EXIT.usage, "the command line is wrong"],
  [EXIT.io, "a file or stream could not be read or written"],
  [EXIT.bug, "a bug of codexpipe's"],
  [EXIT.interrupted, "interrupted (Ctrl-C)"],
];
