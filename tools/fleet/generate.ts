/**
 * Makes a Codex home of COUNT sessions, which must be a multiple of five, and prints the numbers
 * of rows and tokens that `export --to=tables` must have for them:
 * `deno run --allow-write tools/fleet/generate.ts HOME COUNT TURNS`. The longest sessions have
 * TURNS turns of a kilobyte each, three by default.
 *
 * Of each five sessions, the second is forked from the first and begins with a copy of its first
 * turn, the third is an agent that the first has spawned, and the fifth is a review of the fourth,
 * whose tokens are in both files, as 0.72 did. So the counts of one file depend on other files.
 */

/** A line of a session file: its type and payload. */
type Line = readonly [type: string, payload: Readonly<Record<string, unknown>>];

const BEGIN = Date.UTC(2026, 0, 1);
/** The time from one session to the next, in milliseconds. */
const PAUSE = 10_000;

function timeOf(session: number): number {
  return BEGIN + session * PAUSE;
}

/** Returns an id that contains its time, as those of Codex do. */
function idOf(session: number, turn = 0): string {
  const time = (timeOf(session) + turn).toString(16).padStart(12, "0");
  const rest = session.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${rest}`;
}

function header(session: number): Line {
  const role = session % 5;
  return ["session_meta", {
    id: idOf(session),
    timestamp: new Date(timeOf(session)).toISOString(),
    cwd: role < 3 ? "/demo" : `/demo/${session - role}`,
    originator: "codex_exec",
    cli_version: role < 3 ? "0.104.0" : "0.72.0",
    source: role === 4 ? { subagent: "review" } : "exec",
    ...(role === 1 ? { forked_from_id: idOf(session - 1) } : {}),
    ...(role === 2 ? { parent_thread_id: idOf(session - 2) } : {}),
  }];
}

/** The number of turns of the longest sessions, by default. */
const TURNS = 3;

/** Returns the number of turns of the first of five sessions. */
function turnsOf(session: number, most: number): number {
  return 1 + session % most;
}

/** Returns the tokens of each request of a session. */
function tokensOf(session: number): readonly [input: number, output: number] {
  return [1000 + session % 97, 50 + session % 13];
}

/** Returns a token count; with `base`, the total also has one request of that session. */
function count(session: number, requests: number, base?: number): Line {
  const usage = (times: number, base?: number): object => {
    const [input, output] = tokensOf(session);
    const [more, most] = base === undefined ? [0, 0] : tokensOf(base);
    const [input_tokens, output_tokens] = [
      input * times + more,
      output * times + most,
    ];
    const total_tokens = input_tokens + output_tokens;
    return { input_tokens, output_tokens, total_tokens };
  };
  return ["event_msg", {
    type: "token_count",
    info: {
      total_token_usage: usage(requests, base),
      last_token_usage: usage(1),
    },
  }];
}

/** Returns the lines of a turn: a prompt, a call, its result, a token count and an answer. */
function turn(session: number, turn: number, base?: number): Line[] {
  const [turn_id, call_id] = [idOf(session, turn), `call_${session}_${turn}`];
  const call = { name: "exec_command", arguments: '{"cmd":"make test"}' };
  const output = "Process exited with code 0\nOutput:\nok\n";
  return [
    ["event_msg", { type: "task_started", turn_id }],
    ["turn_context", { turn_id, cwd: "/demo", model: "gpt-5.2-codex" }],
    ["event_msg", { type: "user_message", message: `Mend ${call_id}` }],
    ["response_item", { type: "function_call", ...call, call_id }],
    ["response_item", { type: "function_call_output", call_id, output }],
    count(session, turn, base),
    ["event_msg", { type: "agent_message", message: "It is mended." }],
    ["event_msg", { type: "task_complete", turn_id }],
  ];
}

function linesOf(session: number, most: number): readonly Line[] {
  const first = header(session);
  const question: Line = ["event_msg", {
    type: "user_message",
    message: "Review it",
  }];
  switch (session % 5) {
    case 0:
      return [
        first,
        ...Array.from(
          { length: turnsOf(session, most) },
          (_, i) => turn(session, i + 1),
        ).flat(),
      ];
    case 1: {
      const origin = session - 1;
      const copy = [header(origin), ...turn(origin, 1)];
      return [first, ...copy, ...turn(session, 1, origin)];
    }
    case 2:
      return [first, ...turn(session, 1)];
    case 3:
      return [
        first,
        ["event_msg", { type: "entered_review_mode" }],
        count(session + 1, 1),
        ["event_msg", { type: "exited_review_mode" }],
      ];
    default:
      return [first, question, count(session, 1)];
  }
}

/** Yields sessions, each as the path of its file in a home and its text. */
export function* sessions(
  count: number,
  most = TURNS,
): Generator<readonly [path: string, text: string]> {
  for (let i = 0; i < count; i++) {
    // The request for a review has the time at which the review begins; the lines of other
    // sessions follow their header within milliseconds.
    const begin = timeOf(i % 5 === 3 ? i + 1 : i);
    const text = linesOf(i, most).map(([type, payload], at) => {
      const time = at === 0 ? timeOf(i) : begin + at;
      const timestamp = new Date(time).toISOString();
      return `${JSON.stringify({ timestamp, type, payload })}\n`;
    });
    const stamp = new Date(timeOf(i)).toISOString().slice(0, 19);
    const [day = "", time = ""] = stamp.split("T");
    const name = `rollout-${day}T${time.replaceAll(":", "-")}-${idOf(i)}.jsonl`;
    yield [`sessions/${day.replaceAll("-", "/")}/${name}`, text.join("")];
  }
}

/** Returns the numbers of rows in the tables of `count` sessions, and the sums of their tokens. */
export function sumsOf(
  count: number,
  most = TURNS,
): Readonly<Record<string, number>> {
  const sums = {
    threads: count,
    turns: 0,
    items: 0,
    tool_calls: 0,
    requests: 0,
    input_tokens: 0,
    output_tokens: 0,
  };
  for (let i = 0; i < count; i += 5) {
    const turns = turnsOf(i, most);
    // The fork has its own turn and a copied one, the agent one, and the review one in each file.
    sums.turns += turns + 2 + 1 + 1 + 1;
    // Four items of each turn, the two bounds of a review, and its prompt.
    sums.items += 4 * (turns + 3) + 2 + 1;
    sums.tool_calls += turns + 3;
    // Each request once: the copied one counts in the first session, the review's in its own.
    for (
      const [session, requests] of [[i, turns], [i + 1, 1], [i + 2, 1], [
        i + 4,
        1,
      ]] as const
    ) {
      const [input, output] = tokensOf(session);
      sums.requests += requests;
      sums.input_tokens += requests * input;
      sums.output_tokens += requests * output;
    }
  }
  return sums;
}

if (import.meta.main) {
  const [home = "home", count = "1000", turns] = Deno.args;
  const size = [Number(count), Number(turns ?? TURNS)] as const;
  for (const [path, text] of sessions(...size)) {
    const file = `${home}/${path}`;
    Deno.mkdirSync(file.slice(0, file.lastIndexOf("/")), { recursive: true });
    Deno.writeTextFileSync(file, text);
  }
  Deno.stdout.writeSync(
    new TextEncoder().encode(`${JSON.stringify(sumsOf(...size))}\n`),
  );
}
