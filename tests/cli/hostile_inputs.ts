/**
 * Inputs that crash programs, in two sizes, and the calls of each command with one.
 *
 * @module
 */

import type { Command } from "../../lib/cli/command.ts";
import { COMMANDS } from "../../lib/cli/commands.ts";
import { flagsOf } from "../../lib/cli/flags.ts";
import { encode } from "../running.ts";
import { sessionPath, testId } from "../sessions/homes.ts";
import { sourceOf, stepping } from "./memory.ts";
import type { Result, World } from "./world.ts";

/** The sizes of the inputs. */
export interface HostileSizes {
  /** The length of a line that does not end, in bytes. */
  readonly bytes: number;
  /** The depth of a nested value. */
  readonly depth: number;
  /** The number of members of an object. */
  readonly members: number;
  /** The number of items that begin and never end. */
  readonly open: number;
  /** The number of threads. */
  readonly threads: number;
  /** The length of an id, in bytes; there are 16 ids. */
  readonly id: number;
  /** The value of `--max-line-bytes`, for commands that have the flag. */
  readonly maxLineBytes: string;
}

/** The sizes for the tests. */
export const SMALL: HostileSizes = {
  bytes: 32 << 20,
  depth: 100_000,
  members: 50_000,
  open: 2_000,
  threads: 2_000,
  id: 200_000,
  maxLineBytes: "1M",
};

/** The sizes for the soak test. */
export const FULL: HostileSizes = {
  bytes: 1 << 30,
  depth: 1_000_000,
  members: 2_000_000,
  open: 500_000,
  threads: 1_000_000,
  id: 16 << 20,
  maxLineBytes: "256M",
};

/** An input, as a stream of `codex exec` and as a session file. */
export interface HostileInput {
  readonly name: string;
  /** The limit on the growth of memory at its peak, for the small sizes, in MB. */
  readonly limitMb: number;
  /** Yields the chunks of the input; the reader consumes each before it asks for the next. */
  chunks(kind: "exec" | "session"): Iterable<Uint8Array>;
}

const STARTED = "2026-01-02T03:04:05.000Z";
const ID = testId(1);
const CHUNK_BYTES = 1 << 16;

/** The inputs. */
export function hostileInputs(sizes: HostileSizes): HostileInput[] {
  const { bytes, depth, members, open, threads, id } = sizes;
  const line = (kind: string, exec: string, session: string): string =>
    kind === "exec"
      ? `{"type":"item.completed","item":${exec}}\n`
      : `{"timestamp":"${STARTED}","type":"response_item","payload":${session}}\n`;
  const header = (kind: string, thread: string): string =>
    kind === "exec"
      ? `{"type":"thread.started","thread_id":"${thread}"}\n{"type":"turn.started"}\n`
      : `{"timestamp":"${STARTED}","type":"session_meta","payload":{"id":"${thread}","timestamp":"${STARTED}","cwd":"/w","originator":"codex_exec","cli_version":"0.169.0","source":"exec"}}\n`;
  const call = (kind: string, name: number): string =>
    kind === "exec"
      ? `{"type":"item.started","item":{"id":"item_${name}","type":"command_execution","command":"ls ${name}","aggregated_output":"","status":"in_progress"}}\n`
      : line(
        kind,
        "",
        `{"type":"function_call","name":"shell","arguments":"{\\"command\\":[\\"ls\\",\\"${name}\\"]}","call_id":"call_${name}"}`,
      );
  return [
    {
      name: "a first line without an end",
      limitMb: 20,
      *chunks() {
        yield encode('{"type":"session_meta","a":"');
        yield* repeated("a", bytes);
      },
    },
    {
      name: "a blank line without an end",
      limitMb: 20,
      chunks: () => repeated(" ", bytes),
    },
    {
      name: "NULs without an end",
      limitMb: 20,
      chunks: () => repeated("\0", bytes),
    },
    {
      name: "a value that nests deep",
      limitMb: 24,
      *chunks(kind) {
        yield encode(header(kind, ID));
        const deep = "[".repeat(depth) + "]".repeat(depth);
        yield encode(line(
          kind,
          `{"id":"item_0","type":"mcp_tool_call","arguments":${deep}}`,
          `{"type":"function_call","name":"x","call_id":"c","arguments":"{}","a":${deep}}`,
        ));
      },
    },
    {
      name: "an object with many members",
      limitMb: 64,
      *chunks(kind) {
        yield encode(header(kind, ID));
        const many = Array.from({ length: members }, (_, i) => `"k${i}":${i}`)
          .join(",");
        yield encode(line(
          kind,
          `{"id":"item_0","type":"mcp_tool_call","server":"s","tool":"t","arguments":{${many}}}`,
          `{"type":"function_call","name":"x","call_id":"c","arguments":"{}","a":{${many}}}`,
        ));
      },
    },
    {
      name: "items that begin and never end",
      limitMb: 24,
      *chunks(kind) {
        yield encode(header(kind, ID));
        for (let i = 0; i < open; i++) yield encode(call(kind, i));
      },
    },
    {
      name: "many threads",
      limitMb: 12,
      *chunks(kind) {
        for (let i = 0; i < threads; i++) {
          yield encode(header(kind, testId(i + 1)));
        }
      },
    },
    {
      name: "long ids",
      limitMb: 64,
      *chunks(kind) {
        for (let i = 0; i < 16; i++) {
          const long = `${i}${"x".repeat(id)}`;
          yield encode(header(kind, long));
          yield encode(line(
            kind,
            `{"id":"${long}","type":"agent_message","text":"Hi"}`,
            `{"type":"function_call","name":"x","call_id":"${long}","arguments":"{}"}`,
          ));
        }
      },
    },
  ];
}

