/** Progress: when it is shown, and that it goes away. */

import { assertEquals } from "@std/assert";
import { Output } from "../../lib/cli/output.ts";
import { Progress } from "../../lib/cli/progress.ts";
import { failing, platformError, Sink } from "./memory.ts";

/** A progress line on a terminal of 20 columns, with a clock that is set by hand. */
function shown(isTerminal = true): {
  progress: Progress;
  sink: Sink;
  clock: { time: number };
} {
  const sink = new Sink();
  const clock = { time: 0 };
  const output = new Output(sink, "stderr", { pause: () => Promise.resolve() });
  const progress = new Progress({
    output,
    isTerminal,
    columns: () => 20,
    now: () => clock.time,
  });
  return { progress, sink, clock };
}

Deno.test("Progress says nothing of work that is soon done", async () => {
  const { progress, sink, clock } = shown();
  await progress.update(() => "one");
  clock.time = 499;
  await progress.update(() => "two");
  await progress.clear();
  assertEquals(sink.text, "");
});

Deno.test("Progress shows one line after half a second, changes it now and then, and takes it away", async () => {
  const { progress, sink, clock } = shown();
  await progress.update(() => "one");
  clock.time = 500;
  await progress.update(() => "two");
  clock.time = 599;
  await progress.update(() => "three");
  clock.time = 600;
  await progress.update(() => "four");
  await progress.clear();
  await progress.clear();
  assertEquals(sink.text, "\r\x1b[2Ktwo\r\x1b[2Kfour\r\x1b[2K");
});

Deno.test("Progress fits the terminal, and control characters do nothing to it", async () => {
  const { progress, sink, clock } = shown();
  await progress.update(() => "");
  clock.time = 500;
  await progress.update(() => `\x1b]0;a\n${"x".repeat(40)}`);
  assertEquals(sink.text, "\r\x1b[2K\\u001b]0;a\\u000axxx");
});

Deno.test("Progress says nothing when nobody looks on", async () => {
  const { progress, sink, clock } = shown(false);
  await progress.update(() => "one");
  clock.time = 5000;
  await progress.update(() => "two");
  assertEquals(sink.text, "");
});

Deno.test("Progress that cannot be shown stops no work", async () => {
  const clock = { time: 0 };
  const progress = new Progress({
    output: new Output(failing(platformError("EPIPE")), "stderr", {
      pause: () => Promise.resolve(),
    }),
    isTerminal: true,
    columns: () => undefined,
    now: () => clock.time,
  });
  await progress.update(() => "one");
  clock.time = 500;
  await progress.update(() => "two");
  await progress.clear();
});

Deno.test("Progress says how far a file has been read, and how long the rest takes", async () => {
  const { progress, sink, clock } = shown();
  await progress.reading({ bytes: 0, size: 200 });
  clock.time = 3_000;
  await progress.reading({ bytes: 50, size: 200 });
  assertEquals(sink.text, "\r\x1b[2KReading: 25 %, 9 s ");
  await progress.reading({ bytes: 1, size: 0 });
  assertEquals(sink.writes.length, 1);
});

Deno.test("Progress says nothing of reading where the work says how far it is", async () => {
  const { progress, sink, clock } = shown();
  await progress.update(() => "one");
  clock.time = 3_000;
  await progress.reading({ bytes: 50, size: 200 });
  assertEquals(sink.text, "");
});
