import { assertEquals } from "@std/assert";
import { readCapturedFiles } from "../rollouts.ts";
import {
  SESSION_PARTS,
  type SessionPart,
  SessionPartCounter,
} from "../../lib/events/session_parts.ts";

const ENCODER = new TextEncoder();

function partsOf(text: string): Partial<Record<SessionPart, number>> {
  const counter = new SessionPartCounter();
  counter.feed(ENCODER.encode(text));
  counter.flush();
  const { parts } = counter;
  return Object.fromEntries(
    SESSION_PARTS.flatMap((part) =>
      parts[part] === 0 ? [] : [[part, parts[part]]]
    ),
  );
}

function line(type: string, payload: unknown, ordinal?: number): string {
  return JSON.stringify({
    timestamp: "2026-11-20T15:40:01.000Z",
    ...(ordinal === undefined ? {} : { ordinal }),
    type,
    payload,
  });
}

const ABOUT_IMAGES = line("event_msg", {
  type: "user_message",
  message: "Replace data:image/png;base64, by a file",
});
const IMAGE = `data:image/png;base64,${"iVBORw0KGgo/+A==".repeat(20)}`;
const OUTPUT = line("response_item", {
  type: "function_call_output",
  call_id: "c",
  output: "x".repeat(50),
});
const SHOWN = line("response_item", {
  type: "custom_tool_call_output",
  call_id: "c",
  output: [{ type: "input_image", image_url: IMAGE }],
});
const THOUGHT = line("response_item", {
  type: "reasoning",
  summary: [],
  encrypted_content: "gAAAAA==",
});
const META = line("session_meta", {
  id: "i",
  base_instructions: { text: 'You are "Codex"\\n' },
});
const REVIEWING = line("turn_context", { base_instructions: "# Rev." });

const CASES: readonly {
  readonly name: string;
  readonly text: string;
  readonly parts: Partial<Record<SessionPart, number>>;
}[] = [
  {
    name: "output for the model, and line ends",
    text: `${OUTPUT}\n\r\n`,
    parts: { output: OUTPUT.length, rest: 3 },
  },
  {
    name: "copies of output",
    text: line("event_msg", {
      type: "item_completed",
      item: { type: "CommandExecution", id: "c" },
    }),
    parts: {
      output_copies: line("event_msg", {
        type: "item_completed",
        item: { type: "CommandExecution", id: "c" },
      }).length,
    },
  },
  {
    name: "images in any line",
    text: SHOWN,
    parts: { images: IMAGE.length, output: SHOWN.length - IMAGE.length },
  },
  {
    name: "a text about images",
    text: ABOUT_IMAGES,
    parts: { messages: ABOUT_IMAGES.length },
  },
  {
    name: "encrypted reasoning, and the rest of the reasoning",
    text: THOUGHT,
    parts: { reasoning_encrypted: 8, reasoning: THOUGHT.length - 8 },
  },
  {
    name: "instructions in a header, with their escapes",
    text: META,
    parts: {
      instructions: JSON.stringify('You are "Codex"\\n').length - 2,
      rest: META.length - JSON.stringify('You are "Codex"\\n').length + 2,
    },
  },
  {
    name: "the instructions of a reviewer in a turn context (0.80)",
    text: REVIEWING,
    parts: { instructions: 6, rest: REVIEWING.length - 6 },
  },
  {
    name: "injected context in user messages",
    text: line("response_item", {
      type: "message",
      role: "user",
      content: [{
        type: "input_text",
        text: `<environment_context>\n${
          "x".repeat(2000)
        }\n</environment_context>`,
      }],
    }),
    parts: { instructions: 2197 },
  },
  {
    name: "torn lines and lines that are not JSON",
    text: '{"timestamp":"2026\nnoise\n\ufeff',
    parts: { rest: 28 },
  },
];

for (const { name, text, parts } of CASES) {
  Deno.test(`SessionPartCounter counts: ${name}`, () => {
    assertEquals(partsOf(text), parts);
  });
}

Deno.test("SessionPartCounter counts inherited lines by their ordinals", () => {
  const message = (ordinal: number) =>
    line(
      "response_item",
      { type: "message", role: "user", content: [] },
      ordinal,
    );
  const meta = line("session_meta", {
    id: "i",
    subagent_history_start_ordinal: 2,
  }, 0);
  const { inherited, messages } = partsOf(
    [meta, message(1), message(2)].join("\n"),
  );
  assertEquals([inherited, messages], [
    message(1).length + meta.length,
    message(2).length,
  ]);
});

Deno.test("SessionPartCounter counts inherited lines by the ids of turns", () => {
  const message = line("response_item", {
    type: "message",
    role: "user",
    content: [],
  });
  const turn = (turn_id: string) =>
    line("event_msg", { type: "task_started", turn_id });
  const old = turn("01a1f990-0000-7000-8000-000000000000");
  const current = turn("01a1f999-0000-7000-8000-000000000000");
  const meta = line("session_meta", {
    id: "01a1f998-0000-7000-8000-000000000000",
    forked_from_id: "01a1f980-0000-7000-8000-000000000000",
  });
  const { inherited, messages } = partsOf(
    [meta, old, message, current, message].join("\n"),
  );
  assertEquals([inherited, messages], [
    old.length + message.length,
    message.length,
  ]);
});

Deno.test("SessionPartCounter counts no turn of an agent that codex migrate-rollouts made up as inherited", () => {
  const payloads = [
    { type: "task_started", turn_id: "rollout-1" },
    { type: "agent_message", message: "Hi" },
  ];
  const meta = line("session_meta", {
    id: "i",
    subagent_history_start_ordinal: 3,
  }, 0);
  const own = payloads.map((each, at) => line("event_msg", each, at + 1));
  const { inherited } = partsOf([meta, ...own].join("\n"));
  assertEquals(inherited, meta.length);
});

Deno.test("SessionPartCounter counts inherited lines up to a prompt after a pause, before turns had ids", () => {
  const at = (milliseconds: string, type: string, payload: unknown) =>
    line(type, payload).replace("01.000Z", `01.${milliseconds}Z`);
  const prompt = { type: "user_message", message: "Hi" };
  const copies = [
    at("001", "session_meta", { id: "a" }),
    at("001", "event_msg", prompt),
  ];
  const said = {
    type: "message",
    role: "user",
    content: [{ type: "input_text", text: "Hi" }],
  };
  const event = at("036", "event_msg", prompt);
  const meta = at("000", "session_meta", { id: "b", forked_from_id: "a" });
  for (const own of [[event], [at("036", "response_item", said), event]]) {
    const lines = [meta, ...copies, ...own];
    const { inherited, messages } = partsOf(lines.join("\n"));
    const sizes = [copies.join("").length, own.join("").length];
    assertEquals([inherited, messages], sizes);
  }
});

Deno.test("SessionPartCounter's parts sum up to the size of every captured session, for any chunks", () => {
  for (const { path, bytes } of readCapturedFiles(/rollout-.*\.jsonl$/)) {
    const whole = new SessionPartCounter();
    whole.feed(bytes);
    whole.flush();
    const pieces = new SessionPartCounter();
    for (let at = 0; at < bytes.length; at += 1009) {
      pieces.feed(bytes.slice(at, at + 1009));
    }
    pieces.flush();
    const sum = Object.values(whole.parts).reduce((a, b) => a + b, 0);
    assertEquals([sum, whole.parts.rest >= 0], [bytes.length, true], path);
    assertEquals(pieces.parts, whole.parts, path);
  }
});
