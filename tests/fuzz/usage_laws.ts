/**
 * Laws of counting tokens: they hold however broken a stream is.
 *
 * @module
 */

import { assert } from "@std/assert";
import { TOKEN_KINDS } from "../../lib/usage/tokens.ts";
import { groupUsage } from "../../lib/usage/usage_groups.ts";
import {
  UsageMeter,
  type UsageMeterOptions,
} from "../../lib/usage/usage_meter.ts";
import { assertSameText } from "../running.ts";
import type { Law } from "./law.ts";
import { chunksOf } from "./random.ts";

/** Feeds sources to a meter that keeps derivations. */
function meterOf(
  sources: readonly Iterable<Uint8Array>[],
  options: UsageMeterOptions = {},
): UsageMeter {
  const meter = new UsageMeter({ explain: true, ...options });
  for (const [at, chunks] of sources.entries()) {
    const source = meter.open(`source ${at}`);
    for (const chunk of chunks) source.feed(chunk, () => {});
    source.flush(() => {});
  }
  return meter;
}

/** The laws of counting tokens. */
export const USAGE_LAWS: readonly Law[] = [
  {
    name: "token counts are never negative",
    check(stream): void {
      const meter = meterOf([[stream]]);
      for (const row of meter.rows()) {
        for (const kind of TOKEN_KINDS) {
          const count = row[kind];
          assert(count >= 0n, `${kind} is ${count}`);
        }
      }
      textOf(meter.derivations());
    },
  },
  {
    name: "groups have each row once",
    check(stream): void {
      const rows = meterOf([[stream]]).rows();
      for (const by of ["thread", "turn", "model", "day", "cwd"] as const) {
        const groups = groupUsage(rows, [by]);
        assertSameText(
          textOf(groups.flatMap((group) => group.rows).map(textOf).sort()),
          textOf(rows.map(textOf).sort()),
        );
      }
    },
  },
  {
    name: "how the stream is cut into chunks does not matter to counting",
    check(stream, random): void {
      const whole = meterOf([[stream]]);
      const cut = meterOf([chunksOf(stream, random)]);
      assertSameText(textOf(cut.rows()), textOf(whole.rows()));
      assertSameText(textOf(cut.derivations()), textOf(whole.derivations()));
    },
  },
];

function textOf(value: unknown): string {
  return JSON.stringify(
    value,
    (_key, inner: unknown) => typeof inner === "bigint" ? `${inner}n` : inner,
  );
}
