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
 * Files up to this size are looked at after every third event, larger ones now and then; which
 * ones differs from file to file, as many have the same lines.
 */
const SMALL = 20_000;
const MOMENTS = 6;

/** Tells whether a file is looked at after an event. */
function isMoment({ events, size }: typeof FILES[number], at: number): boolean {
  const step = size <= SMALL ? 3 : Math.ceil(events.length / MOMENTS);
  return at % step === size % step || at === events.length - 1;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

Deno.test("HistoryState.apply() gives mutations that make the records of every capture", () => {
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

Deno.test("HistoryState.restore() goes on from a checkpoint as if nothing had happened", () => {
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

Deno.test("HistoryState.restore() of a bare snapshot gives the same snapshot", () => {
  for (const { path, events } of FILES) {
    const snapshot = historyOf(events).snapshot();
    const restored = HistoryState.restore(snapshot).snapshot();
    assert(equalJson(restored, snapshot), path);
  }
});

/** What the user ran, as the model is told of it. */
const USER_SHELL = "<user_shell_command>";

/** What a person should see once, read off the lines in another way. */
interface Seen {
  readonly answers: readonly string[];
  readonly commands: number;
  readonly patches: number;
}

Deno.test("a history shows every answer, command and patch of an exec capture once", () => {
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
    // Output of a patch comes as that of a command of the same id in 0.20.
    const commands = (ids.get("command_execution") ?? new Set())
      .difference(patches);
    assertEquals(seenIn(events), {
      answers,
      commands: commands.size,
      patches: patches.size,
    }, path);
  }
});

Deno.test("a history shows every answer, command and patch of a rollout once", () => {
  for (const { path, isRollout, events } of FILES) {
    if (!isRollout) continue;
    const header = fieldsOf(fieldsOf(events[0]).payload);
    const summaries = events.map(fieldsOf)
      .filter(({ type }) => type === "compacted")
      .map(({ payload }) => String(fieldsOf(payload).message).trimEnd());
    // Some releases write a summary of the context down as if it had been said.
    const withoutSummaries = (seen: Seen): Seen => ({
      ...seen,
      answers: seen.answers.toSorted().filter((text) =>
        !summaries.some((summary) => summary.endsWith(text.trim()))
      ),
    });
    const seen = withoutSummaries(seenIn(events));
    if (header.history_mode !== "paginated") {
      assertEquals(seen, withoutSummaries(expectLegacy(events)), path);
      continue;
    }
    const { answers, commands, patches } = withoutSummaries(
      expectPaginated(events, header),
    );
    assertEquals(seen.answers, answers, path);
    // Calls that came to no item are shown, too.
    assert(seen.commands >= commands && seen.patches >= patches, path);
  }
});

function expectPaginated(
  events: EventFile["events"],
  header: Record<string, unknown>,
): Seen {
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

function expectLegacy(events: EventFile["events"]): Seen {
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
    // Codex takes a patch that is given to a shell for what it is.
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
  // Whatever stands in both is one; what stands in one only is there too.
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

function seenIn(events: EventFile["events"]): Seen {
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

Deno.test("HistoryState.apply() reads every paginated capture as it is without its header", () => {
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
