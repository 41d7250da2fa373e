import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import {
  applyMutation,
  type HistoryMutation,
  isSnapshotLike,
} from "../../lib/history/history.ts";
import { encodeLine } from "../../lib/lines/jsonl_encoder.ts";
import { namesIn, readCaptures, readFixture } from "../fixtures.ts";
import { readCapturedFiles } from "../rollouts.ts";
import { decode } from "../running.ts";
import { eventLine, line } from "../session_lines.ts";
import { call, Hose, Sink } from "./memory.ts";

const SESSION = [
  '{"type":"thread.started","thread_id":"t"}',
  '{"type":"turn.started"}',
  '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"hi"}}',
  '{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":2}}',
  "",
].join("\n");

function objectOf(text: string): Record<string, unknown> {
  return JSON.parse(text);
}

for (const name of namesIn("vectors/history/")) {
  const vector = objectOf(decode(readFixture(`vectors/history/${name}`)));
  const { source, input, expect_snapshot } = vector;
  if (source === "domain" || !Array.isArray(input)) continue;
  Deno.test(`history prints the snapshot of the vector: ${name}`, async () => {
    const stdin = input.map((line) => JSON.stringify(line)).join("\n");
    const { stdout, stderr } = await call(
      ["history", `--from=${source}`, "--quiet"],
      { stdin },
    );
    assertEquals(stderr, "");
    assertEquals(objectOf(stdout), expect_snapshot);
  });
}

for (const name of namesIn("vectors/history-compat/")) {
  const { pairs } = objectOf(
    decode(readFixture(`vectors/history-compat/${name}`)),
  );
  if (!Array.isArray(pairs)) continue;
  Deno.test(`history reads a snapshot layout of another program: ${name}`, async () => {
    for (const { code, seed } of pairs) {
      for (const indent of [0, 2]) {
        const stdin = JSON.stringify(
          { records: [code], next_id: 99 },
          null,
          indent,
        );
        const { stdout } = await call(["history"], { stdin });
        assertEquals(objectOf(stdout).records, [seed]);
      }
    }
  });
}

Deno.test("history reads the snapshots that it prints", async () => {
  const { stdout } = await call(["history"], { stdin: SESSION });
  const pretty = await call(["history", "--pretty"], { stdin: stdout });
  assertEquals(isSnapshotLike(objectOf(stdout)), true);
  assertEquals(pretty.stdout, `${JSON.stringify(objectOf(stdout), null, 2)}\n`);
  const again = await call(["history"], { stdin: pretty.stdout });
  assertEquals(again.stdout, stdout);
});

Deno.test("history prints the snapshots of every session unchanged", async () => {
  const sessions = readCapturedFiles(/^rollout-.*\.jsonl$/);
  assert(sessions.length > 400);
  const files = Object.fromEntries(
    sessions.map(({ bytes }, i) => [`/${i}`, bytes]),
  );
  const { stdout } = await call(["history", ...Object.keys(files)], { files });
  const snapshots = Object.fromEntries(
    stdout.trimEnd().split("\n").map((line, i) => [`/${i}`, line]),
  );
  const again = await call(["history", ...Object.keys(snapshots)], {
    files: snapshots,
  });
  assertEquals(again.stdout, stdout);
});

for (
  const { name, wrap } of [
    { name: "bare", wrap: (history: string) => history },
    {
      name: "in a saved session",
      wrap: (history: string) => `{"id": 1.0,"history_snapshot":${history}}`,
    },
    {
      name: "in a line of a log",
      wrap: (history: string) =>
        `{"kind":"history_snapshot","history":${history}}`,
    },
  ]
) {
  Deno.test(`history keeps the spelling of numbers in a snapshot: ${name}`, async () => {
    const history =
      '{"records":[{"id":18446744073709551614,"type":"loading","payload":{"message":"m: 2.0","n":1.0,"b":12345678901234567890}},' +
      '{"id":18446744073709551615,"type":"new","payload":{"list":[1,2.50,0.0000001,{"__proto__":1e400,"c":-0,"d":1}],"e":1E2}}],' +
      '"next_id":18446744073709551615,"exec_call_lookup":{"a":18446744073709551614},"tool_call_lookup":{},"stream_lookup":{},"history":{"x":3.0}}';
    const { stdout } = await call(["history"], { stdin: wrap(history) });
    assertEquals(stdout, `${history}\n`);
    const pretty = await call(["history", "--pretty"], { stdin: stdout });
    const again = await call(["history"], { stdin: pretty.stdout });
    assertEquals(again.stdout, stdout);
  });
}

Deno.test("history prints numbers like JavaScript where it cannot trace them in another layout", async () => {
  const { stdout } = await call(["history"], {
    stdin:
      '{"records":[{"Loading":{"id":7.0,"message":"m"}}],"next_id":8.0,"order":[]}',
  });
  assertEquals(
    stdout.slice(0, stdout.indexOf(',"exec')),
    '{"records":[{"id":7,"type":"loading","payload":{"message":"m"}}],"next_id":8.0',
  );
});

