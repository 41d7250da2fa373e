/**
 * Inputs that take programs down, of whatever size, and how each command is given one.
 *
 * @module
 */

import type { Command } from "../../lib/cli/command.ts";
import { COMMANDS } from "../../lib/cli/commands.ts";
import type { ByteSource } from "../../lib/files/byte_source.ts";
import { encode } from "../running.ts";
import { sessionPath, testId } from "../sessions/homes.ts";
import type { Result, World } from "./world.ts";
import { flagsOf } from "../../lib/cli/flags.ts";

/** How large the inputs are. */
export interface HostileSizes {
  /** Of lines without an end, and of what is blank, in bytes. */
  readonly bytes: number;
  /** How deep a value nests. */
  readonly depth: number;
  /** How many members an object has. */
  readonly members: number;
  /** How many items begin and never end. */
  readonly open: number;
  /** How many threads there are. */
  readonly threads: number;
  /** How long ids are, in bytes; there are 16. */
  readonly id: number;
  /** The limit on lines, for commands that take one. */
  readonly maxLineBytes: string;
}

/** As large as the tests have time for. */
export const SMALL: HostileSizes = {
  bytes: 32 << 20,
  depth: 100_000,
  members: 50_000,
  open: 4_000,
  threads: 4_000,
  id: 200_000,
  maxLineBytes: "1M",
};

/** As large as they come. */
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
  /** By how many MB memory may grow at its peak, of the small sizes. */
  readonly mostMb: number;
  /** Gives its pieces; each is used up before the next one is asked for. */
  pieces(kind: "exec" | "session"): Iterable<Uint8Array>;
}

const STARTED = "2026-01-02T03:04:05.000Z";
const ID = testId(1);
const PIECE = 1 << 16;

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
      mostMb: 20,
      *pieces() {
        yield encode('{"type":"session_meta","a":"');
        yield* repeated("a", bytes);
      },
    },
    {
      name: "a blank line without an end",
      mostMb: 20,
      pieces: () => repeated(" ", bytes),
    },
    {
      name: "NULs without an end",
      mostMb: 20,
      pieces: () => repeated("\0", bytes),
    },
    {
      name: "a value that nests deep",
      mostMb: 24,
      *pieces(kind) {
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
      mostMb: 64,
      *pieces(kind) {
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
      mostMb: 48,
      *pieces(kind) {
        yield encode(header(kind, ID));
        for (let i = 0; i < open; i++) yield encode(call(kind, i));
      },
    },
    {
      name: "many threads",
      mostMb: 24,
      *pieces(kind) {
        for (let i = 0; i < threads; i++) {
          yield encode(header(kind, testId(i + 1)));
        }
      },
    },
    {
      name: "long ids",
      mostMb: 64,
      *pieces(kind) {
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
  const piece = encode(text.repeat(PIECE));
  for (let left = bytes; left > 0; left -= PIECE) {
    yield left < PIECE ? piece.subarray(0, left) : piece;
  }
}

/** How a command is called. */
export interface HostileCall {
  readonly args: readonly string[];
  readonly world: World;
}

/** What a command cannot do without, or does something else with. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  export: ["--to=atif", "--to=otlp --stamp", "--to=tables --table=items"],
  render: ["", "--to=html"],
};

/** All commands, as they are called. */
export const COMMAND_NAMES: readonly string[] = COMMANDS.flatMap(({ name }) =>
  (CALLS[name] ?? [""]).map((flags) => `${name} ${flags}`.trimEnd())
);

/** Whether a command reads what others wrote; the others have nothing to be attacked with. */
export function isReader(name: string): boolean {
  const command = commandCalled(name);
  return takesFiles(command) || hasFlag(command, "codex-home");
}

/**
 * Gives the call of a command with an input: on stdin where it takes files, else as the one session
 * of a home, which is written.
 *
 * @param name The name of the command.
 * @param input The input.
 * @param options The sizes, and a folder that is empty.
 */
export async function hostileCall(
  name: string,
  input: HostileInput,
  { sizes, folder }: {
    readonly sizes: HostileSizes;
    readonly folder: string;
  },
): Promise<HostileCall> {
  const command = commandCalled(name);
  const limit = hasFlag(command, "max-line-bytes")
    ? [`--max-line-bytes=${sizes.maxLineBytes}`]
    : [];
  const args = [...name.split(" "), ...limit];
  if (takesFiles(command)) {
    return { args, world: { stdin: sourceOf(input.pieces("exec")) } };
  }
  const path = sessionPath(`${folder}/home`, ID, STARTED);
  await writeFile(path, input);
  if (hasFlag(command, "index")) args.push(`--index=${folder}/index.sqlite`);
  const [operand = ""] = command.operands[0] ?? [];
  if (/ID/.test(operand)) args.push(ID);
  if (/QUERY/.test(operand)) args.push("x");
  if (name === "sessions repair") args.push("--to=/out");
  // What a choice shows is what `sessions show` shows, so none is made.
  const person: World = name === "sessions choose"
    ? { terminals: ["stdin", "stdout"], stdin: sourceOf([encode("\x1b")]) }
    : {};
  // What is followed has been read to its end when somebody waits for more.
  const interrupt = new AbortController();
  return {
    args: [...args, `--codex-home=${folder}/home`],
    world: {
      ...person,
      directories: ["/out"],
      created: { write: ({ length }) => Promise.resolve(length) },
      interrupt: interrupt.signal,
      changes: {
        wait(): Promise<void> {
          interrupt.abort();
          return Promise.resolve();
        },
        close(): void {},
      },
    },
  };
}

/**
 * Whether a command has ended as commands do: with an answer, and none of its own faults. Only
 * streams of several threads may be refused, by `history`.
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

function sourceOf(pieces: Iterable<Uint8Array>): ByteSource {
  const rest = pieces[Symbol.iterator]();
  let piece = new Uint8Array(0);
  return {
    read(into): Promise<number | null> {
      while (piece.length === 0) {
        const next = rest.next();
        if (next.done) return Promise.resolve(null);
        piece = new Uint8Array(next.value.buffer as ArrayBuffer);
        piece = piece.subarray(0, next.value.length);
      }
      const size = Math.min(piece.length, into.length);
      into.set(piece.subarray(0, size));
      piece = piece.subarray(size);
      return Promise.resolve(size);
    },
    close(): void {},
  };
}

async function writeFile(path: string, input: HostileInput): Promise<void> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  const file = await Deno.create(path);
  try {
    const writer = file.writable.getWriter();
    for (const piece of input.pieces("session")) await writer.write(piece);
    await writer.close();
  } catch (error) {
    file.close();
    throw error;
  }
}
