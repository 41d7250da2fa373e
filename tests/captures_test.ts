/** Tests the normalizer with captured output of released versions of Codex. */

import { Buffer } from "node:buffer";
import { assert, assertEquals } from "@std/assert";
import { isBlank } from "../lib/lines/blank.ts";
import { LineSplitter } from "../lib/lines/line_splitter.ts";
import { Normalizer } from "../lib/dialects/normalizer.ts";
import type { Outcome } from "../lib/outcome.ts";
import { compose } from "../lib/stage.ts";
import { linesOf, readCaptures } from "./fixtures.ts";
import {
  answerOf,
  answers,
  assertSameText,
  byteByByte,
  concat,
  decode,
  emitted,
  encode,
  normalizeBytes,
  once,
} from "./running.ts";

/** The first CLI, which printed response items and no events. */
const FIRST_CLI = "0.1.2505172129";
/** Matches the paths of outputs of `codex archive`, which are a sentence. */
const SENTENCE_REGEXP = /^0\.1[0-9.]+(?:\+direct)?\/archive\/stdout\.2\.jsonl$/;

const captures = readCaptures();
const byVersion = Map.groupBy(captures, ({ version }) => version);

function split(chunks: Iterable<Uint8Array>): Outcome<string>[] {
  const stage = compose(new LineSplitter(), new Normalizer({ from: "exec" }));
  return emitted(stage, chunks);
}

/** Yields chunks in one reused buffer of Node, whose `slice` returns a view and no copy. */
function* inOneBuffer(bytes: Uint8Array, size: number): Generator<Buffer> {
  const buffer = Buffer.alloc(size);
  for (let at = 0; at < bytes.length; at += size) {
    const part = bytes.subarray(at, at + size);
    buffer.fill(0x20);
    buffer.set(part);
    yield buffer.subarray(0, part.length);
  }
  buffer.fill(0x20);
}

function printedLines(bytes: Uint8Array): string[] {
  return linesOf(bytes).filter((line) => !isBlank(line));
}

/** Returns the expected kinds of failures in a file: none, one for each line, or the sentence. */
function kindsOf(path: string, lines: number): string[] {
  if (path.startsWith(FIRST_CLI)) return new Array(lines).fill("typed");
  return SENTENCE_REGEXP.test(path) ? ["json"] : [];
}

Deno.test("the captures are all there", () => {
  assert(captures.length >= 494, `only ${captures.length} files`);
  assertEquals(byVersion.size, 18);
  assertEquals(
    captures.filter(({ path }) => SENTENCE_REGEXP.test(path)).map(({ path }) =>
      path
    ),
    [
      "0.160.0/archive/stdout.2.jsonl",
      "0.169.0/archive/stdout.2.jsonl",
      "0.169.0+direct/archive/stdout.2.jsonl",
    ],
  );
});

for (const [version, files] of byVersion) {
  const runs = once(() =>
    files.map(({ path, bytes }) => ({
      path,
      bytes,
      outcomes: split([bytes]),
      output: normalizeBytes([bytes]),
    }))
  );

  Deno.test(`Normalizer has one outcome for each line of ${version}`, () => {
    for (const { path, bytes, outcomes } of runs()) {
      const lines = printedLines(bytes);
      assertEquals(outcomes.length, lines.length, path);
      assertEquals(
        outcomes.filter(({ ok }) => !ok).map(answerOf),
        kindsOf(path, lines.length),
        path,
      );
    }
  });

  Deno.test(`JsonlNormalizer writes the events of Normalizer for ${version}`, () => {
    for (const { path, bytes, outcomes: expected } of runs()) {
      const failed: string[] = [];
      const output = normalizeBytes([bytes], {
        onError: "drop",
        onFailure: ({ error }) => failed.push(error.kind),
      });
      const events = expected.filter(({ ok }) => ok).map(answerOf);
      assertSameText(linesOf(output).join("\n"), events.join("\n"), path);
      assertEquals(
        failed,
        expected.filter(({ ok }) => !ok).map(answerOf),
        path,
      );
    }
  });

  Deno.test(`JsonlNormalizer does not change its own output for ${version}`, () => {
    for (const { path, output } of runs()) {
      assertSameText(decode(normalizeBytes([output])), decode(output), path);
    }
  });

  Deno.test(`Normalizer does not change its own events for ${version}`, () => {
    for (const { path, outcomes } of runs()) {
      const events = outcomes.filter(({ ok }) => ok).map(answerOf);
      assertSameText(answers(events).join("\n"), events.join("\n"), path);
    }
  });

  for (const engine of ["js", "wasm"] as const) {
    Deno.test(`JsonlNormalizer writes the same for ${version} in one reused buffer, ${engine}`, () => {
      for (const { path, bytes, output: expected } of runs()) {
        const whole = decode(expected);
        for (const size of [300, 4096]) {
          const output = normalizeBytes(inOneBuffer(bytes, size), { engine });
          assertSameText(decode(output), whole, path);
        }
      }
    });
  }

  Deno.test(`JsonlNormalizer writes the same for ${version} byte by byte`, () => {
    for (const { path, bytes, output } of runs()) {
      if (bytes.length > 20_000) continue;
      assertSameText(
        decode(normalizeBytes(byteByByte(bytes))),
        decode(output),
        path,
      );
    }
  });
}

