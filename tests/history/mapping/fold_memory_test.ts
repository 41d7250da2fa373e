import { assert, assertEquals } from "@std/assert";
import { HistoryState } from "../../../lib/history/history_state.ts";
import { TurnLog } from "../../../lib/history/mapping/fold_memory.ts";
import { eventLine } from "../../session_lines.ts";

Deno.test("TurnLog.rollBack() finds the first record of turns, also when ids are used again", () => {
  const log = new TurnLog();
  const open = (nextId: number): void => {
    log.close();
    log.open(nextId);
  };
  for (const nextId of [1, 4, 5, 5]) open(nextId);
  assertEquals(log.rollBack(1), 5);
  // Record 4 was removed before, so that the next id is 4 again.
  open(4);
  assertEquals(log.rollBack(2), 4);
  assertEquals(log.rollBack(0), undefined);
  assertEquals(log.rollBack(1), 4);
  assertEquals(log.rollBack(1), 1);
  assertEquals(log.rollBack(1), 0);
});

Deno.test("TurnLog counts a prompt and the start after it as one turn", () => {
  const turnsOf = (change: (log: TurnLog) => void, nextId: number): number => {
    const log = new TurnLog();
    log.prompt(2);
    log.prompted(3);
    change(log);
    log.open(nextId);
    return Object(log.save()).starts.length;
  };
  assertEquals(turnsOf(() => {}, 3), 1);
  assertEquals(turnsOf(() => {}, 4), 2);
  // A start after the end of the prompt's turn is another turn.
  assertEquals(turnsOf((log) => log.close(), 3), 2);
  assertEquals(turnsOf((log) => log.leavePrompt(), 3), 2);
});

/** Applies turns that each have a prompt and an answer. */
function talk(state: HistoryState, from: number, to: number): void {
  for (let turn = from; turn < to; turn++) {
    for (
      const [type, text] of [["user_message", "Q"], ["agent_message", "A"]]
    ) {
      state.apply({
        type: "event_msg",
        payload: { type, message: `${text}${turn}` },
      });
    }
  }
}

Deno.test("HistoryState.restore() continues a plan and a reasoning of a checkpoint", () => {
  const piece = (item_type: string, text: string) => ({
    type: "item.delta",
    item_id: item_type,
    item_type,
    snapshot: false,
    delta: { text },
  });
  const state = new HistoryState();
  for (const type of ["plan", "reasoning"]) state.apply(piece(type, "1. a"));
  const saved = JSON.parse(JSON.stringify(state.snapshot({ resume: true })));
  const restored = HistoryState.restore(saved);
  for (const type of ["plan", "reasoning"]) {
    const mutations = state.apply(piece(type, "b\n2. c"));
    assert(JSON.stringify(mutations).includes("ab"));
    assertEquals(restored.apply(piece(type, "b\n2. c")), mutations);
  }
});

Deno.test("HistoryState.restore() shows items anew whose records were taken out of the checkpoint", () => {
  const item = (item_type: string, content: object) => ({
    type: "item.completed",
    item_id: item_type,
    item_type,
    content,
  });
  const state = new HistoryState();
  const open = { snapshot: false, delta: { text: "a" } };
  for (
    const event of [
      item("turn_diff", { unified_diff: "+a" }),
      item("background_event", { message: "a" }),
      { ...item("reasoning", {}), type: "item.delta", ...open },
      item("agent_message", { text: "a" }),
    ]
  ) state.apply(event);
  const checkpoint = state.snapshot({ resume: true });
  const restored = HistoryState.restore({ ...checkpoint, records: [] });
  for (
    const event of [
      item("turn_diff", { unified_diff: "+b" }),
      item("background_event", { message: "b" }),
      item("reasoning", { text: "b" }),
      {
        ...item("context_compaction", { message: "b" }),
        item_id: "agent_message",
      },
    ]
  ) restored.apply(event);
  assertEquals(
    restored.snapshot().records.map(({ type }) => type),
    ["diff", "background_event", "reasoning", "background_event"],
  );
});

Deno.test("HistoryState.forget() removes records, and later rollbacks find their turns", () => {
  const state = new HistoryState();
  talk(state, 0, 4);
  state.forget(new Set([1, 2, 3, 99]));
  assertEquals(state.snapshot().records.map(({ id }) => id), [4, 5, 6, 7, 8]);
  talk(state, 4, 5);
  const ids = (): number[] => state.snapshot().records.map(({ id }) => id);
  assertEquals(ids(), [4, 5, 6, 7, 8, 9, 10]);
  state.apply(eventLine("thread_rolled_back", { num_turns: 2 }));
  assertEquals(ids(), [4, 5, 6]);
});

Deno.test("HistoryState.forget() keeps the other open items", () => {
  const state = new HistoryState();
  const event = {
    thread_id: "t",
    turn_id: "1",
    item_type: "command_execution",
  };
  for (const item_id of ["a", "b"]) {
    state.apply({
      ...event,
      type: "item.started",
      item_id,
      status: "in_progress",
      content: { command: item_id },
    });
  }
  state.forget(new Set([1]));
  const mutations = state.apply({
    ...event,
    type: "item.completed",
    item_id: "b",
    status: "completed",
    content: { command: "b", exit_code: 0, stdout: "x" },
  });
  assertEquals(
    mutations.map(({ type, index }) => [type, index]),
    mutations.map(({ type }) => [type, 0]),
  );
  assertEquals(state.snapshot().exec_call_lookup, { b: 2 });
});
