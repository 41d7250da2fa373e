import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { encode, everySplit } from "../running.ts";
import { gzip } from "../sources.ts";
import {
  call,
  failing,
  Hose,
  platformError,
  Sink,
  sourceOf,
  type World,
} from "./memory.ts";

const STARTED = '{"type":"thread.started","thread_id":"t"}\n';
const RESUMED = '{"type":"thread.resumed","id":"t"}\n';
const NORMAL = '{"type":"thread.started","thread_id":"t","id":"t"}\n';
const TURN = '{"type":"turn.started"}\n';
const TURN_OF_T =
  '{"type":"turn.started","thread_id":"t","turn_id":"synthetic-turn-1"}\n';
const BAD = "nonsense\n";
const BAD_MESSAGE = 'json: Cannot parse the line as JSON: "n" stands where a ' +
  "value is expected (byte 1)\n";
const ROLLOUT =
  '{"timestamp":"2025-01-01T00:00:00.000Z","type":"event_msg","payload":{"type":"x"}}\n';
/** The advice after a run whose lines mostly failed. */
const ADVICE =
  "; a line is one JSON object: leave out stderr (2>&1), remove text before objects with sed 's/^[^{]*//', join their lines with jq -c .; or set the dialect with --from=DIALECT, or the thread of a log that was cut off with --thread-id=ID";

/** Returns the line.failed record of `BAD` at a line and a byte offset. */
function failed(line: number, offset: number): string {
  return `{"type":"line.failed","line":${line},"offset":${offset},"error":{"kind":"json","message":"Cannot parse the line as JSON: \\"n\\" stands where a value is expected (byte 1)"},"raw":"nonsense"}\n`;
}

