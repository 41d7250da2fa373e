import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  GITHUB_MIN_SUMMARY_BYTES,
  GITHUB_SUMMARY_BYTES,
  GITHUB_SUMMARY_LIMIT,
  type GithubOptions,
  GithubRenderer,
} from "../../lib/render/github.ts";
import type { TranscriptPart } from "../../lib/render/parts.ts";
import { Redactor } from "../../lib/redact/redactor.ts";
import { encode, once } from "../running.ts";
import {
  eventLine,
  itemLine,
  PAGINATED,
  promptLine,
} from "../session_lines.ts";
import {
  assertGolden,
  GOLDEN_SESSIONS,
  HOSTILE,
  hostileSession,
  partsOfBytes,
  readSession,
} from "./sessions.ts";
import { assertInert } from "./sound_pages.ts";
import {
  assertCutsBetweenCharacters,
  command,
  DONE,
  LEGACY,
  look,
  message,
  partsOfLines,
  SECRET,
  THREAD,
  TURN,
  writtenBy,
} from "./transcripts.ts";

function summaryOf(
  parts: readonly TranscriptPart[],
  options: GithubOptions = {},
): string {
  return writtenBy(new GithubRenderer(options), parts);
}

function byteCount(text: string): number {
  return encode(text).length;
}

Deno.test("GithubRenderer escapes hostile text", () => {
  const summary = summaryOf(partsOfBytes(hostileSession()));
  assertInert(summary);
  assert(summary.includes("&lt;script&gt;alert(1)&lt;/script&gt;"));
});

for (const [name, text] of Object.entries(HOSTILE)) {
  Deno.test(`GithubRenderer escapes a hostile verdict: ${name}`, () => {
    assertInert(writtenBy(
      new GithubRenderer({
        verdict: () => ({
          isPassed: false,
          title: text,
          reasons: [text, `- ${text}`],
        }),
      }),
      [],
    ));
  });
}

for (const { name, folder, start } of GOLDEN_SESSIONS) {
  Deno.test(`GithubRenderer writes the golden summary of ${name}`, () => {
    const parts = partsOfBytes(readSession(folder, start));
    assertGolden(`${name}.github.md`, summaryOf(parts));
  });
}

Deno.test("GithubRenderer sums up the changes of each file, with its last path", () => {
  const edit = (
    id: string,
    path: string,
    change: Readonly<Record<string, unknown>>,
    success = true,
  ): Record<string, unknown> =>
    eventLine("patch_apply_end", {
      call_id: id,
      success,
      stdout: "",
      stderr: "",
      changes: { [path]: change },
    });
  const update = { type: "update", unified_diff: "@@ -1 +1 @@\n-a\n+b\n" };
  const parts = partsOfLines([
    LEGACY,
    edit("1", "a.txt", { ...update, move_path: null }),
    edit("2", "a.txt", { ...update, move_path: "b.txt" }),
    edit("3", "c.txt", { type: "add", content: "1\n2\n" }),
    edit("4", "c.txt", { ...update, move_path: null }),
    edit("5", "d.txt", { ...update, move_path: null }, false),
  ]);
  const summary = writtenBy(new GithubRenderer(), parts);
  assertEquals(
    [...summary.matchAll(
      /<tr><td><code>(.*?)<\/code><\/td><td>(.*?)<\/td><td align="right">(.*?)<\/td><td align="right">(.*?)<\/td>/g,
    )].map((found) => found.slice(1)),
    [
      ["a.txt", "moved to <code>b.txt</code>", "2", "2"],
      ["c.txt", "added", "3", "1"],
    ],
  );
  assert(!summary.includes("3 files"));
});

