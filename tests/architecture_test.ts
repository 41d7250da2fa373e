/**
 * Checks the layout of the repository: which parts may import which, which files may use the
 * platform, and the names of files.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import config from "../deno.json" with { type: "json" };

/** A module, reduced to the parts that the rules check. */
interface Source {
  /** The path from the root of the repository, with `/` between names. */
  readonly path: string;
  /** The specifiers of its imports and re-exports, types included. */
  readonly specifiers: readonly string[];
  /** The code without comments, and with empty strings and regular expressions. */
  readonly code: string;
}

const ROOT = new URL("../", import.meta.url);

/** Matches folders without files of ours: those of tools, and the data below testdata/. */
const SKIPPED_REGEXP =
  /^(?:\.git|coverage|dist|node_modules|testdata\/[^/]+)\/$|^\.git$/;

const BASE = [
  "lib/checked.ts",
  "lib/errors.ts",
  "lib/groups.ts",
  "lib/outcome.ts",
  "lib/stage.ts",
];
const LAYER_0 = [...BASE, "lib/json/", "lib/lines/", "lib/shapes/"];
const LAYER_1 = [
  ...LAYER_0,
  "lib/dialects/",
  "lib/dialects/app_server/",
  "lib/dialects/decoded.ts",
  "lib/dialects/exec/",
  "lib/dialects/rollout/",
  "lib/events/",
  "lib/history/",
];
const LAYER_2 = [
  ...LAYER_1,
  "lib/check/",
  "lib/drift/",
  "lib/export/",
  "lib/files/",
  "lib/pipeline/",
  "lib/redact/",
  "lib/render/",
  "lib/schema_names.ts",
  "lib/sessions/",
  "lib/usage/",
];

/** The parts of the project, and the parts that each may import besides itself. */
const MAY_IMPORT: ReadonlyMap<string, readonly string[]> = new Map([
  ["lib/checked.ts", []],
  ["lib/errors.ts", []],
  ["lib/groups.ts", []],
  ["lib/stage.ts", ["lib/errors.ts"]],
  ["lib/outcome.ts", ["lib/checked.ts", "lib/errors.ts", "lib/stage.ts"]],
  ["lib/json/", BASE],
  ["lib/lines/", [...BASE, "lib/json/"]],
  ["lib/shapes/", ["lib/errors.ts", "lib/json/"]],
  ["lib/dialects/decoded.ts", ["lib/errors.ts"]],
  ["lib/dialects/exec/", [
    ...LAYER_0,
    "lib/dialects/decoded.ts",
    // Token counts are the same in both dialects.
    "lib/dialects/rollout/",
  ]],
  ["lib/dialects/app_server/", [...LAYER_0, "lib/dialects/exec/"]],
  ["lib/dialects/rollout/", [...LAYER_0, "lib/dialects/decoded.ts"]],
  ["lib/dialects/", [
    ...LAYER_0,
    "lib/dialects/app_server/",
    "lib/dialects/decoded.ts",
    "lib/dialects/exec/",
    "lib/dialects/rollout/",
  ]],
  ["lib/events/", [
    ...LAYER_0,
    "lib/dialects/exec/",
    "lib/dialects/rollout/",
  ]],
  ["lib/history/", [
    ...LAYER_0,
    "lib/events/",
    "lib/dialects/exec/",
    "lib/dialects/rollout/",
  ]],
  ["lib/pipeline/", LAYER_1],
  ["lib/check/", [...LAYER_1, "lib/pipeline/", "lib/render/", "lib/usage/"]],
  ["lib/drift/", LAYER_1],
  ["lib/export/", [...LAYER_1, "lib/redact/", "lib/usage/"]],
  ["lib/files/", LAYER_1],
  ["lib/redact/", LAYER_1],
  ["lib/render/", [...LAYER_1, "lib/redact/", "lib/usage/"]],
  ["lib/sessions/", [
    ...LAYER_1,
    "lib/check/",
    "lib/files/",
    "lib/pipeline/",
  ]],
  ["lib/usage/", [...LAYER_1, "lib/pipeline/"]],
  ["lib/schema_names.ts", []],
  ["lib/json_schema.ts", [
    "lib/checked.ts",
    "lib/schema.ts",
    "lib/schema_names.ts",
  ]],
  ["mod.ts", LAYER_2],
  ["cli.ts", ["lib/cli/"]],
  ["cli_node.ts", ["lib/cli/", "lib/files/"]],
  // The command prints its version.
  ["deno.json", []],
]);

