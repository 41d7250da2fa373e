/**
 * The lines of all captures, from which streams are made.
 *
 * @module
 */

import { readServerRuns } from "../dialects/app_server/sessions.ts";
import { readCapturedFiles } from "../fixtures.ts";

const LF = 0x0a;

/** A captured file, as lines. */
export interface Seedbed {
  /** The path of the file. */
  readonly path: string;
  /** Its lines, without LF. */
  readonly lines: readonly Uint8Array[];
}

/** Reads all captured files. */
export function readSeedbeds(): Seedbed[] {
  const servers = readServerRuns().map(({ folder, stdout }) => ({
    path: `${folder}stdout.jsonl`,
    bytes: stdout,
  }));
  return [...readCapturedFiles(/\.jsonl$/), ...servers].map((
    { path, bytes },
  ) => ({ path, lines: linesOf(bytes) })).filter(({ lines }) =>
    lines.length > 0
  );
}

function linesOf(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  let start = 0;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, start)) {
    lines.push(bytes.subarray(start, at));
    start = at + 1;
  }
  if (start < bytes.length) lines.push(bytes.subarray(start));
  return lines;
}
