import { assert, assertEquals } from "@std/assert";
import { decodeEvent } from "../../../lib/dialects/exec/decoder.ts";
import {
  type CommandExecutionContent,
  isItemType,
  isKnownItem,
  type ItemCompletedEvent,
  type KnownItemEvent,
  type KnownItemType,
  type ThreadEvent,
  type UnknownWholeItem,
  type WholeItem,
} from "../../../lib/dialects/exec/events.ts";

const IDS = { thread_id: "t", item_id: "i" } as const;

const COMMAND: ThreadEvent = {
  ...IDS,
  type: "item.completed",
  status: "failed",
  item_type: "command_execution",
  content: { command: "false", exit_code: 1 },
};

const PLAN: ThreadEvent = {
  ...IDS,
  type: "item.delta",
  item_type: "todo_list",
  snapshot: true,
  delta: { items: [{ title: "a", completed: false }] },
};

/** Decodes a record; fails the test if it is not an event. */
function event(record: unknown): ThreadEvent {
  const decoded = decodeEvent(record);
  assert(decoded.ok, JSON.stringify(decoded));
  return decoded.value;
}

const COLLAB = event({
  ...IDS,
  type: "item.started",
  status: "in_progress",
  item_type: "collab_tool_call",
  tool: "wait",
});

/** Returns a text of an event; compiles only if the switch covers every type. */
function nameOf(event: ThreadEvent): string {
  switch (event.type) {
    case "thread.started":
      return event.thread_id;
    case "turn.started":
    case "turn.completed":
      return event.turn_id;
    case "turn.failed":
    case "item.failed":
      return event.error.message;
    case "item.started":
    case "item.delta":
    case "item.completed":
      return event.item_type;
    case "error":
      return event.message;
    case "rpc.request":
    case "rpc.notification":
      return event.method;
    case "rpc.response":
    case "rpc.error":
      return event.type;
    default:
      return event satisfies never;
  }
}

/** Returns a text of an item's content; compiles only if the switch covers every item type. */
function contentOf(event: KnownItemEvent<ItemCompletedEvent>): string {
  switch (event.item_type) {
    case "agent_message":
    case "reasoning":
      return event.content.text;
    case "command_execution":
      return event.content.command;
    case "file_change":
      return event.content.changes?.[0]?.path ?? event.content.path ?? "";
    case "mcp_tool_call":
      return `${event.content.server_name}.${event.content.tool_name}`;
    case "web_search":
      return event.content.query;
    case "todo_list":
      return event.content.items?.[0]?.title ?? "";
    case "error":
      return event.content.message;
    default:
      return event satisfies never;
  }
}

Deno.test("ThreadEvent is narrowed by a switch on type", () => {
  assertEquals(
    [COMMAND, PLAN, COLLAB, event({ type: "error", message: "m" })].map(nameOf),
    ["command_execution", "todo_list", "collab_tool_call", "m"],
  );
});

Deno.test("isKnownItem() lets a switch on item_type narrow the content", () => {
  assert(COMMAND.type === "item.completed" && isKnownItem(COMMAND));
  assertEquals(contentOf(COMMAND), "false");
});

const CASES = [
  { name: "a known item", event: COMMAND, expected: true },
  { name: "a delta of a known item", event: PLAN, expected: true },
  { name: "an unknown item", event: COLLAB, expected: false },
  {
    name: "an item named after an inherited member",
    event: event({ ...COLLAB, item_type: "constructor" }),
    expected: false,
  },
  {
    name: "a failed item with a known item type",
    event: event({
      ...IDS,
      type: "item.failed",
      error: { message: "m" },
      item_type: "command_execution",
    }),
    expected: false,
  },
  {
    name: "a turn with a field item_type",
    event: event({
      type: "turn.started",
      thread_id: "t",
      turn_id: "1",
      item_type: "error",
    }),
    expected: false,
  },
  {
    name: "an error event, which is not an error item",
    event: event({ type: "error", message: "m" }),
    expected: false,
  },
] satisfies { name: string; event: ThreadEvent; expected: boolean }[];

for (const { name, event, expected } of CASES) {
  Deno.test(`isKnownItem() and isItemType() return ${expected} for ${name}`, () => {
    assertEquals(isKnownItem(event), expected);
    const types: readonly KnownItemType[] = [
      "command_execution",
      "todo_list",
      "error",
    ];
    assertEquals(types.some((type) => isItemType(event, type)), expected);
  });
}

Deno.test("isItemType() narrows the content, also of unknown items", () => {
  assert(isItemType(COMMAND, "command_execution"));
  // A delta has no content, so the type is narrowed first.
  assert(COMMAND.type === "item.completed");
  const content: CommandExecutionContent = COMMAND.content;
  assertEquals(content.exit_code, 1);

  assert(isItemType(COLLAB, "collab_tool_call"));
  const itemType: "collab_tool_call" = COLLAB.item_type;
  assertEquals(itemType, "collab_tool_call");
  assert("tool" in COLLAB);
  const tool: unknown = COLLAB.tool;
  assertEquals(tool, "wait");
});

Deno.test("isItemType() does not exclude other events when it returns false", () => {
  const seen: string[] = [];
  for (const event of [COMMAND, COLLAB, PLAN] as const) {
    if (isItemType(event, "user_message")) seen.push("user message");
    else if (isItemType(event, "collab_tool_call")) seen.push("collab");
    else if (isItemType(event, "command_execution")) seen.push("command");
    else seen.push(nameOf(event));
  }
  assertEquals(seen, ["command", "collab", "todo_list"]);
});

/** Compiles if `T` is `true`. */
type Assert<T extends true> = T;
type IsAssignable<A, B> = [A] extends [B] ? true : false;

/** Relations between the types of events, checked by the compiler. */
export type TypeChecks = [
  Assert<
    IsAssignable<WholeItem<"item.completed", "error">, ItemCompletedEvent>
  >,
  Assert<IsAssignable<UnknownWholeItem<"item.completed">, ItemCompletedEvent>>,
  Assert<
    IsAssignable<KnownItemEvent<ItemCompletedEvent>["item_type"], KnownItemType>
  >,
  Assert<
    IsAssignable<
      Exclude<ItemCompletedEvent, KnownItemEvent>,
      UnknownWholeItem<"item.completed">
    >
  >,
];
