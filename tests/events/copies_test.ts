import { assertEquals } from "@std/assert";
import { readCapturedFiles } from "../rollouts.ts";
import {
  checkedSnapshot,
  payloadsOf,
  readEvents,
  snapshotOf,
} from "../history/histories.ts";
import {
  answerLine,
  callLine,
  eventLine,
  itemLine,
  type Line,
  line,
  messageLine,
  pagedLine,
  PAGINATED,
  promptLine,
} from "../session_lines.ts";
import { arrayOf, fieldsOf } from "../../lib/json/fields.ts";
import { eventsOf } from "./reading.ts";

const SEARCH = { type: "search", query: "q", queries: ["q", "r"] };
const PAGE = { type: "open_page", url: "https://example.com/" };
const USER = promptLine("go");

function item(action: unknown, id?: string) {
  return itemLine("web_search_call", {
    status: "completed",
    action,
    ...(id === undefined ? {} : { id }),
  });
}

function end(call_id: string, action: unknown, query = "words") {
  return eventLine("web_search_end", { call_id, query, action });
}

/** Counts the searches in the checked history of events. */
function countOf(events: readonly unknown[]): number {
  return payloadsOf(checkedSnapshot(events), "tool_call").length;
}

Deno.test("HistoryState.apply() shows a search once whose item has no id", () => {
  assertEquals(countOf([end("a", SEARCH), item(SEARCH)]), 1);
  assertEquals(countOf([item(SEARCH), end("a", SEARCH)]), 1);
  assertEquals(countOf([item(PAGE), end("a", PAGE)]), 1);
  for (const action of [{}, { type: "other" }, null, undefined]) {
    assertEquals(countOf([end("a", { type: "other" }, ""), item(action)]), 1);
    assertEquals(countOf([end("a", null, ""), item(action)]), 1);
    assertEquals(countOf([item(action), end("a", undefined, "")]), 1);
  }
  const begin = eventLine("web_search_begin", { call_id: "a" });
  assertEquals(countOf([begin, end("a", SEARCH), item(SEARCH)]), 1);
});

Deno.test("HistoryState.apply() pairs a search event that has only the query", () => {
  const old = eventLine("web_search_end", { call_id: "a", query: "q" });
  const search = item({ type: "search", query: "q" });
  assertEquals(countOf([old, search]), 1);
  assertEquals(countOf([search, old]), 1);
});

Deno.test("HistoryState.apply() shows repeated equal searches separately", () => {
  assertEquals(countOf([item(SEARCH), item(SEARCH)]), 2);
  assertEquals(countOf([end("a", SEARCH), end("b", SEARCH)]), 2);
  const both = [end("a", SEARCH), item(SEARCH)];
  assertEquals(countOf([...both, end("b", SEARCH), item(SEARCH)]), 2);
  assertEquals(
    countOf([end("a", SEARCH), end("b", SEARCH), item(SEARCH), item(SEARCH)]),
    2,
  );
  assertEquals(countOf([item(SEARCH), USER, end("a", SEARCH)]), 2);
  assertEquals(countOf([item(SEARCH), end("a", PAGE)]), 2);
});

Deno.test("HistoryState.apply() pairs searches with ids by their ids", () => {
  assertEquals(countOf([end("a", SEARCH), item(SEARCH, "a")]), 1);
  assertEquals(countOf([item(SEARCH, "a"), end("a", SEARCH)]), 1);
  assertEquals(countOf([item(SEARCH, "a"), end("b", SEARCH)]), 2);
  assertEquals(
    countOf([end("a", SEARCH), item(SEARCH, "a"), item(SEARCH)]),
    2,
  );
});

