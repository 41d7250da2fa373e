/**
 * Compares two sources of one run: the events of an exec stream must be among the events of the
 * session files of the run (history.md C.7).
 */

import { assert, assertEquals } from "@std/assert";
import { zstdDecompressSync } from "node:zlib";
import { shellWords } from "../../lib/history/mapping/commands.ts";
import {
  type Fields,
  fieldsOf,
  listOf,
  textOf,
} from "../../lib/json/fields.ts";
import { commandLine } from "../../lib/dialects/exec/command_line.ts";
import { type CapturedFile, readCapturedFiles } from "../rollouts.ts";
import { eventsIn } from "./reading.ts";

/** The texts of a run for each turn; parallel calls are in any order. */
type Story = readonly (readonly string[])[];

/** The stories of one run, by source. */
interface Run {
  readonly streams: Story[];
  readonly sessions: Story[];
}

/**
 * Texts of streams that the session files of the run lack, and the reasons. No other text may be
 * missing.
 */
const EXCEPTIONS: readonly {
  readonly run: RegExp;
  readonly missing: RegExp;
  /** The reason. */
  readonly cause: string;
}[] = [
  {
    run: /^0\.8\.0\//,
    missing: /^(?:says|command: echo phases|plan|search)/,
    cause: "0.8 does not write the last response of a turn",
  },
  {
    run: /\/sigint_cmd$/,
    missing: /^says/,
    cause: "the process was killed before it wrote the message",
  },
  {
    run: /^0\.(?:29|36|42|44|53)\.0(?:\+xjson)?\/websearch$/,
    missing: /^search/,
    cause: "these releases do not write searches",
  },
  {
    run: /^0\.(?:44|53|61|80|92)\.0\/(?:fail400|failmid)$/,
    missing: /^turn failed$/,
    cause: "up to 0.98, files do not have the end of a turn",
  },
  {
    run: /^0\.61\.0\/unified$/,
    missing: /^command: bash -i/,
    cause: "0.61 prints each write to a session as a command of its own",
  },
  {
    run: /^0\.(?:80|92|104)\.\d\/(?:unified|agents)$/,
    missing: /^command: (?:echo bg-start|echo child-work)/,
    cause: "the command ended with the process, after the last line",
  },
  {
    run: /^0\.130\.0\/codemode$/,
    missing: /^command: echo from-code-mode/,
    cause:
      "the argument of the script is not JSON, and no item has the command",
  },
];

const RUNS = readRuns();

Deno.test("session files have the events of the exec streams of their runs (C.7)", () => {
  const used = new Set<string>();
  let runs = 0;
  for (const [name, { streams, sessions }] of RUNS) {
    if (streams.length === 0 || sessions.length === 0) continue;
    runs += 1;
    const filed = sessions.flat(2);
    for (const text of streams.flat(2)) {
      const at = filed.indexOf(text);
      if (at !== -1) {
        filed.splice(at, 1);
        continue;
      }
      const exception = EXCEPTIONS.find(({ run, missing }) =>
        run.test(name) && missing.test(text)
      );
      assert(exception !== undefined, `${name} lacks "${text}"`);
      used.add(exception.cause);
    }
  }
  assert(runs > 400);
  // Every exception must be needed.
  assertEquals(EXCEPTIONS.filter(({ cause }) => !used.has(cause)), []);
});

Deno.test("session files have the answers and plans of the exec streams in the same order (C.7)", () => {
  for (const [name, { streams, sessions }] of RUNS) {
    const isPlain = streams.length === 1 && sessions.length === 1 &&
      !EXCEPTIONS.some(({ run }) => run.test(name));
    const [stream] = streams;
    const [session] = sessions;
    if (!isPlain || stream === undefined || session === undefined) continue;
    const [turn, ...others] = stream;
    // Warnings are before the turn, and a review is a turn of its own.
    if (turn === undefined || others.length > 0) continue;
    const answers = (texts: readonly string[]): readonly string[] =>
      texts.filter((text) => /^(?:says|plan)/.test(text));
    assertEquals(answers(session.flat()), answers(turn), name);
  }
});

function readRuns(): Map<string, Run> {
  const runs = new Map<string, Run>();
  const names =
    /^(?:stdout(?:\.\d+)?|(?:archived-)?rollout-.*)\.jsonl(?:\.zst)?$/;
  for (const packed of readCapturedFiles(names)) {
    const isPacked = packed.name.endsWith(".zst");
    const file = isPacked
      ? { ...packed, bytes: new Uint8Array(zstdDecompressSync(packed.bytes)) }
      : packed;
    const name = file.path.split("/").slice(0, 2).join("/");
    const run = runs.get(name) ?? { streams: [], sessions: [] };
    runs.set(name, run);
    const isSession = file.name.includes("rollout");
    (isSession ? run.sessions : run.streams).push(storyOf(file));
  }
  return runs;
}

/** Returns the texts of each turn. */
function storyOf({ bytes }: CapturedFile): Story {
  const turns: string[][] = [[]];
  const places = new Map<unknown, string[]>();
  let plan = "";
  for (const event of eventsIn(bytes)) {
    if (event.inherited === true) continue;
    if (event.type === "turn.started") {
      turns.push([]);
      plan = "";
    }
    const now = turns.at(-1) ?? [];
    if (!places.has(event.item_id)) places.set(event.item_id, now);
    const turn = places.get(event.item_id) ?? now;
    if (event.type === "turn.failed") now.push("turn failed");
    if (event.item_type === "todo_list" && event.type !== "item.failed") {
      const steps = planOf(event);
      if (steps !== plan) now.push(`plan ${plan = steps}`);
    } else if (event.type === "item.completed") turn.push(...textsOf(event));
  }
  return turns.filter((turn) => turn.length > 0);
}

function planOf({ content, delta }: Fields): string {
  const steps = listOf(fieldsOf(content ?? delta).items).map(fieldsOf);
  return JSON.stringify(
    steps.map(({ title, completed }) => [title, completed]),
  );
}

/** The texts of an item that both sources have. */
function textsOf({ item_type, status, tool, content }: Fields): string[] {
  const fields = fieldsOf(content);
  switch (item_type) {
    case "agent_message":
      return [`says ${textOf(fields.text)}`];
    case "command_execution": {
      const words = listOf(fields.argv).map(String);
      const line = commandLine(
        words.length > 0 ? words : shellWords(textOf(fields.command) ?? ""),
      );
      const code = fields.exit_code === -1 ? undefined : fields.exit_code;
      return [`command: ${line} = ${code ?? "none"}`];
    }
    case "file_change": {
      const files = listOf(fields.changes).map(fieldsOf).map((change) =>
        `${change.kind} ${textOf(change.path)?.split("/").at(-1)}`
      );
      return status === "completed" ? [`edit ${files.sort().join(", ")}`] : [];
    }
    case "mcp_tool_call":
      return [`calls ${fields.server_name}.${fields.tool_name}`];
    case "collab_tool_call":
      return [`agents ${tool}`];
    case "web_search":
      return [`search ${fields.query}`];
    default:
      return [];
  }
}
