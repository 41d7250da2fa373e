import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  sessionPath,
  testId,
  withFolder,
  writeFile,
} from "../sessions/homes.ts";
import { call } from "./memory.ts";

const KNOWN = '{"type":"thread.started","thread_id":"t"}\n';
const NEW = '{"type":"thread.started","thread_id":"t","colour":"my secret"}\n';

Deno.test("drift prints a new field in one line, and ends with 1", async () => {
  const { status, stdout, stderr } = await call(["drift", "a", "b"], {
    files: { a: KNOWN, b: `${NEW}${NEW}` },
  });
  assertEquals(
    [status, stdout, stderr],
    [
      1,
      "b:1: - exec thread.started colour: new field (string), 2 times: kept\n",
      "",
    ],
  );
});

Deno.test("drift ends with 0 if nothing is new, and reports that unless it is quiet", async () => {
  const { status, stdout, stderr } = await call(["drift"], { stdin: KNOWN });
  assertEquals([status, stdout], [0, ""]);
  assertEquals(stderr, "codexpipe: nothing new in 1 file\n");
  const quiet = await call(["drift", "-q"], { stdin: KNOWN });
  assertEquals([quiet.status, quiet.stderr], [0, ""]);
});

Deno.test("drift prints JSON, and JSON lines", async () => {
  const json = await call(["drift", "--json"], { stdin: NEW });
  const lines = await call(["drift", "--format=jsonl"], { stdin: NEW });
  const { findings, more } = JSON.parse(json.stdout);
  assertEquals([findings.length, more], [1, 0]);
  assertEquals(findings, [JSON.parse(lines.stdout)]);
  const none = await call(["drift", "--json"], { stdin: KNOWN });
  assertEquals(none.stdout, '{"findings":[],"more":0}\n');
});

Deno.test("drift names a file by its path in its own home if the path of another home is the beginning of it", async () => {
  await withFolder(async (folder) => {
    const path = sessionPath("home", testId(1), "2026-11-20T10:00:00.000Z");
    await writeFile(`${folder}/${path.replace("home", "home2")}`, NEW);
    await Deno.mkdir(`${folder}/home`);
    const { stdout } = await call([
      "drift",
      `--codex-home=${folder}/home`,
      `--codex-home=${folder}/home2`,
    ]);
    assertEquals(
      stdout,
      `${
        path.replace("home/", "")
      }:1: - exec thread.started colour: new field (string), once: kept\n`,
    );
  });
});

Deno.test("drift --github writes annotations", async () => {
  const { stderr } = await call(["drift", "--github"], { stdin: NEW });
  assertEquals(
    stderr,
    "::notice title=Codex has changed::-:1: - exec thread.started colour: new field (string), once: kept\n",
  );
});

Deno.test("drift compares with a baseline that it wrote", async () => {
  const { status, stderr, written } = await call(
    ["drift", "--write-baseline", "base", "a"],
    { files: { a: NEW } },
  );
  assertEquals([status, stderr], [
    0,
    "codexpipe: base: baseline of 1 file written\n",
  ]);
  const base = written.get("base") ?? "";
  assertEquals(base.includes("my secret"), false);
  const files = { base, a: NEW, b: '{"type":"turn.started"}\n' };
  const same = await call(["drift", "--baseline=base", "a"], { files });
  assertEquals(same.status, 0);
  const other = await call(["drift", "--baseline=base", "b"], { files });
  assertEquals(
    [other.status, other.stdout],
    [1, "b:1: - exec turn.started: new kind of record, once: understood\n"],
  );
});

Deno.test("drift refuses an invalid baseline, flags without effect, and overwriting an input", async () => {
  const files = { a: KNOWN, b: "{}" };
  const invalid = await call(["drift", "--baseline=b", "a"], { files });
  assertEquals(invalid.status, 2);
  assertStringIncludes(invalid.stderr, "b: not a baseline");
  const idle = await call(["drift", "--write-baseline=c", "--json", "a"], {
    files,
  });
  assertEquals(idle.status, 2);
  const since = await call(["drift", "--since=1d", "a"], { files });
  assertEquals(since.status, 2);
  assertStringIncludes(since.stderr, "--since has no effect without a Codex");
  const input = await call(["drift", "--write-baseline=a", "a"], { files });
  assertEquals(input.status, 2);
  assertStringIncludes(input.stderr, "would overwrite a");
  const stdin = await call(["drift", "--write-baseline=a"], {
    files,
    stdin: KNOWN,
    stdinIdentity: "a",
  });
  assertEquals(stdin.status, 2);
  assertStringIncludes(stdin.stderr, "would overwrite a, which is an input");
});

Deno.test("drift leaves out normalized streams, and reports that", async () => {
  const { stdout } = await call(["normalize", "a"], { files: { a: NEW } });
  const log = stdout + '{"type":"item.started","item_type":"plan"}\n';
  const { status, stdout: findings, stderr } = await call(["drift", "b"], {
    files: { b: log },
  });
  assertEquals([status, findings], [0, ""]);
  assertEquals(
    stderr,
    "codexpipe: b: left out: it is a normalized stream, not a stream or session of Codex\n",
  );
});

Deno.test("drift leaves out a file of which no line can be read: nothing in it was compared", async () => {
  const { status, stdout, stderr } = await call(["drift", "config", "empty"], {
    files: { config: "[mcp]\nname = 1\n", empty: "" },
  });
  assertEquals([status, stdout], [0, ""]);
  assertEquals(
    stderr,
    "codexpipe: config: left out: it is a file without a JSON object, not a stream or session of Codex\n" +
      "codexpipe: config: 2 lines could not be read; codexpipe normalize reports why\n" +
      "codexpipe: nothing new in 1 file\n",
  );
});

Deno.test("drift reports unreadable files and lines, and reads the rest", async () => {
  const { status, stdout, stderr } = await call(["drift", "no", "h", "b"], {
    files: { h: '{"session_id":"s","ts":1,"text":"x"}\n', b: `${NEW}x\n` },
  });
  assertEquals(status, 3);
  assertStringIncludes(stdout, "b:1: - exec thread.started colour");
  assertMatch(stderr, /^codexpipe: no: cannot open: /);
  assertStringIncludes(stderr, "h: left out: it is a history.jsonl");
  assertStringIncludes(stderr, "b: 1 line could not be read");
});
