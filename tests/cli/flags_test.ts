/** Checks each row of the table of flags. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { parseArguments } from "../../lib/cli/arguments.ts";
import { COMMANDS } from "../../lib/cli/commands.ts";
import { UsageError } from "../../lib/cli/endings.ts";
import {
  ALL_FLAGS,
  CATEGORIES,
  COMMON_FLAGS,
  flagsOf,
  type FlagValue,
  parseByteSize,
} from "../../lib/cli/flags.ts";
import { DIALECTS } from "../../lib/dialects/dialect_names.ts";

/** Values of the forms that flags without choices have. */
const SAMPLES = ["some.jsonl", "8", "16M", "7d", "idle=60", "Europe/Berlin"];

/** Returns a valid value of a flag without choices. */
function sampleOf({ admits = () => true }: FlagValue): string {
  const sample = SAMPLES.find(admits);
  assert(sample !== undefined, "one of the samples is valid");
  return sample;
}

Deno.test("the flags of all commands are the flags of the table", () => {
  const names: readonly string[] = ALL_FLAGS.map(({ name }) => name);
  const used = new Set([
    ...COMMON_FLAGS.map(({ name }) => name),
    ...COMMANDS.flatMap((command) => flagsOf(command).map(({ name }) => name)),
  ]);
  assertEquals([...used].sort(), [...names].sort());
});

Deno.test("no two flags have the same name or letter", () => {
  const words = ALL_FLAGS.flatMap(({ name, short }) =>
    short === undefined ? [name] : [name, short]
  );
  assertEquals(words.length, new Set<string>(words).size);
});

Deno.test("--from accepts every dialect of the library", () => {
  const from = ALL_FLAGS.find(({ name }) => name === "from");
  assertEquals(from?.value?.choices, DIALECTS);
});

for (const flag of ALL_FLAGS) {
  const { name, short, value, undoes } = flag;

  Deno.test(`--${name} has a category, a summary, details and a valid name`, () => {
    assert(CATEGORIES.includes(flag.category));
    assert(flag.summary.endsWith("."), "the summary is a sentence");
    assert(flag.details.endsWith("."), "the details are sentences");
    assert(/^[a-z][a-z-]+$/.test(name));
    assert(short === undefined || /^[A-Za-z]$/.test(short));
  });

  if (undoes !== undefined) {
    Deno.test(`--${name} and --${undoes} undo each other`, () => {
      const other = ALL_FLAGS.find((flag) => flag.name === undoes);
      assertEquals(other?.undoes, name);
    });
  }

  if (value === undefined) {
    Deno.test(`--${name} is a switch`, () => {
      assert(parseArguments([`--${name}`]).has(name));
      assert(!parseArguments([]).has(name));
      assertThrows(() => parseArguments([`--${name}=x`]), UsageError);
      if (flag.means !== undefined) {
        const args = parseArguments([`--${name}`]);
        const other = ALL_FLAGS.find((other) =>
          other.name === flag.means?.name
        );
        assertEquals(other && args.value(other.name), flag.means.value);
      }
      if (short !== undefined) {
        const args = parseArguments([`-${short}`]);
        assert(args.has(name) && args.isShort(name));
      }
    });
  } else {
    Deno.test(`--${name} accepts its values, after = or a space`, () => {
      const { choices } = value;
      const samples = choices ?? [sampleOf(value)];
      for (const sample of samples) {
        for (const args of [[`--${name}=${sample}`], [`--${name}`, sample]]) {
          assertEquals(parseArguments(args).value(name), sample);
        }
      }
      assertThrows(() => parseArguments([`--${name}`]), UsageError);
      if (choices !== undefined) {
        const list = choices.join(",");
        // A repeatable flag accepts a list.
        if (flag.isRepeatable) {
          assertEquals(
            parseArguments([`--${name}=${list}`]).values(name),
            choices,
          );
        }
        const lists = flag.isRepeatable ? [] : [list];
        for (const wrong of ["", "nonsense", ...lists]) {
          assertThrows(
            () => parseArguments([`--${name}=${wrong}`]),
            UsageError,
            `--${name} cannot be "${wrong}": expected `,
          );
        }
      }
    });

    Deno.test(`--${name} has its default, and accepts it`, () => {
      const args = parseArguments([]);
      assertEquals(args.value(name), value.default);
      if (value.default !== undefined) {
        assertEquals(
          parseArguments([`--${name}=${value.default}`]).value(name),
          value.default,
        );
      }
    });
  }
}

const REFUSED: Readonly<Record<string, readonly string[]>> = {
  "max-line-bytes": ["", "0", "-1", "1x", "x1", "1 2"],
  "since": ["", "2026", "x2026-11-20", "2026-11-20x", "0x"],
  "until": ["", "2026-13-01", "tomorrow"],
  "jobs": ["", "0", "257", "2x", "auto"],
  "shards": ["", "0", "10001", "2x"],
  "limit": ["", "0", "-1", "x5", "5x", "1.5", "1234567890"],
  "grep": ["", "("],
  "family": [""],
  "exit-on": ["", "turns", "idle", "idle=", "idle=5x", "xturn", "xidle=5"],
  "errors-to": ["", "-"],
  "write-baseline": ["", "-"],
  "max-failures": ["", "-1", "x5", "5x"],
  "max-tokens": ["", "1e3", "x5", "5x"],
  "time-zone": ["", "Mars"],
  "output": ["", "-"],
  "max-output-lines": ["", "-1", "x5", "5x"],
  "redact-pattern": ["", "("],
};

for (const { name, value } of ALL_FLAGS) {
  const list = REFUSED[name] ?? [];
  const hasRule = value?.admits !== undefined && !value.admits("");
  if (!hasRule && list.length === 0) continue;
  Deno.test(`--${name} refuses invalid values`, () => {
    assert(list.length > 0, "REFUSED has no value for the flag");
    for (const wrong of list) {
      assertThrows(
        () => parseArguments([`--${name}=${wrong}`]),
        UsageError,
        `--${name} cannot be "${wrong}": expected `,
      );
    }
  });
}

const BYTE_SIZES = [
  { text: "0", bytes: 0 },
  { text: "1", bytes: 1 },
  { text: "0010", bytes: 10 },
  { text: "1000000", bytes: 1_000_000 },
  { text: "2k", bytes: 2048 },
  { text: "2K", bytes: 2048 },
  { text: "256M", bytes: 268_435_456 },
  { text: "1G", bytes: 1_073_741_824 },
  { text: "9".repeat(400), bytes: Infinity },
  { text: "", bytes: undefined },
  { text: "K", bytes: undefined },
  { text: "1.5K", bytes: undefined },
  { text: "-1", bytes: undefined },
  { text: "1e3", bytes: undefined },
  { text: "0x10", bytes: undefined },
  { text: "1KB", bytes: undefined },
  { text: " 1", bytes: undefined },
  { text: "1\n", bytes: undefined },
  { text: "١", bytes: undefined },
] satisfies { text: string; bytes: number | undefined }[];

for (const { text, bytes } of BYTE_SIZES) {
  const name = JSON.stringify(text.slice(0, 10));
  Deno.test(`parseByteSize() reads ${name} as ${bytes}`, () => {
    assertEquals(parseByteSize(text), bytes);
  });
}