Deno.test("GithubRenderer folds the output of explored commands like that of other commands", () => {
  const parts = partsOfLines([
    PAGINATED,
    look("a", "0\n1\n2\n<b>\n"),
    look("b", ""),
  ]);
  const stepsOf = (options: GithubOptions): string | undefined =>
    writtenBy(new GithubRenderer(options), parts).split("### Steps\n\n")[1];
  assertEquals(
    stepsOf({ maxOutputLines: 2 }),
    "<details><summary>✓ <code>$ cat a</code></summary>\n<pre>[2 lines left out here]\n2\n&lt;b&gt;</pre>\n</details>\n<p>✓ <code>$ cat b</code></p>\n",
  );
  assertEquals(
    stepsOf({ tools: "names" }),
    "<p>✓ <code>$ cat a</code></p>\n<p>✓ <code>$ cat b</code></p>\n",
  );
});

/** The lines of an exec stream of commands with much output, and a message at the end. */
function longSession(
  commands: number,
  text = "Done.",
): Record<string, unknown>[] {
  return [
    { ...THREAD, thread_id: "t" },
    TURN,
    ...Array.from({ length: commands }, (_, i) =>
      command("completed", {
        id: `item_${i}`,
        command: `step ${i}`,
        aggregated_output: "é&".repeat(1000),
      })),
    message(text, "message"),
    { type: "turn.completed", usage: { input_tokens: 1, output_tokens: 1 } },
  ];
}

Deno.test("GithubRenderer stays below the limit, leaves out whole steps, and counts them", () => {
  const summary = summaryOf(partsOfLines(longSession(400)));
  assertInert(summary);
  const bytes = byteCount(summary);
  assert(bytes <= GITHUB_SUMMARY_BYTES, `${bytes} bytes`);
  assert(bytes > GITHUB_SUMMARY_BYTES - 10_000, `only ${bytes} bytes`);
  const steps = summary.match(/<details>/g)?.length ?? 0;
  assertEquals(summary.match(/<\/details>/g)?.length, steps);
  assert(
    summary.includes(`<p><i>${400 - steps} steps more left out`),
    summary.slice(-200),
  );
});

Deno.test("GITHUB_SUMMARY_BYTES leaves room for other text in the summary of a step", () => {
  assert(GITHUB_SUMMARY_BYTES < GITHUB_SUMMARY_LIMIT);
  assertEquals(GITHUB_SUMMARY_LIMIT, 1_048_576);
});

for (const maxBytes of [2000, 3000, 5000, 20_000]) {
  Deno.test(`GithubRenderer stays below ${maxBytes} bytes`, () => {
    const text = Array.from({ length: 100 }, (_, i) => `Paragraph ${i}.`)
      .join("\n\n");
    const summary = summaryOf(partsOfLines(longSession(50, text)), {
      maxBytes,
    });
    assertInert(summary);
    assert(byteCount(summary) <= maxBytes, `${byteCount(summary)} bytes`);
    assert(/left out/i.test(summary));
    assert(summary.startsWith("## ✅ Codex completed its work\n"));
  });
}

/** The session part with this text in each field. */
function sessionOf(word: string): TranscriptPart {
  const parts = partsOfLines([
    { type: "session_meta", payload: { id: word, cwd: word, model: word } },
    eventLine("task_started", { turn_id: "t" }),
  ]);
  const session = parts.find(({ type }) => type === "session");
  assert(session !== undefined);
  return session;
}

/** Texts that are long, or take many bytes for each character. */
const LONG = {
  "a long text": "r".repeat(300_000),
  "a text of marks": "\u{e0001}\u202e".repeat(50_000),
  "a text of references": "&`::##[~~~".repeat(30_000),
  "a text of wide characters": "😀漢".repeat(50_000),
};