/** The parts that may use `Deno` and `node:` modules. */
const PLATFORM_PARTS = new Set([
  "cli.ts",
  "cli_node.ts",
  "lib/cli/",
  "lib/files/",
  "lib/sessions/",
]);

/** Suites that test more than one file of lib/. */
const CROSS_CUTTING_SUITES = [
  "analytics",
  "architecture",
  "captures",
  "cli",
  "cookbook",
  "docs",
  "examples",
  "fuzz",
  "generator",
  "golden",
  "hostile_inputs",
  "npm_package",
  "one_story",
  "properties",
  "public_api",
  "recipe",
  "smoke",
  "vectors",
  "witnesses",
];

const ENTRY_POINTS: ReadonlyMap<string, string> = new Map(
  Object.entries(config.exports).map((
    [name, target],
  ) => [config.name + name.slice(1), target.replace("./", "")]),
);
const ENTRY_FILES = new Set(ENTRY_POINTS.values());

/**
 * Matches the tokens that may contain text like code: comments, strings, templates and regular
 * expressions. It suffices for formatted code: a `/` after a name, a number or a bracket is a
 * division.
 */
const TOKEN_REGEXP =
  /\/\/[^\n]*|\/\*[^]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[^]|[^`\\])*`|(?<=(?:^|[(,=:[!&|?{;>+]|\breturn|\bcase)\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/g;
/** Matches the imports that are loaded with a module: neither types nor dynamic imports. */
const LOADED_REGEXP =
  /^(?:import|export)\b(?! type\b)(?:[^;"/]*? from)? "([^"]+)"/gm;
const IMPORT_REGEXP = /(?:\bfrom|\bimport|\bimport\s*\()\s*$/;
const ONLY_EXPORTS_REGEXP =
  /^(?:\s*export (?:type )?(?:\*(?: as \w+)?|\{[^}]*\}) from "";)*\s*$/;
const REEXPORT_REGEXP = /^export (?:type )?(?:\*|\{[^}]*\}) from "([^"]+)"/gm;
const VAGUE_NAME_REGEXP =
  /(?:^|\/)_?(?:utils?|helpers?|common|types|index)(?:\/|\.[a-z]+$)/;

/** Parses the text of a module. */
function readSource(path: string, text: string): Source {
  const specifiers: string[] = [];
  let code = "";
  let end = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN_REGEXP)) {
    code += text.slice(end, index);
    end = index + token.length;
    if (token.startsWith("//") || token.startsWith("/*")) code += " ";
    else if (token.startsWith("`")) code += token;
    else if (token.startsWith("/")) code += "/ /";
    else {
      if (IMPORT_REGEXP.test(code)) specifiers.push(token.slice(1, -1));
      code += '""';
    }
  }
  return { path, specifiers, code: code + text.slice(end) };
}

/** Lists the files below a folder of the repository. */
async function listFiles(folder = ""): Promise<string[]> {
  const paths: string[] = [];
  for await (const entry of Deno.readDir(new URL(folder, ROOT))) {
    const path = folder + entry.name + (entry.isDirectory ? "/" : "");
    if (SKIPPED_REGEXP.test(path)) continue;
    if (entry.isDirectory) paths.push(...await listFiles(path));
    else if (entry.isFile) paths.push(path);
  }
  return paths.sort();
}

/** Returns the path of the file of a specifier, or `undefined` if it is not one of ours. */
function resolve(specifier: string, importer: string): string | undefined {
  if (!specifier.startsWith(".")) return ENTRY_POINTS.get(specifier);
  return new URL(specifier, `file:///${importer}`).pathname.slice(1);
}

/** Returns the part of the project that a file belongs to. */
function partOf(path: string): string | undefined {
  if (path.startsWith("lib/cli/")) return "lib/cli/";
  const parts = [...MAY_IMPORT.keys()].filter((part) =>
    part === path || part.endsWith("/") && path.startsWith(part)
  );
  // A folder in a folder is a part of its own.
  const part = parts.sort((a, b) => b.length - a.length)[0];
  return part ?? (ENTRY_FILES.has(path) ? path : undefined);
}

/** Whether a file may import another one. */
function mayImport(importer: string, imported: string): boolean {
  const from = partOf(importer);
  const to = partOf(imported);
  if (from === undefined || to === undefined) return false;
  if (from === to) return true;
  const isLibraryEntry = imported !== "cli.ts" && ENTRY_FILES.has(imported);
  if (from === "lib/cli/") {
    // Public modules only. Files that entry points re-export may be imported directly, so that a
    // command loads only the files that it uses. The stage to records is not public.
    return isLibraryEntry || reexported.has(imported) || to === "deno.json" ||
      imported === "lib/pipeline/jsonl_records.ts";
  }
  if (from === "mod.ts" && isLibraryEntry) return true;
  return (MAY_IMPORT.get(from) ?? LAYER_2).includes(to);
}

/** Returns the paths of the project's own files that a module imports. */
function importsOf(source: Source): string[] {
  return source.specifiers.map((specifier) => resolve(specifier, source.path))
    .filter((path) => path !== undefined);
}

const files = await listFiles();
const sources = await Promise.all(
  files.filter((path) => path.endsWith(".ts") && !path.startsWith("std/"))
    .map(async (path) =>
      readSource(path, await Deno.readTextFile(new URL(path, ROOT)))
    ),
);
const sourceByPath = new Map(sources.map((source) => [source.path, source]));
/** The files that entry points re-export. */
const reexported = new Set(
  (await Promise.all([...ENTRY_FILES].map(async (path) => {
    const text = await Deno.readTextFile(new URL(path, ROOT));
    return [...text.matchAll(REEXPORT_REGEXP)].map(([, specifier = ""]) =>
      resolve(specifier, path)
    );
  }))).flat(),
);
/** The published code: no tests, tools or `std/`. */
const published = sources.filter(({ path }) =>
  path.startsWith("lib/") || path === "mod.ts" ||
  /^cli(?:_node)?\.ts$/.test(path)
);

const CASES = [
  {
    name: "every form of import",
    text:
      'import a from "./a.ts";\nimport {\n  type B,\n} from "./b.ts";\nexport * from "./c.ts";\nimport "./d.ts";\nconst e = await import("./e.ts");\ntype F = import("./f.ts").F;\n',
    specifiers: ["./a.ts", "./b.ts", "./c.ts", "./d.ts", "./e.ts", "./f.ts"],
    code: undefined,
  },
  {
    name: "no import in comments, strings and templates",
    text:
      '/** import "./a.ts" */\n// from "./b.ts"\nf(\'import "./c.ts"\', `from "./d.ts"`);',
    specifiers: [],
    code: ' \n \nf("", `from "./d.ts"`);',
  },
  {
    name: "no string in regular expressions and divisions",
    text: 'const quote = /["/]/;\nconst half = (a + b) / 2 / c; // "\nx("y");',
    specifiers: [],
    code: 'const quote = / /;\nconst half = (a + b) / 2 / c;  \nx("");',
  },
] satisfies {
  name: string;
  text: string;
  specifiers: string[];
  code: string | undefined;
}[];

for (const { name, text, specifiers, code } of CASES) {
  Deno.test(`readSource() finds: ${name}`, () => {
    const source = readSource("a.ts", text);
    assertEquals(source.specifiers, specifiers);
    if (code !== undefined) assertEquals(source.code, code);
  });
}

Deno.test("every published file belongs to a part with a layer", () => {
  assertEquals(
    published.map(({ path }) => path).filter((path) =>
      partOf(path) === undefined
    ),
    [],
  );
});

Deno.test("imports point down the layers", () => {
  const violations = published.flatMap((source) =>
    importsOf(source).filter((path) => !mayImport(source.path, path))
      .map((path) => `${source.path} imports ${path}`)
  );
  assertEquals(violations, []);
});

Deno.test("no import is part of a cycle", () => {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start !== -1) {
      cycles.push([...trail.slice(start), path].join(" -> "));
      return;
    }
    const source = sourceByPath.get(path);
    if (source === undefined || done.has(path)) return;
    for (const next of importsOf(source)) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const { path } of sources) visit(path, []);
  assertEquals(cycles, []);
});

/** The parts that read session files only as events, in examples, too. */
const FOLDS = [
  "lib/check/",
  "lib/cli/",
  "lib/drift/",
  "lib/export/",
  "lib/history/",
  "lib/pipeline/",
  "lib/render/",
  "lib/sessions/",
  "lib/usage/",
];
/** Matches words of session files that only their readers may use. */
const WIRE_WORDS =
  /"(?:session_meta|response_item|event_msg|item_completed|function_call(?:_output)?|custom_tool_call(?:_output)?|local_shell_call|web_search_call|task_(?:started|complete)|turn_aborted|exec_command_(?:begin|end)|mcp_tool_call_(?:begin|end)|patch_apply_(?:begin|end))"/;

Deno.test("folds over events contain no words of the wire format", async () => {
  const violations: string[] = [];
  for (const { path } of published) {
    if (!FOLDS.some((folder) => path.startsWith(folder))) continue;
    const text = await Deno.readTextFile(new URL(path, ROOT));
    const [word] = WIRE_WORDS.exec(text) ?? [];
    if (word !== undefined) violations.push(`${path}: ${word}`);
  }
  assertEquals(violations, []);
});

Deno.test("only files, sessions and the command use the platform", () => {
  const violations = published.filter(({ path }) =>
    !PLATFORM_PARTS.has(partOf(path) ?? path)
  ).flatMap(({ path, code, specifiers }) => [
    ...(/\bDeno\b/.test(code) ? [`${path} uses Deno`] : []),
    ...specifiers.filter((specifier) => specifier.startsWith("node:"))
      .map((specifier) => `${path} imports ${specifier}`),
  ]);
  assertEquals(violations, []);
});

Deno.test("mod.ts imports no file that uses the platform", () => {
  const reached = new Set(["mod.ts"]);
  // Iterating over a set includes members that are added meanwhile.
  for (const path of reached) {
    const source = sourceByPath.get(path);
    for (const next of source ? importsOf(source) : []) reached.add(next);
  }
  assertEquals(
    [...reached].filter((path) => PLATFORM_PARTS.has(partOf(path) ?? path)),
    [],
  );
});

Deno.test("mod.ts holds nothing but exports", () => {
  const code = sourceByPath.get("mod.ts")?.code ?? "";
  assertEquals(ONLY_EXPORTS_REGEXP.test(code), true, code);
});

Deno.test("mod.ts exports few names, each listed, so that its docs are one page", async () => {
  const text = await Deno.readTextFile(new URL("mod.ts", ROOT));
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\} from /gm)];
  const names = lists.flatMap(([, list = ""]) => list.match(/\w+(?=,|\s*$)/g));
  assertEquals(text.match(/^export\b/gm)?.length, lists.length);
  assert(names.length > 50 && names.length <= 90, String(names.length));
});

