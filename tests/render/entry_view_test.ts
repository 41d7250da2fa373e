import { assert, assertEquals } from "@std/assert";
import type { AnyHistoryRecord } from "../../lib/history/records.ts";
import { Redactor } from "../../lib/redact/redactor.ts";
import { viewEntry } from "../../lib/render/entry_view.ts";
import { SECRET } from "./transcripts.ts";

/** An unchecked record. */
function recordOf(type: string, payload: unknown): AnyHistoryRecord {
  // A cast at the boundary: the payload of a snapshot is not checked.
  return { id: 1, type, payload } as AnyHistoryRecord;
}

const span = { text: SECRET, tone: "default", emphasis: {}, entity: null };
const lines = [{ kind: "paragraph", spans: [span] }];
const chunks = [
  { offset: 0, content: `token ${SECRET.slice(0, 20)}` },
  { offset: 26, content: SECRET.slice(20) },
];

const SECRETS = [
  {
    type: "plain_message",
    payload: { role: "user", kind: "user", header: null, lines },
  },
  {
    type: "plain_message",
    payload: { role: "error", kind: "error", header: null, lines },
  },
  {
    type: "plain_message",
    payload: {
      role: "assistant",
      kind: "assistant",
      header: { label: SECRET, badge: SECRET },
      lines,
    },
  },
  { type: "assistant_message", payload: { markdown: SECRET } },
  { type: "assistant_stream", payload: { preview_markdown: SECRET } },
  {
    type: "reasoning",
    payload: {
      sections: [{
        heading: SECRET,
        blocks: [{ type: "code", language: null, content: SECRET }],
      }],
    },
  },
  {
    type: "exec",
    payload: {
      command: ["curl", "-H", `Authorization: Bearer ${SECRET}`],
      status: "success",
      exit_code: 0,
      stdout_chunks: chunks,
      stderr_chunks: chunks,
    },
  },
  {
    type: "patch",
    payload: {
      event: "apply_failure",
      changes: { [SECRET]: { type: "add", content: SECRET } },
      failure: {
        message: SECRET,
        stdout_excerpt: SECRET,
        stderr_excerpt: null,
      },
    },
  },
  {
    type: "tool_call",
    payload: {
      title: SECRET,
      status: "failed",
      arguments: [
        { name: "password", value: { type: "text", text: "hunter2hunter2" } },
        { name: "a", value: { type: "json", value: { api_key: SECRET } } },
        { name: "b", value: { type: "secret" } },
      ],
      result_preview: { lines: [SECRET], truncated: false },
      error_message: SECRET,
    },
  },
  {
    type: "running_tool",
    payload: {
      title: SECRET,
      arguments: [{ name: SECRET, value: { type: "text", text: SECRET } }],
    },
  },
  {
    type: "plan_update",
    payload: {
      name: SECRET,
      steps: [{ description: SECRET, status: "pending" }],
    },
  },
  {
    type: "diff",
    payload: {
      hunks: [{ header: SECRET, lines: [{ kind: "added", text: SECRET }] }],
    },
  },
  { type: "image", payload: { path: SECRET, caption: SECRET } },
  {
    type: "explore",
    payload: {
      entries: [{ command: [SECRET], status: "success" }],
      trailing: true,
    },
  },
  { type: "notice", payload: { title: SECRET, body: lines } },
  { type: "background_event", payload: { title: SECRET, description: SECRET } },
  { type: "loading", payload: { message: SECRET } },
  {
    type: "upgrade_notice",
    payload: {
      current_version: SECRET,
      latest_version: SECRET,
      message: SECRET,
    },
  },
  {
    type: "wait_status",
    payload: {
      header: { title: SECRET, summary: SECRET },
      details: [{ label: SECRET, value: SECRET }],
    },
  },
  { type: "hologram", payload: { [SECRET]: [SECRET] } },
];

for (const { type, payload } of SECRETS) {
  const kind = "kind" in payload ? ` of kind ${payload.kind}` : "";
  Deno.test(`viewEntry() redacts every text of ${type}${kind}: ${Object.keys(payload)}`, () => {
    const redactor = new Redactor();
    const view = JSON.stringify(
      viewEntry({ record: recordOf(type, payload) }, redactor),
    );
    assert(!view.includes(SECRET.slice(8)), view);
    assert(!view.includes(SECRET.slice(0, 20)), view);
    assert(!view.includes("hunter2"), view);
    assert(redactor.counts.size > 0);
  });
}

