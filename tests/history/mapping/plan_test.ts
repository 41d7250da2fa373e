import { assert, assertEquals } from "@std/assert";
import { HistoryState } from "../../../lib/history/history_state.ts";
import { equalJson } from "../../fixtures.ts";
import { eventLine, historyOf, itemLine, payloadsOf } from "../histories.ts";

function plan(...statuses: readonly string[]) {
  return { plan: statuses.map((status) => ({ step: "a", status })) };
}

function call(args: unknown) {
  return itemLine("function_call", {
    name: "update_plan",
    arguments: JSON.stringify(args),
    call_id: "c",
  });
}

function event(fields: Record<string, unknown>) {
  return eventLine("plan_update", { explanation: null, ...fields });
}

/** Counts the plans, at every moment that a checkpoint may be taken. */
function countOf(events: readonly unknown[]): number {
  const whole = historyOf(events).snapshot({ resume: true });
  for (let at = 0; at <= events.length; at++) {
    const saved = historyOf(events.slice(0, at)).snapshot({ resume: true });
    const restored = HistoryState.restore(JSON.parse(JSON.stringify(saved)));
    historyOf(events.slice(at), restored);
    assert(equalJson(restored.snapshot({ resume: true }), whole));
  }
  return payloadsOf(whole, "plan_update").length;
}

const OUTPUT = itemLine("function_call_output", {
  call_id: "c",
  output: "Plan updated",
});

Deno.test("HistoryState.apply() shows a plan once that a call and an event tell", () => {
  const open = plan("pending");
  const done = plan("completed");
  assertEquals(countOf([call(open), event(open), OUTPUT]), 1);
  assertEquals(countOf([event(open), call(open), OUTPUT]), 1);
  assertEquals(
    countOf([call(open), event(open), OUTPUT, call(done), event(done)]),
    2,
  );
});

Deno.test("HistoryState.apply() keeps plans apart that are not copies of each other", () => {
  const open = plan("pending");
  const done = plan("completed");
  assertEquals(countOf([call(open), OUTPUT, call(open)]), 2);
  assertEquals(countOf([event(open), event(open)]), 2);
  assertEquals(countOf([call(open), event(done)]), 2);
  assertEquals(countOf([call(open), event({ ...open, name: "b" })]), 2);
  const again = [call(open), event(open)];
  assertEquals(countOf([...again, ...again]), 2);
  const prompt = eventLine("user_message", { message: "x" });
  assertEquals(countOf([call(open), prompt, event(open)]), 2);
});

Deno.test("HistoryState.apply() reads what is said of a step in any spelling (A.6)", () => {
  const steps = [
    { step: "a", status: "pending" },
    { title: "b", status: "in_progress" },
    { text: "c", status: "complete" },
    { step: "d", status: "completed" },
    { step: "e", status: "skipped" },
    { step: "f", completed: true },
    { step: 5, title: "g", status: "some day" },
    "h",
  ];
  const [shown] = payloadsOf(
    historyOf([event({ plan: steps })]).snapshot(),
    "plan_update",
  );
  assertEquals(
    Object(shown?.steps).map((
      { description, status }: Record<string, string>,
    ) => `${description} ${status}`),
    [
      ...["a pending", "b in_progress", "c complete", "d complete"],
      ...["e skipped", "f complete", "g pending", " pending"],
    ],
  );
});