Deno.test("exported variables are constants", () => {
  const violations = [...sourceByPath].filter(([, { code }]) =>
    /^export (?:let|var)\b/m.test(code)
  ).map(([path]) => path);
  assertEquals(violations, []);
});

Deno.test("files import the files that they use, not entry points, which load whole rooms", () => {
  const violations = published.filter(({ path }) =>
    path.startsWith("lib/") && !ENTRY_FILES.has(path)
  ).flatMap((source) =>
    importsOf(source).filter((path) => ENTRY_FILES.has(path))
      .map((entry) => `${source.path} imports ${entry}`)
  );
  // That entry point is one file, made for this command.
  assertEquals(violations, [
    "lib/cli/commands/schema.ts imports lib/json_schema.ts",
  ]);
});

/** Returns the files that some files load, and what of it loads slowly. */
async function loadedBy(files: readonly string[]) {
  const seen = new Set(files);
  const foreign: string[] = [];
  // Iterating over a set includes members that are added meanwhile.
  for (const path of seen) {
    const text = await Deno.readTextFile(new URL(path, ROOT));
    for (const [, specifier = ""] of text.matchAll(LOADED_REGEXP)) {
      const next = resolve(specifier, path);
      if (next === undefined) foreign.push(`${path} imports ${specifier}`);
      else if (next.endsWith(".ts")) seen.add(next);
    }
  }
  // A class that extends a stream loads the platform's streams, even if none is made.
  const streams = [...seen].filter((path) =>
    /\bextends (?:Readable|Transform|Writable)Stream\b/
      .test(sourceByPath.get(path)?.code ?? "")
  );
  const facades = [...seen].filter((path) =>
    path !== "cli.ts" && ENTRY_FILES.has(path)
  );
  return { seen, slow: { foreign, streams, facades } };
}