const CASES = [
  {
    name: "stdin without operands",
    args: [],
    world: { stdin: RESUMED },
    stdout: NORMAL,
  },
  {
    name: "stdin as -",
    args: ["-"],
    world: { stdin: RESUMED },
    stdout: NORMAL,
  },
  {
    name: "a file",
    args: ["a"],
    world: { stdin: BAD, files: { a: RESUMED } },
    stdout: NORMAL,
  },
  {
    name: "a file whose name begins with dashes",
    args: ["--", "--a"],
    world: { files: { "--a": RESUMED } },
    stdout: NORMAL,
  },
  {
    name: "files and stdin in order, each a stream of its own",
    args: ["a", "-", "b"],
    world: { stdin: TURN, files: { a: RESUMED, b: RESUMED + TURN } },
    stdout: NORMAL + NORMAL + TURN_OF_T,
    stderr:
      "codexpipe: -:1: normalize: Cannot normalize the line: turn.started " +
      "names no thread, and no line before it did\n" +
      `codexpipe: -: 1 of 1 lines failed when read as exec${ADVICE}\n`,
  },
  {
    name: "lines of no log, with a suggestion",
    args: [],
    world: { stdin: '{"type":"a"}\n' },
    stdout: "",
    stderr:
      'codexpipe: -:1: typed: Cannot decode a record of type "a": this type is not known\n' +
      `codexpipe: -: 1 of 1 lines failed when read as exec${ADVICE}\n`,
  },
  {
    name: "the prompts of a Codex home, without a suggestion",
    args: [],
    world: { stdin: '{"session_id":"s","ts":1,"text":"Go"}\n' },
    stdout: "",
    stderr:
      "codexpipe: -:1: normalize: Cannot normalize the line: it is the prompts of a history.jsonl, not a stream of events\n",
  },
  {
    name: "lines of stderr in a log, with a suggestion",
    args: [],
    world: { stdin: BAD + STARTED + BAD },
    stdout: STARTED,
    stderr: `codexpipe: -:1: ${BAD_MESSAGE}codexpipe: -:3: ${BAD_MESSAGE}` +
      `codexpipe: -: 2 of 3 lines failed when read as exec${ADVICE}\n`,
  },
  {
    name: "failures of an earlier run, without a suggestion",
    args: ["--on-error=inline", "-"],
    world: { stdin: failed(3, 7) },
    stdout: failed(3, 7),
  },
  {
    name: "a last line without LF",
    args: [],
    world: { stdin: STARTED + RESUMED.trimEnd() },
    stdout: STARTED + NORMAL,
  },
  {
    name: "stdin twice, which is empty the second time",
    args: ["-", "-"],
    world: { stdin: RESUMED },
    stdout: NORMAL,
  },
  {
    name: "a rollout, detected",
    args: [],
    world: { stdin: ROLLOUT },
    stdout: ROLLOUT,
  },
  {
    name: "an exec stream read as a rollout with --from",
    args: ["--from=rollout", "-q"],
    world: { stdin: RESUMED },
    stdout: "",
  },
  {
    name: "a rollout read as an exec stream with --from",
    args: ["--from", "exec", "-q"],
    world: { stdin: ROLLOUT },
    stdout: "",
  },
  {
    name: "the time in the name of the file for lines without a time",
    args: ["sessions/rollout-2025-05-07T17-24-21-x.jsonl"],
    world: {
      files: {
        "sessions/rollout-2025-05-07T17-24-21-x.jsonl":
          '{"type":"message","role":"user","content":[]}\n',
      },
    },
    stdout:
      '{"timestamp":"2025-05-07T17:24:21.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[]}}\n',
  },
  {
    name: "the first lines of a cut log by --thread-id",
    args: ["--thread-id=t"],
    world: { stdin: TURN },
    stdout: TURN_OF_T,
  },
  {
    name: "the first lines of a cut log by --thread-id and --turn-id",
    args: ["--thread-id", "t", "--turn-id", "u"],
    world: { stdin: '{"type":"turn.completed"}\n' },
    stdout: '{"type":"turn.completed","thread_id":"t","turn_id":"u"}\n',
  },
  {
    name: "a failed line, reported",
    args: [],
    world: { stdin: STARTED + BAD + "\n" + STARTED },
    stdout: STARTED + STARTED,
    stderr: `codexpipe: -:2: ${BAD_MESSAGE}`,
  },
  {
    name: "a failed line of a file, reported",
    args: ["--on-error=report", "logs/a.jsonl"],
    world: { files: { "logs/a.jsonl": STARTED + "\n" + BAD } },
    stdout: STARTED,
    stderr: `codexpipe: logs/a.jsonl:3: ${BAD_MESSAGE}`,
  },
  {
    name: "a failed line of a file with control characters in its name",
    args: ["a\x1b[2J\nb\u202e"],
    world: { files: { "a\x1b[2J\nb\u202e": STARTED + BAD } },
    stdout: STARTED,
    stderr: `codexpipe: a\\u001b[2J\\u000ab\\u202e:2: ${BAD_MESSAGE}`,
  },
  {
    name: "a failed line, inline",
    args: ["--on-error=inline"],
    world: { stdin: STARTED + BAD + STARTED },
    stdout: STARTED + failed(2, STARTED.length) + STARTED,
  },
  {
    name: "a failed line, dropped",
    args: ["--on-error=drop"],
    world: { stdin: STARTED + BAD + STARTED },
    stdout: STARTED + STARTED,
  },
  {
    name: "the records before the first failed line",
    args: ["--on-error=stop", "a", "b"],
    world: { files: { a: STARTED + BAD + STARTED, b: STARTED } },
    status: 1,
    stdout: STARTED,
    stderr: `codexpipe: a:2: ${BAD_MESSAGE}`,
  },
  {
    name: "the records before the first failed line, with --quiet",
    args: ["--on-error=stop", "-q"],
    world: { stdin: STARTED + BAD + STARTED },
    status: 1,
    stdout: STARTED,
  },
  {
    name: "a line.failed record of an earlier run, and its report",
    args: [],
    world: { stdin: STARTED + failed(7, 99) },
    stdout: STARTED + failed(7, 99),
    stderr: `codexpipe: -:2: ${BAD_MESSAGE}`,
  },
  {
    name: "an input without failures, with --strict",
    args: ["--strict"],
    world: { stdin: STARTED },
    stdout: STARTED,
  },
  {
    name: "a failed line with --strict, and the other records",
    args: ["--strict", "a", "b"],
    world: { files: { a: STARTED + BAD, b: STARTED } },
    status: 1,
    stdout: STARTED + STARTED,
    stderr: `codexpipe: a:2: ${BAD_MESSAGE}`,
  },
  {
    name: "a failed line with --strict, inline",
    args: ["--strict", "--on-error=inline"],
    world: { stdin: BAD + STARTED },
    status: 1,
    stdout: failed(1, 0) + STARTED,
  },
  {
    name: "a line as long as the limit",
    args: [`--max-line-bytes=${STARTED.length - 1}`],
    world: { stdin: STARTED },
    stdout: STARTED,
  },
  {
    name: "a line over the limit",
    args: [`--max-line-bytes=${STARTED.length - 2}`, "--on-error", "inline"],
    world: { stdin: STARTED },
    stdout:
      '{"type":"line.failed","line":1,"offset":0,"error":{"kind":"line_too_long","message":"Cannot read the line: it has 41 bytes, the limit is 40"},"bytes":41}\n',
  },
  {
    name: "no suggestion for an input whose lines are too long",
    args: [`--max-line-bytes=${STARTED.length - 1}`],
    world: { stdin: STARTED + TURN_OF_T + TURN_OF_T },
    stdout: STARTED,
    stderr: [2, 3].map((line) =>
      `codexpipe: -:${line}: line_too_long: Cannot read the line: it has ${
        TURN_OF_T.length - 1
      } bytes, the limit is ${STARTED.length - 1}\n`
    ).join(""),
  },
  {
    name: "lines below a limit of 1K",
    args: ["--max-line-bytes=1k"],
    world: { stdin: `${" ".repeat(1024)}\n${STARTED}${" ".repeat(1025)}\n` },
    stdout: STARTED,
    stderr:
      "codexpipe: -:3: line_too_long: Cannot read the line: it has 1025 bytes, the limit is 1024\n",
  },
  {
    name: "no report of failed lines, with --quiet",
    args: ["--quiet", "a", "nowhere"],
    world: { files: { a: BAD } },
    status: 3,
    stdout: "",
    stderr: "codexpipe: nowhere: cannot open: not found\n",
  },
  {
    name: "the dialect of each input, with --verbose",
    args: ["-v", "a", "-", "b", "c"],
    world: {
      stdin: ROLLOUT,
      files: { a: STARTED + TURN + BAD, b: "", c: BAD },
    },
    stdout: STARTED + TURN_OF_T + ROLLOUT,
    stderr: `codexpipe: a:3: ${BAD_MESSAGE}` +
      "codexpipe: a: exec, 2 records, 1 failed line; engine js\n" +
      "codexpipe: -: rollout, 1 record, 0 failed lines; engine js\n" +
      "codexpipe: -: 2 things that no known release of Codex writes; codexpipe drift lists them\n" +
      "codexpipe: b: 0 records, 0 failed lines; engine js\n" +
      `codexpipe: c:1: ${BAD_MESSAGE}` +
      "codexpipe: c: 0 records, 1 failed line; engine js\n" +
      `codexpipe: c: 1 of 1 lines failed when read as a log of Codex${ADVICE}\n`,
  },
  {
    name: "the engine and its share of lines, with --engine and --verbose",
    args: ["-v", "--engine=wasm", "a"],
    world: { files: { a: STARTED.repeat(4) } },
    stdout: STARTED.repeat(4),
    stderr:
      "codexpipe: a: exec, 4 records, 0 failed lines; engine wasm, 50.0 % of the lines\n",
  },
  {
    name: "files that cannot be opened, between files that can",
    args: ["a", "nowhere", "folder", "secret", "b"],
    world: {
      files: { a: STARTED, b: STARTED, secret: platformError("EACCES") },
      directories: ["folder"],
    },
    status: 3,
    stdout: STARTED + STARTED,
    stderr: "codexpipe: nowhere: cannot open: not found\n" +
      "codexpipe: folder: cannot open: is a directory, and no session file (rollout-*.jsonl) is below it\n" +
      "codexpipe: secret: cannot open: permission denied\n",
  },
  {
    name: "a failed line and an unreadable file: the status of the file",
    args: ["--strict", "a", "nowhere"],
    world: { files: { a: STARTED + BAD } },
    status: 3,
    stdout: STARTED,
    stderr: `codexpipe: a:2: ${BAD_MESSAGE}` +
      "codexpipe: nowhere: cannot open: not found\n",
  },
  {
    name: "a file up to a read error, and the next file",
    args: ["a", "b"],
    world: {
      files: {
        a: sourceOf([STARTED, '{"type":'], platformError("EIO")),
        b: STARTED,
      },
    },
    status: 3,
    stdout: STARTED + STARTED,
    stderr: "codexpipe: a: cannot read: the device failed\n" +
      "codexpipe: a:2: json: Cannot parse the line as JSON: the line ends inside the value (byte 9)\n",
  },
  {
    name: "a packed file that is cut off",
    args: ["a.gz"],
    world: { files: { "a.gz": Uint8Array.of(0x1f, 0x8b, 8, 0, 0) } },
    status: 3,
    stdout: "",
    stderr: "codexpipe: a.gz: cannot unpack the gzip data: it is cut off\n",
  },
] satisfies {
  name: string;
  args: string[];
  world: World;
  status?: number;
  stdout: string;
  stderr?: string;
}[];

