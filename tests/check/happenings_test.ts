import { assertEquals } from "@std/assert";
import { type Happening, HappeningReader } from "../../lib/check/happenings.ts";
import { linesOf, namesIn, readFixture } from "../fixtures.ts";
import { encode, encodeJsonl, inChunks } from "../running.ts";
import { eventLine, line, promptLine } from "../session_lines.ts";

/** Feeds a session in chunks of `size` bytes; returns one line for each happening. */
function happeningsOf(bytes: Uint8Array, size: number): string[] {
  const happenings: string[] = [];
  const take = (happening: Happening): void => {
    const time = new Date(happening.at ?? 0).toISOString().slice(17, -1);
    happenings.push(`${time} ${happening.type}${detailOf(happening)}`);
  };
  const reader = new HappeningReader();
  for (const chunk of inChunks(bytes, size)) reader.feed(chunk, take);
  if (reader.hasTurn) happenings.push("turn is open");
  reader.flush(take);
  return happenings;
}

function detailOf(happening: Happening): string {
  switch (happening.type) {
    case "command.ended":
      return ` ${happening.status} ${happening.exitCode} ${happening.durationMs}ms`;
    case "turn.ended":
      return ` ${happening.verdict.status} ${happening.verdict.tokens?.total_tokens}`;
    case "session.damaged":
      return ` ${happening.failure.line}`;
    default:
      return "";
  }
}

const CASES: readonly {
  readonly name: string;
  readonly scenario: string;
  /** The index of the session file in the scenario, in the order of names. */
  readonly file?: number;
  readonly expected: readonly string[];
}[] = [
  {
    name: "an interrupted command, whose end stands in two lines",
    scenario: "sigint_cmd",
    expected: [
      "15.287 session.started",
      "15.288 turn.started",
      "15.351 command.started",
      "16.240 command.ended failed null 889ms",
      "16.246 turn.ended aborted 1260",
    ],
  },
  {
    name: "a session that was resumed after a kill",
    scenario: "resume_after_kill",
    expected: [
      "18.186 session.started",
      "18.186 turn.started",
      "18.259 command.started",
      // The time of the last line of the turn.
      "18.259 turn.ended open 1260",
      "19.678 turn.started",
      "19.701 command.started",
      "19.754 command.ended completed 0 0ms",
      "19.780 turn.ended completed 4590",
    ],
  },
  {
    name: "a sub-agent, without the lines copied from its parent",
    scenario: "agents",
    file: 1,
    expected: [
      "01.372 session.started",
      "01.447 turn.started",
      "01.614 command.started",
      "02.367 command.ended completed 0 376ms",
      "02.414 turn.ended completed 2520",
    ],
  },
  {
    name: "a torn line",
    scenario: "torn_resume",
    expected: [
      "21.976 session.started",
      "21.976 turn.started",
      "22.043 command.started",
      "22.116 command.ended completed 0 0ms",
      "22.176 session.damaged 23",
      "22.176 turn.ended open 2310",
      "22.367 turn.started",
      "22.402 command.started",
      "22.488 command.ended completed 0 0ms",
      "22.522 turn.ended completed 5640",
    ],
  },
];

for (const { name, scenario, file = 0, expected } of CASES) {
  Deno.test(`HappeningReader emits the same for chunks of any size: ${name}`, () => {
    const folder = `captures/0.169.0/${scenario}/`;
    const names = namesIn(folder).filter((name) => name.startsWith("rollout-"));
    const bytes = readFixture(folder + names.sort()[file]);
    const inChunks = happeningsOf(bytes, 1000);
    assertEquals(inChunks.filter((line) => line !== "turn is open"), expected);
    assertEquals(happeningsOf(bytes, bytes.length), inChunks);
  });
}

Deno.test("HappeningReader emits one start of a session that codex exec has resumed", () => {
  const run = [
    { type: "thread.started", thread_id: "t" },
    { type: "turn.started" },
    { type: "turn.completed", usage: {} },
  ];
  const types: string[] = [];
  const reader = new HappeningReader({ from: "exec" });
  reader.feed(encodeJsonl([...run, ...run]), ({ type }) => types.push(type));
  assertEquals(types, [
    "session.started",
    "turn.started",
    "turn.ended",
    "turn.started",
    "turn.ended",
  ]);
});

Deno.test("HappeningReader ends an open turn when it is flushed", () => {
  const folder = "captures/0.169.0/resume_after_kill/";
  const [name = ""] = namesIn(folder).filter((name) => /^rollout-/.test(name));
  const lines = linesOf(readFixture(folder + name)).slice(0, 17);
  const cut = encode(`${lines.join("\n")}\n`);
  assertEquals(happeningsOf(cut, 1000).slice(-2), [
    "turn is open",
    "18.259 turn.ended open 1260",
  ]);
});

Deno.test("HappeningReader emits no end of a turn that a sub-agent copied from its parent in mid-turn", () => {
  const id = "01a1f998-5f1d-7a62-b041-acc1b3a62c8f";
  const parent = "01a1f998-5ed9-73e1-ab03-ae5d4cf3b43c";
  const turn_id = "01a1f998-5f38-7ab3-b5d7-cab88876d162";
  const session = encodeJsonl([
    line("session_meta", { id, forked_from_id: parent, cwd: "/" }),
    line("session_meta", { id: parent, cwd: "/" }),
    eventLine("task_started", {
      turn_id: "01a1f998-5ee8-7790-ac0e-f0e935d388f3",
    }),
    promptLine("copied"),
    eventLine("task_started", { turn_id }),
    promptLine("own"),
    eventLine("turn_aborted", { turn_id, reason: "interrupted" }),
  ]);
  assertEquals(happeningsOf(session, 1000), [
    "15.000 session.started",
    "15.000 turn.started",
    "15.000 turn.ended aborted undefined",
  ]);
});