Deno.test("normalize loads no packages, streams or entry points at its start", async () => {
  const { slow } = await loadedBy(["cli.ts", "lib/cli/commands/normalize.ts"]);
  assertEquals(slow, { foreign: [], streams: [], facades: [] });
});

Deno.test("drift without --write-baseline loads no packages at its start", async () => {
  const { slow } = await loadedBy(["cli.ts", "lib/cli/commands/drift.ts"]);
  assertEquals(slow, { foreign: [], streams: [], facades: [] });
});

Deno.test("export to stdout loads no packages, sessions or histories at its start", async () => {
  const exporters = ["atif", "otlp", "table_exporter"]
    .map((name) => `lib/export/${name}.ts`);
  const { seen, slow } = await loadedBy([
    "cli.ts",
    "lib/cli/commands/export.ts",
    ...exporters,
  ]);
  assertEquals(slow, { foreign: [], streams: [], facades: [] });
  // The words of some flags are in a file of sessions.
  const { seen: always } = await loadedBy(["cli.ts"]);
  const others = [...seen].filter((path) =>
    /^lib\/(?:sessions|history\/mapping)\//.test(path) && !always.has(path)
  );
  assertEquals(others, []);
});

Deno.test("only cli.ts and cli_node.ts end the process", () => {
  const violations = sources.filter(({ path, code }) =>
    !/^cli(?:_node)?\.ts$/.test(path) && /\b(?:Deno|process)\.exit\b/.test(code)
  ).map(({ path }) => path);
  assertEquals(violations, []);
});