for (const { name, args, world, status = 0, stdout, stderr = "" } of CASES) {
  Deno.test(`codexpipe normalize writes: ${name}`, async () => {
    const result = await call(["normalize", ...args], world);
    assertEquals(result.stdout, stdout);
    assertEquals(result.stderr, stderr);
    assertEquals(result.status, status);
  });
}

Deno.test("codexpipe normalize unpacks files and stdin", async () => {
  const bytes = gzip(encode(RESUMED + TURN));
  const { status, stdout } = await call(["normalize", "a", "-"], {
    stdin: bytes,
    files: { a: bytes },
  });
  assertEquals(status, 0);
  assertEquals(stdout, (NORMAL + TURN_OF_T).repeat(2));
});

Deno.test("codexpipe normalize writes the same for every split of its input", async () => {
  const bytes = encode(RESUMED + BAD + "\n" + TURN.trimEnd());
  const whole = await call(["normalize"], { stdin: bytes });
  assertEquals(whole.stdout, NORMAL + TURN_OF_T);
  for (const args of [["normalize"], ["normalize", "--line-buffered"]]) {
    for (const chunks of everySplit(bytes)) {
      const cut = await call(args, { stdin: sourceOf(chunks) });
      assertEquals(cut.stdout, whole.stdout);
      assertEquals(cut.stderr, whole.stderr);
    }
  }
});

