/** Trajectories of captured session files and of handmade lines. */

import { assert, assertEquals } from "@std/assert";
import { Ajv2020 } from "ajv/dist/2020.js";
import {
  AtifExporter,
  type ExporterOptions,
  type ExportPiece,
} from "../../lib/export/export.ts";
import { JsonlEvents } from "../../lib/pipeline/event_pipeline.ts";
import schema from "../../testdata/export/atif-v1.7.schema.json" with {
  type: "json",
};
import { Redactor } from "../../lib/redact/redactor.ts";
import { readFixture } from "../fixtures.ts";
import { readCapturedFiles } from "../rollouts.ts";
import { decode, encodeJsonl } from "../running.ts";
import { eventLine, itemLine, outputLine } from "../session_lines.ts";
import { tokensIn } from "../usage/meters.ts";

const isValid = new Ajv2020({ strict: false }).compile(schema);

/** The members of a trajectory that the tests read. */
interface Trajectory {
  readonly trajectory_id?: string;
  readonly agent: { readonly extra?: Readonly<Record<string, unknown>> };
  readonly steps: readonly {
    readonly step_id: number;
    readonly source: string;
    readonly model_name?: string;
    readonly reasoning_effort?: string;
    readonly message: unknown;
    readonly tool_calls?: readonly {
      readonly tool_call_id: string;
      readonly function_name: string;
      readonly arguments: unknown;
    }[];
    readonly observation?: {
      readonly results: readonly {
        readonly source_call_id?: string;
        readonly content?: unknown;
        readonly subagent_trajectory_ref?: unknown;
        readonly extra?: unknown;
      }[];
    };
    readonly metrics?: Readonly<Record<string, number>>;
    readonly extra?: Readonly<Record<string, unknown>>;
  }[];
  readonly final_metrics: Readonly<Record<string, number>>;
  readonly subagent_trajectories?: readonly Trajectory[];
}

/** The exported pieces of files; each file is a sub-agent of the file before it. */
function piecesOf(
  files: readonly Uint8Array[],
  options: ExporterOptions = {},
): ExportPiece[] {
  const pieces: ExportPiece[] = [];
  const write = (piece: ExportPiece): void => void pieces.push(piece);
  const exporter = new AtifExporter(options);
  for (const [depth, bytes] of files.entries()) {
    const events = new JsonlEvents({ modelCalls: true });
    exporter.begin({ name: "a", stem: "a", depth }, write);
    events.feed(bytes, (outcome) => exporter.feed(outcome, write));
    events.flush((outcome) => exporter.feed(outcome, write));
    exporter.end(write);
  }
  [...exporter.flush()].forEach(write);
  return pieces;
}

