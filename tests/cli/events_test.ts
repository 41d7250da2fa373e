import { assert, assertEquals } from "@std/assert";
import { readCapturedFiles } from "../rollouts.ts";
import { decode } from "../running.ts";
import { call } from "./memory.ts";

const STREAMS = readCapturedFiles(/^stdout\.jsonl$/).filter(({ version }) =>
  /^0\.(?:44|92|104|130|169)\./.test(version)
);
const [SESSION] = readCapturedFiles(/^rollout-.*\.jsonl$/).filter(({ path }) =>
  path.startsWith("0.169.0+direct/shellmany/")
);

Deno.test("codexpipe events prints the same as normalize for exec streams", async () => {
  assert(STREAMS.length > 100);
  for (const { bytes, path } of STREAMS) {
    const files = { "/a": bytes };
    const normalized = await call(["normalize", "/a"], { files });
    const events = await call(["events", "/a"], { files });
    assertEquals(events.stdout, normalized.stdout, path);
    assertEquals(events.stderr, normalized.stderr, path);
  }
});

Deno.test("codexpipe events prints the events of a session file", async () => {
  assert(SESSION !== undefined);
  const files = { "/a": SESSION.bytes };
  const { status, stdout, stderr } = await call(["events", "/a"], { files });
  const types = stdout.trimEnd().split("\n").map((line) =>
    JSON.parse(line).type
  );
  assertEquals([status, stderr], [0, ""]);
  assertEquals([types[0], types.at(-1)], ["thread.started", "turn.completed"]);
});

Deno.test("codexpipe events keeps the spelling of arguments that hold a member named arguments", async () => {
  const [mcp] = readCapturedFiles(/^rollout-.*\.jsonl$/).filter(({ path }) =>
    path.startsWith("0.169.0/mcp/")
  );
  assert(mcp !== undefined);
  const stdin = decode(mcp.bytes).replace(
    '"tool":"structured","arguments":{"a":1}',
    String
      .raw`"tool":"structured","argum\u0065nts":{"a":1.0,"arguments":{"b":2.0}}`,
  );
  const { stdout } = await call(["events"], { stdin });
  assert(stdout.includes('"arguments":{"a":1.0,"arguments":{"b":2.0}}'));
});

Deno.test("codexpipe events reports failures like normalize", async () => {
  const stdin = '{"type":"compacted","payload":{"message":"m"}}\n{\n';
  const report = await call(["events"], { stdin });
  assertEquals(report.stderr.split(": ").slice(0, 3), [
    "codexpipe",
    "-:2",
    "json",
  ]);
  const inline = await call(["events", "--on-error=inline"], { stdin });
  const types = inline.stdout.trimEnd().split("\n").map((line) =>
    JSON.parse(line).type
  );
  assertEquals(types, ["item.completed", "line.failed"]);
  const strict = await call(["events", "--strict"], { stdin });
  assertEquals(strict.status, 1);
});