Deno.test("codexpipe normalize writes the records of a block at once", async () => {
  const { writes } = await call(["normalize"], {
    stdin: sourceOf([RESUMED + BAD + TURN, "\n\n", TURN.slice(0, 5), STARTED]),
  });
  assertEquals(writes, [NORMAL + TURN_OF_T]);
});

Deno.test("codexpipe normalize --line-buffered writes one record at a time", async () => {
  const args = ["normalize", "--line-buffered", "--on-error=inline"];
  const { writes } = await call(args, {
    stdin: sourceOf([`${RESUMED}\n${BAD}${TURN}`, STARTED.trimEnd()]),
  });
  const offset = RESUMED.length + 1;
  assertEquals(writes, [NORMAL, failed(3, offset), TURN_OF_T, STARTED]);
});

Deno.test("codexpipe normalize --line-buffered writes one record for every line that is not blank", async () => {
  const lines = [STARTED, "\n", BAD, "{}\n", "[]\n", " \n", TURN, "\xff\n"];
  const args = ["normalize", "--line-buffered", "--on-error=inline"];
  const { writes } = await call(args, {
    stdin: lines.join(""),
    countsWrites: true,
  });
  assertEquals(writes.length, 6);
  assert(writes.every((write) => write.indexOf("\n") === write.length - 1));
});

for (const args of [[], ["--line-buffered"]]) {
  Deno.test(`codexpipe normalize ${args.join("")} writes the record of a line before the next line arrives`, async () => {
    const stdin = new Hose();
    const stdout = new Sink();
    const stderr = new Sink();
    const world = { stdin, stdout, stderr };
    const done = call(["normalize", ...args], world);
    stdin.push(RESUMED);
    assertEquals(await stdout.next(), NORMAL);
    stdin.push(TURN.slice(0, 9));
    stdin.push(TURN.slice(9) + BAD.slice(0, 3));
    assertEquals(await stdout.next(), TURN_OF_T);
    stdin.push(BAD.slice(3));
    assertEquals(await stderr.next(), `codexpipe: -:3: ${BAD_MESSAGE}`);
    stdin.end();
    assertEquals((await done).status, 0);
  });
}

Deno.test("codexpipe normalize reports a missing file before it reads the next one", async () => {
  const stdin = new Hose();
  const stderr = new Sink();
  const done = call(["normalize", "nowhere", "-"], { stdin, stderr });
  assertEquals(
    await stderr.next(),
    "codexpipe: nowhere: cannot open: not found\n",
  );
  stdin.end();
  assertEquals((await done).status, 3);
});

Deno.test("codexpipe normalize ends when stdout is closed, with stdin still open", async () => {
  const stdin = new Hose();
  const done = call(["normalize"], {
    stdin,
    stdout: failing(platformError("EPIPE")),
  });
  stdin.push(STARTED);
  const { status, stderr } = await done;
  assertEquals([status, stderr], [0, ""]);
  assert(stdin.isClosed);
});

