import { assertEquals } from "@std/assert";
import { jsonl } from "../running.ts";
import { testId, withFolder, writeSession } from "../sessions/homes.ts";
import { call, platformError, type Result, type World } from "./memory.ts";

const EVENTS = [
  { type: "thread.started", thread_id: "t" },
  ...Array.from({ length: 9 }, (_, i) => ({
    type: "item.completed",
    item: { id: `item_${i}`, type: "agent_message", text: `Line ${i}` },
  })),
];
const LOG = jsonl(EVENTS);
/** A terminal with too few rows for the log. */
const TERMINAL: World = {
  files: { "run.jsonl": LOG },
  terminals: ["stdout", "stderr"],
  columns: 80,
  rows: 10,
};
const RENDER = ["render", "--color=never", "run.jsonl"];

/** The result of a call, and the state of the pager that it started. */
interface Paged extends Result {
  /** The words of the pager and its environment variables; absent if none was started. */
  readonly pager?: string;
  /** The text written to the pager. */
  readonly shown: string;
  /** Whether the command waited for the end of the pager. */
  readonly hasEnded: boolean;
}

/** Calls the command on the terminal with a pager; the writes to it fail with `error`, if given. */
async function page(
  args: readonly string[],
  world: World = {},
  error?: Error,
): Promise<Paged> {
  let pager: string | undefined;
  let shown = "";
  let hasEnded = false;
  const result = await call(args, {
    ...TERMINAL,
    startPager(command, env) {
      pager = [...command, JSON.stringify(env)].join(" ");
      return Promise.resolve({
        write(bytes): Promise<number> {
          if (error !== undefined) return Promise.reject(error);
          shown += new TextDecoder().decode(bytes);
          return Promise.resolve(bytes.length);
        },
        end(): Promise<void> {
          hasEnded = true;
          return Promise.resolve();
        },
      });
    },
    ...world,
  });
  return { ...result, shown, hasEnded, ...(pager && { pager }) };
}

const { stdout: WHOLE } = await call([...RENDER, "--no-pager"], TERMINAL);

const PAGERS = [
  { name: "less, as git calls it", env: {}, pager: 'less {"LESS":"FRX"}' },
  {
    name: "less with the LESS of the user",
    env: { LESS: "R" },
    pager: "less {}",
  },
  { name: "PAGER", env: { PAGER: "most -s", LESS: "" }, pager: "most -s {}" },
  {
    name: "CODEXPIPE_PAGER before PAGER",
    env: { CODEXPIPE_PAGER: " bat --plain ", PAGER: "cat", LESS: "" },
    pager: "bat --plain {}",
  },
] satisfies { name: string; env: Record<string, string>; pager: string }[];

for (const { name, env, pager } of PAGERS) {
  Deno.test(`a pager shows long text: ${name}`, async () => {
    const paged = await page(RENDER, { env });
    assertEquals(paged.pager, pager);
    assertEquals([paged.stdout, paged.shown], ["", WHOLE]);
    assertEquals([paged.status, paged.hasEnded], [0, true]);
  });
}

Deno.test("a pager shows long help", async () => {
  for (const args of [["render", "--help"], ["help", "render"]]) {
    const { shown, stdout, status } = await page(args);
    assertEquals([shown.includes("--max-output-lines"), stdout], [true, ""]);
    assertEquals(status, 0);
  }
});

Deno.test("a pager shows long tables and lists of sessions", async () => {
  await withFolder(async (folder) => {
    const home = `${folder}/home`;
    for (let i = 1; i <= 12; i++) {
      const started = `2026-11-20T10:00:${10 + i}.000Z`;
      await writeSession(home, { id: testId(i), started, message: "Go" });
    }
    for (
      const args of [
        ["sessions", "list"],
        ["sessions", "du"],
        ["sessions", "search", "Go", `--index=${folder}/index.sqlite`],
        ["sessions", "family", "--shards=12", "--format=paths"],
      ]
    ) {
      const env = { CODEX_HOME: home };
      const whole = await call([...args, "--no-pager"], { ...TERMINAL, env });
      const { shown, stdout } = await page(args, { env });
      assertEquals([shown, stdout], [whole.stdout, ""], args.join(" "));
    }
  });
});

const UNPAGED = [
  { name: "text that fits", world: { rows: 40 } },
  { name: "a file", world: { terminals: ["stderr"] } },
  { name: "a dumb terminal", world: { env: { TERM: "dumb" } } },
  { name: "an empty PAGER", world: { env: { PAGER: " " } } },
  { name: "a PAGER that is cat", world: { env: { PAGER: "cat" } } },
  { name: "--no-pager", args: [...RENDER, "--no-pager"] },
  { name: "stdin", args: ["render"], world: { stdin: LOG } },
  { name: "short help", args: ["render", "-h"] },
  { name: "another command", args: ["normalize", "run.jsonl"] },
] satisfies { name: string; args?: readonly string[]; world?: World }[];

for (const { name, args = RENDER, world = {} } of UNPAGED) {
  Deno.test(`no pager is started for ${name}`, async () => {
    const { pager, status, stdout } = await page(args, world);
    assertEquals([pager, status, stdout === ""], [undefined, 0, false]);
  });
}

Deno.test("long text goes to stdout if the pager cannot be started", async () => {
  const startPager = () => Promise.resolve(undefined);
  const { status, stdout, stderr } = await page(RENDER, { startPager });
  assertEquals([status, stdout, stderr], [0, WHOLE, ""]);
});

Deno.test("the command ends with 0 after the pager has been closed early", async () => {
  const paged = await page(RENDER, {}, platformError("EPIPE"));
  assertEquals([paged.status, paged.stderr, paged.hasEnded], [0, "", true]);
});

Deno.test("a pager shows reports of failed lines within the text, once", async () => {
  const files = { "run.jsonl": `${LOG}torn\n${LOG}` };
  const { shown, stderr } = await page(RENDER, { files });
  assertEquals(stderr, "");
  assertEquals(shown.split("run.jsonl:11: json:").length, 2);
});
