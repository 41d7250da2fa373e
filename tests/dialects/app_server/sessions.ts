/**
 * What app-servers wrote: what their tests share.
 *
 * @module
 */

import { type Fields, isObject } from "../../../lib/json/fields.ts";
import type { JsonlNormalizerOptions } from "../../../lib/pipeline/pipeline.ts";
import { linesOf, namesIn, readFixture } from "../../fixtures.ts";
import { normalizeBytes } from "../../running.ts";

/** What one process wrote, and what else there is of its run. */
export interface ServerRun {
  /** The version of Codex. */
  readonly version: string;
  /** What happened. */
  readonly scenario: string;
  /** The folder below `testdata/`; a second process has one of its own. */
  readonly folder: string;
  /** What the server wrote. */
  readonly stdout: Uint8Array<ArrayBuffer>;
  /** What the client wrote. */
  readonly stdin: Uint8Array<ArrayBuffer>;
  /** The session files that were there afterwards. */
  readonly sessions: readonly Uint8Array<ArrayBuffer>[];
  /** What `codex exec --json` would have printed, by thread. */
  readonly expected: readonly Uint8Array<ArrayBuffer>[];
}

/** Reads what was captured of app-servers. */
export function readServerRuns(): ServerRun[] {
  const runs: ServerRun[] = [];
  for (const version of namesIn("app-server/")) {
    for (const scenario of namesIn(`app-server/${version}/`)) {
      const folder = `app-server/${version}/${scenario}/`;
      const names = namesIn(folder);
      const read = (below: string, nameRegexp: RegExp) =>
        names.includes(below)
          ? namesIn(`${folder}${below}/`).filter((name) =>
            nameRegexp.test(name)
          )
            .map((name) => readFixture(`${folder}${below}/${name}`))
          : [];
      for (const process of names.includes("2") ? ["", "2/"] : [""]) {
        runs.push({
          version,
          scenario,
          folder: folder + process,
          stdout: readFixture(`${folder}${process}stdout.jsonl`),
          stdin: readFixture(`${folder}${process}stdin.jsonl`),
          sessions: read("home", /^rollout-/),
          expected: process === "" ? read("expected-exec", /^thread/) : [],
        });
      }
    }
  }
  return runs;
}

/** Normalizes bytes, in any dialect unless one is given, and gives the records. */
export function recordsOf(
  bytes: Uint8Array,
  options: JsonlNormalizerOptions = {},
): Fields[] {
  return linesOf(normalizeBytes([bytes], { from: "auto", ...options }))
    .map((line): unknown => JSON.parse(line)).filter(isObject);
}

/** The thread that a message is of, as its own ids say; `undefined` if it is of none. */
export function threadOf(message: unknown): unknown {
  if (!isObject(message)) return undefined;
  const { params, result } = message;
  if (isObject(params)) {
    const { threadId, thread, _meta } = params;
    if (threadId !== undefined) return threadId;
    if (isObject(thread)) return thread.id;
    if (isObject(_meta)) return _meta.threadId;
  }
  if (!isObject(result)) return undefined;
  return isObject(result.thread) ? result.thread.id : result.conversationId;
}