Deno.test("history prints snapshots that nest deeply", async () => {
  for (const depth of [400, 6000]) {
    const [open, close] = ["[".repeat(depth), "]".repeat(depth)];
    const history =
      `{"records":[{"id":1,"type":"new","payload":{"n":${open}1.0${close}}}],` +
      '"next_id":2,"exec_call_lookup":{},"tool_call_lookup":{},"stream_lookup":{}}';
    const { stdout, status } = await call(["history"], { stdin: history });
    assertEquals(status, 0);
    const spelled = depth < 500 ? history : history.replace("1.0", "1");
    assertEquals(stdout, `${spelled}\n`);
  }
});

Deno.test("history --mutations prints mutations that build the records of the snapshot", async () => {
  for (const { path, bytes } of readCaptures()) {
    if (bytes.length > 100_000) continue;
    const world = { files: { log: bytes } };
    const whole = await call(["history", "-q", "log"], world);
    const { stdout } = await call(
      ["history", "-q", "--mutations", "log"],
      world,
    );
    const records: HistoryMutation extends { record: infer R } ? R[] : never[] =
      [];
    for (const line of stdout.split("\n")) {
      if (line !== "") applyMutation(records, JSON.parse(line));
    }
    assertEquals<unknown>(records, objectOf(whole.stdout).records, path);
  }
});

