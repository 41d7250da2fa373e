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
