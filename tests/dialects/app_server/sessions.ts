/**
 * Reads the captures of app-servers.
 *
 * @module
 */

import { type Fields, isObject } from "../../../lib/json/fields.ts";
import type { JsonlOptions } from "../../../lib/pipeline/line_answers.ts";
import { linesOf, namesIn, readFixture } from "../../fixtures.ts";
import { normalizeBytes } from "../../running.ts";

/** The output of one app-server process, and the other files of its run. */
export interface ServerRun {
  /** The version of Codex. */
  readonly version: string;
  /** The name of the scenario. */
  readonly scenario: string;
  /** The folder below `testdata/`; a second process has a folder of its own. */
  readonly folder: string;
  /** The messages of the server. */
  readonly stdout: Uint8Array<ArrayBuffer>;
  /** The messages of the client. */
  readonly stdin: Uint8Array<ArrayBuffer>;
  /** The session files of the run. */
  readonly sessions: readonly Uint8Array<ArrayBuffer>[];
  /** The output that `codex exec --json` would have printed, one file for each thread. */
  readonly expected: readonly Uint8Array<ArrayBuffer>[];
}

/** Reads all captured runs of app-servers. */
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

/** Normalizes bytes, by default of any dialect, and returns the records. */
export function recordsOf(
  bytes: Uint8Array,
  options: JsonlOptions = {},
): Fields[] {
  return linesOf(normalizeBytes([bytes], { from: "auto", ...options }))
    .map((line): unknown => JSON.parse(line)).filter(isObject);
}

/** Returns the thread id in a message; `undefined` if it names no thread. */
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
