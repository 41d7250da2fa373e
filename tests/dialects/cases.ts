/**
 * Makes a test of each case in testdata/normalize/.
 *
 * A case begins with `== ` and its name. Its input lines follow, and after each `-> ` the expected
 * record, or the kind of the expected failure, with its field and message where they matter. `@ `
 * begins the options of a case whose options differ from those of its file.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { NormalizerOptions } from "../../lib/dialects/normalizer.ts";
import type { Outcome } from "../../lib/outcome.ts";
import { linesOf, readFixture } from "../fixtures.ts";
import { encode, normalizeBytes, normalizeLines } from "../running.ts";

interface Case {
  readonly name: string;
  readonly lines: string[];
  readonly expected: string[];
  options?: NormalizerOptions;
}

/** Makes a test of each case of a file. */
export function testCases(
  path: string,
  subject: string,
  fileOptions: NormalizerOptions,
): void {
  for (
    const { name, lines, expected, options = fileOptions } of readCases(path)
  ) {
    Deno.test(`${subject}: ${name}`, () => {
      const caseOptions = { from: fileOptions.from ?? "exec", ...options };
      const outcomes = normalizeLines(lines, caseOptions);
      assertEquals(
        outcomes.map((outcome, i) => answerOf(outcome, expected[i])),
        expected,
      );
      const written = normalizeBytes([encode(lines.join("\n"))], caseOptions);
      assertEquals(
        linesOf(written).filter((_, i) => outcomes[i]?.ok),
        outcomes.flatMap((outcome) => outcome.ok ? outcome.value : []),
      );
    });
  }
}

/** Returns the record of a line, or its failure: the kind alone if only the kind is expected. */
function answerOf(outcome: Outcome<string>, expected = ""): string {
  if (outcome.ok) return outcome.value;
  const { kind, field = "", message } = outcome.error;
  return expected === kind ? kind : `${kind} [${field}] ${message}`;
}

function readCases(path: string): Case[] {
  const cases: Case[] = [];
  for (const line of linesOf(readFixture(`normalize/${path}`))) {
    const [, mark = "", text = ""] = /^(== |-> |@ )?(.*)$/s.exec(line) ?? [];
    const last = cases.at(-1);
    if (mark === "== ") cases.push({ name: text, lines: [], expected: [] });
    else if (mark === "-> ") last?.expected.push(text);
    else if (mark === "@ ") {
      Object.assign(last ?? {}, { options: JSON.parse(text) });
    } else if (text !== "") last?.lines.push(text);
  }
  return cases;
}
