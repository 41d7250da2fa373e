/**
 * Codex homes assembled from session files of real releases, for the tests of sessions.
 *
 * @module
 */

import { gzipSync } from "node:zlib";
import { namesIn, readFixture } from "../fixtures.ts";
import { encode } from "../running.ts";

/** A session that a home holds. */
export interface HomeSession {
  /** The path of the file that counts, of several copies. */
  readonly path: string;
  /** The id of the session. */
  readonly id: string;
  /**
   * The release that wrote it, as a folder of `testdata/captures/`; empty for files made by tests.
   */
  readonly version: string;
  /** The scenario of the capture; empty for files made by tests. */
  readonly scenario: string;
  /** Whether the session is archived. */
  readonly isArchived: boolean;
}

/** A Codex home in a temporary folder. */
export interface TestHome {
  /** The path of the home. */
  readonly path: string;
  /** The sessions in it, in no order; each once. */
  readonly sessions: readonly HomeSession[];
  /** The paths of session files that are damaged or cannot be opened. */
  readonly broken: readonly string[];
  /** The folders that cannot be read. */
  readonly unreadable: readonly string[];
}

/** The content of a home. */
export interface HomeOptions {
  /**
   * The releases, as folders of `testdata/captures/`.
   *
   * @default {all of them}
   */
  readonly versions?: readonly string[];
  /**
   * Whether the home also has damaged content: torn, empty and foreign files, and a folder and a
   * file that cannot be opened.
   *
   * @default {false}
   */
  readonly isMessy?: boolean;
}

const NAME_REGEXP =
  /^(archived-)?(rollout-(\d{4})-(\d\d)-(\d\d)T.*\.jsonl)(\.zst)?$/;
const ID_REGEXP = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/;
/** Releases whose files are put into the flat folder `sessions/`. */
const FLAT: ReadonlySet<string> = new Set(["0.8.0", "0.20.0"]);

/**
 * Makes a Codex home of the session files in `testdata/captures/` (active and archived, plain and
 * packed, in dated folders and in a flat one), passes it to a test, and removes it afterwards.
 */
export async function withHome(
  options: HomeOptions,
  use: (home: TestHome) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    await use(await assembleHome(`${folder}/home`, options));
  });
}

/** Makes a temporary folder, passes it to a test, and removes it afterwards. */
export async function withFolder<T>(
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const made = await Deno.makeTempDir({ prefix: "codexpipe-" });
  try {
    return await use(await Deno.realPath(made));
  } finally {
    await Deno.remove(made, { recursive: true });
  }
}

/** Makes a home as {@linkcode withHome} does, at a path that does not exist yet. */
export async function assembleHome(
  path: string,
  { versions = namesIn("captures/"), isMessy = false }: HomeOptions = {},
): Promise<TestHome> {
  const sessions = new Map<string, HomeSession>();
  const names: string[] = [];
  const prompts: string[] = [];
  await Deno.mkdir(`${path}/sessions`, { recursive: true });
  for (const version of versions) {
    for (const scenario of namesIn(`captures/${version}/`)) {
      const folder = `captures/${version}/${scenario}/`;
      for (const name of namesIn(folder)) {
        const bytes = () => readFixture(folder + name);
        if (name === "session_index.jsonl") names.push(text(bytes()));
        if (name === "history.jsonl") prompts.push(text(bytes()));
        const match = NAME_REGEXP.exec(name);
        if (match === null) continue;
        const [, archived, plain = "", year, month, day, packed = ""] = match;
        const isArchived = archived !== undefined;
        const place = isArchived
          ? "archived_sessions"
          : FLAT.has(version)
          ? "sessions"
          : `sessions/${year}/${month}/${day}`;
        const to = `${path}/${place}/${plain}${packed}`;
        await writeFile(to, bytes());
        const id = ID_REGEXP.exec(plain)?.[0] ?? "";
        // Of a plain file and its packed copy, the plain one counts.
        if (packed !== "" && sessions.has(id)) continue;
        sessions.set(id, { path: to, id, version, scenario, isArchived });
      }
    }
  }
  if (names.length > 0) {
    await Deno.writeTextFile(`${path}/session_index.jsonl`, names.join(""));
  }
  if (prompts.length > 0) {
    await Deno.writeTextFile(`${path}/history.jsonl`, prompts.join(""));
  }
  const mess = isMessy
    ? await makeMess(path)
    : { sessions: [], broken: [], unreadable: [] };
  return {
    path,
    sessions: [...sessions.values(), ...mess.sessions],
    broken: mess.broken,
    unreadable: mess.unreadable,
  };
}

