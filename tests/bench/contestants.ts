/**
 * The programs of the comparison, and their command lines.
 *
 * @module
 */

import config from "../../deno.json" with { type: "json" };
import { type CommandLine, isThere, succeeds } from "./measure.ts";

/** A program of the comparison. */
export interface Contestant {
  /** The name of the program, as in `--only`. */
  readonly name: string;
  /** The description in the table. */
  readonly about: string;
  /**
   * Returns the command line that reads a file and writes to stdout.
   *
   * @param path The path of the file.
   */
  readonly command: (path: string) => CommandLine;
  /** Builds the program if needed; returns whether it can be started on this machine. */
  readonly isThere: () => Promise<boolean>;
}

const HERE = new URL(".", import.meta.url);
const CLI = new URL("../../cli.ts", HERE);
const SPLIT2 = pathOf(new URL("rivals/split2.cjs", HERE));
/** The sources of the programs that are built, and the folder that they are built in. */
const NATIVE = new URL("rivals/native/", HERE);
const BUILT = new URL("../../dist/rivals/", HERE);
const RUST_FILES = ["Cargo.toml", "lib.rs", "serde.rs", "sonic.rs"];
/** The options of Deno in the task that runs the command. */
const CLI_FLAGS = config.tasks.codexpipe.command.split(" ")
  .filter((word) => word.startsWith("--"));

/** The name of the program whose time is 1. */
export const UNIT = "parse";

/** The programs, in the order of the table and of each round. */
export const CONTESTANTS: readonly Contestant[] = [
  {
    name: "codexpipe",
    about: "codexpipe normalize",
    command: (path) => deno([...CLI_FLAGS, pathOf(CLI), "normalize", path]),
    isThere: () => isFile(CLI),
  },
  {
    name: "codexpipe-js",
    about: "the same without WebAssembly",
    command: (path) =>
      deno([...CLI_FLAGS, pathOf(CLI), "normalize", "--engine=js", path]),
    isThere: () => isFile(CLI),
  },
  ours("library", "JsonlNormalizer between readSync and writeSync"),
  ours("events", "JsonlDecoderStream, an event at a time"),
  ours("copy", "the bytes copied in Deno, nothing looked at"),
  ours(UNIT, "JSON.parse of every line, nothing written"),
  ours("stringify", "parse, change, stringify, encodeInto: one loop"),
  ours("streams", "the same, a Web Stream for each step (@std/streams)"),
  {
    name: "split2",
    about: "node, split2, JSON.parse and stringify: nothing changed",
    command: (path) => ({ program: "node", args: [SPLIT2, path] }),
    isThere: () => succeeds("node", [SPLIT2]),
  },
  rust("serde", "Rust on serde_json's RawValue, the same rewriting"),
  rust("sonic", "Rust on sonic-rs, the same rewriting"),
  {
    name: "simdjson",
    about: "C++ on simdjson On-Demand, the same rewriting",
    command: (path) => ({ program: builtPath("simdjson"), args: [path] }),
    isThere: buildCpp,
  },
  foreign("jaq", "jaq -c .: nothing changed", "jaq", ["-c", "."]),
  foreign("jq", "jq -c .: nothing changed", "jq", ["-c", "."]),
  foreign("jq-flatten", "jq, the same rewriting", "jq", rewriting()),
  foreign("gojq", "gojq -c .: nothing changed", "gojq", ["-c", "."]),
  foreign("gojq-flatten", "gojq, the same rewriting", "gojq", rewriting()),
];

/** Returns a script in `rivals/`. */
function ours(name: string, about: string): Contestant {
  const script = pathOf(new URL(`rivals/${name}.ts`, HERE));
  return {
    name,
    about,
    command: (path) =>
      deno(["--no-prompt", `--allow-read=${path}`, script, path]),
    isThere: () => Promise.resolve(true),
  };
}

/** Returns a program in Rust, in `rivals/native/`. */
function rust(name: string, about: string): Contestant {
  return {
    name,
    about,
    command: (path) => ({
      program: builtPath(`target/release/${name}`),
      args: [path],
    }),
    async isThere(): Promise<boolean> {
      await Deno.mkdir(BUILT, { recursive: true });
      // Built from copies, because cargo writes Cargo.lock beside its sources.
      for (const file of RUST_FILES) {
        await Deno.copyFile(new URL(file, NATIVE), new URL(file, BUILT));
      }
      return await succeeds("cargo", [
        ...["build", "--release", "--bin", name],
        ...["--config", 'build.rustflags=["-C","target-cpu=native"]'],
        ...["--manifest-path", builtPath("Cargo.toml")],
        ...["--target-dir", builtPath("target")],
      ]);
    },
  };
}

async function buildCpp(): Promise<boolean> {
  await Deno.mkdir(BUILT, { recursive: true });
  const source = pathOf(new URL("simdjson.cpp", NATIVE));
  return await succeeds("c++", [
    // Without -march=native, simdjson is limited to instructions that all processors have.
    ...["-std=c++17", "-O3", "-march=native"],
    ...[source, "-o", builtPath("simdjson"), "-lsimdjson"],
  ]);
}

/** Returns the path of a file in the folder of built programs. */
function builtPath(name: string): string {
  return pathOf(new URL(name, BUILT));
}

function foreign(
  name: string,
  about: string,
  program: string,
  args: readonly string[],
): Contestant {
  return {
    name,
    about,
    command: (path) => ({ program, args: [...args, path] }),
    isThere: () => isThere(program),
  };
}

function rewriting(): string[] {
  return ["-n", "-c", "-f", pathOf(new URL("rivals/flatten.jq", HERE))];
}

function deno(args: readonly string[]): CommandLine {
  return { program: Deno.execPath(), args: ["run", ...args] };
}

function pathOf(url: URL): string {
  const path = decodeURIComponent(url.pathname);
  // file:///C:/… on Windows.
  return Deno.build.os === "windows" ? path.slice(1) : path;
}

async function isFile(url: URL): Promise<boolean> {
  try {
    return (await Deno.stat(url)).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
