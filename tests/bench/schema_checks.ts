/**
 * Measures the check of a record by its shape, by its schema, and by the schema of all events;
 * and typed events against normalized bytes.
 *
 *     deno run --allow-read tests/bench/schema_checks.ts
 *
 * Times are medians, in nanoseconds for each record; compare them only with each other.
 *
 * @module
 */

import {
  decodeEvents,
  JsonlDecoder,
  JsonlNormalizer,
  type ThreadEvent,
} from "@codexpipe/codexpipe";
import { isThreadEvent } from "@codexpipe/codexpipe/exec";
import { SCHEMAS } from "@codexpipe/codexpipe/schema";
import * as v from "valibot";
import { NORMALIZED } from "../dialects/exec/records.ts";
import { columns } from "./statistics.ts";

const WARM_UPS = 10;
const ROUNDS = 31;
const CHUNK = 1 << 16;
const LONGEST = 5_000;

const texts = NORMALIZED.filter(({ length }) => length < LONGEST);
const records = texts.map((text): ThreadEvent => JSON.parse(text));
const input = new TextEncoder().encode(`${texts.join("\n")}\n`);

const BY_TYPE: Readonly<
  Record<ThreadEvent["type"], v.GenericSchema<unknown, ThreadEvent>>
> = {
  "thread.started": SCHEMAS.ThreadStartedEvent,
  "turn.started": SCHEMAS.TurnStartedEvent,
  "turn.completed": SCHEMAS.TurnCompletedEvent,
  "turn.failed": SCHEMAS.TurnFailedEvent,
  "item.started": SCHEMAS.ItemStartedEvent,
  "item.delta": SCHEMAS.ItemDeltaEvent,
  "item.completed": SCHEMAS.ItemCompletedEvent,
  "item.failed": SCHEMAS.ItemFailedEvent,
  "error": SCHEMAS.ThreadErrorEvent,
  "rpc.request": SCHEMAS.RpcRequestEvent,
  "rpc.notification": SCHEMAS.RpcNotificationEvent,
  "rpc.response": SCHEMAS.RpcResponseEvent,
  "rpc.error": SCHEMAS.RpcErrorEvent,
};

function* chunks(): Generator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < input.length; at += CHUNK) {
    yield input.slice(at, at + CHUNK);
  }
}

const CASES: readonly [name: string, run: () => void | Promise<void>][] = [
  ["JSON.parse", () => texts.forEach((text) => void JSON.parse(text))],
  ["check by the shapes", () => all(isThreadEvent)],
  [
    "check by the schema of the event",
    () => all((record) => v.is(BY_TYPE[record.type], record)),
  ],
  [
    "check by the schema of all events",
    () => all((record) => v.is(SCHEMAS.ThreadEvent, record)),
  ],
  ["bytes to normalized bytes", () => {
    const normalizer = new JsonlNormalizer({ from: "exec" });
    for (const chunk of chunks()) normalizer.feed(chunk, () => {});
  }],
  ["bytes to events", () => {
    const decoder = new JsonlDecoder({ from: "exec" });
    for (const chunk of chunks()) decoder.feed(chunk, () => {});
  }],
  ["bytes to events, decodeEvents()", async () => {
    for await (const _ of decodeEvents(ReadableStream.from(chunks())));
  }],
];

function all(holds: (record: ThreadEvent) => boolean): void {
  for (const record of records) {
    if (!holds(record)) throw new TypeError("Cannot measure: a record is bad");
  }
}

const times = CASES.map((): number[] => []);
for (let round = -WARM_UPS; round < ROUNDS; round++) {
  // Cases alternate, so that a busy machine slows all of them alike.
  for (const [i, [, run]] of CASES.entries()) {
    const start = performance.now();
    await run();
    if (round >= 0) times[i]?.push(performance.now() - start);
  }
}

const rows = [["case", "ns/record", "to the first"]];
const medians = times.map((list) =>
  list.sort((a, b) => a - b)[ROUNDS >> 1] ?? 0
);
for (const [i, [name]] of CASES.entries()) {
  const median = medians[i] ?? 0;
  rows.push([
    name,
    (1e6 * median / records.length).toFixed(0),
    (median / (medians[0] ?? 1)).toFixed(2),
  ]);
}
await new Blob([columns(rows), "\n"]).stream().pipeTo(Deno.stdout.writable);
