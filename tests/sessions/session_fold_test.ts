/**
 * Tests how a session is read into messages, piece by piece.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import {
  type FoldedMessage,
  type FoldedPiece,
  type FoldStart,
  SessionFold,
} from "../../lib/sessions/session_fold.ts";
import { namesIn } from "../fixtures.ts";
import { readCapturedFiles } from "../rollouts.ts";
import { encode } from "../running.ts";

/** The messages of an index, by the numbers of their records. */
class Messages {
  readonly #messages = new Map<number, Omit<FoldedMessage, "isNew">>();
  last: FoldStart | undefined;

  /** Takes what was read, as an index does. */
  take(piece: FoldedPiece, voidFrom: number): void {
    for (const record of this.#messages.keys()) {
      if (record >= voidFrom) this.#messages.delete(record);
    }
    for (const record of piece.removed) this.#messages.delete(record);
    for (const { isNew, ...message } of piece.messages) {
      const { offset, time } = this.#messages.get(message.record) ?? message;
      this.#messages.set(
        message.record,
        isNew ? message : { ...message, offset, time },
      );
    }
    this.last = piece;
  }

  /** All that have text, in order. */
  get all(): Omit<FoldedMessage, "isNew">[] {
    return [...this.#messages.values()].filter(({ text }) => text !== "")
      .sort((a, b) => a.record - b.record);
  }
}

/** Reads a file as it grows: up to each place, and then all of it. */
function foldGrowing(
  bytes: Uint8Array,
  places: readonly number[],
): Messages {
  const messages = new Messages();
  for (const place of [...places, bytes.length]) {
    const fold = new SessionFold({
      fileName: "rollout.jsonl",
      start: 0,
      from: messages.last,
    });
    fold.feed(bytes.subarray(fold.bytes, place));
    messages.take(fold.take(true), fold.voidFrom);
  }
  return messages;
}

/** Reads a file at once, but asks what has changed at each place. */
function foldInPieces(
  bytes: Uint8Array,
  places: readonly number[],
): Messages {
  const messages = new Messages();
  const fold = new SessionFold({ fileName: "rollout.jsonl", start: 0 });
  for (const place of places) {
    fold.feed(bytes.subarray(fold.bytes, place));
    messages.take(fold.take(false), Infinity);
  }
  fold.feed(bytes.subarray(fold.bytes));
  messages.take(fold.take(true), Infinity);
  return messages;
}

function fold(bytes: Uint8Array): Messages {
  return foldGrowing(bytes, []);
}

const ROLLOUTS = readCapturedFiles(/^(?:archived-)?rollout-.*\.jsonl$/);

for (const version of namesIn("captures/")) {
  const files = ROLLOUTS.filter((file) => file.version === version);
  if (files.length === 0) continue;
  Deno.test(`SessionFold reads a session that grows as if it were whole: ${version}`, () => {
    for (const { path, bytes } of files) {
      const expected = fold(bytes).all;
      const ends = lineEnds(bytes);
      const some = ends.filter((_, at) =>
        at % Math.ceil(ends.length / 12) === 0
      );
      assertEquals(foldGrowing(bytes, some).all, expected, path);
      assertEquals(
        foldInPieces(bytes, some.map((place) => place - 3)).all,
        expected,
        path,
      );
    }
  });
}

Deno.test("SessionFold reads a session of the first CLI's lines and of no lines", () => {
  assertEquals(fold(encode("")).all, []);
  assertEquals(fold(encode("not JSON\n{}\n[1]\n")).all, []);
});

const LINE = (type: string, payload: unknown, time = "2026-01-01T00:00:00Z") =>
  `${JSON.stringify({ timestamp: time, type, payload })}\n`;
const SAYS = (message: string) =>
  LINE("event_msg", { type: "agent_message", message });
const ASKS = (message: string) =>
  LINE("event_msg", { type: "user_message", message });

Deno.test("SessionFold says where a message is in the file, and when it was made", () => {
  const first = ASKS("One");
  const text = first + LINE(
    "event_msg",
    { type: "agent_message", message: "Two" },
    "2026-01-01T00:00:01.500Z",
  );
  assertEquals(
    fold(encode(text)).all.map(({ role, text, offset, time }) => [
      role,
      text,
      offset,
      new Date(time).toISOString(),
    ]),
    [
      ["user", "One", 0, "2026-01-01T00:00:00.000Z"],
      ["assistant", "Two", first.length, "2026-01-01T00:00:01.500Z"],
    ],
  );
});