function* repeated(text: string, bytes: number): Generator<Uint8Array> {
  const chunk = encode(text.repeat(CHUNK_BYTES));
  for (let left = bytes; left > 0; left -= CHUNK_BYTES) {
    yield left < CHUNK_BYTES ? chunk.subarray(0, left) : chunk;
  }
}

/** The call of a command. */
export interface HostileCall {
  readonly args: readonly string[];
  readonly world: World;
}

/** The flags of commands that need some, or that do other work with some. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  export: ["--to=atif", "--to=otlp --stamp", "--to=tables --table=items"],
  render: ["", "--to=html"],
};

/** All commands, each with its flags. */
export const COMMAND_NAMES: readonly string[] = COMMANDS.flatMap(({ name }) =>
  (CALLS[name] ?? [""]).map((flags) => `${name} ${flags}`.trimEnd())
);

/** Whether a command reads logs or sessions; no input can attack the other commands. */
export function isReader(name: string): boolean {
  const command = commandCalled(name);
  return takesFiles(command) || hasFlag(command, "codex-home");
}

/**
 * Returns the call of a command with an input: on stdin where the command takes files, else as
 * the one session of a home. The first call that needs the home writes it; commands only read it.
 *
 * @param name The name of the command.
 * @param input The input.
 * @param options The sizes, an empty folder, and the folder of the homes of all calls.
 */
export async function hostileCall(
  name: string,
  input: HostileInput,
  { sizes, folder, homes }: {
    readonly sizes: HostileSizes;
    readonly folder: string;
    readonly homes: string;
  },
): Promise<HostileCall> {
  const command = commandCalled(name);
  const limit = hasFlag(command, "max-line-bytes")
    ? [`--max-line-bytes=${sizes.maxLineBytes}`]
    : [];
  const args = [...name.split(" "), ...limit];
  if (takesFiles(command)) {
    return { args, world: { stdin: sourceOf(input.chunks("exec")) } };
  }
  const home = `${homes}/${input.name}`;
  await writeSession(sessionPath(home, ID, STARTED), input);
  if (hasFlag(command, "index")) args.push(`--index=${folder}/index.sqlite`);
  const [operand = ""] = command.operands[0] ?? [];
  if (/ID/.test(operand)) args.push(ID);
  if (/QUERY/.test(operand)) args.push("x");
  if (name === "sessions repair") args.push("--to=/out");
  // `sessions show` shows a chosen session, and is tested itself: Escape chooses none.
  const terminal: World = name === "sessions choose"
    ? { terminals: ["stdin", "stdout"], stdin: sourceOf([encode("\x1b")]) }
    : {};
  return {
    args: [...args, `--codex-home=${home}`],
    world: {
      ...terminal,
      directories: ["/out"],
      created: { write: ({ length }) => Promise.resolve(length) },
      // A followed file has been read to its end when the command waits for changes.
      ...stepping([]),
    },
  };
}

/**
 * Whether a command ended with an expected status and without an internal error. `history` may
 * also refuse streams of several threads.
 */
export function hasAnswered({ status, stderr }: Result): boolean {
  return ([0, 1, 3, 130].includes(status) || /several threads/.test(stderr)) &&
    !/internal error|^\s+at /m.test(stderr);
}

function commandCalled(name: string): Command {
  const command = COMMANDS.find((command) =>
    command.name === name.replace(/ --.*/, "")
  );
  if (command === undefined) throw new TypeError(`There is no ${name}`);
  return command;
}

function takesFiles({ operands }: Command): boolean {
  return /FILE/.test(operands[0]?.[0] ?? "");
}

function hasFlag(command: Command, name: string): boolean {
  return flagsOf(command).some((flag) => flag.name === name);
}

/** Writes an input as a session file, if it is not there. */
async function writeSession(path: string, input: HostileInput): Promise<void> {
  if (await Deno.stat(path).then(() => true, () => false)) return;
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  const file = await Deno.create(path);
  try {
    const writer = file.writable.getWriter();
    for (const chunk of input.chunks("session")) await writer.write(chunk);
    await writer.close();
  } catch (error) {
    file.close();
    throw error;
  }
}
