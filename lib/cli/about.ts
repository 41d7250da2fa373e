/** The version, the description and the exit statuses, for the helps and the manual page. */

import config from "../../deno.json" with { type: "json" };
import { EXIT } from "./endings.ts";

export const VERSION: string = config.version;

export const VERSION_TEXT: string = `codexpipe ${VERSION}`;

export const ABOUT =
  "Reads, normalizes and renders the JSONL logs of OpenAI's Codex CLI.";

export const STATUSES: readonly (readonly [number, string])[] = [
  [EXIT.done, "success, or the reader of stdout closed it"],
  [
    EXIT.no,
    "negative result: a check failed, nothing was found, or a line failed with --strict or --on-error=stop",
  ],
  [EXIT.usage, "the command line is wrong"],
  [EXIT.io, "a file or stream could not be read or written"],
  [EXIT.bug, "a bug in codexpipe"],
  [EXIT.interrupted, "interrupted (Ctrl-C)"],
];
