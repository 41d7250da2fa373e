/** The events of captured app-servers. */

import { assert, assertEquals } from "@std/assert";
import { VerdictBuilder } from "../../../lib/check/verdict_builder.ts";
import { isThreadEvent } from "../../../lib/dialects/exec/decoder.ts";
import { type Fields, fieldsOf, isObject } from "../../../lib/json/fields.ts";
import { LineNumberer } from "../../../lib/lines/line_numberer.ts";
import { Normalizer } from "../../../lib/dialects/normalizer.ts";
import { JsonlNormalizer } from "../../../lib/pipeline/pipeline.ts";
import { compose } from "../../../lib/stage.ts";
import { isKnownRecord } from "../../../lib/history/records.ts";
import { snapshotOf } from "../../history/histories.ts";
import { equalJson, linesOf } from "../../fixtures.ts";
import {
  assertSameText,
  byteByByte,
  decode,
  emitted,
  encode,
  isJson,
  normalizeBytes,
} from "../../running.ts";
import { readServerRuns, recordsOf, threadOf } from "./sessions.ts";

const runs = readServerRuns();

/** Warnings that exec prints and that an app-server sends at its start, without a thread. */
const STARTUP_WARNING_REGEXP =
  /^Codex could not find bubblewrap|^Full-history hydration is deprecated/;
/** By scenario, values of the expected exec output that differ from those of the app-server. */
const MODEL_ERRORS: ReadonlyMap<string, RegExp> = new Map([
  // The model that wrote the expected output reads numbers as doubles.
  ["mcp", /9007199254740992|1\.2345678901234568e\+29/],
]);

function auto(bytes: Uint8Array, engine: "js" | "wasm" = "js"): string {
  return decode(normalizeBytes([bytes], { from: "auto", engine }));
}

function textLines(bytes: Uint8Array): string[] {
  return linesOf(bytes).filter((line) => line !== "");
}

Deno.test("readServerRuns() returns all captured runs", () => {
  assertEquals(runs.length, 57);
});

Deno.test("AppServerRules makes an event of every captured line, with either engine", () => {
  for (const { folder, stdout } of runs) {
    const text = auto(stdout);
    assertSameText(auto(stdout, "wasm"), text, folder);
    const lines = textLines(stdout);
    const events = textLines(encode(text));
    assertEquals(events.length, lines.length, folder);
    for (const event of events) {
      assert(isThreadEvent(JSON.parse(event)), `${folder}: ${event}`);
    }
  }
});

Deno.test("AppServerRules makes events of client messages among server messages", () => {
  for (const { folder, stdout, stdin } of runs) {
    const [first = "", ...rest] = textLines(stdin);
    const lines = [first, ...textLines(stdout), ...rest];
    const events = textLines(encode(auto(encode(lines.join("\n")))));
    assertEquals(events.length, lines.length, folder);
    for (const [place, event] of events.entries()) {
      // One capture has a line that is not JSON, and a list of requests.
      const line = lines[place] ?? "";
      const isMessage = isJson(line) && isObject(JSON.parse(line));
      assertEquals(isThreadEvent(JSON.parse(event)), isMessage, line);
    }
  }
});

Deno.test("AppServerRules keeps its own events unchanged, from auto, exec and app-server", () => {
  for (const { folder, stdout } of runs) {
    const text = auto(stdout);
    for (const from of ["auto", "exec", "app-server"] as const) {
      const again = decode(normalizeBytes([encode(text)], { from }));
      assertSameText(again, text, `${folder} ${from}`);
    }
  }
});

Deno.test("AppServerRules writes the same events byte by byte, and resumed after each line", () => {
  for (const { folder, stdout } of runs) {
    if (stdout.length > 20_000) continue;
    const text = auto(stdout);
    const bytes = normalizeBytes(byteByByte(stdout), { from: "auto" });
    assertSameText(decode(bytes), text, folder);
    let resume: unknown;
    let again = "";
    for (const line of textLines(stdout)) {
      const normalizer = new Normalizer({ resume });
      const stage = compose(new LineNumberer(), normalizer);
      for (const outcome of emitted(stage, [line])) {
        if (outcome.ok) again += `${outcome.value}\n`;
      }
      resume = JSON.parse(JSON.stringify(normalizer.save()));
    }
    assertSameText(again, text, folder);
  }
});

