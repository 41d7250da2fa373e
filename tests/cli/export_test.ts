import { assertEquals } from "@std/assert";
import { call } from "./memory.ts";

const LOG = '{"type":"thread.started","thread_id":"t"}\n' +
  '{"type":"turn.started"}\n' +
  '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"API_TOKEN=abc123def"}}\n' +
  '{"type":"turn.completed","usage":{"input_tokens":1200,"output_tokens":60}}\n';

Deno.test("codexpipe export writes a document for each file, without secrets", async () => {
  const files = { "/a.jsonl": LOG, "/b.jsonl": LOG };
  const { status, stdout, stderr } = await call(
    ["export", "--to=atif", "/a.jsonl", "/b.jsonl"],
    { files },
  );
  const messages = stdout.trimEnd().split("\n").map((line) =>
    JSON.parse(line).steps[0].message
  );
  assertEquals(messages, Array(2).fill("API_TOKEN=[redacted:token]"));
  assertEquals([status, stderr], [
    0,
    "codexpipe: masked 2 secrets: token 2\n",
  ]);
});

const REFUSED = [
  { args: [], words: "export needs a format: --to=atif" },
  {
    args: ["--to=atif", "--content"],
    words: "--content has no use with --to=atif",
  },
  {
    args: ["--to=atif", "-o", "/none"],
    words: "--output: /none is no folder: make it first",
  },
];

for (const { args, words } of REFUSED) {
  Deno.test(`codexpipe export refuses: ${words}`, async () => {
    const { status, stderr } = await call(["export", ...args], { stdin: LOG });
    assertEquals([status, stderr.includes(words)], [2, true], stderr);
  });
}

/** A run, and the session file of one. */
const SESSION =
  '{"timestamp":"2026-11-20T15:40:01.000Z","type":"session_meta","payload":{"id":"t","timestamp":"2026-11-20T15:40:00.000Z"}}\n' +
  '{"timestamp":"2026-11-20T15:40:02.000Z","type":"event_msg","payload":{"type":"task_started","turn_id":"u"}}\n' +
  '{"timestamp":"2026-11-20T15:40:04.000Z","type":"event_msg","payload":{"type":"task_complete","turn_id":"u","last_agent_message":"Hi"}}\n';

Deno.test("codexpipe export --to=otlp leaves out what has no times, and says so", async () => {
  const files = { "/run.jsonl": LOG, "/rollout.jsonl": SESSION };
  const { status, stdout, stderr } = await call(
    ["export", "--to=otlp", "/run.jsonl", "/rollout.jsonl"],
    { files },
  );
  assertEquals(stdout.match(/"name":"invoke_agent codex"/g)?.length, 1);
  assertEquals([status, stderr], [
    3,
    "codexpipe: /run.jsonl: left out: it does not say when anything happened: export a session file that does, or a run as it happens, with --stamp\n",
  ]);
});

Deno.test("codexpipe export --to=otlp --stamp --content tells of a live run, without secrets", async () => {
  const args = ["export", "--to=otlp", "--stamp", "--content"];
  const { status, stdout } = await call(args, { stdin: LOG });
  assertEquals(
    [status, stdout.includes("API_TOKEN=[redacted:token]")],
    [0, true],
    stdout,
  );
});
