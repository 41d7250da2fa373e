import { assert, assertEquals } from "@std/assert";
import {
  githubAnnotation,
  githubOutput,
} from "../../lib/render/github_commands.ts";
import fc from "../property_seed.ts";
import { CONTROL_REGEXP, HOSTILE } from "./sessions.ts";

/** A workflow command, as the runner of GitHub parses it. */
interface RunnerCommand {
  readonly name: string;
  readonly properties: ReadonlyMap<string, string>;
  readonly data: string;
}

function unescapeData(text: string): string {
  return text.replaceAll("%0D", "\r").replaceAll("%0A", "\n")
    .replaceAll("%25", "%");
}

function unescapeProperty(text: string): string {
  return unescapeData(text.replaceAll("%3A", ":").replaceAll("%2C", ","));
}

/** Parses printed text as the runner does. */
function commandsIn(printed: string): RunnerCommand[] {
  return printed.split(/\r\n|\r|\n/).flatMap((line) => {
    const [, name = "", properties = "", data = ""] =
      /^\s*::([^\s:]+)(?: ([^]*?))?::([^]*)$/.exec(line) ?? [];
    if (name === "") return [];
    return [{
      name,
      properties: new Map(
        properties.split(",").filter((pair) => pair !== "").map((pair) => {
          const at = pair.indexOf("=");
          return [pair.slice(0, at), unescapeProperty(pair.slice(at + 1))];
        }),
      ),
      data: unescapeData(data),
    }];
  });
}

Deno.test("githubAnnotation() writes the level, title, file and line", () => {
  assertEquals(
    githubAnnotation({
      level: "warning",
      title: "Turn 2: slow",
      message: "50% of\nthe budget",
      file: "src/a,b.ts",
      line: 7,
    }),
    "::warning title=Turn 2%3A slow,file=src/a%2Cb.ts,line=7::50%25 of%0Athe budget\n",
  );
});

for (const [name, text] of Object.entries(HOSTILE)) {
  Deno.test(`githubAnnotation() writes one command for a hostile title and message: ${name}`, () => {
    const printed = githubAnnotation({
      level: "error",
      title: text,
      message: text,
    });
    const [command, ...others] = commandsIn(printed);
    assertEquals(others, []);
    assertEquals(command?.name, "error");
    assertEquals([...command?.properties.keys() ?? []], ["title"]);
    assert(!CONTROL_REGEXP.test(printed));
  });
}

Deno.test("githubAnnotation() writes a title and message that the runner parses back", () => {
  fc.assert(fc.property(
    fc.string({
      unit: fc.constantFrom(..."%0AD25:,=\n\r ::[]é😀".split("")),
      minLength: 1,
    }),
    (text) => {
      const printed = githubAnnotation({
        level: "notice",
        title: text,
        message: text,
      });
      const [command] = commandsIn(printed);
      // UTF-8 has no lone surrogates.
      const shown = text.toWellFormed();
      assertEquals(command?.data, shown);
      assertEquals(command?.properties.get("title"), shown);
    },
  ));
});

Deno.test("githubAnnotation() escapes the characters that no transcript shows", () => {
  assertEquals(
    githubAnnotation({
      level: "error",
      message: "a\u00ad\u3164\u{e0041}\u001b",
    }),
    "::error::a\\u00ad\\u3164\\u{e0041}\\u001b\n",
  );
});

Deno.test("githubAnnotation() cuts long texts between characters", () => {
  const printed = githubAnnotation({
    level: "error",
    title: "😀".repeat(200),
    message: "😀".repeat(10_000),
  });
  assert(printed.length < 8300, `${printed.length} characters`);
  assert(printed.endsWith("😀…\n"));
  assertEquals(printed.isWellFormed(), true);
});

/** Parses outputs as the runner does. */
function outputsIn(text: string): Map<string, string> {
  const outputs = new Map<string, string>();
  const lines = text.split("\n");
  for (let i = 0; i < lines.length; i++) {
    const [name = "", delimiter] = lines[i]?.split("<<") ?? [];
    if (delimiter === undefined) {
      assertEquals(lines[i], "");
      continue;
    }
    const end = lines.indexOf(delimiter, i + 1);
    assert(end > 0, `no end of ${name}`);
    outputs.set(name, lines.slice(i + 1, end).join("\n"));
    i = end;
  }
  return outputs;
}

const VALUES = [
  "",
  "one",
  "two\nlines\n",
  "\r\n",
  "codexpipe_end",
  "codexpipe_end\ncodexpipe_end_\nname=value\ncodexpipe_end__",
  "x<<EOF\ny\nEOF",
  "codexpipe_end_".repeat(1000),
  ...Object.values(HOSTILE),
];

for (const [i, value] of VALUES.entries()) {
  Deno.test(`githubOutput() writes value ${i} so that the runner parses it and the next one`, () => {
    const text = githubOutput("first", value) + githubOutput("second", "2");
    assertEquals([...outputsIn(text)], [["first", value], ["second", "2"]]);
  });
}
