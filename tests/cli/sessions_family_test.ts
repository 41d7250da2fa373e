import { assertEquals, assertStringIncludes } from "@std/assert";
import { withHome } from "../sessions/homes.ts";
import { call } from "./memory.ts";

const AGENT = "01a1f998-5f84-74a2-9ac4-dc3406938438";
const FAMILY = [
  "01a1f998-5ed9-73e1-ab03-ae5d4cf3b43c",
  "01a1f998-5f1d-7a62-b041-acc1b3a62c8f",
  AGENT,
  "01a1f998-5f41-7b30-9b84-3c81507bdebd",
];

Deno.test("sessions family shows the family of an agent, and --family reads it", async () => {
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
    assertStringIncludes(await show(...family), "    └ (sub-agent /root");
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

const REFUSED = [
  { args: ["sessions", "family"], status: 2, words: "takes the id" },
  {
    args: ["usage", "--family=x", "a.jsonl"],
    status: 2,
    words: "--family names what is read: name no files beside it",
  },
  {
    args: ["usage", "--family=x"],
    status: 1,
    words: 'there is no session "x"',
  },
];

for (const { args, status, words } of REFUSED) {
  Deno.test(`there is no family: ${args.join(" ")}`, async () => {
    const env = { CODEX_HOME: "/no/such/home" };
    const result = await call(args, { env });
    assertEquals(result.status, status, result.stderr);
    assertStringIncludes(result.stderr, words);
  });
}
