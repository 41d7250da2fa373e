/**
 * Reads files below testdata/.
 *
 * @module
 */

const TESTDATA = new URL("../testdata/", import.meta.url);

/** A captured file, below `testdata/captures/`. */
export interface CapturedFile {
  /** The folder of the release: its version, and how it was used. */
  readonly version: string;
  /** The path below `testdata/captures/`. */
  readonly path: string;
  /** The last part of the path. */
  readonly name: string;
  /** The content of the file. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Reads a file below testdata/. */
export function readFixture(path: string): Uint8Array<ArrayBuffer> {
  return Deno.readFileSync(new URL(path, TESTDATA));
}

/** Reads the value of a JSON file below testdata/, which the caller knows to be of type `T`. */
export function readJson<T>(path: string): T {
  return JSON.parse(new TextDecoder().decode(readFixture(path)));
}

/** Reads the values of a JSONL file below testdata/. */
export function readJsonl(path: string): unknown[] {
  return linesOf(readFixture(path)).map((line): unknown => JSON.parse(line));
}

/** Splits UTF-8 at LF; an empty last line does not count. */
export function linesOf(bytes: Uint8Array): string[] {
  const lines = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
    .decode(bytes).split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Lists the names in a folder below testdata/, in order. */
export function namesIn(folder: string): string[] {
  return [...Deno.readDirSync(new URL(folder, TESTDATA))]
    .map(({ name }) => name).sort();
}

/** Reads the captured files whose names match. */
export function readCapturedFiles(nameRegexp: RegExp): CapturedFile[] {
  const files: CapturedFile[] = [];
  for (const version of namesIn("captures/")) {
    for (const scenario of namesIn(`captures/${version}/`)) {
      const folder = `${version}/${scenario}/`;
      for (const name of namesIn(`captures/${folder}`)) {
        if (!nameRegexp.test(name)) continue;
        const path = folder + name;
        const bytes = readFixture(`captures/${path}`);
        files.push({ version, path, name, bytes });
      }
    }
  }
  return files;
}

/** Reads all captured outputs of `codex exec --json`. */
export function readCaptures(): CapturedFile[] {
  return readCapturedFiles(/^stdout(?:\.\d+)?\.jsonl$/);
}

/**
 * Whether two JSON values are equal, in any order of keys.
 *
 * It works without recursion, because lines may nest deeply.
 */
export function equalJson(one: unknown, other: unknown): boolean {
  const pairs: [unknown, unknown][] = [[one, other]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [a, b] = pair;
    if (a === b) continue;
    if (!isContainer(a) || !isContainer(b)) return false;
    if (Array.isArray(a) !== Array.isArray(b)) return false;
    const keys = Object.keys(a);
    if (keys.length !== Object.keys(b).length) return false;
    for (const key of keys) {
      if (!Object.hasOwn(b, key)) return false;
      pairs.push([a[key], b[key]]);
    }
  }
  return true;
}

function isContainer(
  value: unknown,
): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null;
}
