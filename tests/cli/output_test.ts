import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { ClosedOutput, IoError } from "../../lib/cli/endings.ts";
import {
  GATHERED,
  Gathered,
  Output,
  TerminalOutput,
  writeTexts,
} from "../../lib/cli/output.ts";
import { decode, encode } from "../running.ts";
import { failing, platformError, Sink } from "./memory.ts";

const NO_PAUSE = { pause: () => Promise.reject(new Error("it waited")) };

const CONTEXT = { pause: () => Promise.resolve() };

Deno.test("Output.write() writes the rest after short writes", async () => {
  const parts: string[] = [];
  const sink = {
    write(bytes: Uint8Array): Promise<number> {
      const part = bytes.subarray(0, 1 + parts.length);
      parts.push(decode(part));
      return Promise.resolve(part.length);
    },
  };
  await new Output(sink, "x", NO_PAUSE).write(encode("abcdefgh"));
  assertEquals(parts, ["a", "bc", "def", "gh"]);
});

Deno.test("Output.write() calls no sink for an empty block", async () => {
  const sink = failing(new Error("it was written to"));
  await new Output(sink, "x", NO_PAUSE).write(new Uint8Array(0));
});

for (const code of ["EAGAIN", "EWOULDBLOCK"]) {
  Deno.test(`Output.write() waits and tries again after ${code}`, async () => {
    const log: string[] = [];
    const sizes = [undefined, undefined, 1, undefined, 1];
    const sink = {
      write(bytes: Uint8Array): Promise<number> {
        const size = sizes.shift();
        if (size === undefined) return Promise.reject(platformError(code));
        log.push(decode(bytes));
        return Promise.resolve(size);
      },
    };
    const pause = (): Promise<void> => {
      log.push("pause");
      return Promise.resolve();
    };
    await new Output(sink, "x", { pause }).write(encode("ab"));
    assertEquals(log, ["pause", "pause", "ab", "pause", "b"]);
  });
}

Deno.test("Output.write() throws ClosedOutput for EPIPE, and IoError for other errors", async () => {
  const write = (error: Error): Promise<void> =>
    new Output(failing(error), "stdout", NO_PAUSE).write(encode("a"));
  await assertRejects(() => write(platformError("EPIPE")), ClosedOutput);
  await assertRejects(
    () => write(platformError("ENOSPC")),
    IoError,
    "stdout: cannot write: no space left on the device",
  );
});

for (const error of [new ClosedOutput(), new IoError("full")]) {
  Deno.test(`Output.write() rethrows the error of an inner output: ${error.name}`, async () => {
    const output = new Output(failing(error), "inner", NO_PAUSE);
    const thrown = await assertRejects(() => output.write(encode("x")));
    assertStrictEquals(thrown, error);
  });
}

const DATA = encode(
  '{"a":"\u009b31m\x7f\u202e","b":"\\\\\u2066é😀"}\r\n\ttext\x1b]0;t\x07\r',
);
const SHOWN =
  '{"a":"\\u009b31m\\u007f\\u202e","b":"\\\\\\u2066é😀"}\n\ttext\\u001b]0;t\\u0007 ';

/** Writes blocks to a terminal, and returns the text that it shows. */
async function shownOf(blocks: readonly Uint8Array[]): Promise<string> {
  const sink = new Sink();
  const output = new TerminalOutput(sink, "stdout", NO_PAUSE);
  for (const block of blocks) await output.write(block);
  await output.end();
  return sink.text;
}

Deno.test("TerminalOutput.write() escapes control characters for every split into blocks", async () => {
  for (let at = 0; at <= DATA.length; at++) {
    const blocks = [DATA.subarray(0, at), DATA.subarray(at)];
    assertEquals(await shownOf(blocks), SHOWN, `cut at ${at}`);
  }
  assertEquals(
    await shownOf([...DATA].map((byte) => Uint8Array.of(byte))),
    SHOWN,
  );
});

Deno.test("TerminalOutput.write() keeps the value of JSON", async () => {
  const text = JSON.stringify(String.fromCharCode(...Array(0x2100).keys()));
  assertEquals(JSON.parse(await shownOf([encode(text)])), JSON.parse(text));
});

Deno.test("TerminalOutput.write() keeps JSON with carriage returns between its values", async () => {
  const text = '{"a":\r[1,\r\n2]\r}\n';
  assertEquals(await shownOf([encode(text)]), '{"a": [1,\n2] }\n');
});

Deno.test("TerminalOutput.end() writes U+FFFD for an incomplete character", async () => {
  assertEquals(await shownOf([Uint8Array.of(0x61, 0xe2, 0x82)]), "a\ufffd");
  assertEquals(await shownOf([Uint8Array.of(0x9b, 0x33)]), "\ufffd3");
});

Deno.test("Gathered.writeTo() writes bytes and texts in order, in one write, and only once", async () => {
  const sink = new Sink();
  const output = new Output(sink, "x", CONTEXT);
  const gathered = new Gathered();
  gathered.addText("ä");
  gathered.add(encode("b"));
  gathered.addText("");
  gathered.addText("😀");
  await gathered.writeTo(output);
  await gathered.writeTo(output);
  gathered.addText("c");
  await gathered.writeTo(output);
  assertEquals(sink.writes, [encode("äb😀"), encode("c")]);
});

Deno.test("Gathered.writeTo() writes megabytes of texts and bytes", async () => {
  const sink = new Sink();
  const gathered = new Gathered();
  let expected = "";
  const add = (text: string): void => {
    expected += text;
    gathered.addText(text);
  };
  for (let i = 0; i < 30_000; i++) add(`line ${i}: ünïcödé\n`);
  add("ä".repeat(200_000));
  add("😀".repeat(100_000));
  gathered.add(encode("x".repeat(1_000_000)));
  expected += "x".repeat(1_000_000);
  add("end");
  await gathered.writeTo(new Output(sink, "x", CONTEXT));
  assertEquals(sink.text === expected, true);
});

Deno.test("Gathered.writeTo() drops the texts of a failed write", async () => {
  const gathered = new Gathered();
  gathered.addText("a");
  const full = new Output(failing(platformError("ENOSPC")), "x", CONTEXT);
  await assertRejects(() => gathered.writeTo(full));
  const sink = new Sink();
  gathered.addText("b");
  await gathered.writeTo(new Output(sink, "x", CONTEXT));
  assertEquals(sink.text, "b");
});

Deno.test("Gathered.writeTo() writes megabytes again and again", async () => {
  const gathered = new Gathered();
  for (let round = 0; round < 5; round++) {
    const sink = new Sink();
    let expected = "";
    for (let i = 0; i < 50_000; i++) {
      const text = `round ${round}, line ${i}\n`;
      gathered.addText(text);
      expected += text;
    }
    gathered.add(encode("x".repeat(300_000)));
    expected += "x".repeat(300_000);
    await gathered.writeTo(new Output(sink, "x", CONTEXT));
    assertEquals(sink.text === expected, true, `${round}`);
  }
});

Deno.test("writeTexts() writes texts in order, up to GATHERED at once", async () => {
  const sink = new Sink();
  const texts = ["a", "ä".repeat(GATHERED - 1), "b", "😀"];
  await writeTexts(new Output(sink, "x", CONTEXT), texts);
  assertEquals(sink.writes, [
    encode(texts.slice(0, 2).join("")),
    encode("b😀"),
  ]);
});