const TYPES = SECRETS.map(({ type }) => type).concat("rate_limits");

Deno.test("viewEntry() returns the redacted output of each explored command", () => {
  const redactor = new Redactor();
  const view = viewEntry({
    record: recordOf("explore", {
      entries: [
        { command: ["ls"], status: "success" },
        { command: ["cat", "a"], status: "not_found" },
      ],
      trailing: true,
    }),
    outputs: [`token ${SECRET}\n`],
  }, redactor);
  assertEquals(view, {
    kind: "explore",
    looks: [
      {
        command: "ls",
        status: "success",
        note: "",
        output: "token [redacted:openai_key]\n",
      },
      {
        command: "cat a",
        status: "success",
        note: "nothing found",
        output: "",
      },
    ],
  });
});

Deno.test("viewEntry() tells only the media type of an image without a file", () => {
  const path = "data:image/png;base64";
  const view = viewEntry({
    record: recordOf("image", { path, caption: null }),
  });
  assertEquals(view.kind === "image" && view.path, "image/png");
});

Deno.test("viewEntry() adds to an image that it was not made", () => {
  const captionOf = (caption: string | null, status: string) => {
    const metadata = { status };
    const record = recordOf("image", { path: "", caption, metadata });
    const view = viewEntry({ record });
    return view.kind === "image" ? view.caption : undefined;
  };
  assertEquals(captionOf(null, "failed"), "failed");
  assertEquals(captionOf("A square", "failed"), "failed: A square");
  assertEquals(captionOf("A square", "completed"), "A square");
});

const LIMITS = [
  {
    name: "two windows",
    payload: {
      primary_used_percent: 51.5,
      primary_window_minutes: 299,
      secondary_used_percent: 0,
      secondary_window_minutes: 10_079,
    },
    text: "5-hour window 51.5 % used, 7-day window 0 % used",
  },
  {
    name: "a plan with a weekly window only",
    payload: {
      primary_used_percent: 75,
      primary_window_minutes: 10_080,
      secondary_used_percent: 0,
      secondary_window_minutes: 0,
    },
    text: "7-day window 75 % used",
  },
  {
    name: "windows of unknown length",
    payload: {
      primary_used_percent: 75,
      primary_window_minutes: 0,
      secondary_used_percent: 50,
      secondary_window_minutes: null,
    },
    text: "short window 75 % used, long window 50 % used",
  },
  {
    name: "a window of unknown use",
    payload: {
      primary_used_percent: null,
      primary_window_minutes: 300,
      secondary_used_percent: 50,
      secondary_window_minutes: 10_080,
    },
    text: "7-day window 50 % used",
  },
  {
    name: "windows of minutes and of a month",
    payload: {
      primary_used_percent: 90,
      primary_window_minutes: 15,
      secondary_used_percent: 1,
      secondary_window_minutes: 43_200,
    },
    text: "15-minute window 90 % used, 30-day window 1 % used",
  },
] satisfies { name: string; payload: object; text: string }[];

for (const { name, payload, text } of LIMITS) {
  Deno.test(`viewEntry() names rate limits by the length of their windows: ${name}`, () => {
    const view = viewEntry({ record: recordOf("rate_limits", payload) });
    assertEquals(view.kind === "notice" && view.text, text);
  });
}

Deno.test("viewEntry() takes an error for a warning if Codex sends the request again", () => {
  for (
    const [error, level] of [
      ["Re-connecting... 1/5", "warning"],
      ["unexpected status 400 Bad Request", "error"],
    ] as const
  ) {
    const lines = [{ spans: [{ text: error }] }];
    const record = recordOf("plain_message", { role: "error", lines });
    const view = viewEntry({ record });
    assertEquals(view.kind === "notice" && view.level, level);
  }
});

Deno.test("viewEntry() accepts invalid payloads", () => {
  const payloads = [{}, { lines: 1 }, { sections: [null] }, { entries: "x" }, {
    changes: { a: null },
  }];
  for (const type of TYPES) {
    for (const payload of payloads) {
      assert(viewEntry({ record: recordOf(type, payload) }).kind.length > 0);
    }
  }
});

/** The answer of the reviewer in `captures/0.160.0/review`. */
const REVIEW =
  '{"findings":[{"title":"[P1] Missing return","body":"main() returns nothing.","confidence_score":0.9,"priority":1,"code_location":{"absolute_file_path":"/home/dev/proj/src/app.py","line_range":{"start":1,"end":2}}}],"overall_correctness":"patch is incorrect","overall_explanation":"One issue.","overall_confidence_score":0.8}';