Deno.test("AppServerRules writes the thread of each message into its event", () => {
  for (const { folder, stdout } of runs) {
    const events = recordsOf(stdout);
    for (const [place, line] of textLines(stdout).entries()) {
      const { type, thread_id } = events[place] ?? {};
      if (String(type).startsWith("rpc.")) continue;
      assertEquals(thread_id, threadOf(JSON.parse(line)), `${folder} ${line}`);
    }
  }
});

Deno.test("AppServerRules writes no event twice, also for the doubled messages of 0.98", () => {
  for (const { folder, stdout } of runs) {
    const seen = new Set<unknown>();
    for (const event of recordsOf(stdout)) {
      const { type, thread_id, turn_id, item_id, item_type } = event;
      // 0.98 itself ends a declined patch twice.
      const isUnique = String(type).startsWith("turn.") ||
        (type === "item.completed" && item_type !== "file_change");
      if (!isUnique) continue;
      const key = JSON.stringify([type, thread_id, turn_id, item_id]);
      assert(!seen.has(key), `${folder}: ${key} twice`);
      seen.add(key);
    }
  }
});

Deno.test("AppServerRules keeps the text of a message in its rpc event", () => {
  for (const { folder, stdout } of runs) {
    const events = linesOf(normalizeBytes([stdout], { from: "auto" }));
    for (const [place, line] of textLines(stdout).entries()) {
      const event = events[place] ?? "";
      const [start] = /^\{"type":"rpc\.[a-z]+",/.exec(event) ?? [];
      if (start === undefined) continue;
      assertEquals(`{${event.slice(start.length)}`, line, folder);
    }
  }
});

/** An event without its ids, which exec numbers itself. */
function withoutIds({ turn_id: _t, item_id: _i, id: _, ...event }: Fields) {
  return event;
}

/** Whether a value has all members of `part`, deeply. */
function holds(value: unknown, part: unknown): boolean {
  if (Array.isArray(part)) {
    return Array.isArray(value) && value.length === part.length &&
      part.every((each, i) => holds(value[i], each));
  }
  if (!isObject(part)) return Object.is(value, part);
  return isObject(value) &&
    Object.entries(part).every(([name, each]) => holds(value[name], each));
}

Deno.test("AppServerRules writes the events that exec would have printed, in the same order", () => {
  for (const { folder, scenario, stdout, expected } of runs) {
    const events = recordsOf(stdout);
    for (const file of expected) {
      if (file.length === 0) continue;
      const [first, ...others] = recordsOf(file).map(withoutIds);
      const candidates = events.filter(({ thread_id, type }) =>
        thread_id === first?.thread_id || type === "error"
      );
      let at = 0;
      for (const event of [first, ...others]) {
        const text = JSON.stringify(event);
        const message = isObject(event?.content) && event.content.message;
        const isStartupWarning = event?.item_type === "error" &&
          STARTUP_WARNING_REGEXP.test(String(message));
        if (isStartupWarning) continue;
        if (MODEL_ERRORS.get(scenario)?.test(text) === true) continue;
        const place = candidates.findIndex((each, i) =>
          i >= at && holds(each, event)
        );
        assert(place !== -1, `${folder} lacks ${text.slice(0, 300)}`);
        at = place + 1;
      }
    }
  }
});

Deno.test("JsonlNormalizer detects app-servers, by messages of either side", () => {
  for (const { folder, stdout, stdin } of runs) {
    for (const bytes of [stdout, stdin]) {
      const normalizer = new JsonlNormalizer();
      normalizer.feed(bytes, () => {});
      assertEquals(normalizer.kind, "app-server", folder);
    }
  }
});

/** Whether a run passed by its verdict, and its tokens. */
function judged(bytes: Uint8Array): { passed: boolean; tokens: bigint } {
  const builder = new VerdictBuilder();
  builder.feed(bytes, () => {});
  builder.flush(() => {});
  const { isPassed, tokens } = builder.verdict;
  return { passed: isPassed, tokens: tokens?.total_tokens ?? 0n };
}

/** Runs whose tokens differ between the app-server and the session files, and the reasons. */
const DIFFERENCES: ReadonlyMap<string, string> = new Map([
  ["0.169.0/kill_midturn", "killed before it reported its usage"],
  ["0.169.0/stdin_closed_midturn", "ended before it reported its usage"],
  ["0.169.0/review", "the review ran in a thread that it does not report"],
  ["0.169.0/threads_at_once", "two of three threads have a file"],
  ["0.98.0/agents", "killed before it reported its usage"],
  ["0.98.0/fork_read", "the file of the fork lacks its turn"],
]);

Deno.test("VerdictBuilder returns the same verdict for an app-server and its session files", () => {
  for (const { version, scenario, folder, stdout, sessions } of runs) {
    if (folder.endsWith("/2/")) continue;
    const isPassed = sessions.every((file) => judged(file).passed);
    assertEquals(judged(stdout).passed, isPassed, `${version}/${scenario}`);
  }
});

Deno.test("VerdictBuilder counts the same tokens in an app-server and its session files", () => {
  const different: string[] = [];
  for (const { version, scenario, folder, stdout, sessions } of runs) {
    if (folder.endsWith("/2/")) continue;
    const name = `${version}/${scenario}`;
    const processes = [
      stdout,
      ...runs.filter((run) => run.folder === `${folder}2/`)
        .map((run) => run.stdout),
    ];
    const [streamed = 0n, filed = 0n] = [processes, sessions].map((files) =>
      files.reduce((sum, file) => sum + judged(file).tokens, 0n)
    );
    if (streamed !== filed) different.push(name);
  }
  assertEquals(different.toSorted(), [...DIFFERENCES.keys()].toSorted());
});

/** The messages, reasonings and commands of a history, which do not depend on the source. */
function contentsOf(records: readonly Fields[]): string[] {
  return snapshotOf(records).records.filter(isKnownRecord).flatMap((record) => {
    switch (record.type) {
      case "plain_message":
        return record.payload.lines.map((line) => JSON.stringify(line));
      case "assistant_message": {
        const { markdown, token_usage } = record.payload;
        return `${markdown} (${token_usage?.total || "no"} tokens)`;
      }
      case "reasoning":
        return record.payload.sections.map(({ heading }) => `${heading}`);
      case "exec":
        return `$ ${record.payload.command.at(-1)}`;
      case "explore":
        return record.payload.entries.map(({ command }) =>
          `$ ${command.at(-1)}`
        );
      default:
        return [];
    }
  });
}

/** Runs whose histories differ between the app-server and the session files, and the reasons. */
const HISTORY_DIFFERENCES: ReadonlyMap<string, string> = new Map([
  ["0.169.0/cut", "only the app-server reports retries"],
  ["0.169.0/review", "the review ran in a thread that it does not report"],
  ["0.169.0/stdin_closed_midturn", "ended before it reported its usage"],
  ["0.98.0/agents", "killed before it reported its last command"],
  ["0.98.0/approve_patch", "edits by a shell are edits or commands"],
  ["0.98.0/fail400", "no error is in the file"],
  ["0.98.0/fork_read", "the file of a fork has the copied lines"],
  ["0.98.0/mcp_server", "no raw reasoning and no error are in the files"],
  ["0.98.0/patch", "edits by a shell are edits or commands"],
  ["0.98.0/v1", "edits by a shell are edits or commands"],
  ["0.98.0/viewimage", "an unreadable image is a message in the app-server"],
]);

Deno.test("the events of an app-server thread have the history of its session file", () => {
  const different = new Set<string>();
  for (const { version, scenario, folder, stdout, sessions } of runs) {
    if (folder.endsWith("/2/")) continue;
    const later = runs.find((run) => run.folder === `${folder}2/`);
    const events = [stdout, ...later ? [later.stdout] : []].flatMap((bytes) =>
      recordsOf(bytes)
    );
    for (const session of sessions) {
      const lines = recordsOf(session);
      const thread = fieldsOf(lines[0]?.payload).id;
      const ofThread = events.filter((event) => event.thread_id === thread);
      const [streamed, filed] = [ofThread, lines].map((records) =>
        contentsOf(records).toSorted()
      );
      if (!equalJson(streamed, filed)) different.add(`${version}/${scenario}`);
    }
  }
  assertEquals([...different], [...HISTORY_DIFFERENCES.keys()]);
});

Deno.test("a review of an app-server begins and ends in histories as in its session file", () => {
  const run = runs.find(({ folder }) =>
    folder === "app-server/0.169.0/review/"
  );
  const [session = encode("")] = run?.sessions ?? [];
  const [streamed, filed] = [run?.stdout ?? encode(""), session].map((bytes) =>
    snapshotOf(recordsOf(bytes)).records.filter(isKnownRecord).flatMap((
      record,
    ) => record.type === "background_event" ? record.payload.description : [])
  );
  assertEquals(streamed, filed);
  assertEquals(filed?.length, 2);
});
