/** What `codexpipe normalize` makes of what released versions of Codex printed. */

import { assertEquals } from "@std/assert";
import { linesOf, readCaptures } from "../fixtures.ts";
import { assertSameText, decode, normalizeBytes } from "../running.ts";
import { call } from "./memory.ts";

/** The first CLI, which printed response items: the lines of a bare rollout. */
const FIRST_CLI = "0.1.2505172129";
/** What `codex archive` printed, which is a sentence. */
const SENTENCE_REGEXP = /\/archive\/stdout\.2\.jsonl$/;

const byVersion = Map.groupBy(readCaptures(), ({ version }) => version);

for (const [version, captures] of byVersion) {
  Deno.test(`codexpipe normalize has nothing to say of what ${version} printed`, async () => {
    for (const { path, bytes } of captures) {
      const isSentence = SENTENCE_REGEXP.test(path) &&
        !linesOf(bytes)[0]?.startsWith("{");
      const result = await call(["normalize", "--strict", path], {
        files: { [path]: bytes },
      });
      assertEquals(result.stderr === "", !isSentence, path + result.stderr);
      assertEquals(result.status, isSentence ? 1 : 0, path);
      const from = version === FIRST_CLI ? "rollout" : "exec";
      const expected = normalizeBytes([bytes], {
        from,
        onError: "report",
        fileName: path,
      });
      assertSameText(result.stdout, decode(expected), path);
    }
  });

  Deno.test(`codexpipe normalize --line-buffered writes the same for ${version}, line by line`, async () => {
    const files = Object.fromEntries(
      captures.map(({ path, bytes }) => [path, bytes]),
    );
    const paths = Object.keys(files);
    const options = ["normalize", "--on-error=inline"];
    const whole = await call([...options, "--jobs=3", ...paths], {
      files,
      threads: 3,
    });
    const lines = await call([...options, "--line-buffered", ...paths], {
      files,
      countsWrites: true,
    });
    assertSameText(lines.stdout, whole.stdout, version);
    assertEquals(lines.writes.length, lines.stdout.split("\n").length - 1);
    // One for each, which line processors wait for.
    const asked = captures.flatMap(({ bytes }) => linesOf(bytes));
    assertEquals(lines.writes.length, asked.length);
  });
}