Deno.test("codexpipe normalize --on-error=stop ends with stdin still open", async () => {
  const stdin = new Hose();
  const done = call(["normalize", "--on-error=stop"], { stdin });
  stdin.push(STARTED + BAD);
  const { status, stdout, stderr } = await done;
  assertEquals(status, 1);
  assertEquals(stdout, STARTED);
  assertEquals(stderr, `codexpipe: -:2: ${BAD_MESSAGE}`);
});

Deno.test("codexpipe normalize ends with 130 when it is interrupted while it waits", async () => {
  const stdin = new Hose();
  const stdout = new Sink();
  const interrupt = new AbortController();
  const done = call(["normalize"], {
    stdin,
    stdout,
    interrupt: interrupt.signal,
  });
  stdin.push(STARTED + TURN.slice(0, 9));
  assertEquals(await stdout.next(), STARTED);
  interrupt.abort();
  const { status, stderr } = await done;
  assertEquals([status, stderr, stdout.text], [130, "", STARTED]);
});

Deno.test("codexpipe normalize finishes a write during which it is interrupted", async () => {
  const interrupt = new AbortController();
  const written: string[] = [];
  const { status } = await call(["normalize", "a", "b"], {
    files: { a: STARTED + TURN, b: STARTED },
    interrupt: interrupt.signal,
    stdout: {
      write(bytes): Promise<number> {
        interrupt.abort();
        const part = bytes.subarray(0, 10);
        written.push(new TextDecoder().decode(part));
        return Promise.resolve(part.length);
      },
    },
  });
  assertEquals(status, 130);
  assertEquals(written.join(""), STARTED + TURN_OF_T);
});

Deno.test("codexpipe normalize reports that it reads from the terminal", async () => {
  const stdin = STARTED;
  const both = await call(["normalize"], {
    stdin,
    terminals: ["stdin", "stderr"],
  });
  assertStringIncludes(both.stderr, "reading from the terminal\n");
  for (
    const [args, terminals] of [
      [["normalize"], ["stdin"]],
      [["normalize"], ["stderr"]],
      [["normalize", "-q"], ["stdin", "stderr"]],
    ] as const
  ) {
    assertEquals((await call(args, { stdin, terminals })).stderr, "");
  }
});

Deno.test("codexpipe normalize reports thousands of failures in order", async () => {
  const count = 20_000;
  const { stderr, status } = await call(["normalize", "-"], {
    stdin: BAD.repeat(count),
  });
  const numbers = stderr.split("\n").flatMap((line) =>
    /^codexpipe: -:(\d+): json: /.exec(line)?.[1] ?? []
  );
  assertEquals(status, 0);
  assertEquals(numbers, Array.from({ length: count }, (_, i) => `${i + 1}`));
});

Deno.test("codexpipe normalize writes no command of a GitHub runner to stderr", async () => {
  const stdin = '{"type":"x\\n::error::y ##[error]z"}\n';
  const { stderr } = await call(["normalize", "--from=exec"], { stdin });
  assertStringIncludes(stderr, String.raw`x\n::error::y ## [error]z`);
  assertEquals(stderr.match(/^\s*::|##\[/gm), null);
});

Deno.test("codexpipe normalize --on-error=inline writes less than 4 MB at once", async () => {
  const stdout = new Sink();
  const lines = 200_000;
  await call(["normalize", "--on-error=inline"], {
    stdin: "x\n".repeat(lines),
    stdout,
  });
  const sizes = stdout.writes.map(({ length }) => length);
  assert(Math.max(...sizes) < 4_000_000, `${sizes}`);
  assertEquals(stdout.text.split("\n").length - 1, lines);
});

Deno.test("codexpipe normalize writes every record of a block in which many lines fail", async () => {
  const good =
    '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"x"}}\n';
  const stdin = STARTED + good.repeat(1_000) + BAD.repeat(10_000) +
    good.repeat(2_000) + BAD + good;
  const { stdout } = await call(["normalize"], { stdin });
  const single = await call(["normalize"], { stdin: STARTED + good });
  const [, record = ""] = single.stdout.split("\n");
  assertEquals(stdout === `${STARTED}${`${record}\n`.repeat(3_001)}`, true);
});

Deno.test("codexpipe normalize reports drift only with -v", async () => {
  const stdin = '{"type":"thread.started","thread_id":"t","colour":"red"}\n';
  const verbose = await call(["normalize", "-v"], { stdin });
  assertStringIncludes(
    verbose.stderr,
    "codexpipe: -: 1 thing that no known release of Codex writes; codexpipe drift lists them\n",
  );
  assertEquals((await call(["normalize"], { stdin })).stderr, "");
});
