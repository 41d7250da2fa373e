import { assertEquals, assertMatch } from "@std/assert";
import { shellWord } from "../../lib/dialects/exec/command_line.ts";
import { getRolloutHistory } from "../../lib/sessions/sessions.ts";
import {
  sessionText,
  testId,
  withFolder,
  withHome,
  writeFile,
} from "../sessions/homes.ts";
import { escapeControls } from "../../lib/cli/escape.ts";
import { HOSTILE_IDS } from "../sessions/ids.ts";
import { call, type Result, type World } from "./memory.ts";

/** Calls `sessions resume` with a home in the environment. */
function resume(
  home: string,
  args: readonly string[],
  world: World = {},
): Promise<Result> {
  const env = { CODEX_HOME: home };
  return call(["sessions", "resume", ...args], { env, ...world });
}

Deno.test("sessions resume prints the history of getRolloutHistory(), and the command", async () => {
  await withHome({ versions: ["0.61.0", "0.169.0"] }, async (home) => {
    for (const { id, path, scenario, isArchived } of home.sessions) {
      if (scenario === "fork" || isArchived) continue;
      const { status, stdout } = await resume(home.path, [id]);
      const { failures: _, ...expected } = await getRolloutHistory(path);
      assertEquals(status, 0);
      assertEquals(JSON.parse(stdout), {
        ...JSON.parse(JSON.stringify(expected)),
        missing: null,
        command: `codex resume ${id}`,
      }, path);
    }
  });
});

Deno.test("sessions resume has the missing parent of a fork in its JSON", async () => {
  await withHome({ versions: ["0.169.0"] }, async ({ path, sessions }) => {
    const env = { CODEX_HOME: path };
    const forks = sessions.filter(({ scenario }) => scenario === "fork");
    const records = await Promise.all(forks.map(async ({ id }) => {
      const { stdout } = await call(["sessions", "show", "--meta", id], {
        env,
      });
      return JSON.parse(stdout);
    }));
    const fork = records.find(({ forked_from }) => forked_from !== null);
    const parent = records.find(({ id }) => id === fork?.forked_from);
    await Deno.remove(parent?.path);
    const { stdout } = await resume(path, [fork.id]);
    assertEquals(JSON.parse(stdout).missing, {
      session_id: parent.id,
      reason: "not_found",
    });
  });
});

Deno.test("sessions resume --command prints one line for a shell", async () => {
  await withHome({ versions: ["0.169.0"] }, async (home) => {
    const { id } = home.sessions.find(({ isArchived }) => !isArchived) ??
      { id: "" };
    const args = ["--command", id];
    const inHome = await resume(home.path, args);
    assertEquals(
      [inHome.status, inHome.stdout, inHome.stderr],
      [0, `codex resume ${id}\n`, ""],
    );
    const flag = `--codex-home=${home.path}`;
    const other = await resume("/somewhere/else", [...args, flag]);
    assertEquals(
      other.stdout,
      `CODEX_HOME=${shellWord(home.path)} codex resume ${id}\n`,
    );
  });
});

Deno.test("sessions resume suggests codex unarchive for an archived session", async () => {
  await withHome({ versions: ["0.169.0"] }, async (home) => {
    const { id = "" } = home.sessions.find(({ isArchived }) => isArchived) ??
      {};
    const { status, stdout, stderr } = await resume(home.path, [
      "--command",
      id,
    ]);
    assertEquals([status, stdout], [0, `codex resume ${id}\n`]);
    assertMatch(stderr, new RegExp(`first run "codex unarchive ${id}"`));
  });
});

Deno.test("sessions resume finds the home of a session by its path", async () => {
  await withHome({ versions: ["0.169.0"] }, async (home) => {
    const { id = "", path = "" } = home.sessions.find(({ isArchived }) =>
      isArchived
    ) ?? {};
    const { stdout, stderr } = await resume("/somewhere/else", [
      "--command",
      path,
    ]);
    const codex = `CODEX_HOME=${shellWord(home.path)} codex`;
    assertEquals(stdout, `${codex} resume ${id}\n`);
    assertEquals(
      stderr,
      `codexpipe: the session is archived: first run "${codex} unarchive ${id}"\n`,
    );
  });
});