/** Parses the trajectories in pieces. */
function trajectoriesIn(pieces: readonly ExportPiece[]): Trajectory[] {
  const text = pieces.map(({ data }) => typeof data === "string" ? data : "")
    .join("");
  return text.split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** The trajectories of lines. */
function trajectoriesOf(...lines: readonly unknown[]): Trajectory[] {
  return trajectoriesIn(piecesOf([encodeJsonl(lines)]));
}

/** The input, output and cached input tokens that UsageMeter counts in a file. */
function usageOf(content: Uint8Array): bigint[] {
  const tokens = tokensIn([{ name: "a", content }]);
  return [
    tokens.input_tokens,
    tokens.output_tokens,
    tokens.cached_input_tokens,
  ];
}

/** The faults of a trajectory that its schema does not find. */
function faultsOf({ steps, final_metrics }: Trajectory): string[] {
  const faults = steps.flatMap((step, i) => {
    const calls = new Set(step.tool_calls?.map((call) => call.tool_call_id));
    const strays = step.observation?.results.filter(({ source_call_id }) =>
      source_call_id !== undefined && !calls.has(source_call_id)
    );
    const isAgent = step.source === "agent";
    return [
      ...(step.step_id === i + 1 ? [] : [`step ${i + 1} is ${step.step_id}`]),
      ...(strays ?? []).map(() =>
        `step ${i + 1} has the result of another step's call`
      ),
      ...(isAgent || (step.tool_calls ?? step.metrics) === undefined
        ? []
        : [`step ${i + 1} has calls or metrics, but is not of an agent`]),
    ];
  });
  for (const name of ["prompt", "completion", "cached"]) {
    const sum = steps.reduce(
      (sum, { metrics }) => sum + (metrics?.[`${name}_tokens`] ?? 0),
      0,
    );
    if (sum !== (final_metrics[`total_${name}_tokens`] ?? 0)) {
      faults.push(`${name}_tokens do not sum up`);
    }
  }
  return faults;
}

Deno.test("AtifExporter writes valid trajectories of every capture, which sum up to its usage", () => {
  const files = readCapturedFiles(/^(?:archived-)?rollout-.*\.jsonl$/);
  assert(files.length > 100);
  for (const file of files) {
    const trajectories = trajectoriesIn(piecesOf([file.bytes]));
    for (const trajectory of trajectories) {
      assert(isValid(trajectory), `${file.path}: ${isValid.errors?.[0]}`);
      assertEquals(faultsOf(trajectory), [], file.path);
    }
    const total = ["prompt", "completion", "cached"].map((name) =>
      trajectories.reduce(
        (sum, { final_metrics }) =>
          sum + BigInt(final_metrics[`total_${name}_tokens`] ?? 0),
        0n,
      )
    );
    assertEquals(total, usageOf(file.bytes), file.path);
  }
});

/** A step that Harbor writes; a message or result that is not compared is null. */
type HarborStep = readonly [
  source: string,
  message: string | null,
  calls: readonly (readonly [id: string, name: string, args: unknown])[],
  results: readonly (readonly [id: string, content: string | null])[],
];

const HARBOR: readonly {
  readonly path: string;
  readonly steps: readonly HarborStep[];
}[] = decode(readFixture("export/harbor.jsonl")).trimEnd().split("\n")
  .map((line) => JSON.parse(line));

/** Converts steps to Harbor's form, with null where the expected steps have null. */
function toHarborSteps(
  { steps }: Trajectory,
  expected: readonly HarborStep[],
): HarborStep[] {
  return steps.filter(({ extra }) => extra?.kind === undefined).map(
    (step, i) => {
      const [source, message, , results = []] = expected[i] ?? [];
      const isContext = step.source === "system" && source === "user";
      return [
        isContext ? source : step.source,
        message === null ? null : String(step.message),
        (step.tool_calls ?? []).map((call) =>
          [call.tool_call_id, call.function_name, call.arguments] as const
        ),
        (step.observation?.results ?? []).map((
          { source_call_id, content },
          i,
        ) =>
          [
            source_call_id ?? "",
            results[i]?.[1] === null ? null : String(content),
          ] as const
        ),
      ];
    },
  );
}

Deno.test("AtifExporter writes the steps of Harbor, except for the differences in docs/export.md", () => {
  assert(HARBOR.length > 100);
  for (const { path, steps } of HARBOR) {
    const bytes = readFixture(`captures/${path}`);
    const [trajectory] = trajectoriesIn(piecesOf([bytes]));
    assert(trajectory !== undefined, path);
    assertEquals(toHarborSteps(trajectory, steps), [...steps], path);
  }
});

const PNG = "iVBORw0KGgo=";
const CALL = itemLine("function_call", {
  name: "shell",
  arguments: '{"n":1.0}',
  call_id: "c",
});
const OUTPUT = outputLine("Done", "c");

Deno.test("AtifExporter writes a result that follows its turn as a step of its own", () => {
  const [trajectory] = trajectoriesOf(
    eventLine("task_started", { turn_id: "1" }),
    CALL,
    eventLine("task_complete", { turn_id: "1", last_agent_message: "On it" }),
    OUTPUT,
  );
  const steps = trajectory?.steps.map(({ source, tool_calls, observation }) => [
    source,
    tool_calls?.length,
    observation?.results,
  ]);
  assertEquals(steps, [
    ["agent", 1, undefined],
    ["system", undefined, [{ content: "Done", extra: { call_id: "c" } }]],
  ]);
});

Deno.test("AtifExporter writes items of unknown types as calls, which the model made or not", () => {
  const [trajectory] = trajectoriesOf(
    eventLine("task_started", { turn_id: "1" }),
    CALL,
    OUTPUT,
    eventLine("something_new", { target: "prod" }),
    itemLine("browser_call", { call_id: "b", url: "a.org" }),
    itemLine("browser_call_output", { call_id: "b", output: "Seen" }),
  );
  const calls = trajectory?.steps.flatMap(({ tool_calls = [], observation }) =>
    tool_calls.map(({ function_name, arguments: args }, i) => [
      function_name,
      args,
      observation?.results[i]?.content,
    ])
  );
  assertEquals(calls?.slice(1), [["browser_call", { url: "a.org" }, "Seen"]]);
});

Deno.test("AtifExporter writes what agents answered, which streams have in their states", () => {
  const wait = (id: string, agents_states: object) => ({
    type: "item.completed",
    thread_id: "a",
    turn_id: "1",
    item_id: id,
    item_type: "collab_tool_call",
    tool: "wait",
    agents_states,
  });
  const states = { c: { status: "completed", message: "Well" } };
  const lines = [wait("x", {}), wait("y", states)];
  const results = trajectoriesIn(piecesOf([encodeJsonl(lines)]))
    .flatMap(({ steps }) => steps)
    .flatMap(({ observation }) => observation?.results ?? []);
  assertEquals(results.map(({ content }) => content), [
    undefined,
    JSON.stringify(states),
  ]);
});

Deno.test("AtifExporter writes the searches of the provider and the answer after them as one request", () => {
  const search = (id: string): unknown =>
    itemLine("web_search_call", { id, action: { type: "search", query: "x" } });
  const answer = { last_token_usage: { input_tokens: 9, output_tokens: 1 } };
  const [trajectory] = trajectoriesOf(
    search("a"),
    search("b"),
    CALL,
    OUTPUT,
    search("d"),
    eventLine("agent_message", { message: "Found" }),
    eventLine("token_count", { info: answer }),
  );
  assertEquals(
    trajectory?.steps.map(({ message, tool_calls, metrics }) => [
      message,
      tool_calls?.map(({ tool_call_id }) => tool_call_id),
      metrics?.prompt_tokens,
    ]),
    [["", ["a", "b", "c"], undefined], ["Found", ["d"], 9]],
  );
});

Deno.test("AtifExporter writes the query of a search that only its end has", () => {
  const search = (type: string, query: string, action: unknown): unknown => ({
    type,
    item: { id: "item_0", type: "web_search", query, action },
  });
  const action = { type: "search", query: "x" };
  const [trajectory] = trajectoriesOf(
    { type: "thread.started", thread_id: "t" },
    { type: "turn.started" },
    search("item.started", "", { type: "other" }),
    search("item.completed", "x", action),
  );
  const [call] = trajectory?.steps[0]?.tool_calls ?? [];
  assertEquals(call?.arguments, { query: "x", action });
});

Deno.test("AtifExporter writes the calls of one request as one step where its count follows their results", () => {
  const message = (msg: unknown): unknown => ({ id: "1", msg });
  const call = (call_id: string): unknown[] => {
    const facts = { call_id, command: ["make"], cwd: "/" };
    const begin = { type: "exec_command_begin", ...facts };
    const end = { type: "exec_command_end", ...facts, exit_code: 0 };
    return [message(begin), message({ ...end, stdout: "", stderr: "" })];
  };
  const count = (input_tokens: number): unknown => {
    const info = { total_token_usage: { input_tokens, output_tokens: 1 } };
    return message({ type: "token_count", info });
  };
  const [trajectory] = trajectoriesOf(
    { workdir: "/", model: "gpt-5", provider: "x" },
    { prompt: "Make it" },
    message({ type: "task_started" }),
    ...[...call("a"), count(9)],
    ...[...call("b"), ...call("c"), count(20)],
  );
  assertEquals(
    trajectory?.steps.map(({ tool_calls, metrics }) => [
      tool_calls?.map(({ tool_call_id }) => tool_call_id),
      metrics?.prompt_tokens,
    ]),
    [[undefined, undefined], [["a"], 9], [["b", "c"], 11]],
  );
});

Deno.test("AtifExporter keeps the JSON text of arguments, and the text of arguments that are no object", () => {
  const script = { name: "exec", call_id: "d", input: "[1]" };
  const long = { name: "f", call_id: "e", arguments: '{\r\n"n": 1.0\n}' };
  const lines = [
    CALL,
    OUTPUT,
    itemLine("custom_tool_call", script),
    itemLine("function_call", long),
  ];
  const written = piecesOf([encodeJsonl(lines)]).map(({ data }) => data).join(
    "",
  );
  assert(written.includes('"arguments":{"n":1.0}'), written);
  // A document is one line.
  assert(written.includes('"arguments":{ "n": 1.0 }'), written);
  assert(written.includes('"arguments":{"input":"[1]"}'), written);
  assert(
    written.includes('"tool_call_details":{"d":{"raw_arguments":"[1]"}}'),
    written,
  );
});

Deno.test("AtifExporter tells arguments that are an empty text from none", () => {
  const [trajectory] = trajectoriesOf(
    itemLine("function_call", { name: "f", call_id: "c", arguments: "" }),
    itemLine("function_call", { name: "f", call_id: "d", arguments: "null" }),
    itemLine("function_call", { name: "f", call_id: "e" }),
  );
  assertEquals(
    trajectory?.steps.flatMap(({ tool_calls = [] }) =>
      tool_calls.map((call) => call.arguments)
    ),
    [{ input: "" }, {}, {}],
  );
});

Deno.test("AtifExporter counts a secret in raw arguments once, although both of their places show it", () => {
  const redactor = new Redactor();
  const input = "export DB_PASSWORD=swordfish";
  const script = { name: "exec", call_id: "d", input };
  const lines = encodeJsonl([itemLine("custom_tool_call", script)]);
  const pieces = piecesOf([lines], { redactor });
  const written = pieces.map(({ data }) => data).join("");
  assertEquals(written.split("[redacted:password]").length, 3);
  assertEquals([...redactor.counts.values()], [1]);
});

for (
  const [suffix, base64] of [["", PNG], [", without padding", PNG.slice(0, -1)]]
) {
  Deno.test(`AtifExporter writes an image to a file if it has a folder, and else its type${suffix}`, () => {
    const output = [
      { type: "input_text", text: "Look" },
      { type: "input_image", image_url: `data:image/png;base64,${base64}` },
    ];
    const bytes = encodeJsonl([CALL, outputLine(output, "c")]);
    const contentOf = (pieces: readonly ExportPiece[]): unknown =>
      trajectoriesIn(pieces)[0]?.steps[0]?.observation?.results[0]?.content;
    const pieces = piecesOf([bytes], { hasFolder: true });
    const image = pieces.find(({ file }) => file === "a.1.png");
    assertEquals(contentOf(piecesOf([bytes])), "Look\n[image: image/png]");
    assertEquals(contentOf(pieces), [
      { type: "text", text: "Look" },
      { type: "image", source: { media_type: "image/png", path: "a.1.png" } },
    ]);
    assertEquals([image?.data.length, image?.isLast], [8, true]);
  });
}

Deno.test("AtifExporter writes the image that a tool of an exec stream returned as one of a session file", () => {
  const result = {
    content: [
      { type: "text", text: "Look" },
      { type: "image", data: PNG, mimeType: "image/png" },
    ],
  };
  const bytes = encodeJsonl([
    { type: "thread.started", thread_id: "t" },
    {
      type: "item.completed",
      item: {
        id: "item_0",
        type: "mcp_tool_call",
        server: "s",
        tool: "t",
        result,
        status: "completed",
      },
    },
  ]);
  const contents = [{}, { hasFolder: true }].map((options) =>
    trajectoriesIn(piecesOf([bytes], options))[0]?.steps[0]?.observation
      ?.results[0]?.content
  );
  assertEquals(contents, ["Look\n[image: image/png]", [
    { type: "text", text: "Look" },
    { type: "image", source: { media_type: "image/png", path: "a.1.png" } },
  ]]);
});

Deno.test("AtifExporter writes the place or the type of an image that is not written to a file", () => {
  const images = [
    { path: "a.png" },
    { url: "https://a.org/b.png" },
    { url: "data:image/svg+xml;base64,AAAA" },
    { url: "data:image/png;base64,!" },
    {},
  ];
  const prompt = {
    type: "item.completed",
    item_id: "u",
    item_type: "user_message",
    content: { text: "Look", images },
  };
  const pieces = piecesOf([
    encodeJsonl([{ type: "thread.started", thread_id: "a" }, prompt]),
  ], { hasFolder: true });
  const [step] = trajectoriesIn(pieces)[0]?.steps ?? [];
  assertEquals(
    step?.message,
    "Look\n[image: a.png]\n[image: https://a.org/b.png]\n" +
      "[image: image/svg+xml]\n[image: image/png]\n[image: unknown]",
  );
});

Deno.test("AtifExporter writes a prompt with an image once, which is repeated with the path of the image", () => {
  const image_url = `data:image/png;base64,${PNG}`;
  const lines = [
    itemLine("message", {
      role: "user",
      content: [
        { type: "input_text", text: "<image name=[Image #1]>" },
        { type: "input_image", image_url },
        { type: "input_text", text: "</image>" },
        { type: "input_text", text: "Look" },
      ],
    }),
    eventLine("user_message", {
      message: "Look",
      images: [],
      local_images: ["pixel.png"],
    }),
  ];
  const pieces = piecesOf([encodeJsonl(lines)], { hasFolder: true });
  const messages = trajectoriesIn(pieces)[0]?.steps.map((step) => step.message);
  const source = { media_type: "image/png", path: "a.1.png" };
  assertEquals(messages, [[
    { type: "text", text: "Look" },
    { type: "image", source },
  ]]);
  assert(!pieces.some(({ file }) => file === "a.2.png"));
});

Deno.test("AtifExporter writes the prompts of two processes that number items alike", () => {
  const process = (text: string): unknown[] => [
    { type: "thread.started", thread_id: "t" },
    {
      type: "item.completed",
      item_id: "item_0",
      item_type: "user_message",
      content: { text },
    },
  ];
  const [trajectory] = trajectoriesOf(...process("Do it"), ...process("Go on"));
  const messages = trajectory?.steps.map(({ message }) => message);
  assertEquals(messages, ["Do it", "Go on"]);
});

Deno.test("AtifExporter writes the call of a process that has the id of a call which a killed one left", () => {
  const item = { id: "item_1", type: "command_execution", command: "make" };
  const started = { type: "thread.started", thread_id: "t" };
  const turn = { type: "turn.started" };
  const [trajectory] = trajectoriesOf(
    started,
    turn,
    { type: "item.started", item: { ...item, status: "in_progress" } },
    started,
    turn,
    {
      type: "item.completed",
      item: { ...item, aggregated_output: "Made", exit_code: 0 },
    },
    { type: "turn.completed", usage: { input_tokens: 1, output_tokens: 1 } },
  );
  assertEquals(
    trajectory?.steps.map(({ tool_calls, observation }) => [
      tool_calls?.length,
      observation?.results[0]?.content,
    ]),
    [[1, undefined], [1, "Made"]],
  );
});

Deno.test("AtifExporter nests the trajectory of an agent in the trajectory of the thread that spawned it", () => {
  const folder = "captures/0.160.0/agents/rollout-2026-11-20T15-43-0";
  const root = readFixture(
    `${folder}6-01a1f9a0-2e53-7361-af3a-137398bb85f2.jsonl`,
  );
  const child = readFixture(
    `${folder}6-01a1f9a0-2ee6-7d00-8835-a1ed37d4f773.jsonl`,
  );
  const [trajectory, ...more] = trajectoriesIn(piecesOf([root, child]));
  assert(isValid(trajectory), String(isValid.errors?.[0]));
  assertEquals(more, []);
  const [agent] = trajectory?.subagent_trajectories ?? [];
  const refs = trajectory?.steps.flatMap(({ observation }) =>
    observation?.results.flatMap((result) =>
      result.subagent_trajectory_ref ?? []
    ) ?? []
  );
  assertEquals(refs?.[0], { trajectory_id: agent?.trajectory_id });
  assertEquals(agent?.agent.extra?.agent_nickname, "Mendel");
});

Deno.test("AtifExporter refers to an agent in the result of a call that came after its turn", () => {
  const spawn = {
    id: "item_0",
    type: "collab_tool_call",
    tool: "spawn_agent",
    sender_thread_id: "t",
    prompt: "Look",
    agents_states: {},
  };
  const [trajectory] = trajectoriesOf(
    { type: "thread.started", thread_id: "t" },
    { type: "turn.started" },
    {
      type: "item.started",
      item: { ...spawn, receiver_thread_ids: [], status: "in_progress" },
    },
    // 0.104 writes the beginning of the agent's turn, too.
    { type: "turn.started" },
    {
      type: "item.completed",
      item: { ...spawn, receiver_thread_ids: ["a"], status: "completed" },
    },
  );
  assertEquals(trajectory?.steps[1]?.observation?.results, [{
    subagent_trajectory_ref: [{ trajectory_id: "a" }],
    extra: { call_id: "item_0" },
  }]);
});

Deno.test("AtifExporter writes a trajectory for each thread of an app-server", () => {
  const message = (thread_id: string, text: string): unknown => ({
    type: "item.completed",
    thread_id,
    item: { id: "i", type: "agent_message", text },
  });
  const trajectories = trajectoriesOf(
    { type: "thread.started", thread_id: "a" },
    { type: "turn.started" },
    message("a", "one"),
    { type: "thread.started", thread_id: "b", parent_thread_id: "a" },
    message("b", "two"),
    { type: "thread.started", thread_id: "c" },
    message("c", "three"),
    // A thread without steps is left out; its agents belong to its parent.
    { type: "thread.started", thread_id: "d", parent_thread_id: "c" },
    { type: "thread.started", thread_id: "e", parent_thread_id: "d" },
    message("e", "four"),
  );
  const summary = (trajectory: Trajectory): unknown => [
    trajectory.trajectory_id,
    trajectory.steps.map(({ message }) => message),
    trajectory.subagent_trajectories?.map(summary),
  ];
  assertEquals(trajectories.map(summary), [
    ["a", ["one"], [["b", ["two"], undefined]]],
    ["c", ["three"], [["e", ["four"], undefined]]],
  ]);
});

Deno.test("AtifExporter writes a command that the user of an app-server ran as a step of the system", () => {
  const item = {
    id: "c",
    type: "commandExecution",
    source: "userShell",
    command: "ls",
    aggregatedOutput: "a.txt",
    status: "failed",
    exitCode: 3,
  };
  const messages = ["item/started", "item/completed"].map((method) => ({
    method,
    params: { threadId: "t", turnId: "u", item },
  }));
  assertEquals(trajectoriesOf(...messages)[0]?.steps, [{
    step_id: 1,
    source: "system",
    message: "ls\na.txt",
    extra: {
      kind: "user_shell_command",
      exit_code: 3,
      status: "failed",
      codex_turn_id: "u",
    },
  }]);
});

Deno.test("AtifExporter writes the errors of each thread that is in one log of several runs", () => {
  const run = (thread_id: string): readonly unknown[] => [
    { type: "thread.started", thread_id },
    { type: "turn.started" },
    { type: "error", message: `Reconnecting ${thread_id}` },
    { type: "turn.completed" },
  ];
  assertEquals(
    trajectoriesOf(...run("a"), ...run("b")).map(({ trajectory_id, steps }) => [
      trajectory_id,
      steps.map(({ message }) => message),
    ]),
    [["a", ["Reconnecting a"]], ["b", ["Reconnecting b"]]],
  );
});

Deno.test("AtifExporter writes a failure once that an error and the end of its turn tell", () => {
  const failed = { type: "turn.failed", error: { message: "Limit" } };
  const [trajectory] = trajectoriesOf(
    { type: "thread.started", thread_id: "t" },
    { type: "turn.started" },
    { type: "error", message: "Limit" },
    { type: "error", message: "Reconnecting" },
    failed,
    { type: "turn.started" },
    failed,
  );
  assertEquals(
    trajectory?.steps.map(({ message }) => message),
    ["Limit", "Reconnecting", "Limit"],
  );
});

Deno.test("AtifExporter writes errors, but no warnings and notices", () => {
  const [trajectory] = trajectoriesOf(
    CALL,
    OUTPUT,
    ...["warning", "stream_error", "error"].map((type) =>
      eventLine(type, { message: type })
    ),
  );
  assertEquals(
    trajectory?.steps.map(({ message, extra }) => [message, extra?.kind]),
    [["", undefined], ["error", "error"]],
  );
});

Deno.test("AtifExporter writes the models that the turns of an app-server began with", () => {
  const message = (method: string, params: object): unknown => ({
    method,
    params: { threadId: "t", ...params },
  });
  const turn = (id: string): unknown =>
    message("turn/started", { turn: { id, items: [] } });
  const answer = (turnId: string): unknown =>
    message("item/completed", {
      turnId,
      item: { id: `answer-${turnId}`, type: "agentMessage", text: "Done" },
    });
  const [trajectory] = trajectoriesOf(
    { id: 1, result: { thread: { id: "t" }, model: "a" } },
    turn("1"),
    message("thread/settings/updated", {
      threadSettings: { model: "b", effort: "high" },
    }),
    answer("1"),
    turn("2"),
    answer("2"),
  );
  assertEquals(
    trajectory?.steps.map((step) => [step.model_name, step.reasoning_effort]),
    [["a", undefined], ["b", "high"]],
  );
});

Deno.test("AtifExporter nests 20,000 agents in each other in linear time", () => {
  // In quadratic time this would take a minute.
  const count = 20_000;
  const pieces = piecesOf([
    encodeJsonl(
      Array.from({ length: count }, (_, at) => [
        {
          type: "thread.started",
          thread_id: `${at}`,
          parent_thread_id: `${at - 1}`,
        },
        {
          type: "item.completed",
          thread_id: `${at}`,
          item: { id: "i", type: "agent_message", text: "Hi" },
        },
      ]).flat(),
    ),
  ]);
  const text = pieces.map(({ data }) => data).join("");
  assertEquals(text.match(/"subagent_trajectories":/g)?.length, count - 1);
  assert(text.endsWith(`${"]}".repeat(count - 1)}\n`));
});

Deno.test("AtifExporter adds up exec turns as UsageMeter does, for growing and shrinking totals", () => {
  for (
    const [counts, expected] of [
      [[10, 25, 40], [10, 15, 15]],
      [[10, 25, 7], [10, 15, 17]],
    ] as const
  ) {
    const lines = [
      { type: "thread.started", thread_id: "t" },
      ...counts.flatMap((input_tokens) => [
        { type: "turn.started" },
        {
          type: "item.completed",
          item: { id: "i", type: "agent_message", text: "Hi" },
        },
        { type: "turn.completed", usage: { input_tokens, output_tokens: 1 } },
      ]),
    ];
    const [trajectory] = trajectoriesOf(...lines);
    assertEquals(
      trajectory?.steps.map(({ metrics }) => metrics?.prompt_tokens),
      [...expected],
    );
    const [input] = usageOf(encodeJsonl(lines));
    assertEquals(
      BigInt(trajectory?.final_metrics.total_prompt_tokens ?? 0),
      input,
    );
  }
});
