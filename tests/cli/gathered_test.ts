/** Gathering what is written at once. */

import { assertEquals, assertRejects } from "@std/assert";
import { GATHERED, Gathered, writeTexts } from "../../lib/cli/gathered.ts";
import { Output } from "../../lib/cli/output.ts";
import { encode } from "../running.ts";
import { failing, platformError, Sink } from "./memory.ts";

const CONTEXT = { pause: () => Promise.resolve() };

Deno.test("Gathered.writeTo() writes bytes and texts in order, at once, and once", async () => {
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

Deno.test("Gathered.writeTo() writes everything of much", async () => {
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

Deno.test("Gathered.writeTo() forgets what it could not write", async () => {
  const gathered = new Gathered();
  gathered.addText("a");
  const full = new Output(failing(platformError("ENOSPC")), "x", CONTEXT);
  await assertRejects(() => gathered.writeTo(full));
  const sink = new Sink();
  gathered.addText("b");
  await gathered.writeTo(new Output(sink, "x", CONTEXT));
  assertEquals(sink.text, "b");
});

Deno.test("Gathered writes what it is given, round after round", async () => {
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

Deno.test("writeTexts() writes all texts in order, many of them at once", async () => {
  const sink = new Sink();
  const texts = ["a", "ä".repeat(GATHERED - 1), "b", "😀"];
  await writeTexts(new Output(sink, "x", CONTEXT), texts);
  assertEquals(sink.writes, [
    encode(texts.slice(0, 2).join("")),
    encode("b😀"),
  ]);
});
