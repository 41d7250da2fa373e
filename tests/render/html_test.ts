import { assert, assertEquals } from "@std/assert";
import { Redactor } from "../../lib/redact/redactor.ts";
import { type HtmlOptions, HtmlRenderer } from "../../lib/render/html.ts";
import type { EntryPart, TranscriptPart } from "../../lib/render/parts.ts";
import { eventLine, PAGINATED } from "../session_lines.ts";
import {
  assertGolden,
  CONTROL_REGEXP,
  GOLDEN_SESSIONS,
  HOSTILE,
  hostileSession,
  partsOfBytes,
  readSession,
} from "./sessions.ts";
import {
  assertAlone,
  assertPolicy,
  assertSound,
  contentOf,
  lettersIn,
  lettersOf,
  withoutConstants,
} from "./sound_pages.ts";
import {
  assertCutsBetweenCharacters,
  command,
  DONE,
  item,
  LEGACY,
  look,
  lookBegin,
  lookEnd,
  partsOfLines,
  SECRET,
  THREAD,
  TURN,
  writtenBy,
} from "./transcripts.ts";

/** Renders a session as a page. */
function pageOf(bytes: Uint8Array<ArrayBuffer>): string {
  return writtenBy(new HtmlRenderer(), partsOfBytes(bytes));
}

Deno.test("the policy of an HTML page contains the hashes of its style and script", async () => {
  await assertPolicy(pageOf(new Uint8Array()));
});

