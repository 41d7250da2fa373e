/** Holds the rules for app-servers to what released versions of Codex wrote. */

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

/** What exec printed of what an app-server says without a thread, at its start. */
const REMARKS_REGEXP =
  /^Codex could not find bubblewrap|^Full-history hydration is deprecated/;
/**
 * Where the model of what exec prints says something else than the app-server did, by scenario:
 * the values that only it has.
 */
const MODEL_ERRORS: ReadonlyMap<string, RegExp> = new Map([
  // It reads numbers as doubles.
  ["mcp", /9007199254740992|1\.2345678901234568e\+29/],
]);

function auto(bytes: Uint8Array, engine: "js" | "wasm" = "js"): string {
  return decode(normalizeBytes([bytes], { from: "auto", engine }));
}

function textLines(bytes: Uint8Array): string[] {
  return linesOf(bytes).filter((line) => line !== "");
}

Deno.test("the captures of app-servers are all there", () => {
  assertEquals(runs.length, 57);
});

Deno.test("every line of an app-server has one outcome, an event, with either engine", () => {
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

Deno.test("what a client wrote may stand among what the server wrote", () => {
  for (const { folder, stdout, stdin } of runs) {
    const [first = "", ...rest] = textLines(stdin);
    const lines = [first, ...textLines(stdout), ...rest];
    const events = textLines(encode(auto(encode(lines.join("\n")))));
    assertEquals(events.length, lines.length, folder);
    for (const [place, event] of events.entries()) {
      // One capture is of what is no JSON, and of a list of requests.
      const line = lines[place] ?? "";
      const isMessage = isJson(line) && isObject(JSON.parse(line));
      assertEquals(isThreadEvent(JSON.parse(event)), isMessage, line);
    }
  }
});

Deno.test("events of an app-server are the same once more, in any dialect of them", () => {
  for (const { folder, stdout } of runs) {
    const text = auto(stdout);
    for (const from of ["auto", "exec", "app-server"] as const) {
      const again = decode(normalizeBytes([encode(text)], { from }));
      assertSameText(again, text, `${folder} ${from}`);
    }
  }
});

Deno.test("a stream of an app-server may come in any chunks, and stop and go on anywhere", () => {
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

Deno.test("every event is of the thread that its own line names", () => {
  for (const { folder, stdout } of runs) {
    const events = recordsOf(stdout);
    for (const [place, line] of textLines(stdout).entries()) {
      const { type, thread_id } = events[place] ?? {};
      if (String(type).startsWith("rpc.")) continue;
      assertEquals(thread_id, threadOf(JSON.parse(line)), `${folder} ${line}`);
    }
  }
});

Deno.test("no event of an app-server comes twice: of the twins of 0.98 one stays a message", () => {
  for (const { folder, stdout } of runs) {
    const seen = new Set<unknown>();
    for (const event of recordsOf(stdout)) {
      const { type, thread_id, turn_id, item_id, item_type } = event;
      // 0.98 itself ends a patch twice that was declined.
      const isTold = String(type).startsWith("turn.") ||
        (type === "item.completed" && item_type !== "file_change");
      if (!isTold) continue;
      const key = JSON.stringify([type, thread_id, turn_id, item_id]);
      assert(!seen.has(key), `${folder}: ${key} twice`);
      seen.add(key);
    }
  }
});

Deno.test("messages stay what they are", () => {
  for (const { folder, stdout } of runs) {
    const events = linesOf(normalizeBytes([stdout], { from: "auto" }));
    for (const [place, line] of textLines(stdout).entries()) {
      const event = events[place] ?? "";
      const found = /^\{"type":"rpc\.[a-z]+",/.exec(event);
      if (found === null) continue;
      assertEquals(`{${event.slice(found[0].length)}`, line, folder);
    }
  }
});

/** An event but for its ids, which exec gives items of its own. */
function withoutIds({ turn_id: _t, item_id: _i, id: _, ...event }: Fields) {
  return event;
}

/** Whether a value has all that another one has. */
function holds(value: unknown, part: unknown): boolean {
  if (Array.isArray(part)) {
    return Array.isArray(value) && value.length === part.length &&
      part.every((each, i) => holds(value[i], each));
  }
  if (!isObject(part)) return Object.is(value, part);
  return isObject(value) &&
    Object.entries(part).every(([name, each]) => holds(value[name], each));
}

Deno.test("events of an app-server hold what exec would have printed, in its order", () => {
  for (const { folder, scenario, stdout, expected } of runs) {
    const events = recordsOf(stdout);
    for (const file of expected) {
      if (file.length === 0) continue;
      const [first, ...others] = recordsOf(file).map(withoutIds);
      const own = events.filter(({ thread_id, type }) =>
        thread_id === first?.thread_id || type === "error"
      );
      let at = 0;
      for (const event of [first, ...others]) {
        const text = JSON.stringify(event);
        const message = isObject(event?.content) && event.content.message;
        const isOfNoThread = event?.item_type === "error" &&
          REMARKS_REGEXP.test(String(message));
        if (isOfNoThread) continue;
        if (MODEL_ERRORS.get(scenario)?.test(text) === true) continue;
        const place = own.findIndex((each, i) => i >= at && holds(each, event));
        assert(place !== -1, `${folder} lacks ${text.slice(0, 300)}`);
        at = place + 1;
      }
    }
  }
});

Deno.test("--from=app-server is what is found out", () => {
  for (const { folder, stdout, stdin } of runs) {
    for (const bytes of [stdout, stdin]) {
      const normalizer = new JsonlNormalizer();
      normalizer.feed(bytes, () => {});
      assertEquals(normalizer.kind, "app-server", folder);
    }
  }
});

/** What became of a run, by its verdict, and the tokens of it. */
function judged(bytes: Uint8Array): { passed: boolean; tokens: bigint } {
  const builder = new VerdictBuilder();
  builder.feed(bytes, () => {});
  builder.flush(() => {});
  const { isPassed, tokens } = builder.verdict;
  return { passed: isPassed, tokens: tokens?.total_tokens ?? 0n };
}

/** Where an app-server and the session files of its run do not tell the same, and why. */
const DIFFERENCES: ReadonlyMap<string, string> = new Map([
  ["0.169.0/kill_midturn", "killed before it said what was used"],
  ["0.169.0/stdin_closed_midturn", "ended before it said what was used"],
  ["0.169.0/review", "a thread that it does not tell of did the review"],
  ["0.169.0/threads_at_once", "two of three threads have a file"],
  ["0.98.0/agents", "killed before it said what was used"],
  ["0.98.0/fork_read", "the file of the fork lacks its turn"],
]);

Deno.test("an app-server and the session files of its run have the same verdict", () => {
  for (const { version, scenario, folder, stdout, sessions } of runs) {
    if (folder.endsWith("/2/")) continue;
    const isPassed = sessions.every((file) => judged(file).passed);
    assertEquals(judged(stdout).passed, isPassed, `${version}/${scenario}`);
  }
});

Deno.test("an app-server and the session files of its run have used the same", () => {
  const others: string[] = [];
  for (const { version, scenario, folder, stdout, sessions } of runs) {
    if (folder.endsWith("/2/")) continue;
    const name = `${version}/${scenario}`;
    const processes = [
      stdout,
      ...runs.filter((run) => run.folder === `${folder}2/`)
        .map((run) => run.stdout),
    ];
    const [said = 0n, filed = 0n] = [processes, sessions].map((files) =>
      files.reduce((sum, file) => sum + judged(file).tokens, 0n)
    );
    if (said !== filed) others.push(name);
  }
  assertEquals(others.toSorted(), [...DIFFERENCES.keys()].toSorted());
});

/** What a history shows that does not depend on who tells it: what was said, thought and run. */
function toldBy(records: readonly Fields[]): string[] {
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

/** Where the histories of an app-server and of a session file differ in that, and why. */
const OTHER_HISTORIES: ReadonlyMap<string, string> = new Map([
  ["0.169.0/cut", "only the app-server tells of retries"],
  ["0.169.0/review", "a thread that it does not tell of did the review"],
  ["0.169.0/stdin_closed_midturn", "ended before it said what was used"],
  ["0.98.0/agents", "killed before it said what it ran last"],
  ["0.98.0/approve_patch", "edits by a shell are edits or commands"],
  ["0.98.0/fail400", "no error is in the file"],
  ["0.98.0/fork_read", "the file of a fork has what it copied"],
  ["0.98.0/mcp_server", "no raw thoughts and no error are in the files"],
  ["0.98.0/patch", "edits by a shell are edits or commands"],
  ["0.98.0/v1", "edits by a shell are edits or commands"],
]);

Deno.test("the history of a thread is that of its session file", () => {
  const others = new Set<string>();
  for (const { version, scenario, folder, stdout, sessions } of runs) {
    if (folder.endsWith("/2/")) continue;
    const later = runs.find((run) => run.folder === `${folder}2/`);
    const told = [stdout, ...later ? [later.stdout] : []].flatMap((bytes) =>
      recordsOf(bytes)
    );
    for (const session of sessions) {
      const lines = recordsOf(session);
      const thread = fieldsOf(lines[0]?.payload).id;
      const own = told.filter((event) => event.thread_id === thread);
      const [said, filed] = [own, lines].map((records) =>
        toldBy(records).toSorted()
      );
      if (!equalJson(said, filed)) others.add(`${version}/${scenario}`);
    }
  }
  assertEquals([...others], [...OTHER_HISTORIES.keys()]);
});