Deno.test("sessions resume reports that Codex does not find a file outside of a home", async () => {
  await withFolder(async (folder) => {
    const started = "2026-11-20T15:00:00.000Z";
    const path = `${folder}/rollout-2026-11-20T15-00-00-${testId(1)}.jsonl`;
    const text = sessionText({ id: testId(1), started, message: "Go" });
    await writeFile(path, text);
    const home = `${folder}/home`;
    const { status, stdout, stderr } = await resume(home, ["--command", path]);
    assertEquals([status, stdout], [0, `codex resume ${testId(1)}\n`]);
    assertEquals(
      stderr,
      `codexpipe: ${path}: Codex finds it only in the folder sessions of a Codex home\n`,
    );
  });
});

Deno.test("sessions resume refuses a session without an id", async () => {
  await withFolder(async (folder) => {
    const started = "2026-11-20T15:00:00.000Z";
    const path = `${folder}/mine.jsonl`;
    await writeFile(path, sessionText({ id: "", started, message: "Go" }));
    const home = `${folder}/home`;
    const { status, stdout, stderr } = await resume(home, ["--command", path]);
    assertEquals([status, stdout], [1, ""]);
    assertEquals(
      stderr,
      `codexpipe: ${path}: cannot be resumed: neither its header nor its name has an id\n`,
    );
  });
});

Deno.test("sessions resume refuses an id that looks like an option, in any file", async () => {
  await withFolder(async (folder) => {
    const started = "2026-11-20T15:00:00.000Z";
    const name = `rollout-2026-11-20T15-00-00-${testId(1)}.jsonl`;
    const day = `${folder}/sessions/2026/11/20`;
    for (const path of [`${day}/${name}`, `${folder}/mine.jsonl`]) {
      for (const id of HOSTILE_IDS) {
        await writeFile(path, sessionText({ id, started, message: "Go" }));
        for (const form of [["--command"], []]) {
          const { status, stdout, stderr } = await resume(folder, [
            ...form,
            path,
          ]);
          assertEquals([status, stdout], [1, ""], id);
          const shown = escapeControls(JSON.stringify(id.slice(0, 80)));
          assertEquals(
            stderr,
            `codexpipe: ${path}: cannot be resumed: its header has the id ${shown}, which is not a session id\n`,
          );
        }
      }
    }
  });
});

Deno.test("sessions resume refuses broken files", async () => {
  await withHome({ versions: [], isMessy: true }, async (home) => {
    for (const path of home.broken) {
      const { status, stdout, stderr } = await resume(home.path, [path]);
      assertEquals([status === 1 || status === 3, stdout], [true, ""], path);
      assertMatch(stderr, /cannot be resumed|cannot read/);
    }
  });
});

Deno.test("sessions resume prints the command and the title of the session on a terminal", async () => {
  await withFolder(async (home) => {
    const id = testId(1);
    const started = "2026-11-20T10:00:00.000Z";
    const meta = { cwd: "/home/me/proj", git: { branch: "main" } };
    const text = sessionText({ id, started, message: "Fix \x1b[31mit", meta });
    await writeFile(
      `${home}/sessions/rollout-2026-11-20T10-00-00-${id}.jsonl`,
      text,
    );
    const terminal = {
      terminals: ["stdin", "stdout"],
      now: () => Date.parse(started) + 7_200_000,
    } as const;
    const args = ["--last", "--color=never"];
    assertEquals(
      (await resume(home, args, terminal)).stdout,
      `codex resume ${id}\n  Fix \\u001b[31mit\n  2 h ago · /home/me/proj · main\n`,
    );
    // In memory too: the writes are compared.
    const json = await resume(home, args, { cwd: "/" });
    assertEquals(JSON.parse(json.stdout).command, `codex resume ${id}`);
    assertEquals(await resume(home, [...args, "--json"], terminal), json);
    assertEquals(
      (await resume(home, [...args, "--format=text"])).stdout,
      `codex resume ${id}\n  Fix \\u001b[31mit\n  2026-11-20 10:00 UTC · /home/me/proj · main\n`,
    );
    assertEquals(
      (await resume(home, [...args, "--json", "--command"])).status,
      2,
    );
  });
});
