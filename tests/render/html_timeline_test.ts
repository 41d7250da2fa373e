import { assert, assertEquals } from "@std/assert";
import { Timeline, type TimelineMark } from "../../lib/render/html_timeline.ts";
import type { RequestUsage } from "../../lib/render/parts.ts";

/** A command, two seconds long by default. */
function mark(at: number, fields: Partial<TimelineMark> = {}): TimelineMark {
  return {
    lane: "commands",
    look: "l-run",
    target: `turn-1-${at}`,
    label: `command ${at}`,
    startMs: at * 1000,
    endMs: at * 1000 + 2000,
    ...fields,
  };
}

function drawn(
  marks: readonly TimelineMark[],
  requests: readonly RequestUsage[] = [],
): string {
  const timeline = new Timeline();
  for (const each of marks) timeline.add(each);
  return timeline.draw("turn 1", requests);
}

/** The start and end of each mark in a drawing, in percent. */
function placesIn(drawing: string): [start: number, end: number][] {
  return [...drawing.matchAll(/class="l-[^"]*" x1="([\d.]+)%" x2="([\d.]+)%"/g)]
    .map(([, start, end]) => [Number(start), Number(end)]);
}

Deno.test("Timeline draws nothing for fewer than three marks", () => {
  assertEquals(drawn([]), "");
  assertEquals(drawn([mark(0), mark(1)]), "");
});

Deno.test("Timeline draws marks with times to scale", () => {
  const drawing = drawn([mark(0), mark(4), mark(8)]);
  assertEquals(placesIn(drawing), [[0, 20], [40, 60], [80, 100]]);
  assert(
    drawing.includes("<desc>3 commands. The scale is time: 10.0s.</desc>"),
  );
  assert(drawing.includes("command 4 (2.0s)"));
});

Deno.test("Timeline ends where the turn ends", () => {
  const timeline = new Timeline();
  for (const at of [1, 4, 8]) timeline.add(mark(at));
  timeline.stretch(0);
  timeline.stretch(20_000);
  timeline.stretch(null);
  const drawing = timeline.draw("turn 1");
  assertEquals(placesIn(drawing), [[5, 15], [20, 30], [40, 50]]);
  assert(drawing.includes("<span>0s</span><span>20.0s</span>"));
});

Deno.test("Timeline draws marks without times in order", () => {
  const untimed = { startMs: null, endMs: null };
  const drawing = drawn([mark(0, untimed), mark(1, untimed), mark(2, untimed)]);
  assertEquals(
    placesIn(drawing).map(([start]) => start),
    [16.67, 50, 83.33],
  );
  assert(drawing.includes("The scale is order: the log has no times."));
});

Deno.test("Timeline draws a lane for each kind of entry in its marks", () => {
  const drawing = drawn([
    mark(0, { lane: "messages" }),
    mark(1),
    mark(2, { lane: "edits" }),
  ]);
  assert(
    drawing.includes(
      "<div>messages</div><div>commands</div><div>edits</div></div>",
    ),
  );
  assertEquals(drawing.match(/class="rail"/g)?.length, 3);
});

Deno.test("Timeline draws the tokens of each request as a bar at its time", () => {
  const request = { output_tokens: 10 };
  const drawing = drawn([mark(0), mark(4), mark(8)], [
    { ...request, at: "1970-01-01T00:00:05.000Z", input_tokens: 90 },
    { ...request, at: "1970-01-01T00:00:10.000Z", input_tokens: 40 },
  ]);
  assertEquals(
    [...drawing.matchAll(/class="l-in" x="(\d+)%"[^>]* height="(\d+)"/g)]
      .map(([, x, height]) => [Number(x), Number(height)]),
    [[50, 24], [100, 12]],
  );
  assert(drawing.includes("<title>90 tokens in, 10 out</title>"));
  assert(drawing.includes("<div>tokens</div>"));
});

Deno.test("Timeline draws the tokens of a single request at its time, and none without requests", () => {
  const marks = [mark(0), mark(4), mark(8)];
  const at = "1970-01-01T00:00:05.000Z";
  const drawing = drawn(marks, [{ at, input_tokens: 90, output_tokens: 10 }]);
  assert(drawing.includes('<rect class="l-in" x="50%"'));
  assert(!drawn(marks).includes("tokens"));
});

Deno.test("Timeline joins neighbours among many marks, and keeps failures visible", () => {
  const marks = Array.from(
    { length: 10_000 },
    (_, i) => mark(i, i === 5001 ? { look: "l-bad" } : {}),
  );
  const drawing = drawn(marks);
  const places = placesIn(drawing);
  assert(places.length <= 240, `${places.length} marks`);
  assert(drawing.includes("<desc>10,000 commands."));
  assertEquals(drawing.match(/class="l-bad"/g)?.length, 1);
  assertEquals(places.at(-1)?.[1], 100);
});

Deno.test("Timeline joins an odd number of neighbours, and ends with the last one", () => {
  const drawing = drawn(
    Array.from({ length: 241 }, (_, i) => mark(i, { endMs: null })),
  );
  const places = placesIn(drawing);
  assertEquals(places.length, 121);
  // The marks have no ends: two joined marks end where the second one begins.
  assertEquals(places[0], [0, 0.42]);
  assert(drawing.includes("<desc>241 commands."));
});

Deno.test("Timeline escapes the labels of marks", () => {
  const drawing = drawn([
    mark(0, { label: '</title><script>"' }),
    mark(1, { label: "\x1b[31m" }),
    mark(2),
  ]);
  assert(
    drawing.includes('<title>&lt;/title&gt;&lt;script&gt;" (2.0s)</title>'),
  );
  assert(drawing.includes("<title>␛[31m (2.0s)</title>"));
});
