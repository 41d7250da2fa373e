import { assert, assertEquals } from "@std/assert";
import { HistoryState } from "../../lib/history/history_state.ts";
import { applyMutation } from "../../lib/history/mutations.ts";
import type { AnyHistoryRecord } from "../../lib/history/records.ts";
import { equalJson } from "../fixtures.ts";
import { readCapturedFiles } from "../rollouts.ts";
import {
  type EventFile,
  historyOf,
  payloadsOf,
  readEvents,
} from "./histories.ts";

const FILES = readCapturedFiles(
  /^(?:stdout(?:\.\d+)?|(?:archived-)?rollout-.*)\.jsonl$/,
).map((file) => ({ ...readEvents(file), size: file.bytes.length }));
/**
 * Files up to this size are checked after every third event, and larger files MOMENTS times. The
 * checked events differ from file to file, because many files have equal lines.
 */
const SMALL = 20_000;
const MOMENTS = 6;

/** Whether a file is checked after an event. */
function isMoment({ events, size }: typeof FILES[number], at: number): boolean {
  const step = size <= SMALL ? 3 : Math.ceil(events.length / MOMENTS);
  return at % step === size % step || at === events.length - 1;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

Deno.test("HistoryState.apply() returns mutations that make the records of every capture", () => {
  assert(FILES.length > 900);
  for (const file of FILES) {
    const state = new HistoryState();
    const records: AnyHistoryRecord[] = [];
    file.events.forEach((event, at) => {
      for (const mutation of state.apply(event)) {
        applyMutation(records, mutation);
      }
      if (!isMoment(file, at)) return;
      assert(
        equalJson(records, state.snapshot().records),
        `${file.path}, event ${at}`,
      );
    });
  }
});

Deno.test("HistoryState.restore() continues from a checkpoint of every capture", () => {
  for (const file of FILES) {
    const { path, events } = file;
    const whole = new HistoryState();
    const checkpoints = events.flatMap((event, at) => {
      whole.apply(event);
      if (!isMoment(file, at)) return [];
      return [{ at, text: JSON.stringify(whole.snapshot({ resume: true })) }];
    });
    const expected = whole.snapshot({ resume: true });
    for (const { at, text } of checkpoints) {
      const rest = events.slice(at + 1);
      const restored = historyOf(rest, HistoryState.restore(JSON.parse(text)));
      assert(
        equalJson(restored.snapshot({ resume: true }), expected),
        `${path}, event ${at}`,
      );
    }
  }
});

Deno.test("HistoryState.restore() keeps every bare snapshot", () => {
  for (const { path, events } of FILES) {
    const snapshot = historyOf(events).snapshot();
    const restored = HistoryState.restore(snapshot).snapshot();
    assert(equalJson(restored, snapshot), path);
  }
});

/** The tag of a message about a command of the user. */
const USER_SHELL = "<user_shell_command>";

/** The answers, commands and patches that a history shows, each once. */
interface Shown {
  readonly answers: readonly string[];
  readonly commands: number;
  readonly patches: number;
}

Deno.test("HistoryState.apply() shows every answer, command and patch of an exec capture once", () => {
  for (const { path, isRollout, events } of FILES) {
    if (isRollout) continue;
    const answers: string[] = [];
    const ids = new Map<unknown, Set<string>>();
    let run = 0;
    for (const event of events.map(fieldsOf)) {
      if (event.type === "thread.started") run += 1;
      const { text } = fieldsOf(event.content);
      const isAnswer = event.item_type === "agent_message" &&
        event.type === "item.completed";
      if (isAnswer && typeof text === "string") answers.push(text);
      const known = ids.get(event.item_type) ?? new Set();
      ids.set(event.item_type, known.add(`${run}:${event.item_id}`));
    }
    const patches = ids.get("file_change") ?? new Set();
    // 0.20 writes the output of a patch as that of a command with the same id.
    const commands = (ids.get("command_execution") ?? new Set())
      .difference(patches);
    assertEquals(shownIn(events), {
      answers,
      commands: commands.size,
      patches: patches.size,
    }, path);
  }
});

Deno.test("HistoryState.apply() shows every answer, command and patch of a rollout once", () => {
  for (const { path, isRollout, events } of FILES) {
    if (!isRollout) continue;
    const header = fieldsOf(fieldsOf(events[0]).payload);
    const summaries = events.map(fieldsOf)
      .filter(({ type }) => type === "compacted")
      .map(({ payload }) => String(fieldsOf(payload).message).trimEnd());
    // Some releases write a summary of the context as an answer.
    const withoutSummaries = (shown: Shown): Shown => ({
      ...shown,
      answers: shown.answers.toSorted().filter((text) =>
        !summaries.some((summary) => summary.endsWith(text.trim()))
      ),
    });
    const shown = withoutSummaries(shownIn(events));
    if (header.history_mode !== "paginated") {
      assertEquals(shown, withoutSummaries(expectLegacy(events)), path);
      continue;
    }
    const { answers, commands, patches } = withoutSummaries(
      expectPaginated(events, header),
    );
    assertEquals(shown.answers, answers, path);
    // Calls without an item are also shown.
    assert(shown.commands >= commands && shown.patches >= patches, path);
  }
});

function expectPaginated(
  events: EventFile["events"],
  header: Record<string, unknown>,
): Shown {
  const answers = new Map<unknown, string>();
  const calls = new Map<unknown, Set<unknown>>();
  for (const { ordinal, payload } of events.map(fieldsOf)) {
    const first = header.subagent_history_start_ordinal;
    if (Number(ordinal) < Number(first)) continue;
    const event = fieldsOf(payload);
    const item = fieldsOf(event.item);
    if (event.type !== "item_completed") continue;
    if (item.type === "AgentMessage") answers.set(item.id, textIn(item));
    calls.set(item.type, (calls.get(item.type) ?? new Set()).add(item.id));
  }
  return {
    answers: [...answers.values()],
    commands: calls.get("CommandExecution")?.size ?? 0,
    patches: calls.get("FileChange")?.size ?? 0,
  };
}

function expectLegacy(events: EventFile["events"]): Shown {
  const fromItems: string[] = [];
  const fromEvents: string[] = [];
  const commands = new Set<unknown>();
  const patches = new Set<unknown>();
  const inShell = new Set<unknown>();
  for (const event of events.map(fieldsOf)) {
    const payload = fieldsOf(event.payload);
    const { type, role, call_id } = payload;
    if (type === "message" && role === "assistant") {
      fromItems.push(textIn(payload));
    }
    if (type === "agent_message" && typeof payload.message === "string") {
      fromEvents.push(payload.message);
    }
    if (role === "user" && textIn(payload).startsWith(USER_SHELL)) {
      commands.add(payload);
    }
    const name = String(payload.name);
    const args = typeof payload.arguments === "string"
      ? payload.arguments
      : JSON.stringify(payload.action ?? payload.input ?? "");
    const isPatch = name === "apply_patch" || args.includes('["apply_patch"');
    const isCommand = type === "local_shell_call" ||
      /^(?:shell|shell_command|exec_command|container\.exec)$/.test(name);
    if (type === "patch_apply_end") patches.add(call_id);
    // Codex shows a patch in a shell command as a patch.
    if (/apply_patch[^]*\*\*\* Begin Patch/.test(args)) inShell.add(call_id);
    if (
      /_output$/.test(String(type)) && inShell.has(call_id) &&
      /Success\. Updated/.test(String(payload.output))
    ) patches.add(call_id);
    if (/^(?:custom_tool|function|local_shell)_call$/.test(String(type))) {
      if (isPatch) patches.add(call_id);
      else if (isCommand && /"(?:command|cmd)":/.test(args)) {
        commands.add(call_id);
      }
    }
  }
  for (const callId of patches) commands.delete(callId);
  // A text in both lists is one answer, and a text in one list is also one.
  const answers = [...fromItems];
  for (const text of fromEvents) {
    const at = fromItems.indexOf(text);
    if (at === -1) answers.push(text);
    else fromItems.splice(at, 1);
  }
  return { answers, commands: commands.size, patches: patches.size };
}

function textIn({ content }: Record<string, unknown>): string {
  return Array.isArray(content)
    ? content.map((part) => fieldsOf(part).text ?? "").join("")
    : "";
}

function shownIn(events: EventFile["events"]): Shown {
  const snapshot = historyOf(events).snapshot();
  const explored = payloadsOf(snapshot, "explore").reduce(
    (sum, { entries }) => sum + (Array.isArray(entries) ? entries.length : 0),
    0,
  );
  return {
    answers: payloadsOf(snapshot, "assistant_message")
      .map(({ markdown }) => String(markdown)),
    commands: payloadsOf(snapshot, "exec").length + explored,
    patches: payloadsOf(snapshot, "patch").length,
  };
}

Deno.test("HistoryState.apply() reads every paginated capture the same without its header", () => {
  let count = 0;
  for (const { events, path } of FILES) {
    const [header, ...rest] = events;
    const { history_mode, subagent_history_start_ordinal } = fieldsOf(
      fieldsOf(header).payload,
    );
    const hasOthers = rest.some((event) =>
      fieldsOf(event).type === "session_meta"
    );
    const isOwn = subagent_history_start_ordinal === undefined && !hasOthers;
    if (history_mode !== "paginated" || !isOwn) continue;
    count += 1;
    assert(
      equalJson(historyOf(rest).snapshot(), historyOf(events).snapshot()),
      path,
    );
  }
  assert(count > 50);
});
