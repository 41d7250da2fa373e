/**
 * Captured sessions that belong together: a thread with its agents, and a fork with its parent.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { namesIn, readFixture } from "../fixtures.ts";

const AGENTS = "captures/0.160.0/agents/";

/** The session files of a thread and its two agents by their real paths; the thread is first. */
export const FAMILY: Readonly<Record<string, Uint8Array>> = Object.fromEntries(
  namesIn(AGENTS).filter((name) => name.startsWith("rollout-")).map((name) => {
    const url = new URL(`../../testdata/${AGENTS}${name}`, import.meta.url);
    return [fileURLToPath(url), readFixture(AGENTS + name)];
  }),
);

/** The id of a session that {@linkcode FORK} continues. */
export const PARENT = "01a1f98a-7867-7f01-95b5-4c5ae3f063dd";

/** The id of a fork of {@linkcode PARENT}. */
export const FORK = "01a1f98a-79e9-7341-a904-5b8b08bbdd73";

/** The name of the session file of {@linkcode PARENT} or {@linkcode FORK}. */
export function nameOf(id: string): string {
  return `rollout-2026-11-20T15-19-24-${id}.jsonl`;
}

/** The content of the session file of {@linkcode PARENT} or {@linkcode FORK}. */
export function contentOf(id: string): Uint8Array<ArrayBuffer> {
  return readFixture(`captures/0.169.0/fork/${nameOf(id)}`);
}