Deno.test("an HTML page loads nothing", () => {
  const page = pageOf(hostileSession());
  assertAlone(page);
  assert(!/url\(|@import/.test(contentOf(page, "style")));
});

Deno.test("an HTML page opens the target of a link, and scrolls to one that was hidden or is chosen later", () => {
  const script = contentOf(pageOf(new Uint8Array()), "script");
  const actionsFor = (hash: string, isHidden: boolean): string[] => {
    const actions: string[] = [];
    let follow = () => {};
    const target = {
      localName: "details",
      open: false,
      getClientRects: () => isHidden ? [] : [1],
      scrollIntoView: () => actions.push("scroll"),
    };
    const choice = { click: () => actions.push("show all") };
    // All other elements ignore what is done to them.
    const other: unknown = new Proxy(() => other, {
      get: (_, name) => name === Symbol.iterator ? [].values : other,
      set: () => true,
    });
    const elements: Record<string, unknown> = {
      "turn-1-2": target,
      "show-all": choice,
      "": null,
    };
    const document = {
      getElementById: (id: string) => id in elements ? elements[id] : other,
      querySelectorAll: () => [],
      createElement: () => other,
      addEventListener: () => {},
    };
    new Function("document", "location", "addEventListener", script)(
      document,
      { hash },
      (_type: string, listener: () => void) => follow = listener,
    );
    actions.push(target.open ? "open" : "closed");
    follow();
    return actions;
  };
  assertEquals(actionsFor("#turn-1-2", false), ["open", "scroll"]);
  assertEquals(actionsFor("#turn-1-2", true), [
    ...["show all", "scroll", "open"],
    ...["show all", "scroll"],
  ]);
  assertEquals(actionsFor("", false), ["closed"]);
});

Deno.test("the words in a table of an HTML page are whole, and the table scrolls", () => {
  const style = contentOf(pageOf(new Uint8Array()), "style");
  assert(/\.md table\{[^}]*overflow:auto/.test(style));
  assert(/\.md td\{[^}]*overflow-wrap:break-word/.test(style));
});

Deno.test("the button that copies code of a message is below the upper border of the code, and moves nothing", () => {
  const style = contentOf(pageOf(new Uint8Array()), "style");
  const rem = (selector: string): number => {
    const start = style.indexOf(`\n${selector}{`) + 1 ||
      style.indexOf(`}${selector}{`) + 1;
    assert(start > 0, selector);
    const end = style.indexOf("}", start);
    return Number(/margin-top:([\d.]+)/.exec(style.slice(start, end))?.[1]);
  };
  const inset = rem(".copy");
  assert(inset > 0);
  assertEquals(rem(".md>.copy"), rem(".md>*") + inset);
  assertEquals(rem(".md>.copy:first-child"), inset);
  assertEquals(rem(".md>.copy:first-child+pre"), rem(".md>:first-child"));
});

Deno.test("a dark HTML page is printed in the colours of a light one", () => {
  const style = contentOf(pageOf(new Uint8Array()), "style");
  assert(style.includes("@media screen and (prefers-color-scheme:dark)"));
});

Deno.test("HtmlRenderer writes a complete page for no parts", () => {
  const page = writtenBy(new HtmlRenderer(), []);
  assert(page.startsWith("<!DOCTYPE html>\n"));
  assert(page.endsWith("</html>\n"));
  assert(page.includes('<h1 dir="auto">Codex session</h1>'));
});

Deno.test("HtmlRenderer shows images unless it redacts, or if images is set", () => {
  const url = "data:image/png;base64,iVBORw0KGgo=";
  const part = { type: "input_image", image_url: url };
  const call = (name: string, fields: Record<string, unknown>): string =>
    JSON.stringify({
      timestamp: "2026-01-01T00:00:00.000Z",
      type: "response_item",
      payload: { call_id: "c", ...fields, type: name },
    });
  const message = (...content: unknown[]): string =>
    call("message", { role: "user", content });
  const look = call("function_call", {
    name: "view_image",
    arguments: '{"path":"/a.png"}',
  });
  const answered = (output: unknown): string =>
    call("function_call_output", { output });
  const attached = answered("attached local image path");
  const text = { type: "input_text", text: "Look" };
  const cases: readonly (readonly [
    name: string,
    lines: readonly string[],
    shown: number,
    hidden: number,
  ])[] = [
    ["attached", [message(text, part, part)], 2, 2],
    [
      "of another kind",
      [
        message(text, {
          ...part,
          image_url: "data:image/svg+xml;base64,PHN2Zz4=",
        }),
      ],
      0,
      1,
    ],
    [
      "from the web",
      [message(text, { ...part, image_url: "https://x.org" })],
      0,
      1,
    ],
    [
      "with markup",
      [message(text, { ...part, image_url: `${url}"><b>` })],
      0,
      1,
    ],
    ["looked at, in the output", [message(text), look, answered([part])], 1, 1],
    [
      "looked at, behind it",
      [message(text), look, attached, message(part)],
      1,
      1,
    ],
    [
      "that could not be read",
      [message(text), look, attached, message(), message(part)],
      1,
      2,
    ],
    [
      "given by a tool",
      [
        message(text),
        call("function_call", { name: "mcp__demo__image", arguments: "{}" }),
        answered([part]),
      ],
      1,
      1,
    ],
    [
      "given by a tool of the client",
      [
        message(text),
        JSON.stringify(eventLine("dynamic_tool_call_response", {
          call_id: "c",
          tool: "screenshot",
          content_items: [{ type: "inputImage", imageUrl: url }],
        })),
      ],
      1,
      1,
    ],
    [
      "made by the model, in two records",
      [
        message(text),
        call("image_generation_call", { id: "c", result: "/9j/4AA=" }),
        JSON.stringify(eventLine("image_generation_end", {
          call_id: "c",
          result: "/9j/4AA=",
          saved_path: "/a.jpg",
        })),
      ],
      1,
      1,
    ],
    [
      "too long",
      [
        message(text, { ...part, image_url: url.padEnd(5_000_000, "A") }),
      ],
      0,
      1,
    ],
  ];
  const header = JSON.stringify({
    type: "session_meta",
    payload: { id: "t", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/" },
    timestamp: "2026-01-01T00:00:00.000Z",
  });
  for (const [name, lines, shown, hidden] of cases) {
    const redactor = new Redactor();
    const choices: readonly (readonly [options: HtmlOptions, count: number])[] =
      [[{}, shown], [{ redactor }, 0], [{ redactor, images: true }, shown]];
    const pages = choices.map(([options, count]) => {
      const { images = options.redactor === undefined } = options;
      const parts = partsOfLines([header, ...lines], { images });
      const page = writtenBy(new HtmlRenderer(options), parts);
      assertSound(page);
      assertAlone(page);
      assertEquals(page.match(/<img /g)?.length ?? 0, count, name);
      return page;
    });
    const notes = pages[1]?.match(/“--images” shows it/g)?.length;
    assertEquals(notes, hidden, name);
  }
});

Deno.test("HtmlRenderer cuts outputs shorter in a long page", () => {
  const [session, entry] = partsOfLines([
    THREAD,
    item("completed", {
      id: "item_0",
      type: "command_execution",
      command: "x",
      aggregated_output: `${"y".repeat(199)}\n`.repeat(2100),
      exit_code: 0,
      status: "completed",
    }),
  ]);
  const parts = [session, ...Array.from({ length: 32 }, () => entry)];
  const page = writtenBy(
    new HtmlRenderer(),
    parts.filter((part) => part !== undefined),
  );
  const cuts = page.match(/[\d,]+ lines left out here/g) ?? [];
  assertEquals([...new Set(cuts)], [
    "100 lines left out here",
    "2,080 lines left out here",
  ]);
});

Deno.test("HtmlRenderer writes unique ids, those of turns with their numbers, also after a rollback", () => {
  const failed = { type: "failure", line: 1, kind: "json", message: "no" };
  const started = { type: "turn_started", turn: 1, turn_id: null };
  const session = { type: "session", thread_id: "t", cli_version: null };
  const nothing = { cwd: null, model: null, startedAt: null };
  const parts = [
    { ...session, ...nothing },
    failed,
    { type: "rolled_back", turns: 1 },
    failed,
    { ...started, ...nothing },
    failed,
    { type: "rolled_back", turns: 1 },
    { ...started, ...nothing, turn: 2 },
    failed,
    { ...session, ...nothing, thread_id: "u" },
    failed,
  ] as TranscriptPart[];
  const page = writtenBy(new HtmlRenderer(), parts);
  assertSound(page);
  assertEquals(
    [...page.matchAll(/<section class="turn" id="([^"]*)"/g)]
      .map(([, id]) => id),
    ["between-1", "between-2", "turn-1", "turn-2", "between-3"],
  );
});

Deno.test("HtmlRenderer escapes hostile text", () => {
  const page = pageOf(hostileSession());
  assertSound(page);
  const body = withoutConstants(page);
  assert(!CONTROL_REGEXP.test(body));
  assertEquals(body.match(/^\s*::|##\[/gm), null);
  assert(!/href="(?!#|https?:)/.test(body), "a link to something else");
  assert(body.includes("&lt;script&gt;alert(1)&lt;/script&gt;"));
  assert(body.includes("&amp;lt;b&amp;gt;&amp;#60;script"));
  assert(body.includes('<i class="mark">U+202E</i>'));
});

for (const [name, text] of Object.entries(HOSTILE)) {
  Deno.test(`HtmlRenderer shows every letter of hostile ${name}`, () => {
    const parts = partsOfLines([
      THREAD,
      TURN,
      command("completed", { aggregated_output: text }),
    ]);
    const page = writtenBy(new HtmlRenderer(), parts);
    assertSound(page);
    const shown = lettersOf(contentOf(page, "main"));
    assert(shown.includes(lettersIn(text)));
  });
}

for (const { name, folder, start } of GOLDEN_SESSIONS) {
  Deno.test(`HtmlRenderer writes the golden page of ${name}`, () => {
    const page = pageOf(readSession(folder, start));
    assertGolden(`${name}.html`, withoutConstants(page));
  });
}

/** A turn with a prompt and commands. */
function turnOf(turn: number, commands: number): TranscriptPart[] {
  const line = (text: string) => ({
    kind: "paragraph",
    spans: [{
      text,
      tone: "default",
      emphasis: {
        bold: false,
        italic: false,
        dim: false,
        strike: false,
        underline: false,
      },
      entity: null,
    }],
  } as const);
  const entry = (id: number, record: EntryPart["record"]): EntryPart => ({
    type: "entry",
    phase: "final",
    id,
    turn,
    record,
    startedAt: null,
    endedAt: null,
    durationMs: null,
  });
  return [
    {
      type: "turn_started",
      turn,
      turn_id: null,
      startedAt: null,
      model: null,
      cwd: null,
    },
    entry(1, {
      id: 1,
      type: "plain_message",
      payload: {
        role: "user",
        kind: "user",
        header: null,
        lines: [line(`Prompt ${turn}`)],
        metadata: null,
      },
    }),
    ...Array.from({ length: commands }, (_, i) =>
      entry(i + 2, {
        id: i + 2,
        type: "exec",
        payload: {
          call_id: null,
          command: [`command-${i}`],
          parsed: [],
          action: "run",
          status: "success",
          stdout_chunks: [{ offset: 0, content: "line\n".repeat(10) }],
          stderr_chunks: [],
          exit_code: 0,
          wait_total_ms: null,
          wait_active: false,
          wait_notes: [],
          started_at: "1970-01-01T00:00:00.000Z",
          completed_at: null,
        },
      })),
    {
      type: "turn_ended",
      turn,
      turn_id: null,
      status: "completed",
      endedAt: null,
      durationMs: null,
      usage: null,
      error: null,
      isErrorShown: false,
    },
  ];
}

Deno.test("HtmlRenderer uses the first prompt as title of the page", () => {
  const page = writtenBy(new HtmlRenderer(), turnOf(1, 0));
  assert(page.includes("<title>Prompt 1</title>"));
});

Deno.test("HtmlRenderer emits each entry when it is fed, after the first prompt", () => {
  const renderer = new HtmlRenderer();
  const lengths: number[] = [];
  for (const part of turnOf(1, 5)) {
    let length = 0;
    renderer.feed(part, (text) => length += text.length);
    lengths.push(length);
  }
  assertEquals(lengths.map((length) => length > 0), [
    false,
    ...new Array(7).fill(true),
  ]);
});

Deno.test("HtmlRenderer limits the size of the timeline of a turn", () => {
  const page = writtenBy(new HtmlRenderer(), turnOf(1, 5000));
  const [, drawing = ""] = /<svg([^]*?)<\/svg>/.exec(page) ?? [];
  assert(
    drawing.includes("<desc>1 message, 5,000 commands."),
    drawing.slice(0, 300),
  );
  assert(drawing.length < 100_000, `${drawing.length} characters`);
});

Deno.test("HtmlRenderer lists 10,000 turns and counts the others", () => {
  const renderer = new HtmlRenderer();
  let page = "";
  for (let turn = 1; turn <= 10_003; turn++) {
    for (const part of turnOf(turn, 0)) renderer.feed(part, () => {});
  }
  renderer.flush((text) => page += text);
  assertEquals(page.match(/<li><a href="#turn-/g)?.length, 10_000);
  assert(page.includes("3 more turns are not listed"));
});

Deno.test("HtmlRenderer leaves out the middle of output, and counts its lines", () => {
  const renderer = new HtmlRenderer({ maxOutputLines: 4 });
  const page = writtenBy(renderer, turnOf(1, 1));
  assert(page.includes('<p class="cut">6 lines left out here</p>'));
});

Deno.test("HtmlRenderer leaves out reasoning and tools as requested", () => {
  const parts = partsOfBytes(
    readSession("0.104.0/reasoning/", "rollout"),
  );
  const without = writtenBy(
    new HtmlRenderer({ reasoning: "omit", tools: "none" }),
    parts,
  );
  assertEquals(without.match(/class="e box/g), null);
  const names = writtenBy(new HtmlRenderer({ tools: "names" }), parts);
  assertEquals(names.match(/<details class="e box exec/g), null);
  assert(/<div class="e box exec/.test(names));
  const open = writtenBy(new HtmlRenderer({ reasoning: "include" }), parts);
  assert(/<details class="e box think" id="[^"]*" open>/.test(open));
});

Deno.test("HtmlRenderer redacts every text before it is cut", () => {
  const renderer = new HtmlRenderer({
    redactor: {
      redact: (text) => text.replaceAll("alert(", "[masked]("),
      redactMember: (_name, text) => text.replaceAll("alert(", "[masked]("),
    },
  });
  const page = writtenBy(renderer, partsOfBytes(hostileSession()));
  assertEquals(page.match(/alert\(/g), null);
});

Deno.test("HtmlRenderer folds the output of explored commands, and lists them in the summary", () => {
  const parts = partsOfLines([
    PAGINATED,
    look("a", `1\n2\n3\n<b> ${SECRET}\n`),
    look("b", "two"),
  ]);
  const redactor = new Redactor();
  const main = contentOf(
    writtenBy(new HtmlRenderer({ redactor, maxOutputLines: 2 }), parts),
    "main",
  );
  const [box = ""] = /<details class="e box exec"[^]*?<\/details>/.exec(main) ??
    [];
  assertEquals(
    box.replace(/<span class="meta">.*?<\/time><\/span>/, "").split("\n"),
    [
      '<details class="e box exec" id="between-1-1"><summary><span class="sign" aria-hidden="true">$</span><span class="one">Looked around: 2 commands <small>cat a, cat b</small></span></summary>',
      '<h4><span class="sign" aria-hidden="true">$</span><code>cat a</code><small></small></h4>',
      "<pre>1</pre>",
      '<p class="cut">2 lines left out here</p>',
      "<pre>&lt;b&gt; [redacted:openai_key]</pre>",
      '<h4><span class="sign" aria-hidden="true">$</span><code>cat b</code><small></small></h4>',
      "<pre>two</pre>",
      "</details>",
    ],
  );
  assertEquals([...redactor.counts.values()], [1]);
  const names = writtenBy(new HtmlRenderer({ tools: "names" }), parts);
  assertEquals(/<details class="e box exec/.test(names), false);
  assertEquals(names.includes("<pre>"), false);
});

Deno.test("HtmlRenderer opens explored commands only if one failed with short output", () => {
  const isOpen = (...looks: Record<string, unknown>[]): boolean =>
    /<details class="e box exec[^>]* open>/.test(
      writtenBy(new HtmlRenderer(), partsOfLines([PAGINATED, ...looks])),
    );
  const silent = Array.from({ length: 30 }, (_, at) => look(`f${at}`, ""));
  assertEquals(isOpen(look("a", "one")), false);
  assertEquals(isOpen(look("a", "one"), look("b", "")), false);
  assertEquals(isOpen(look("a", "No", { exit_code: 1 })), true);
  assertEquals(isOpen(look("a", "No\n".repeat(50), { exit_code: 1 })), false);
  assertEquals(isOpen(...silent), false);
});

Deno.test("HtmlRenderer writes the end of each of several explored commands", () => {
  const parts = partsOfLines([
    LEGACY,
    ...[lookBegin("a"), lookEnd("a", "")],
    lookBegin("b"),
    eventLine("exec_command_end", { call_id: "b", stdout: "", exit_code: 2 }),
    lookBegin("c"),
  ]);
  const page = writtenBy(new HtmlRenderer(), parts);
  assertEquals(
    [...page.matchAll(/<code>cat (\w)<\/code><small>([^<]*)<\/small>/g)]
      .map(([, file, note]) => [file, note]),
    [["a", ""], ["b", "exit 2"], ["c", "not finished"]],
  );
});

Deno.test("HtmlRenderer writes the status and arguments of tool calls", () => {
  const toolOf = (fields: Readonly<Record<string, unknown>>): string => {
    const parts = partsOfLines([
      THREAD,
      TURN,
      item(fields.status === "in_progress" ? "started" : "completed", {
        id: "t",
        type: "mcp_tool_call",
        server: "s",
        tool: "t",
        ...fields,
      }),
      DONE,
    ]);
    const main = contentOf(writtenBy(new HtmlRenderer(), parts), "main");
    return /<(details|div) class="e box tool[^]*?<\/\1>/.exec(main)?.[0] ?? "";
  };
  assert(
    toolOf({ status: "in_progress" }).includes(
      '<b class="warn">not finished</b>',
    ),
  );
  const failed = { status: "failed", error: { message: "No" } };
  const end = '<b class="bad">failed</b>';
  assert(toolOf(failed).includes(end));
  assert(/ open>/.test(toolOf(failed)));
  const long = { status: "failed", error: { message: "No\n".repeat(50) } };
  assert(!/ open>/.test(toolOf(long)));
  const done = toolOf({ status: "completed" });
  assert(!done.includes(end) && !/ open>/.test(done));
  for (const start of ["", "x"]) {
    const text = start + "😀".repeat(200);
    const box = toolOf({ status: "completed", arguments: { a: text } });
    const [, short = ""] = /<small> a=(.*?)<\/small>/.exec(box) ?? [];
    assert(short !== "" && text.startsWith(short), short);
  }
});

Deno.test("HtmlRenderer writes the model and the folder of a turn where they change, with secrets masked", () => {
  const context = (turn_id: string, model: string, cwd: string) => [
    eventLine("task_started", { turn_id }),
    { type: "turn_context", payload: { turn_id, model, cwd } },
  ];
  const parts = partsOfLines([
    LEGACY,
    ...context("a", "m1", "/p"),
    ...context("b", "m2", "/p"),
    ...context("c", "m2", `/p/${SECRET}`),
  ]);
  const page = writtenBy(new HtmlRenderer({ redactor: new Redactor() }), parts);
  assertEquals(
    [...page.matchAll(/>Turn \d<\/a><time.*?<\/time>(.*?)<\/h2>/g)]
      .map(([, facts]) => facts),
    [
      "<small>m1</small><small>/p</small>",
      "<small>m2</small>",
      "<small>/p/[redacted:openai_key]</small>",
    ],
  );
});

Deno.test("HtmlRenderer writes how many turns were rolled back", () => {
  const gaps = [1, 1200].map((turns) =>
    /<div class="gap">(The user.*?)<\/div>/.exec(
      writtenBy(new HtmlRenderer(), [{ type: "rolled_back", turns }]),
    )?.[1]
  );
  assertEquals(gaps, [
    "The user took back the last turn",
    "The user took back the last 1,200 turns",
  ]);
});

Deno.test("HtmlRenderer sums up no tokens if a thread has several runs, even with another thread between", () => {
  const linesOf = (thread_id: string): Record<string, unknown>[] => [
    { type: "thread.started", thread_id },
    { type: "turn.started" },
    { type: "turn.completed", usage: { input_tokens: 5, output_tokens: 1 } },
  ];
  const totals = [["a", "b"], ["a", "a"], ["a", "b", "a"]].map((threads) => {
    const parts = partsOfLines(threads.flatMap(linesOf));
    const page = writtenBy(new HtmlRenderer(), parts);
    return /<p>(\d turns.*)<\/p>/.exec(page)?.[1];
  });
  assertEquals(totals, [
    "2 turns · 10 tokens in, 2 out",
    "2 turns",
    "3 turns",
  ]);
});

Deno.test("HtmlRenderer writes one token in the singular", () => {
  const page = writtenBy(
    new HtmlRenderer(),
    partsOfLines([
      { type: "thread.started", thread_id: "a" },
      { type: "turn.started" },
      { type: "turn.completed", usage: { input_tokens: 1, output_tokens: 0 } },
    ]),
  );
  assert(page.includes("<li>1 token in</li>"));
  assert(page.includes("1 turn · 1 token in, 0 out"));
});

Deno.test("HtmlRenderer counts a secret that it shows twice once", () => {
  const redactor = new Redactor();
  const [before, prompt, ...after] = turnOf(1, 0);
  assert(before !== undefined && prompt?.type === "entry");
  const { record } = prompt;
  const secret = JSON.parse(
    JSON.stringify(record).replace("Prompt 1", "API_TOKEN=abc123def ./deploy"),
  );
  const page = writtenBy(new HtmlRenderer({ redactor }), [
    before,
    { ...prompt, record: secret },
    ...after,
  ]);
  assert(page.includes("<title>API_TOKEN=[redacted:token] ./deploy</title>"));
  assert(!page.includes("abc123def"));
  assertEquals([...redactor.counts], [["token", 1]]);
});

Deno.test("HtmlRenderer cuts long texts between characters", () => {
  assertCutsBetweenCharacters(() => new HtmlRenderer(), 300_000);
});
