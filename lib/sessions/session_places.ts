/** The places where the file of a session may be. */

import { unpackedPath } from "./session_start.ts";

const SESSION_REGEXP =
  /^(.*[\\/]|)(sessions(?:[\\/]\d{4}[\\/]\d\d[\\/]\d\d)?|archived_sessions)([\\/])(rollout-(\d{4})-(\d\d)-(\d\d)[^\\/]*)$/s;

/**
 * Returns the other paths at which the content of a session file may be found when the file is
 * gone: Codex archives sessions and restores them, packs the files of sessions that are not
 * continued, and unpacks them again (rollout.md D.1, D.6). For any other file these are its packed
 * and unpacked forms.
 *
 * @param path The path of the file.
 * @returns The other paths, the likeliest first. The file system is not read.
 *
 * @example The places of an active session
 * ```ts
 * import { otherPlacesOf } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const others = otherPlacesOf("h/sessions/2026/11/20/rollout-2026-11-20T15-40-01-x.jsonl");
 *
 * assertEquals(others, [
 *   "h/sessions/2026/11/20/rollout-2026-11-20T15-40-01-x.jsonl.zst",
 *   "h/archived_sessions/rollout-2026-11-20T15-40-01-x.jsonl",
 *   "h/archived_sessions/rollout-2026-11-20T15-40-01-x.jsonl.zst",
 * ]);
 * ```
 */
export function otherPlacesOf(path: string): string[] {
  const plain = unpackedPath(path);
  const session = SESSION_REGEXP.exec(plain);
  const paths = session === null
    ? [plain, `${plain}.zst`, `${plain}.gz`]
    : placesOf(session).flatMap((place) => [place, `${place}.zst`]);
  return [...new Set(paths)].filter((other) => other !== path);
}

/** Returns the Codex home of a session file, from its path; `undefined` if the path is in none. */
export function homeInPath(path: string): string | undefined {
  const home = SESSION_REGEXP.exec(path)?.[1];
  // A root keeps its slash: "C:" alone is the current folder of the drive.
  return home === undefined
    ? undefined
    : home.replace(/(?<=[^:])[\\/]$/, "") || ".";
}

function placesOf(session: RegExpExecArray): string[] {
  const [current, home = "", folder = "", slash = "/", name, ...date] = session;
  const archived = [home + "archived_sessions", name].join(slash);
  if (folder !== "archived_sessions") return [current, archived];
  const active = [home + "sessions", ...date, name].join(slash);
  const flat = [home + "sessions", name].join(slash);
  return [current, active, flat];
}
