import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { TABLE_NAMES } from "../../lib/export/export.ts";
import { sessions, sumsOf } from "../../tools/fleet/generate.ts";
import { withFolder, withHome, writeFile } from "../sessions/homes.ts";
import { call } from "./memory.ts";

const AGENT = "01a1f998-5f84-74a2-9ac4-dc3406938438";
const FAMILY = [
  "01a1f998-5ed9-73e1-ab03-ae5d4cf3b43c",
  "01a1f998-5f1d-7a62-b041-acc1b3a62c8f",
  AGENT,
  "01a1f998-5f41-7b30-9b84-3c81507bdebd",
];

Deno.test("sessions family lists the family of an agent, and --family of other commands reads it", async () => {
  await withHome({ versions: ["0.130.0"] }, async (home) => {
    const env = { CODEX_HOME: home.path };
    const files = Object.fromEntries(
      home.sessions.map(({ path }) => [path, Deno.readFileSync(path)]),
    );
    const show = async (...args: string[]): Promise<string> => {
      const { status, stdout, stderr } = await call(args, { env, files });
      assertEquals([status, stderr], [0, ""], args.join(" "));
      return stdout;
    };
    const family = ["sessions", "family", AGENT];
    assertEquals(
      await show(...family, "--format=ids"),
      `${FAMILY.join("\n")}\n`,
    );
    const { sessions, missing } = JSON.parse(await show(...family, "--json"));
    assertEquals(
      sessions.map(({ depth }: { depth: number }) => depth),
      [0, 1, 2, 1],
    );
    assertEquals(missing, null);
    const table = await show(...family);
    assertStringIncludes(table, "    └ (sub-agent /root");
    // The ids of the table find the sessions again, among all of the home.
    for (const [i, row] of table.trimEnd().split("\n").slice(1).entries()) {
      const [short = ""] = row.split(" ");
      assert(short.length < 36, short);
      assertStringIncludes(
        await show("sessions", "path", short),
        FAMILY[i] ?? "none",
      );
    }
    const read = `--family=${AGENT.slice(0, 14)}`;
    const usage = await show("usage", read, "--format=jsonl");
    assertEquals(
      usage.trimEnd().split("\n").map((line) => JSON.parse(line).thread_id),
      FAMILY,
    );
    const rows = await show("export", "--to=tables", "--table=threads", read);
    assertEquals(
      rows.trimEnd().split("\n").map((line) => JSON.parse(line).thread_id),
      FAMILY,
    );
    const page = await show("render", "--to=html", read);
    assertEquals(FAMILY.filter((id) => page.includes(id)), FAMILY);
  });
});

Deno.test("sessions family --shards divides all sessions; the tables of the shards are those of the home", async () => {
  await withFolder(async (folder) => {
    const home = `${folder}/home`;
    for (const [path, text] of sessions(40)) {
      await writeFile(`${home}/${path}`, text);
    }
    const [torn = ""] = [...sessions(1)].map(([path]) => `${home}/${path}`);
    await writeFile(torn, (await Deno.readTextFile(torn)).slice(0, -9));
    const env = { CODEX_HOME: home };
    const family = ["sessions", "family", "--shards=3"];
    const { stdout: json } = await call([...family, "--json"], { env });
    const { shards } = JSON.parse(json);
    const paths = shards.map(({ files }: { files: string[] }) => files);
    const { stdout: text } = await call([...family, "--format=paths"], { env });
    assertEquals(
      text.split("\n\n").map((shard) => shard.trimEnd().split("\n")),
      paths,
    );
    const files = Object.fromEntries(
      paths.flat().map((path: string) => [path, Deno.readFileSync(path)]),
    );
    const rowsOf = async (names: string[]): Promise<Map<string, string[]>> => {
      const args = ["export", "--to=tables", "-q", "-o", "/out", ...names];
      const directories = ["/out"];
      const { status, written } = await call(args, { files, directories });
      assertEquals(status, names.includes("/gone.jsonl") ? 3 : 0);
      return new Map(
        TABLE_NAMES.map((name) => {
          const text = written.get(`/out/${name}.jsonl`) ?? "";
          return [name, text.split("\n").slice(0, -1)];
        }),
      );
    };
    const whole = await rowsOf(paths.flat().concat("/gone.jsonl"));
    const parts: Map<string, string[]>[] = [];
    for (const names of paths) parts.push(await rowsOf(names));
    const counts: Record<string, number> = {};
    for (const [table, rows] of whole) {
      const merged = parts.flatMap((part) => part.get(table) ?? []);
      assertEquals(merged.toSorted(), rows.toSorted(), table);
      counts[table] = rows.length;
    }
    const { input_tokens: _, output_tokens: __, ...sums } = sumsOf(40);
    // Only the last line of the torn file is lost.
    assertEquals(counts, { ...sums, failures: 1 });
  });
});

const REFUSED = [
  {
    args: ["sessions", "family", "--shards=2", "x"],
    status: 2,
    words: "--shards divides all sessions: give no session",
  },
  {
    args: ["sessions", "family", "--shards=2", "--format=ids"],
    status: 2,
    words: "use --format=paths or jsonl",
  },
  {
    args: ["sessions", "family", "--shards=0"],
    status: 2,
    words: "a whole number from 1 to 10000",
  },
  {
    args: ["sessions", "family", "--shards=2", "--codex-home=/no/such/home"],
    status: 3,
    words: "/no/such/home: cannot read: not found",
  },
  { args: ["sessions", "family"], status: 2, words: "takes one session" },
  {
    args: ["usage", "--family=x", "a.jsonl"],
    status: 2,
    words: "--family and files cannot be read together: give one or the other",
  },
  {
    args: ["usage", "--family=x"],
    status: 1,
    words: 'there is no session "x"',
  },
];

for (const { args, status, words } of REFUSED) {
  Deno.test(`codexpipe ${args.join(" ")} is refused`, async () => {
    const env = { CODEX_HOME: "/no/such/home" };
    const result = await call(args, { env });
    assertEquals(result.status, status, result.stderr);
    assertStringIncludes(result.stderr, words);
  });
}

Deno.test("sessions family, and --family, end with 130 when they are interrupted", async () => {
  await withHome({ versions: ["0.169.0"] }, async ({ path, sessions }) => {
    const id = sessions[0]?.id ?? "";
    for (
      const args of [["sessions", "family", id], ["usage", "--family", id]]
    ) {
      const { status, stdout } = await call(args, {
        env: { CODEX_HOME: path },
        interrupt: AbortSignal.abort(),
      });
      assertEquals([status, stdout], [130, ""]);
    }
  });
});
