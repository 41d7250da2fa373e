/**
 * Laws of a Codex home: they hold however broken its files are.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { appendFile } from "node:fs/promises";
import { zstdCompressSync } from "node:zlib";
import { isObject } from "../../lib/json/fields.ts";
import { call, stepping } from "../cli/memory.ts";
import type { Result, World } from "../cli/world.ts";
import { assertSameText, encode, isJson } from "../running.ts";
import {
  sessionPath,
  sessionText,
  testId,
  withFolder,
  writeFile,
} from "../sessions/homes.ts";
import { mustEnd } from "./commands.ts";
import type { Law } from "./law.ts";
import { chunksOf, type Random } from "./random.ts";
import { mustBeInert } from "./render_laws.ts";
import { ValueMutator } from "./value_mutator.ts";

const LF = 0x0a;
const STARTED = "2026-11-20T15:00:00.000Z";
const BROKEN = testId(1);
const SOUND = testId(2);

/** A home with a sound session and a broken one. */
interface FuzzedHome {
  readonly home: string;
  /** The path of the broken session. */
  readonly path: string;
  /** Calls `codexpipe sessions`. */
  call(args: readonly string[], world?: World): Promise<Result>;
}

/** The command lines, and the forms of their outputs. */
const CALLS: readonly {
  readonly args: readonly string[];
  readonly output: "json" | "jsonl" | "text";
}[] = [
  { args: ["list", "--format=jsonl"], output: "jsonl" },
  { args: ["list", "--json", "--limit=1"], output: "json" },
  { args: ["list", "--format=table"], output: "text" },
  { args: ["list", "--grep=a", "--since=2026-01-01"], output: "text" },
  { args: ["path", BROKEN], output: "text" },
  { args: ["show", BROKEN, "--to=text"], output: "text" },
  { args: ["show", BROKEN, "--to=html"], output: "text" },
  { args: ["show", BROKEN, "--history"], output: "json" },
  { args: ["show", BROKEN, "--meta"], output: "json" },
  { args: ["show", BROKEN, "--jsonl"], output: "jsonl" },
  { args: ["show", "--last"], output: "text" },
  { args: ["resume", BROKEN], output: "json" },
  { args: ["resume", "--command", BROKEN], output: "text" },
  { args: ["search", "--json", "e"], output: "json" },
  { args: ["search", '"the"'], output: "text" },
  { args: ["index", "--json"], output: "json" },
];

/** Makes a home, calls `use` with it, and removes it. */
async function withBroken(
  stream: Uint8Array<ArrayBuffer>,
  random: Random,
  use: (home: FuzzedHome) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const home = `${folder}/home`;
    const path = sessionPath(home, BROKEN, STARTED);
    const sound = sessionText({
      id: SOUND,
      started: STARTED,
      message: "Feed the elephant",
    });
    await writeFile(sessionPath(home, SOUND, STARTED), sound);
    const isPacked = random.oneIn(4);
    await writeFile(
      isPacked ? `${path}.zst` : path,
      isPacked ? zstdCompressSync(stream) : stream,
    );
    const name = { id: SOUND, thread_name: "a", updated_at: STARTED };
    const mutator = new ValueMutator(random);
    const names = [name, { ...name, id: BROKEN }].map((line) =>
      mutator.change(JSON.stringify(line))
    );
    await writeFile(`${home}/session_index.jsonl`, names.join("\n"));
    const env = { CODEX_HOME: home, XDG_CACHE_HOME: `${folder}/cache` };
    await use({
      home,
      path: isPacked ? `${path}.zst` : path,
      call: (args, world) => call(["sessions", ...args], { env, ...world }),
    });
  });
}

/** Throws if an output is not JSON. */
function mustBeJson(text: string, args: readonly string[]): void {
  const words = `${args.join(" ")}: ${text.slice(0, 500)}`;
  assert(text === "" || isJson(text), words);
}

/** The laws of sessions. */
export const SESSION_LAWS: readonly Law[] = [
  {
    name: "every command about sessions ends as it should",
    async check(stream, random): Promise<void> {
      await withBroken(stream, random, async (home) => {
        for (const { args, output } of CALLS) {
          const result = await home.call(args);
          mustEnd(args, result);
          const { stdout } = result;
          if (output === "text") mustBeInert(stdout);
          else if (output === "json") mustBeJson(stdout, args);
          else for (const line of stdout.split("\n")) mustBeJson(line, args);
        }
      });
    },
  },
  {
    name: "no session is dropped from the list, and the sound one is found",
    async check(stream, random): Promise<void> {
      await withBroken(stream, random, async (home) => {
        const { stdout } = await home.call(["list", "--format=paths"]);
        assertEquals(stdout.split("\n").length, 3);
        assert(stdout.includes(home.path), stdout);
        const found = await home.call(["search", "feed the elephant"]);
        assert(
          found.status === 0 && found.stdout.includes(SOUND),
          JSON.stringify(found),
        );
      });
    },
  },
  {
    name: "following a session gives what normalizing the whole of it gives",
    async check(stream, random): Promise<void> {
      const sound = encode(sessionText({
        id: BROKEN,
        started: STARTED,
        message: "Go",
      }));
      await withFolder(async (home) => {
        const path = sessionPath(home, BROKEN, STARTED);
        await writeFile(path, sound);
        const chunks = [...chunksOf(stream, random)].slice(0, 50);
        const args = ["sessions", "follow", "--from-start", BROKEN];
        const result = await call(args, {
          env: { CODEX_HOME: home },
          ...stepping(chunks.map((chunk) => () => appendFile(path, chunk))),
        });
        assert(
          result.status === 130,
          `status ${result.status}: ${result.stderr}`,
        );
        mustBeInert(result.stderr);
        const written = await Deno.readFile(path);
        // A last line without LF is emitted only if it is complete JSON.
        const end = written.lastIndexOf(LF) + 1;
        const last = new TextDecoder().decode(written.subarray(end));
        const stdin = isRecord(last) ? written : written.subarray(0, end);
        const whole = await call(["normalize", "--from=rollout", "-q"], {
          stdin,
        });
        assertSameText(result.stdout, whole.stdout);
      });
    },
  },
];

function isRecord(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}