/** Returns the normalized text of one captured file. */
function outputFor(path: string): string {
  const capture = captures.find((file) => file.path === path);
  assert(capture !== undefined, path);
  return decode(normalizeBytes([capture.bytes]));
}

const KEPT = [
  {
    name: "numbers beyond a double, 1.0, 1e+21, -0.0",
    path: "0.169.0+direct/mcp/stdout.jsonl",
    text:
      '"arguments":{"text":"numbers","big":9007199254740993,"f":1.0,"e":1e+21,"neg":-0.0,"small":1.5e-7,"dup":2}',
  },
  {
    name: "numbers and key order inside results",
    path: "0.169.0/mcp/stdout.jsonl",
    text:
      '"structured_content":{"v":1,"big":9007199254740993,"huge":123456789012345678901234567890,"f":1.0,"e":1e+21,"tiny":1.5e-7,"negz":-0.0,"nested":{"a":[null,true,{"k":"é🚀"}]},"zkey":1,"akey":2}',
  },
  {
    name: "numbers of the old dialect",
    path: "0.20.0/mcp/stdout.jsonl",
    text: '"big":9007199254740993,',
  },
  {
    name: "the second id of a web search, in its content",
    path: "0.104.0/websearch/stdout.jsonl",
    text: '"item_type":"web_search","content":{"id":"ws_',
  },
  {
    name: "escapes in commands",
    path: "0.169.0/unicode/stdout.jsonl",
    text: "\\u001b[",
  },
] satisfies { name: string; path: string; text: string }[];

for (const { name, path, text } of KEPT) {
  Deno.test(`JsonlNormalizer keeps the source text of real output: ${name}`, () => {
    assert(outputFor(path).includes(text), text);
  });
}

Deno.test("JsonlNormalizer keeps both ids of a real web search", () => {
  const path = "0.104.0/websearch/stdout.jsonl";
  const capture = captures.find((file) => file.path === path);
  assert(capture !== undefined);
  const source = linesOf(capture.bytes).flatMap((line) =>
    [...line.matchAll(/"id":"(item_\d+)","type":"web_search","id":"(ws_\w+)"/g)]
      .map(([, item, search]) => [item, search])
  );
  const written = linesOf(encode(outputFor(path))).flatMap((line) => {
    const event: {
      item_type?: string;
      item_id?: string;
      content?: { id?: string };
    } = JSON.parse(line);
    return event.item_type === "web_search"
      ? [[event.item_id, event.content?.id]]
      : [];
  });
  assert(source.length > 0);
  assertEquals(written, source);
});

Deno.test("JsonlNormalizer keeps the source text of every usage of real output", () => {
  for (const { bytes } of captures) {
    for (const line of printedLines(bytes)) {
      const usage = /"usage":(\{[^{}]*\})/.exec(line)?.[1];
      if (usage === undefined) continue;
      const thread = encode('{"type":"thread.started","thread_id":"t"}\n');
      const turn = encode('{"type":"turn.started"}\n');
      const output = decode(
        normalizeBytes([concat([thread, turn, encode(line)])]),
      );
      assert(output.includes(`"usage":${usage}`), usage);
    }
  }
});