Deno.test("history --mutations prints the mutations of a line before the next line arrives", async () => {
  const stdin = new Hose();
  const stdout = new Sink();
  const done = call(["history", "--mutations"], { stdin, stdout });
  stdin.push('{"type":"error","message":"one"}\n');
  assertMatch(await stdout.next(), /^\{"type":"inserted","index":0,/);
  stdin.push('{"type":"error","message":"two"}\n');
  assertMatch(await stdout.next(), /^\{"type":"inserted","index":1,/);
  stdin.end();
  assertEquals((await done).status, 0);
});

Deno.test("history --restore continues exactly from a checkpoint at any line", async () => {
  for (const { path, bytes } of readCaptures()) {
    if (!/shellmany|patch|reasoning/.test(path)) continue;
    const lines = decode(bytes).split(/(?<=\n)/);
    const whole = await call(["history", "-q"], { stdin: decode(bytes) });
    for (let at = 1; at < lines.length; at += Math.ceil(lines.length / 7)) {
      const first = await call(["history", "-q", "--checkpoint"], {
        stdin: lines.slice(0, at).join(""),
      });
      const rest = await call(["history", "-q", "--restore=checkpoint"], {
        stdin: lines.slice(at).join(""),
        files: { checkpoint: first.stdout },
      });
      assertEquals(rest.stdout, whole.stdout, `${path}:${at}`);
    }
  }
});

Deno.test("history --restore keeps the records of a bare snapshot", async () => {
  const { stdout } = await call(["history"], { stdin: SESSION });
  const more = await call(["history", "--restore", "snapshot"], {
    stdin: '{"type":"error","message":"no"}\n',
    files: { snapshot: stdout },
  });
  const { records } = objectOf(more.stdout);
  assertEquals(Array.isArray(records) && records.length, 2);
});

Deno.test("history --restore does not repeat what the command that made the checkpoint reported", async () => {
  const header = {
    id: "t",
    history_mode: "zork",
    history_base: { thread_id: "s" },
  };
  const made = await call(["history", "--checkpoint"], {
    stdin: encodeLine(line("session_meta", header)),
  });
  assertMatch(made.stderr, /continues the session "?s.*\n.*its history mode/);
  const restored = await call(["history", "--restore=checkpoint"], {
    stdin: encodeLine(eventLine("user_message", { message: "Hi" })),
    files: { checkpoint: made.stdout },
  });
  assertEquals(restored.stderr, "");
});

Deno.test("history --restore reports a file without a snapshot", async () => {
  const { status, stderr } = await call(["history", "--restore=a", "b"], {
    files: { a: SESSION, b: SESSION },
  });
  assertEquals(status, 3);
  assertStringIncludes(stderr, "a: cannot restore: it holds no snapshot");
});

for (const command of ["history", "render"]) {
  Deno.test(`${command} refuses a snapshot longer than --max-line-bytes`, async () => {
    const records = Array.from({ length: 9_000 }, () => ({}));
    const stdin = JSON.stringify({ records }, null, 2);
    const { status, stdout, stderr } = await call(
      [command, "--max-line-bytes=64K"],
      { stdin },
    );
    assertEquals([status, stdout], [3, ""]);
    assertEquals(
      stderr,
      "codexpipe: -: cannot read as a history: it has more than 65536 bytes, the limit that --max-line-bytes sets\n",
    );
  });

  for (
    const { name, stdin } of [
      { name: "blank", stdin: `${" ".repeat(1 << 20)}\n` },
      { name: "of NULs", stdin: `${"\0".repeat(1 << 20)}\n` },
      {
        name: "a header",
        stdin: `{"type":"session_meta"${" ".repeat(99_999)}`,
      },
    ]
  ) {
    Deno.test(`${command} fails a first line over the limit that is ${name}`, async () => {
      const { stderr } = await call([command, "--max-line-bytes=64K"], {
        stdin: `${stdin}\n{"type":"turn.started"}\n`,
      });
      assertStringIncludes(stderr, "codexpipe: -:1: line_too_long: ");
    });
  }
}

Deno.test("history reads a snapshot after a byte order mark and blank lines", async () => {
  const stdin = `\ufeff\n \n\t{"records":[],"next_id":7}`;
  const { status, stdout } = await call(["history"], { stdin });
  assertEquals([status, objectOf(stdout).next_id], [0, 7]);
});

Deno.test("history --restore refuses a snapshot as its input", async () => {
  const snapshot = '{"records":[],"next_id":1}';
  const { status, stdout, stderr } = await call(
    ["history", "--restore=a", "b"],
    { files: { a: snapshot, b: snapshot } },
  );
  assertEquals([status, stdout], [3, ""]);
  assertStringIncludes(
    stderr,
    "b: it is a snapshot: --restore needs the lines",
  );
});

Deno.test("history --restore refuses several inputs", async () => {
  const { status } = await call(["history", "--restore=a", "b", "c"], {});
  assertEquals(status, 2);
});

Deno.test("history --stamp adds the time of the clock", async () => {
  const { stdout } = await call(["history", "--stamp", "--mutations"], {
    stdin: SESSION,
    now: () => Date.UTC(2026, 10, 20, 16, 8, 16),
  });
  const [first = ""] = stdout.split("\n");
  assertEquals(objectOf(first).timestamp, "2026-11-20T16:08:16.000Z");
});

Deno.test("history reports failed lines, and folds the others", async () => {
  const { status, stdout, stderr } = await call(["history", "--strict"], {
    stdin: `${SESSION}nonsense\n`,
  });
  assertEquals(status, 1);
  assertStringIncludes(stderr, "codexpipe: -:5: json: ");
  assertEquals(objectOf(stdout).next_id, 2);
});

Deno.test("history prints one snapshot for each file, and continues after a missing file", async () => {
  const { status, stdout, stderr } = await call(["history", "a", "b", "c"], {
    files: { a: SESSION, c: SESSION },
  });
  assertEquals(status, 3);
  assertEquals(stdout.trimEnd().split("\n").length, 2);
  assertStringIncludes(stderr, "codexpipe: b: cannot open");
});

Deno.test("history reports the path of an invalid value in a snapshot", async () => {
  const { status, stderr } = await call(["history"], {
    stdin: '{"records":[{"id":"x","type":"loading","payload":{}}]}',
  });
  assertEquals(status, 3);
  assertMatch(stderr, /^codexpipe: -: .*records\[0\]/);
});

Deno.test("history reads a snapshot of any layout of lines, if it is named as one", async () => {
  const [record, other] = [1, 2].map((id) =>
    `{"id":${id},"type":"loading","payload":{"message":"m"}}`
  );
  const snapshot = `{"records":[\n${record},\n${other}\n],"next_id":3}\n`;
  const read = await call(["history", "--from=history"], { stdin: snapshot });
  assertEquals(objectOf(read.stdout).records, JSON.parse(snapshot).records);
  const restored = await call(["history", "--restore=a"], {
    stdin: '{"type":"error","message":"no"}\n',
    files: { a: snapshot },
  });
  assertEquals(restored.stdout.includes('"id":3,"type":"plain_message"'), true);
});

Deno.test("history --from=history reads a snapshot, and refuses any other input", async () => {
  const stdin =
    '{"records":[],"next_id":1,"exec_call_lookup":{},"tool_call_lookup":{},"stream_lookup":{}}\n';
  const args = ["history", "--from=history"];
  assertEquals((await call(args, { stdin })).stdout, stdin);
  const other = '{"type":"thread.started","thread_id":"t"}\n';
  const { status, stdout, stderr } = await call(args, { stdin: other });
  assertEquals(
    [status, stdout, stderr],
    [
      3,
      "",
      "codexpipe: -: cannot read as a history: it holds no snapshot\n",
    ],
  );
});

Deno.test("history --from=exec reads a snapshot as a line of an exec stream", async () => {
  const { stderr } = await call(["history", "--from=exec"], {
    stdin: '{"records":[],"next_id":1}\n',
  });
  assertEquals(
    stderr,
    'codexpipe: -:1: normalize: Cannot normalize the line: it has no "type"\n',
  );
});

Deno.test("history refuses the threads of an app-server without --thread, and names them", async () => {
  const stdin = readFixture(
    "app-server/0.169.0/threads_at_once/stdout.jsonl",
  );
  for (const flags of [[], ["--mutations"]]) {
    const { status, stderr } = await call(["history", ...flags], { stdin });
    assertEquals(status, 2);
    assertMatch(stderr, /it has several threads: choose one, as in --thread=/);
  }
  const [, id = ""] = /--thread=\S+: \S+, ([^,\s]+)/.exec(
    (await call(["history"], { stdin })).stderr,
  ) ?? [];
  const { status, stdout } = await call(["history", `--thread=${id}`], {
    stdin,
  });
  assertEquals(status, 0);
  assertStringIncludes(stdout, "Done reasoning.");
});