for (const [name, text] of Object.entries(LONG)) {
  const sessions = once(() =>
    [...Array(25).keys()].map((i) => sessionOf(`${i} ${text}`))
  );
  for (
    const maxBytes of [GITHUB_MIN_SUMMARY_BYTES, 5000, GITHUB_SUMMARY_BYTES]
  ) {
    Deno.test(`GithubRenderer stays below ${maxBytes} bytes, with this in the head: ${name}`, () => {
      for (
        const reasons of [
          [text],
          Array.from({ length: 5000 }, (_, i) => `reason ${i}`),
          [...Array(3000).keys()].map((i) => `${i} ${text.slice(0, 750)}`),
        ]
      ) {
        const renderer = new GithubRenderer({
          maxBytes,
          verdict: () => ({ isPassed: false, title: text, reasons }),
        });
        const summary = writtenBy(renderer, [
          ...sessions(),
          ...partsOfLines(longSession(20)),
        ]);
        assertInert(summary);
        assert(byteCount(summary) <= maxBytes, `${byteCount(summary)} bytes`);
        assert(summary.startsWith("## ❌ "));
        const shown = summary.match(/<li>(?!<i>\S+ reason)/g)?.length ?? 0;
        assert(shown > 0);
        const more = summary.match(/<i>(\S+) reasons more left out/)?.[1];
        assertEquals(
          shown + Number(more?.replaceAll(",", "") ?? 0),
          reasons.length,
        );
        assert(/<i>\d+ sessions more left out/.test(summary));
      }
    });
  }
}

Deno.test("GithubRenderer refuses a limit below the smallest one", () => {
  for (const maxBytes of [GITHUB_MIN_SUMMARY_BYTES - 1, 0, -1, NaN]) {
    assertThrows(() => new GithubRenderer({ maxBytes }), RangeError);
  }
});

Deno.test("GithubRenderer writes an error whose reason it leaves out", () => {
  const reasons = [...Array(1000).keys()].map((i) => `reason ${i}`);
  const message = "reason 999";
  const parts = partsOfLines([
    THREAD,
    TURN,
    { type: "turn.failed", error: { message } },
  ]);
  const verdict = () => ({ isPassed: false, title: "x", reasons });
  const summary = writtenBy(new GithubRenderer({ verdict }), parts);
  assert(summary.includes(`### Errors\n\n<pre>${message}</pre>`), summary);
});

Deno.test("GithubRenderer writes the verdict and its reasons", () => {
  const summary = summaryOf(partsOfLines(longSession(0)), {
    verdict: () => ({
      isPassed: false,
      title: "Codex check failed",
      reasons: ["3 lines could not be read", "budget exceeded"],
    }),
  });
  assert(summary.startsWith(
    "## ❌ Codex check failed\n\n<ul>\n<li>3 lines could not be read</li>\n<li>budget exceeded</li>\n</ul>\n",
  ));
});

Deno.test("GithubRenderer adds up no usage of several runs of a thread: some releases do so themselves", () => {
  const summary = summaryOf(
    partsOfLines([...longSession(0), ...longSession(0)]),
  );
  const nothing = '<td align="right"></td>'.repeat(4);
  assert(
    summary.includes(`<td>All turns</td><td></td><td></td><td></td>${nothing}`),
  );
});

Deno.test("GithubRenderer takes only the answer of the last turn for the final message", () => {
  const [session, start] = partsOfLines([THREAD, TURN]);
  assert(session !== undefined && start?.type === "turn_started");
  const answered = partsOfLines([THREAD, TURN, message("Done."), DONE]);
  assert(summaryOf(answered).includes("### Final message\n\n<p>Done.</p>"));
  const end = { ...answered.at(-1), turn: 2 } as TranscriptPart;
  assert(
    summaryOf([...answered, { ...start, turn: 2 }, end])
      .includes("### Last message\n\n<p>Done.</p>"),
  );
});

Deno.test("GithubRenderer tells after which turn others were taken back", () => {
  const rowsOf = (lines: readonly Record<string, unknown>[]) =>
    [
      ...summaryOf(partsOfLines([LEGACY, ...lines])).matchAll(
        /<tr><td[^>]*>\d*<\/td><td[^>]*>([^<]+)<\/td>/g,
      ),
    ].map(([, about]) => about).filter((about) => about !== "All turns");
  const back = (num_turns: number) =>
    eventLine("thread_rolled_back", { num_turns });
  const two = [promptLine("one"), promptLine("two")];
  assertEquals(rowsOf([...two, back(1), promptLine("three"), back(2)]), [
    "one",
    "two",
    "↶ 1 turn taken back",
    "three",
    "↶ 2 turns taken back",
  ]);
});