Deno.test("HistoryState.apply() shows the same searches for every release", () => {
  const counts = new Set<number>();
  for (const file of readCapturedFiles(/^rollout-.*\.jsonl$/)) {
    if (!/^[\d.]+\/websearch\//.test(file.path)) continue;
    const { events } = readEvents(file);
    const text = JSON.stringify(events);
    // Older releases did not offer the tool.
    if (!/"(?:web_search_call|WebSearch)"/.test(text)) continue;
    counts.add(payloadsOf(snapshotOf(events), "tool_call").length);
  }
  assertEquals([...counts], [6]);
});

Deno.test("HistoryState.apply() shows every search of a paginated session, whichever line of one is lost (C.5)", () => {
  for (const file of readCapturedFiles(/^rollout-.*\.jsonl$/)) {
    if (!/^0\.169\.0\/websearch\//.test(file.path)) continue;
    const { events } = readEvents(file);
    const searchesIn = (lines: typeof events) =>
      payloadsOf(snapshotOf(lines), "tool_call").map((call) => call.arguments);
    const searches = searchesIn(events);
    events.forEach((event, at) => {
      if (!/"(?:web_search_call|WebSearch)"/.test(JSON.stringify(event))) {
        return;
      }
      assertEquals(searchesIn(events.toSpliced(at, 1)), searches);
    });
  }
});

Deno.test("EventReader derives the query of a search from its action, as exec streams have it", () => {
  const derived = [
    { type: "search", queries: ["q", "r"] },
    { type: "search", query: "", queries: ["q"] },
    { type: "search", query: "q", queries: ["r", "s"] },
    { type: "search", queries: [] },
    { type: "find_in_page", pattern: "p", url: "https://example.com/" },
    { type: "find_in_page", pattern: "p" },
    PAGE,
  ].map((action) => eventsOf([item(action)])[0]?.content);
  assertEquals(derived.map((content) => Object(content).query), [
    "q ...",
    "q",
    "q",
    "",
    "'p' in https://example.com/",
    "'p'",
    PAGE.url,
  ]);
});

Deno.test("HistoryState.apply() leaves out a query that only repeats the action", () => {
  const actions = [
    { type: "search", queries: ["q", "r"] },
    { type: "find_in_page", pattern: "p" },
    { type: "find_in_page", pattern: "p", url: "https://example.com/" },
    PAGE,
  ];
  const names = actions.map((action) =>
    payloadsOf(snapshotOf([item(action)]), "tool_call").map((call) =>
      arrayOf(call.arguments)?.map((argument) => fieldsOf(argument).name)
    )
  );
  assertEquals(names, [
    [["queries"]],
    [["pattern"]],
    [["pattern", "url"]],
    [["url"]],
  ]);
});

Deno.test("HistoryState.apply() never copies the data of an image into its path (C.3)", () => {
  const shown = (url: string, images: readonly string[]) =>
    payloadsOf(
      snapshotOf([
        itemLine("message", {
          role: "user",
          content: [
            { type: "input_text", text: "look" },
            { type: "input_image", image_url: url },
          ],
        }),
        eventLine("user_message", { message: "look", images }),
      ]),
      "image",
    ).map(({ path }) => path);
  const data = "data:image/png;base64,QUJD";
  const page = "https://example.com/a.png";
  assertEquals(shown(data, ["data:image/gif;base64,QUJDRA=="]), [
    "data:image/png;base64",
  ]);
  assertEquals(shown(page, [data]), [page]);
  assertEquals(shown(data, [page]), [page]);
});

Deno.test("EventReader gives the path of an event to the image of the file, not to one that is a URL (0.142)", () => {
  const urls = ["data:image/png;base64,QQ==", "data:image/png;base64,Qg=="];
  const events = eventsOf([
    itemLine("message", {
      role: "user",
      content: [
        { type: "input_text", text: "look" },
        ...urls.map((image_url) => ({ type: "input_image", image_url })),
      ],
    }),
    eventLine("user_message", {
      message: "look",
      images: urls.slice(1),
      local_images: ["/a.png"],
    }),
  ]);
  assertEquals(fieldsOf(events.at(-1)?.content).images, [
    { url: urls[0], path: "/a.png" },
    { url: urls[1] },
  ]);
});

Deno.test("EventReader gives the path of an event to the image of the file before one that could not be read", () => {
  const url = "data:image/png;base64,QQ==";
  const unread = "Codex could not read the local image at `/b.png`: gone";
  const events = eventsOf([
    itemLine("message", {
      role: "user",
      content: [
        { type: "input_text", text: "look" },
        { type: "input_image", image_url: url },
        { type: "input_text", text: unread },
      ],
    }),
    eventLine("user_message", {
      message: "look",
      local_images: ["/a.png", "/b.png"],
    }),
  ]);
  assertEquals(fieldsOf(events.at(-1)?.content).images, [
    { url, path: "/a.png" },
    { path: "/b.png" },
  ]);
});

Deno.test("EventReader gives the paths of images to others than one that was omitted, in files of both kinds", () => {
  const url = "data:image/png;base64,QQ==";
  const place = "https://example.com/x.png";
  const omitted =
    "image content omitted because it could not be downloaded or processed";
  const message = itemLine("message", {
    role: "user",
    content: [
      ...["look", "<image>", omitted, "</image>"]
        .map((text) => ({ type: "input_text", text })),
      { type: "input_image", image_url: url },
    ],
  });
  const event = eventLine("user_message", {
    message: "look",
    images: [place],
    local_images: ["/a.png"],
  });
  const item = pagedLine("UserMessage", {
    id: "u",
    content: [
      { type: "text", text: "look" },
      { type: "image", image_url: place },
      { type: "local_image", path: "/a.png" },
    ],
  });
  const header = line("session_meta", { history_mode: "paginated" });
  for (const lines of [[message, event], [header, message, item]]) {
    assertEquals(fieldsOf(eventsOf(lines).at(-1)?.content).images, [
      { path: place },
      { url, path: "/a.png" },
    ]);
  }
});

const SOURCES =
  "<oai-mem-citation>\n<citation_entries>\nMEMORY.md:1-3|note=[a]\n</citation_entries>\n</oai-mem-citation>";
const PLAN = "# Plan\n\n- Sow\n- Reap\n";
const PLAN_BLOCK = `<proposed_plan>\n${PLAN}</proposed_plan>\n`;

/** Reads a turn of a legacy file, and returns the texts in it and the type of its end. */
function textsOfTurn(last: string | null, ...lines: Line[]): unknown[] {
  const events = eventsOf([
    eventLine("task_started", { turn_id: "1" }),
    USER,
    ...lines,
    eventLine("task_complete", { turn_id: "1", last_agent_message: last }),
  ]);
  return [
    ...events.filter(({ item_type }) =>
      item_type === "agent_message" || item_type === "plan"
    ).map(({ item_type, content }) => [item_type, Object(content).text]),
    events.at(-1)?.type,
  ];
}

const PLAN_ITEM = pagedLine("Plan", { id: "1-plan", text: PLAN });

Deno.test("EventReader emits an answer once whose item has sources or a plan, which its event lacks", () => {
  for (
    const [said, written] of [
      ["Found it.\n\n", `Found it.\n\n${SOURCES}`],
      ["Found it.\nAll of it.", `Found it.${SOURCES}\nAll of it.${SOURCES}`],
      ["Found it.", "Found it.<oai-mem-citation>\n<citation_entries>"],
      [`The tag ${SOURCES}`, `The tag ${SOURCES}`],
    ] as const
  ) {
    assertEquals(
      textsOfTurn(said, answerLine(said), messageLine("assistant", written)),
      [["agent_message", said], "turn.completed"],
    );
  }
  const said = "Look:\n\n\nWell?";
  const written = messageLine("assistant", `Look:\n\n${PLAN_BLOCK}\nWell?`);
  assertEquals(textsOfTurn(said, PLAN_ITEM, answerLine(said), written), [
    ["plan", PLAN],
    ["agent_message", said],
    "turn.completed",
  ]);
});

Deno.test("EventReader completes a turn whose answer is nothing but a plan", () => {
  const written = messageLine("assistant", PLAN_BLOCK);
  assertEquals(textsOfTurn(null, PLAN_ITEM, written), [
    ["plan", PLAN],
    "turn.completed",
  ]);
  // The first releases that plan do not write the item.
  assertEquals(textsOfTurn(null, written), [
    ["agent_message", PLAN_BLOCK],
    "turn.completed",
  ]);
});

Deno.test("EventReader does not take an answer that is nothing but a plan for the summary after it", () => {
  const events = eventsOf([
    USER,
    messageLine("assistant", PLAN_BLOCK),
    line("compacted", { message: "They planned." }),
  ]);
  assertEquals(new Set(events.map(({ item_id }) => item_id)).size, 4);
});

Deno.test("EventReader emits a command of the user once that has an event and a message", () => {
  const event = (call_id: string) =>
    eventLine("exec_command_end", {
      call_id,
      command: ["/bin/bash", "-lc", "make; exit 3"],
      source: "user_shell",
      aggregated_output: "made\n",
      exit_code: 3,
      status: "failed",
    });
  const message = messageLine(
    "user",
    "<user_shell_command>\n<command>\nmake; exit 3\n</command>\n<result>\nExit code: 3\nDuration: 0.3201 seconds\nOutput:\nmade\n\n</result>\n</user_shell_command>",
  );
  const countOf = (...lines: Line[]) =>
    eventsOf(lines).filter(({ item_type }) => item_type === "command_execution")
      .length;
  assertEquals(countOf(message), 1);
  assertEquals(countOf(event("a"), message), 1);
  assertEquals(countOf(event("a"), message, event("b"), message), 2);
  // If the command was cancelled, its message comes first; if the agent works, much later.
  assertEquals(countOf(message, event("a"), message, event("b")), 2);
  const work = [answerLine("One moment."), callLine("shell", { command: [] })];
  assertEquals(countOf(event("a"), ...work, message), 2);
  // A prompt that waits with the message for the model comes before it.
  const prompt = promptLine("Again");
  assertEquals(countOf(event("a"), prompt, message), 1);
  assertEquals(countOf(message, prompt, event("a"), message), 2);
});

Deno.test("EventReader emits a command of the user in a paginated file once, also if only the message tells of it", () => {
  const item = pagedLine("CommandExecution", {
    id: "u1",
    command: ["/bin/bash", "-lc", "make"],
    source: "user_shell",
    aggregated_output: "made\n",
    exit_code: 3,
  });
  const message = messageLine(
    "user",
    "<user_shell_command>\n<command>\nmake\n</command>\n<result>\nExit code: 3\nDuration: 0.5 seconds\nOutput:\nmade\n\n</result>\n</user_shell_command>",
  );
  const commandsOf = (...lines: Line[]) => {
    const commands = eventsOf([PAGINATED, ...lines])
      .filter(({ item_type }) => item_type === "command_execution");
    return commands.map(({ item_id, content }) => [
      item_id,
      fieldsOf(content).command,
    ]);
  };
  const users = ["synthetic-item-2", "make"];
  const whole = "/bin/bash -lc make";
  assertEquals(commandsOf(item, message), [["u1", whole]]);
  // Files that codex migrate-rollouts wrote have no item of a command of the user.
  assertEquals(commandsOf(message), [users]);
  // The item of a cancelled command comes later; it replaces what the message said.
  assertEquals(commandsOf(message, item), [users, [users[0], whole]]);
  // It does so in the same turn.
  const begin = eventLine("task_started", { turn_id: "t2" });
  assertEquals(commandsOf(message, begin, item, message), [
    users,
    ["u1", whole],
  ]);
});