Deno.test("viewEntry() shows the answer of a reviewer as Codex passes it on", () => {
  const markdownOf = (markdown: string): unknown => {
    const view = viewEntry({
      record: recordOf("assistant_message", { markdown }),
    });
    return view.kind === "message" && view.text;
  };
  assertEquals(
    markdownOf(REVIEW),
    "patch is incorrect: One issue.\n\nReview comment:\n\n" +
      "- [P1] Missing return — /home/dev/proj/src/app.py:1-2\n" +
      "  main() returns nothing.",
  );
  const findings = [{ title: "A", body: "b\nc" }, { title: "D" }];
  const verdict = { overall_correctness: "wrong", overall_explanation: "Two." };
  assertEquals(
    markdownOf(JSON.stringify({ findings, ...verdict })),
    "wrong: Two.\n\nFull review comments:\n\n- A\n  b\n  c\n\n- D",
  );
  assertEquals(
    markdownOf(JSON.stringify({ findings: [], ...verdict })),
    "wrong: Two.",
  );
  for (const other of ['{"findings":[]}', "{}", "[1]", `${REVIEW}.`]) {
    assertEquals(markdownOf(other), other);
  }
});

Deno.test("viewEntry() shows the text of a message between agents without its envelope", () => {
  const textOf = (message: string, label?: string): string | false => {
    const view = viewEntry({
      record: recordOf("plain_message", {
        role: "assistant",
        header: label === undefined ? null : { label, badge: "lead" },
        lines: message.split("\n").map((text) => ({
          spans: [{ text, styles: {} }],
        })),
      }),
    });
    return view.kind === "message" && view.text;
  };
  const envelope = (type: string): string =>
    `Message Type: ${type}\nTask name: lead\nSender: helper\nPayload:\n`;
  assertEquals(
    textOf(`${envelope("FINAL_ANSWER")}Done.\n\nAll`, "helper"),
    "Done.\n\nAll",
  );
  const empty = envelope("NEW_TASK");
  assertEquals(textOf(empty, "helper"), "New task (encrypted)");
  // The history ends with the last line that has a text.
  assertEquals(textOf(empty.trimEnd(), "helper"), "New task (encrypted)");
  for (
    const other of ["Message Type: A", "Payload:\nx", "", `x${envelope("A")}`]
  ) {
    assertEquals(textOf(other, "helper"), other);
  }
});

Deno.test("viewEntry() shows the summary of a compaction without what the model is told of it", () => {
  const textOf = (description: string): string | false => {
    const payload = { title: "Context compacted", description };
    const view = viewEntry({ record: recordOf("background_event", payload) });
    return view.kind === "notice" && view.text;
  };
  const preamble =
    "Another language model started to solve this problem and so on:\n";
  assertEquals(textOf(`${preamble}Done: a\nb:\nc`), "Done: a\nb:\nc");
  assertEquals(textOf(`x\n${preamble}`), `x\n${preamble}`);
});

Deno.test("viewEntry() indents no bullet deeper than Codex can", () => {
  const bullet = { type: "bullet", marker: "-", spans: [] };
  const indents = [-1, 1, 1e9].map((indent) => {
    const sections = [{ heading: null, blocks: [{ ...bullet, indent }] }];
    const view = viewEntry({ record: recordOf("reasoning", { sections }) });
    return view.kind === "reasoning" && view.text.indexOf("-");
  });
  assertEquals(indents, [0, 2, 510]);
});

Deno.test("viewEntry() does not indent JSON of any depth, whose length would grow with its square", () => {
  let nested: unknown = 1;
  for (let depth = 0; depth < 1000; depth++) nested = [nested];
  const view = viewEntry({ record: recordOf("new_type", { nested }) });
  assert(view.kind === "unknown" && view.json.length < 5000);
});

Deno.test("viewEntry() counts the missing bytes of output", () => {
  const view = viewEntry({
    record: recordOf("exec", {
      command: ["a"],
      status: "running",
      exit_code: null,
      stdout_chunks: [
        { offset: 10, content: "é" },
        { offset: 12, content: "b" },
        { offset: 20, content: "c" },
      ],
      stderr_chunks: [],
    }),
  });
  assertEquals(view.kind === "command" && [view.stdout, view.lostBytes], [
    "ébc",
    17,
  ]);
});
