/** Tests the fuzzer, and the laws with a few streams; `deno task fuzz` checks them with more. */

import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { COMMAND_LAWS } from "./fuzz/commands.ts";
import type { Law } from "./fuzz/law.ts";
import { LAWS } from "./fuzz/laws.ts";
import { type Round, roundsOf } from "./fuzz/rounds.ts";
import { readSeedbeds } from "./fuzz/seedbeds.ts";
import { SESSION_LAWS } from "./fuzz/sessions.ts";
import { SNAPSHOT_LAWS } from "./fuzz/snapshots.ts";
import { decode, isJson } from "./running.ts";

const seedbeds = readSeedbeds();

/** Makes rounds with about `lines` lines in total. */
function rounds(lines: number, seed = 1, first = 0): Round[] {
  const made: Round[] = [];
  let length = 0;
  for (const round of roundsOf(seedbeds, seed, first)) {
    made.push(round);
    length += round.length;
    if (length >= lines) break;
  }
  return made;
}

Deno.test("the same seed makes the same streams, and another seed other streams", () => {
  const streams = (seed: number, first = 0): string[] =>
    rounds(300, seed, first).map(({ stream }) =>
      new TextDecoder().decode(stream)
    );
  assertEquals(streams(1), streams(1));
  assertEquals(streams(1)[2], streams(1, 2)[0]);
  assertNotEquals(streams(1), streams(2));
});

Deno.test("the fuzzer keeps some lines, and changes others to JSON and to torn lines", () => {
  const known = new Set(
    seedbeds.flatMap(({ lines }) => lines.map((line) => decode(line))),
  );
  const counts = { same: 0, json: 0, torn: 0 };
  for (const { stream } of rounds(3_000)) {
    for (const line of new TextDecoder().decode(stream).split("\n")) {
      if (known.has(line)) counts.same += 1;
      else counts[isJson(line) ? "json" : "torn"] += 1;
    }
  }
  for (const count of Object.values(counts)) assert(count > 300, `${count}`);
});

const TARGETS: readonly {
  readonly name: string;
  readonly laws: readonly Law[];
  readonly lines: number;
}[] = [
  { name: "the library", laws: LAWS, lines: 300 },
  { name: "the commands that read a stream", laws: COMMAND_LAWS, lines: 100 },
  { name: "the commands about snapshots", laws: SNAPSHOT_LAWS, lines: 100 },
  { name: "the commands about sessions", laws: SESSION_LAWS, lines: 60 },
];

for (const { name, laws, lines } of TARGETS) {
  Deno.test(`every law of ${name} holds for some broken streams`, async () => {
    for (const { stream, random } of rounds(lines)) {
      for (const law of laws) await law.check(stream, random());
    }
  });
}
