/**
 * Updates lib/dialects/known_wire.ts, the baseline of `codexpipe drift`, from the captures in
 * testdata/ and in further folders:
 *
 *     deno task known-wire [DIR ...]
 *
 * A folder has files `<version>/<scenario>/<file>`, as testdata/captures does. Lines that add
 * nothing to the baseline change nothing.
 */

import { fileURLToPath } from "node:url";
import { DriftMeter } from "../lib/drift/drift_meter.ts";
import { KNOWN_WIRE } from "../lib/dialects/known_wire.ts";
import { releaseNumber } from "../lib/dialects/releases.ts";
import { WIRE_TYPES, type WireNode, WireTree } from "../lib/drift/wire_tree.ts";
import { openStream } from "../lib/files/files.ts";
import { readDriftTable, readDriftWords } from "./drift_tables.ts";

const ROOT = new URL("../", import.meta.url);
const TARGET = new URL("lib/dialects/known_wire.ts", ROOT);
const TABLES = new URL("testdata/drift/", ROOT);
/** The folders with captures, from the root. */
const FOLDERS = ["testdata/captures", "testdata/app-server"];

/** Reads captures, the oldest release first. */
async function readCaptures(meter: DriftMeter, folder: string): Promise<void> {
  const versions = (await names(folder)).map((name) => ({
    name,
    release: decodeURIComponent(name).replace(/\+.*$/, ""),
  })).filter(({ release }) => releaseNumber(release) > 0);
  versions.sort((a, b) => releaseNumber(a.release) - releaseNumber(b.release));
  for (const { name, release } of versions) {
    for await (const path of files(`${folder}/${name}`)) {
      const source = meter.open(path, { release });
      for await (const block of await openStream(path)) source.feed(block);
      source.flush();
    }
  }
}

/** Yields the paths of streams and session files below a folder. */
async function* files(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) yield* files(path);
    else if (/^(?:stdin|stdout|.*rollout-).*\.jsonl(?:\.zst)?$/.test(name)) {
      yield path;
    }
  }
}

async function names(folder: string): Promise<string[]> {
  try {
    const found = await Array.fromAsync(Deno.readDir(folder));
    return found.filter(({ isDirectory }) => isDirectory)
      .map(({ name }) => name).sort();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** Adds the tables of testdata/drift/, for releases without captures. */
async function addTables(tree: WireTree): Promise<void> {
  for (const dialect of ["exec", "rollout"] as const) {
    const file = dialect === "exec" ? "stdout.md" : "rollout.md";
    const text = await Deno.readTextFile(new URL(file, TABLES));
    for (const row of readDriftTable(text, dialect)) {
      const known = tree.dialect(row.dialect);
      for (const release of row.ranges.flat()) {
        known.addRelease(releaseNumber(release));
      }
      const [first = 0, last = first] = [
        row.ranges[0]?.[0],
        row.ranges.at(-1)?.[1],
      ].map(releaseNumber);
      const node = nodeAt(tree, tree.kind(known, row.kind), row.path, [
        first,
        last,
      ]);
      if (row.path === "") addEnvelope(tree, row.dialect, node, [first, last]);
      for (const { type, first, last } of row.types) {
        const mark = node.mark(WIRE_TYPES.findIndex((name) => name === type));
        for (const release of [first, last]) mark.widen(releaseNumber(release));
      }
    }
  }
  const words = await Deno.readTextFile(new URL("values.md", TABLES));
  for (const { dialect, path, word, first, last } of readDriftWords(words)) {
    // These paths are in the name of the kind.
    if (/^(?:payload\.|payload\.item\.|item\.|msg\.)?type$/.test(path)) {
      continue;
    }
    for (const kind of tree.dialect(dialect).kinds.values()) {
      const mark = find(kind, path)?.wordMark(word, tree);
      // The table of words has no kinds, so a word without a capture is added to all of them.
      if (mark === undefined) continue;
      for (const release of [first, last]) mark.widen(releaseNumber(release));
    }
  }
}

/** Adds the fields that name the kind of a record, and their parents: the tables omit them. */
function addEnvelope(
  tree: WireTree,
  dialect: string,
  kind: WireNode,
  releases: readonly number[],
): void {
  const [first = "", second, third] = kind.name.split("/");
  const words: [path: string, word: string | undefined][] = first === "msg"
    ? [["msg.type", second]]
    : dialect === "exec"
    ? [["type", first], ["item.type", second]]
    : [["type", first], ["payload.type", second], ["payload.item.type", third]];
  if (first.startsWith("(")) return;
  for (const [path, word] of words) {
    if (word === undefined) continue;
    const node = nodeAt(tree, kind, path, releases);
    for (
      const mark of [
        node.mark(WIRE_TYPES.indexOf("string")),
        node.wordMark(word, tree),
      ]
    ) for (const release of releases) mark?.widen(release);
  }
}

/** Finds or makes the node of a path and its parents, and widens the releases of the parents. */
function nodeAt(
  tree: WireTree,
  kind: WireNode,
  path: string,
  releases: readonly number[],
): WireNode {
  let node = kind;
  for (const step of stepsOf(path)) {
    const type = step === "[]" ? "array" : "object";
    const mark = node.mark(WIRE_TYPES.indexOf(type));
    for (const release of releases) mark.widen(release);
    const next = step === "[]" ? node.element(tree) : node.member(step, tree);
    if (next === undefined) throw new Error("the tables have too many paths");
    node = next;
  }
  return node;
}

function find(kind: WireNode, path: string): WireNode | undefined {
  let node: WireNode | undefined = kind;
  for (const step of stepsOf(path)) node = node?.members.get(step);
  return node;
}

function stepsOf(path: string): string[] {
  return path === "" ? [] : path.replaceAll("[]", ".[]").split(".");
}

// The baseline keeps its entries, because not every release has captures in testdata/.
const recorder = new DriftMeter({
  isRecording: true,
  isPublic: true,
  baseline: KNOWN_WIRE,
});
for (const folder of FOLDERS) {
  await readCaptures(recorder, fileURLToPath(new URL(folder, ROOT)));
}
for (const folder of Deno.args) await readCaptures(recorder, folder);
const tree = new WireTree(true, () => new Set());
tree.load(JSON.parse(recorder.baseline()));
await addTables(tree);
const text = tree.save(false).replaceAll(/,"#":\d+/g, "")
  .replaceAll(/"sessions":\d+/g, '"sessions":0').trimEnd();
await Deno.writeTextFile(
  TARGET,
  `/**
 * The baseline of \`codexpipe drift\`: the records that releases of Codex are known to write.
 * \`deno task known-wire\` writes this file.
 *
 * Each dialect has its kinds of records, and each kind its fields: types (\`o\` object, \`a\` array,
 * \`s\` string, \`i\` integer, \`n\` number, \`b\` boolean, \`0\` null) and words (\`=word\`). Behind
 * \`@\` are the first and the last release that wrote it, if they differ from those of the parent.
 */

/** A saved tree. */
export const KNOWN_WIRE: string = \`${text}\`;
`,
);
