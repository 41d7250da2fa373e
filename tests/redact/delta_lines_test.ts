import { assertEquals } from "@std/assert";
import { JsonlRedactor } from "../../lib/redact/jsonl_redactor.ts";
import { decode, encode } from "../running.ts";
import { exampleOf, PLACE_FAMILIES, TOKEN_FAMILIES } from "./families.ts";

function redact(records: readonly unknown[]): unknown[] {
  const redactor = new JsonlRedactor();
  let text = "";
  const emit = (bytes: Uint8Array): void => void (text += decode(bytes));
  for (const record of records) {
    redactor.feed(encode(`${JSON.stringify(record)}\n`), emit);
  }
  redactor.flush(emit);
  return text.trimEnd().split("\n").map((line) => JSON.parse(line));
}

/** How releases and this package write pieces of a text, and how to read one. */
const CARRIERS: Readonly<
  Record<string, {
    readonly write: (piece: string, item: string) => unknown;
    // deno-lint-ignore no-explicit-any
    readonly read: (record: any) => string;
  }>
> = {
  "an exec stream": {
    write: (delta, id) => ({ id, msg: { type: "agent_message_delta", delta } }),
    read: ({ msg }) => msg.delta,
  },
  "output in base64": {
    write: (piece, call_id) => ({
      id: "0",
      msg: {
        type: "exec_command_output_delta",
        call_id,
        stream: "stdout",
        chunk: btoa(piece),
      },
    }),
    read: ({ msg }) => atob(msg.chunk),
  },
  "output in bytes": {
    write: (piece, call_id) => ({
      id: "0",
      msg: {
        type: "exec_command_output_delta",
        call_id,
        chunk: [...encode(piece)],
      },
    }),
    read: ({ msg }) => decode(Uint8Array.from(msg.chunk)),
  },
  "normalized output": {
    write: (stdout, item_id) => ({
      type: "item.delta",
      item_id,
      delta: { stdout },
    }),
    read: ({ delta }) => delta.stdout,
  },
  "the app server": {
    write: (delta, itemId) => ({
      method: "item/commandExecution/outputDelta",
      params: { threadId: "t", itemId, delta },
    }),
    read: ({ params }) => params.delta,
  },
  "a session file": {
    write: (delta, call_id) => ({
      timestamp: `2026-01-01T00:00:0${delta.length % 10}Z`,
      type: "event_msg",
      payload: { type: "agent_message_delta", call_id, delta },
    }),
    read: ({ payload }) => payload.delta,
  },
  "changes to a history": {
    write: (content, id) => ({
      type: "appended",
      index: 1,
      id,
      field: "stdout_chunks",
      value: { offset: content.length, content },
    }),
    read: ({ value }) => value.content,
  },
};

/** Cuts a text into pieces of some characters. */
function pieces(text: string, seed: number): string[] {
  const cut: string[] = [];
  let n = seed;
  for (let at = 0; at < text.length;) {
    n += 1;
    const length = 1 + (n * 7 + 3) % 11;
    cut.push(text.slice(at, at + length));
    at += length;
  }
  return cut;
}

for (const [name, { write, read }] of Object.entries(CARRIERS)) {
  Deno.test(`JsonlRedactor finds secrets in pieces: ${name}`, () => {
    const families = [...TOKEN_FAMILIES, ...PLACE_FAMILIES];
    for (const [seed, { kind, shapes }] of families.entries()) {
      const { before, secret, after } = exampleOf(shapes[0] ?? "", seed);
      const parts = pieces(`${before}${secret}${after}\n`, seed);
      const records = parts.flatMap((part) => [
        write(part, "a"),
        // Those of another item come between them.
        write(part, "b"),
      ]);
      const redacted = redact(records);
      assertEquals(redacted.length, records.length);
      for (const item of [0, 1]) {
        const text = redacted.filter((_, i) => i % 2 === item).map(read);
        assertEquals(text.join(""), `${before}[redacted:${kind}]${after}\n`);
      }
    }
  });
}

const TOKEN = exampleOf("ghp_{a36}", 1).secret;
const [FIRST, LAST] = [TOKEN.slice(0, 9), TOKEN.slice(9)];

function delta(text: string, item_id = "a"): unknown {
  return { type: "item.delta", item_id, delta: { text } };
}

Deno.test("JsonlRedactor keeps lines with pieces until their item ends, and no longer", () => {
  const redactor = new JsonlRedactor();
  let text = "";
  const feed = (record: unknown): number => {
    redactor.feed(
      encode(`${JSON.stringify(record)}\n`),
      (bytes) => void (text += decode(bytes)),
    );
    return text.split("\n").length - 1;
  };
  assertEquals(feed({ type: "turn.started" }), 1);
  assertEquals(feed(delta(FIRST)), 1);
  assertEquals(feed({ type: "item.started", item_id: "b" }), 1);
  assertEquals(feed(delta(LAST)), 1);
  assertEquals(feed({ type: "item.completed", item_id: "a" }), 5);
  assertEquals(text.match(/\[redacted:github_token\]/g)?.length, 1);
});

Deno.test("JsonlRedactor lets lines go that wait for an item without end", () => {
  const others = Array.from({ length: 200 }, (_, n) => ({ n }));
  const records = [delta("a"), ...others];
  const redactor = new JsonlRedactor();
  let count = 0;
  for (const record of records) {
    redactor.feed(
      encode(`${JSON.stringify(record)}\n`),
      (bytes) => void (count += decode(bytes).split("\n").length - 1),
    );
  }
  assertEquals(count, records.length);
});

Deno.test("JsonlRedactor masks what a change to a history says of all of a text", () => {
  const change = (piece: string, all: string): unknown => ({
    type: "appended",
    index: 0,
    id: 1,
    field: "deltas",
    value: { delta: piece, sequence: null },
    preview_markdown: all,
  });
  const deltas = [{ delta: `x ${FIRST}`, sequence: null }];
  const payload = { preview_markdown: `x ${FIRST}`, deltas };
  const inserted = { type: "inserted", index: 0, record: { id: 1, payload } };
  const [first, second] = redact([
    inserted,
    change(`${LAST} y`, `x ${TOKEN} y`),
  ]);
  const mask = "x [redacted:github_token]";
  assertEquals(first, {
    type: "inserted",
    index: 0,
    record: {
      id: 1,
      payload: {
        preview_markdown: mask,
        deltas: [{ delta: mask, sequence: null }],
      },
    },
  });
  assertEquals(second, change(" y", `${mask} y`));
});

Deno.test("JsonlRedactor leaves pieces without a secret as they are", () => {
  for (const { write } of Object.values(CARRIERS)) {
    const records = pieces("the words of a text without any\n".repeat(9), 4)
      .map((piece) => write(piece, "a"));
    assertEquals(redact(records), records);
  }
});
