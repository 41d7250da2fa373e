import { assertEquals } from "@std/assert";
import { Output } from "../../lib/cli/output.ts";
import { Progress } from "../../lib/cli/progress.ts";
import { TextRuler } from "../../lib/cli/text_ruler.ts";
import { failing, platformError, Sink } from "./memory.ts";

/** Makes a progress line with a sink and a clock that the test sets. */
function makeProgress(isTerminal = true, columns = 20): {
  progress: Progress;
  sink: Sink;
  clock: { time: number; tick: () => void; isStopped: boolean };
} {
  const sink = new Sink();
  const clock = { time: 0, tick: (): void => {}, isStopped: false };
  const output = new Output(sink, "stderr", { pause: () => Promise.resolve() });
  const progress = new Progress(output, {
    columns: () => columns,
    now: () => clock.time,
    every(_, tick): () => void {
      clock.tick = tick;
      return () => {
        clock.isStopped = true;
      };
    },
  }, () => isTerminal);
  return { progress, sink, clock };
}

Deno.test("Progress shows nothing in the first half second", async () => {
  const { progress, sink, clock } = makeProgress();
  await progress.update(() => "one");
  clock.time = 499;
  await progress.update(() => "two");
  await progress.clear();
  assertEquals(sink.text, "");
});

Deno.test("Progress shows one line after half a second, changes it every 100 ms at most, and clears it", async () => {
  const { progress, sink, clock } = makeProgress();
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

Deno.test("Progress cuts its line to the terminal, and escapes control characters", async () => {
  const { progress, sink, clock } = makeProgress();
  await progress.update(() => "");
  clock.time = 500;
  await progress.update(() => `\x1b]0;a\n${"x".repeat(40)}`);
  assertEquals(sink.text, "\r\x1b[2K\\u001b]0;a\\u000axxx");
});

Deno.test("Progress shows nothing if stderr is not a terminal", async () => {
  const { progress, sink, clock } = makeProgress(false);
  await progress.update(() => "one");
  clock.time = 5000;
  await progress.update(() => "two");
  assertEquals(sink.text, "");
});

Deno.test("Progress ignores errors of its output", async () => {
  const clock = { time: 0 };
  const output = new Output(failing(platformError("EPIPE")), "stderr", {
    pause: () => Promise.resolve(),
  });
  const progress = new Progress(output, {
    columns: () => undefined,
    now: () => clock.time,
    every: () => () => {},
  }, () => true);
  await progress.update(() => "one");
  clock.time = 500;
  await progress.update(() => "two");
  await progress.clear();
});

Deno.test("Progress shows the share of a file that has been read, and the time for the rest", async () => {
  const { progress, sink, clock } = makeProgress();
  await progress.reading({ bytes: 0, size: 200 });
  clock.time = 3_000;
  await progress.reading({ bytes: 50, size: 200 });
  assertEquals(sink.text, "\r\x1b[2KReading: 25 %, 9 s ");
  await progress.reading({ bytes: 1, size: 0 });
  assertEquals(sink.writes.length, 1);
});

Deno.test("Progress shows no reading of files after an update of the command", async () => {
  const { progress, sink, clock } = makeProgress();
  await progress.update(() => "one");
  clock.time = 3_000;
  await progress.reading({ bytes: 50, size: 200 });
  assertEquals(sink.text, "");
});

Deno.test("Progress shows the running title and its time", async () => {
  const { progress, sink, clock } = makeProgress(true, 30);
  let running: { readonly title: string } | undefined;
  progress.watch(() => running);
  const at = async (time: number): Promise<void> => {
    clock.time = time;
    clock.tick();
    // Waits for what the line needs, which is loaded once.
    await import("../../lib/render/quantity_text.ts");
    await TextRuler.for(["…"]);
    await Promise.resolve();
  };
  await at(0);
  running = { title: "$ npm test 中文 and more" };
  await at(1000);
  await at(1500);
  await at(63_100);
  await progress.clear();
  running = undefined;
  await at(64_000);
  progress.watch();
  assertEquals(clock.isStopped, true);
  assertEquals(sink.text.split("\r\x1b[2K"), [
    "",
    "⠴ $ npm test 中文 and m… · 0s",
    "⠙ $ npm test 中文 a… · 1m 02s",
    "",
  ]);
});

Deno.test("Progress starts no timer if stderr is not a terminal", () => {
  const { progress, clock } = makeProgress(false);
  const { tick } = clock;
  progress.watch(() => ({ title: "a" }));
  assertEquals(clock.tick, tick);
});