/** The id of a session made by a test. */
export function testId(number: number): string {
  return `00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}

/** The content of a session for {@linkcode sessionText}. */
export interface SessionTextOptions {
  /** The id of the session. */
  readonly id: string;
  /** The start time, in RFC 3339. */
  readonly started: string;
  /** The message of the user. */
  readonly message: string;
  /** Further fields of the header. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** The text of a short session file, in the format of 0.44. */
export function sessionText(
  { id, started, message, meta = {} }: SessionTextOptions,
): string {
  const lines = [
    {
      type: "session_meta",
      payload: {
        id,
        timestamp: started,
        cwd: "/home/dev/proj",
        originator: "codex_exec",
        cli_version: "0.44.0",
        source: "exec",
        ...meta,
      },
    },
    {
      type: "turn_context",
      payload: { cwd: "/home/dev/proj", model: "gpt-5" },
    },
    { type: "event_msg", payload: { type: "user_message", message } },
    { type: "event_msg", payload: { type: "agent_message", message: "Done." } },
  ];
  return lines.map((line) =>
    `${JSON.stringify({ timestamp: started, ...line })}\n`
  ).join("");
}

/** The path of a session file in a home. */
export function sessionPath(home: string, id: string, started: string): string {
  const [date = "", time = ""] = started.slice(0, 19).split("T");
  const name = `rollout-${date}T${time.replaceAll(":", "-")}-${id}.jsonl`;
  return `${home}/sessions/${date.replaceAll("-", "/")}/${name}`;
}

/** Writes a short session into a home, and returns the path of its file. */
export async function writeSession(
  home: string,
  options: SessionTextOptions,
): Promise<string> {
  const path = sessionPath(home, options.id, options.started);
  await writeFile(path, sessionText(options));
  return path;
}

/** The names of the entries of a folder, sorted. */
export async function entriesOf(folder: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  return entries.map(({ name }) => name).sort();
}

/**
 * The path, size, modification time and inode of each file and folder below a folder, sorted.
 * Links are not followed.
 */
export async function stateOf(folder: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    const { size, mtime, ino } = await Deno.lstat(path);
    lines.push(`${path} ${size} ${mtime?.getTime()} ${ino}`);
    if (isDirectory) lines.push(...await stateOf(path));
  }
  return lines.sort();
}

/**
 * Writes a session that is continued in two more files, as 0.150 and later may do, into a home.
 *
 * @returns The id of the session, and its files, the oldest first.
 */
export async function writeContinued(
  home: string,
): Promise<{ id: string; files: readonly { id: string; path: string }[] }> {
  const [id, ...others] = [
    "01a0414d-0000-7000-8000-000000000001",
    "01a0891d-0000-7000-8000-00000000000a",
    "01a09e1d-0000-7000-8000-00000000000b",
  ] as const;
  const files: { id: string; path: string }[] = [];
  for (
    const [at, message] of ["One pear", "Two pears", "Three pears"].entries()
  ) {
    const started = `2026-11-2${at}T10:00:00.000Z`;
    const fileId = others[at - 1] ?? id;
    const nameId = fileId === id ? id : `${id}_${fileId}`;
    const path = sessionPath(home, nameId, started);
    const before = files.at(-1);
    const meta = before === undefined ? {} : {
      history_base: {
        thread_id: before.id,
        end_ordinal_exclusive: null,
        end_byte_offset: (await Deno.stat(before.path)).size,
      },
    };
    await writeFile(path, sessionText({ id, started, message, meta }));
    files.push({ id: fileId, path });
  }
  return { id, files };
}

/**
 * Writes a session of which a client took back the second turn, as since 0.150, into a home. Each
 * of its three turns takes 10 tokens and a second.
 *
 * @returns The id of the session, and the paths of its two files, the older one first.
 */
export async function writeReverted(
  home: string,
): Promise<{ id: string; paths: readonly [string, string] }> {
  const id = "01a0414d-0000-7000-8000-000000000001";
  const next = "01a0415a-0000-7000-8000-00000000000a";
  const tokens = (count: number): object => ({
    input_tokens: count,
    cached_input_tokens: 0,
    output_tokens: 0,
    reasoning_output_tokens: 0,
    total_tokens: count,
  });
  const lineOf = (minute: number, type: string, payload: object): string =>
    `${
      JSON.stringify({
        timestamp: `2026-11-20T10:0${minute}:00.000Z`,
        type,
        payload,
      })
    }\n`;
  const header = (minute: number, base?: object): string =>
    lineOf(minute, "session_meta", {
      id,
      timestamp: `2026-11-20T10:0${minute}:00.000Z`,
      cwd: "/home/dev/proj",
      originator: "codex_exec",
      cli_version: "0.171.0",
      source: "exec",
      ...base,
    });
  const turn = (minute: number, message: string): string =>
    [
      { type: "task_started", turn_id: `turn-${minute}` },
      { type: "user_message", message },
      { type: "agent_message", message: `${message} are ripe.` },
      {
        type: "token_count",
        // The total counts a turn that was taken back no more.
        info: {
          total_token_usage: tokens(minute === 0 ? 10 : 20),
          last_token_usage: tokens(10),
        },
      },
      {
        type: "task_complete",
        turn_id: `turn-${minute}`,
        duration_ms: 1_000,
      },
    ].map((event) => lineOf(minute, "event_msg", event)).join("");
  const kept = header(0) + turn(0, "Pears");
  const paths = [
    sessionPath(home, id, "2026-11-20T10:00:00.000Z"),
    sessionPath(home, `${id}_${next}`, "2026-11-20T10:02:00.000Z"),
  ] as const;
  const history_base = {
    thread_id: id,
    end_ordinal_exclusive: null,
    end_byte_offset: kept.length,
  };
  await writeFile(paths[0], kept + turn(1, "Mangos"));
  await writeFile(paths[1], header(2, { history_base }) + turn(2, "Plums"));
  return { id, paths };
}

/** Writes a file, and makes its missing parent folders. */
export async function writeFile(
  path: string,
  content: string | Uint8Array,
): Promise<void> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await Deno.writeFile(
    path,
    typeof content === "string" ? encode(content) : content,
  );
}

/** Writes damaged, foreign and unreadable files into a home. */
async function makeMess(
  home: string,
): Promise<Omit<TestHome, "path">> {
  const started = "2026-11-21T10:00:00.000Z";
  const whole = (number: number, message: string): string =>
    sessionText({ id: testId(number), started, message });
  const at = (number: number): string =>
    sessionPath(home, testId(number), started);
  const sessions: HomeSession[] = [];
  const broken: string[] = [];
  const put = async (
    path: string,
    content: string | Uint8Array,
    { id, isBroken = false }: { id: string; isBroken?: boolean },
  ): Promise<void> => {
    await writeFile(path, content);
    sessions.push({ path, id, version: "", scenario: "", isArchived: false });
    if (isBroken) broken.push(path);
  };
  await put(at(1), whole(1, "Only a torn end").slice(0, -20), {
    id: testId(1),
  });
  await put(at(2), "", { id: testId(2), isBroken: true });
  await put(at(3), whole(3, "A torn header").slice(0, 60), {
    id: testId(3),
    isBroken: true,
  });
  await put(
    at(4),
    Uint8Array.from({ length: 5_000 }, (_, i) => (i * 7) % 256),
    {
      id: testId(4),
      isBroken: true,
    },
  );
  await put(`${at(5)}.gz`, gzipSync(encode(whole(5, "Packed by hand"))), {
    id: testId(5),
  });
  await put(`${at(6)}.zst`, Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, 1, 2), {
    id: testId(6),
    isBroken: true,
  });
  await put(
    `${home}/sessions/rollout-2025-05-01-${testId(7)}.json`,
    JSON.stringify(
      {
        session: { timestamp: "2025-05-01T08:00:00.000Z", id: testId(7) },
        items: [{
          type: "message",
          role: "user",
          content: [{ type: "input_text", text: "From the first CLI" }],
        }],
      },
      null,
      2,
    ),
    { id: testId(7) },
  );
  const day = `${home}/sessions/2026/11/21`;
  await writeFile(`${day}/notes.txt`, "no session");
  await writeFile(`${day}/.DS_Store`, "\0\0");
  await writeFile(
    `${day}/rollout-2026-11-21T10-00-00-${testId(8)}.snapshot.json`,
    '{"records":[]}',
  );
  await writeFile(`${home}/sessions/index/catalog.jsonl`, "{}\n");
  await writeFile(
    `${home}/sessions/backup/rollout-2026-11-21T10-00-00-${testId(9)}.jsonl`,
    whole(9, "In no folder of Codex's"),
  );
  await Deno.mkdir(`${day}/rollout-2026-11-21T10-00-01-${testId(10)}.jsonl`);
  // A link to itself cannot be opened, not even by root.
  const folder = `${home}/sessions/2026/12`;
  const file = `${day}/rollout-2026-11-21T10-00-02-${testId(11)}.jsonl`;
  await Deno.symlink(folder, folder);
  await Deno.symlink(file, file);
  const id = testId(11);
  sessions.push({
    path: file,
    id,
    version: "",
    scenario: "",
    isArchived: false,
  });
  broken.push(file);
  return { sessions, broken, unreadable: [folder] };
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