Deno.test("GithubRenderer takes no message of another agent for that of the run", () => {
  const parts = partsOfLines([
    PAGINATED,
    itemLine("agent_message", {
      author: "lead",
      recipient: "child",
      content: [{ type: "input_text", text: "A task" }],
    }),
  ]);
  assert(parts.some(({ type }) => type === "entry"));
  assert(!summaryOf(parts).includes("message\n"));
});

Deno.test("GithubRenderer tells how the run ended, not how a sub-agent did", () => {
  const run = partsOfLines([THREAD, TURN, message("Done."), DONE]);
  const child = partsOfLines([
    THREAD,
    TURN,
    message("I cannot."),
    { type: "turn.failed", error: { message: "child request rejected" } },
  ]).map((part): TranscriptPart =>
    part.type === "session"
      ? { ...part, thread_id: "c", parent_thread_id: "t1" }
      : part
  );
  const summary = summaryOf([...run, ...child]);
  assert(summary.startsWith("## ✅ Codex completed its work\n"));
  assert(summary.includes("### Final message\n\n<p>Done.</p>"));
  assert(summary.includes("<pre>child request rejected</pre>"));
});

Deno.test("GithubRenderer writes only the names of tools, or none, as requested", () => {
  const names = summaryOf(partsOfLines(longSession(2)), { tools: "names" });
  assert(names.includes("<p>✓ <code>$ step 0</code></p>"));
  assert(!names.includes("<pre>"));
  const none = summaryOf(partsOfLines(longSession(2)), { tools: "none" });
  assert(!none.includes("### Steps"));
});

Deno.test("GithubRenderer redacts every text before it is cut", () => {
  const mask = (text: string): string => text.replaceAll("alert(", "[masked](");
  const summary = summaryOf(partsOfBytes(hostileSession()), {
    redactor: { redact: mask, redactMember: (_name, text) => mask(text) },
  });
  assert(!summary.includes("alert("));
});

Deno.test("GithubRenderer writes only the message in the JSON of an error, and redacts it", () => {
  const secret = SECRET.replace("sk-", "\\u0073k-");
  const message = `{"error":{"message":"No: ${secret}"}}`;
  for (const type of ["error", "turn.failed"]) {
    const summary = summaryOf(
      partsOfLines([THREAD, TURN, { type, message, error: { message } }]),
      { redactor: new Redactor() },
    );
    assert(summary.includes("No: [redacted:openai_key]"), summary);
    assert(!summary.includes('{"error"'), summary);
  }
});

Deno.test("GithubRenderer writes the end of long output, without colours", () => {
  const output = Array.from(
    { length: 50 },
    (_, i) => `\x1b[32mline ${i}\x1b[0m`,
  ).join("\n");
  const summary = summaryOf(
    partsOfLines([
      THREAD,
      TURN,
      command("completed", {
        command: "x",
        aggregated_output: output,
        exit_code: 2,
        status: "failed",
      }),
    ]),
    { maxOutputLines: 2 },
  );
  assert(
    summary.includes(
      "<pre>[48 lines left out here]\nline 48\nline 49</pre>",
    ),
    summary,
  );
  assert(summary.includes("✗ <code>$ x</code> · <b>exit 2</b>"));
});

Deno.test("GithubRenderer notes the lines and the characters that it cuts off an output", () => {
  const summary = summaryOf(
    partsOfLines([
      THREAD,
      TURN,
      command("completed", {
        command: "x",
        aggregated_output: `1\n2\n3\n${"y".repeat(8100)}`,
        exit_code: 0,
        status: "completed",
      }),
    ]),
    { maxOutputLines: 1 },
  );
  assert(summary.includes("[3 lines and 100 characters left out here]\nyyy"));
});

Deno.test("GithubRenderer cuts long texts between characters", () => {
  assertCutsBetweenCharacters(() => new GithubRenderer(), 9_000);
});