Deno.test("a private file is imported only from its own folder", () => {
  const folderOf = (path: string): string =>
    path.slice(0, path.lastIndexOf("/") + 1);
  const violations = sources.flatMap((source) =>
    importsOf(source).filter((path) =>
      path.startsWith("_", folderOf(path).length) &&
      folderOf(path) !== folderOf(source.path)
    ).map((path) => `${source.path} imports ${path}`)
  );
  assertEquals(violations, []);
});

Deno.test("third-party specifiers are in the import map", () => {
  const violations = sources.flatMap(({ path, specifiers }) =>
    specifiers.filter((specifier) => {
      if (/^(?:\.|node:)/.test(specifier) || ENTRY_POINTS.has(specifier)) {
        return false;
      }
      const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
      return !Object.hasOwn(config.imports, name);
    }).map((specifier) => `${path} imports ${specifier}`)
  );
  assertEquals(violations, []);
});

Deno.test("only schema files import valibot", () => {
  const violations = sources.filter(({ path, specifiers }) =>
    !path.slice(path.lastIndexOf("/") + 1).includes("schema") &&
    specifiers.some((specifier) => /^valibot(?:\/|$)/.test(specifier))
  ).map(({ path }) => path);
  assertEquals(violations, []);
});

Deno.test("optional members of options accept undefined", () => {
  // Otherwise, with exactOptionalPropertyTypes, a caller could not pass on an unset option.
  const violations = published.flatMap(({ path, code }) =>
    path.startsWith("lib/cli/")
      ? []
      : [...code.matchAll(/export interface (\w+Options)\b[^{]*\{([^]*?)\n\}/g)]
        .flatMap(([, owner, body = ""]) =>
          [...body.matchAll(/^ {2}readonly (\w+)\?:([^;]*);/gm)]
            .filter(([, , type = ""]) =>
              !/(?:\bunknown|\| undefined)$/.test(type) ||
              /=>[^)]*\| undefined$/.test(type)
            )
            .map(([, name]) => `${path}: ${owner}.${name}`)
        )
  );
  assertEquals(violations, []);
});

Deno.test("no file has a vague name", () => {
  assertEquals(files.filter((path) => VAGUE_NAME_REGEXP.test(path)), []);
});

Deno.test("a test file has the name of the file that it tests", () => {
  const stems = new Set(CROSS_CUTTING_SUITES);
  const tools = sources.filter(({ path }) => path.startsWith("tools/"));
  for (const { path } of [...published, ...tools]) {
    const names = path.replace(/^(?:lib|tools)\/|\.ts$/g, "").split("/")
      .map((name) => name.replace(/^_/, ""));
    const last = names.at(-1) ?? "";
    for (const name of names) {
      // `exec_normalizer` where `normalizer` alone could be two files.
      stems.add(name).add(`${name}_${last}`);
    }
  }
  const violations = files.filter((path) => {
    const stem = /^tests\/(?:.*\/)?([^/]+)_test\.ts$/.exec(path)?.[1];
    return stem !== undefined && !stems.has(stem);
  });
  assertEquals(violations, []);
});

Deno.test("no file contains a path of one machine or the host of a registry", async () => {
  // Joined from parts, so that this file does not match.
  const hosts = [
    ["registry", "npmjs"],
    ["jsr", "io"],
    ["registry", "yarnpkg"],
    ["dl.deno", "land"],
  ].map((pieces) => pieces.join("\\."));
  const pattern = new RegExp(
    `(?<![\\w.~-])/(?:${["work", "root"].join("|")})/|\\b(?:${
      hosts.join("|")
    })\\b`,
  );
  const violations: string[] = [];
  for (const path of files) {
    const text = await Deno.readTextFile(new URL(path, ROOT));
    if (text.includes("\0")) continue;
    text.split("\n").forEach((line, index) => {
      if (pattern.test(line)) violations.push(`${path}:${index + 1}`);
    });
  }
  assertEquals(violations, []);
});
