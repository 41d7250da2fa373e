/**
 * Normalized rollout lines: captured, and damaged ones.
 *
 * @module
 */

import { LineSplitter } from "../../../lib/lines/line_splitter.ts";
import { Normalizer } from "../../../lib/dialects/normalizer.ts";
import { isObject } from "../../../lib/json/fields.ts";
import type { Outcome } from "../../../lib/outcome.ts";
import { compose } from "../../../lib/stage.ts";
import fc from "../../property_seed.ts";
import { type CapturedFile, readCapturedFiles } from "../../rollouts.ts";
import { emitted } from "../../running.ts";

/** All captured session files that are not compressed. */
export const ROLLOUTS: readonly CapturedFile[] = readCapturedFiles(
  /rollout-.*\.jsonl$/,
);

/** Normalizes a session file. */
export function normalizedFile({ bytes }: CapturedFile): Outcome<string>[] {
  const stage = compose(
    new LineSplitter(),
    new Normalizer({ from: "rollout" }),
  );
  return emitted(stage, [bytes]);
}

/** The texts of normalized captured lines: at most two of each release and kind. */
export const LINES: readonly string[] = someOfEachKind();

function someOfEachKind(): string[] {
  const texts = new Map<string, string[]>();
  for (const file of ROLLOUTS) {
    for (const outcome of normalizedFile(file)) {
      if (!outcome.ok || outcome.value.length > 20_000) continue;
      const { type, payload } = JSON.parse(outcome.value);
      const kind =
        `${file.version} ${type} ${payload.type} ${payload.item?.type}`;
      const known = texts.get(kind);
      if (known === undefined) texts.set(kind, [outcome.value]);
      else if (known.length < 2) known.push(outcome.value);
    }
  }
  return [...texts.values()].flat();
}

/** A change: the path of a member, and its new value, or undefined to remove it. */
const DAMAGE = fc.tuple(
  fc.array(fc.nat(40), { minLength: 1, maxLength: 6 }),
  fc.oneof(
    fc.constantFrom<unknown>(undefined, null, "", 0, 1.5, true, [], {}, [null]),
    fc.jsonValue({ maxDepth: 2 }),
  ),
);

/** A captured line in which some values were replaced or removed. */
export const DAMAGED: fc.Arbitrary<unknown> = fc.tuple(
  fc.constantFrom(...LINES),
  fc.array(DAMAGE, { minLength: 1, maxLength: 3 }),
).map(([text, damages]) => {
  const line: unknown = JSON.parse(text);
  for (const [steps, value] of damages) {
    damage(line, steps, structuredClone(value));
  }
  return line;
});

function damage(
  value: unknown,
  [step = 0, ...steps]: readonly number[],
  by: unknown,
): void {
  if (Array.isArray(value)) {
    if (value.length === 0) return;
    const place = step % value.length;
    if (steps.length > 0) damage(value[place], steps, by);
    else if (by !== undefined) value[place] = by;
  } else if (isObject(value)) {
    const names = Object.keys(value);
    const name = names[step % (names.length || 1)];
    if (name === undefined) return;
    if (steps.length > 0 && typeof value[name] === "object") {
      damage(value[name], steps, by);
    } else if (by === undefined) Reflect.deleteProperty(value, name);
    else Reflect.set(value, name, by);
  }
}