Deno.test("SessionFold tells several messages of one line apart", () => {
  const text = LINE("event_msg", {
    type: "user_message",
    message: "Look",
    images: [],
    local_images: ["/a.png", "/b.png"],
  });
  assertEquals(
    fold(encode(text)).all.map(({ text, offset }) => [text, offset]),
    [["Look", 0], ["/a.png", 1], ["/b.png", 2]],
  );
});

Deno.test("SessionFold reads a torn last line again when it is whole", () => {
  const bytes = encode(ASKS("One") + SAYS("Two"));
  const expected = fold(bytes).all;
  for (let place = 0; place <= bytes.length; place++) {
    assertEquals(foldGrowing(bytes, [place]).all, expected, `${place}`);
  }
});

Deno.test("SessionFold reads a last line that has no end, and forgets it if it becomes another", () => {
  const first = ASKS("One");
  const torn = SAYS("Two").trimEnd();
  const messages = foldGrowing(encode(first + torn), []);
  assertEquals(messages.all.map(({ text }) => text), ["One", "Two"]);
  const endings = [
    { more: "", texts: ["One"] },
    { more: SAYS("Three"), texts: ["One", "Three"] },
  ];
  for (const { more, texts } of endings) {
    const bytes = encode(`${first}${torn} and more\n${more}`);
    const again = foldGrowing(bytes, [first.length + torn.length]);
    assertEquals(again.all.map(({ text }) => text), texts);
  }
});

Deno.test("SessionFold removes what a rollback takes back, long ago as it may be", () => {
  const turns = Array.from(
    { length: 60 },
    (_, at) => ASKS(`Ask ${at}`) + SAYS(`Say ${at}`),
  );
  const rest =
    LINE("event_msg", { type: "thread_rolled_back", num_turns: 50 }) +
    ASKS("Anew");
  const bytes = encode(turns.join("") + rest);
  const expected = fold(bytes).all;
  assertEquals(expected.length, 21);
  const places = lineEnds(bytes).filter((_, at) => at % 25 === 0);
  assertEquals(foldGrowing(bytes, places).all, expected);
  assertEquals(foldInPieces(bytes, places).all, expected);
});

Deno.test("SessionFold keeps the text of a message that gets its usage late", () => {
  const call = (at: number) =>
    LINE("response_item", {
      type: "function_call",
      name: "shell",
      call_id: `c${at}`,
      arguments: JSON.stringify({ command: ["echo", `${at}`] }),
    }) + LINE("response_item", {
      type: "function_call_output",
      call_id: `c${at}`,
      output: JSON.stringify({ output: `${at}\n`, metadata: { exit_code: 0 } }),
    });
  const usage = {
    input_tokens: 1,
    cached_input_tokens: 0,
    output_tokens: 2,
    reasoning_output_tokens: 0,
    total_tokens: 3,
  };
  const bytes = encode(
    ASKS("Go") + SAYS("Going") +
      Array.from({ length: 100 }, (_, at) => call(at)).join("") +
      LINE("event_msg", {
        type: "token_count",
        info: { total_token_usage: usage, last_token_usage: usage },
      }),
  );
  const expected = fold(bytes).all;
  const places = lineEnds(bytes).slice(-2, -1);
  assertEquals(foldGrowing(bytes, places).all, expected);
  assertEquals(foldInPieces(bytes, places).all, expected);
});

Deno.test("SessionFold asks to be emptied when much was read", () => {
  const fold = new SessionFold({ fileName: "rollout.jsonl", start: 0 });
  const line = encode(SAYS("x".repeat(1_000)).repeat(100));
  const sizes: number[] = [];
  for (let at = 0; at < 100; at++) {
    fold.feed(line);
    if (fold.isFull) sizes.push(fold.take(false).messages.length);
  }
  assertEquals(sizes.length, 1);
});

/** Where lines end. */
function lineEnds(bytes: Uint8Array): number[] {
  const ends: number[] = [];
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) {
    ends.push(at + 1);
  }
  return ends;
}
