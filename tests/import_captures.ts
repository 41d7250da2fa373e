/**
 * Copies captures of real Codex CLI runs into testdata/captures/ and leaves out
 * the instruction texts of the CLI, which are not ours to republish:
 *
 *     deno run --allow-read --allow-write=testdata tests/import_captures.ts DIR [FOLDER]
 *
 * DIR has files `<version>/<scenario>/<file>`, and folders of files there. FOLDER is a folder
 * below testdata/, by default `captures`. Only the JSON text of replaced strings changes; key
 * order, number spelling, escapes, torn lines and a missing last LF stay. Running it on its own
 * output changes nothing. It prints the paths of replaced strings; a text that still reads like
 * prose is an error.
 */
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { isJson } from "./running.ts";

const TESTDATA = new URL("../testdata/", import.meta.url);
const STAND_IN = "(Text of the Codex CLI, left out.)";

/** Strings that are the CLI's own words from their first character to the last. */
const INSTRUCTIONS_PATH_REGEXP =
  /\/(?:base_instructions(?:\/text)?|developer_instructions|host_skills\/body|tools\/.*\/(?:description|definition)|state\/tools\/[^/]+)$/;
const MESSAGE_TEXT_PATH_REGEXP = /^(.*)\/content\/\d+\/text$/;
/** `<permissions instructions>` is a tag with a space, and closes with it. */
const TAGGED_REGEXP = /^(<([a-z_ ]+)>\n?)[^]*?(\n?<\/\2>\s*)?$/;
/**
 * Texts that mix the CLI's words with those of the project, the user or the
 * model. Group 1 is the marker by which readers recognize the text; it stays.
 */
const MIXED_REGEXPS = [
  /^(<turn_aborted>\n)[^]*?(\n<\/turn_aborted>|$)/,
  /^(<user_action>\n *<context>)[^]*?(<\/context>|$)/,
  // The first line is the CLI's, what follows is the model's summary.
  /^(Another language model started to solve this problem )[^\n]*(\n|$)/,
  // The list of skills follows the text of the project's own AGENTS.md.
  /(\n## Skills\n)[^]*?(\n<\/INSTRUCTIONS>|$)/,
  /^(## Skills\n)[^]*?($)/,
  // JSON inside of a string: the result of the tool for goals.
  /("completionBudgetReport": *")[^"]*("|$)/,
] as const;

/** A string value, and its position in the text of its line. */
interface StringValue {
  /** Keys and indices from the root, each after a slash. */
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Whether the line ends before the closing quote. */
  readonly torn: boolean;
}

/** Decodes `raw`, which begins with a quote and may be cut off anywhere. */
function decode(raw: string, torn: boolean): string {
  if (!torn) return JSON.parse(raw);
  // A cut escape sequence is at most `\u` and three digits long.
  return JSON.parse(
    raw.replace(/(?<!\\)((?:\\\\)*)\\(?:u.{0,3})?$/, "$1") + '"',
  );
}

/** Finds all string values of a JSON text, however early it ends. */
function* stringValues(json: string): Generator<StringValue> {
  const path: (string | number)[] = [];
  let atKey = false;
  for (
    const match of json.matchAll(
      /"[^"\\]*(?:\\[^][^"\\]*)*("|\\?$)|[{}[\],:]/g,
    )
  ) {
    const token = match[0];
    const top = path.at(-1);
    if (token === "{") {
      path.push("");
      atKey = true;
    } else if (token === "[") {
      path.push(0);
      atKey = false;
    } else if (token === "}" || token === "]") {
      path.pop();
      atKey = false;
    } else if (token === ":") {
      atKey = false;
    } else if (token === ",") {
      if (typeof top === "number") path[path.length - 1] = top + 1;
      else atKey = true;
    } else {
      const end = match.index + token.length;
      const torn = match[1] !== '"';
      const text = decode(token, torn);
      if (atKey) path[path.length - 1] = text;
      else {
        yield {
          path: `/${path.join("/")}`,
          start: match.index,
          end,
          text,
          torn,
        };
      }
    }
  }
}

/** Returns the replacement of `text` in the copy; `role` is the role of its message. */
function replaced(
  path: string,
  text: string,
  role: string | undefined,
): string {
  if (text === "") return text;
  if (INSTRUCTIONS_PATH_REGEXP.test(path)) return STAND_IN;
  if (role === "developer") {
    const tagged = TAGGED_REGEXP.exec(text);
    return (tagged?.[1] ?? "") + STAND_IN + (tagged?.[3] ?? "");
  }
  return MIXED_REGEXPS.reduce(
    (result, regexp) => result.replace(regexp, `$1${STAND_IN}$2`),
    text,
  );
}

/**
 * Whether `text` has as many different words as a paragraph. The texts of the commands, the tools
 * and the model in the captures (numbered lines, patches, base64, repeated sentences) have at
 * most 20, at any length.
 */
function isProse(text: string): boolean {
  return new Set(text.match(/(?<=\s)[a-z]{2,}(?=[\s.,;:])/g)).size > 20;
}

/** The replaced strings, and the prose that is left. */
interface Report {
  /** How often strings were replaced, by record type and path without indices. */
  readonly replaced: Map<string, number>;
  /** The places in the current file where prose is left. */
  readonly prose: string[];
}

/** Replaces the CLI's texts in one JSON text. */
function scrubRecord(json: string, report: Report): string {
  const values = [...stringValues(json)];
  const texts = new Map(values.map(({ path, text }) => [path, text]));
  let result = "";
  let copied = 0;
  for (const { path, start, end, text, torn } of values) {
    const message = MESSAGE_TEXT_PATH_REGEXP.exec(path)?.[1];
    const role = message === undefined
      ? undefined
      : texts.get(`${message}/role`);
    const instead = replaced(path, text, role);
    if (isProse(instead)) report.prose.push(`${path}: ${instead.slice(0, 60)}`);
    if (instead === text) continue;
    const encoded = JSON.stringify(instead);
    result += json.slice(copied, start) +
      (torn ? encoded.slice(0, -1) : encoded);
    copied = end;
    const place = `${texts.get("/type") ?? "-"} ${
      path.replace(/\/\d+/g, "/*")
    }`;
    report.replaced.set(place, (report.replaced.get(place) ?? 0) + 1);
  }
  return result + json.slice(copied);
}

/** Returns the index at which a whole record begins that is glued to a torn one, or 0. */
function gluedRecord(line: string): number {
  if (isJson(line)) return 0;
  let start = line.indexOf('{"timestamp":', 1);
  while (start > 0 && !isJson(line.slice(start))) {
    start = line.indexOf('{"timestamp":', start + 1);
  }
  return Math.max(start, 0);
}

/** Replaces the CLI's texts in JSONL. */
function scrub(jsonl: string, report: Report): string {
  return jsonl.split("\n").map((line) => {
    const glued = gluedRecord(line);
    return scrubRecord(line.slice(0, glued), report) +
      scrubRecord(line.slice(glued), report);
  }).join("\n");
}

/** Scrubs the content of a file by its kind; unchanged content is `bytes` itself. */
function scrubFile(
  name: string,
  bytes: Uint8Array,
  report: Report,
): Uint8Array {
  const compressed = name.endsWith(".zst");
  if (!compressed && !name.endsWith(".jsonl")) return bytes;
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const text = decoder.decode(compressed ? zstdDecompressSync(bytes) : bytes);
  const scrubbed = scrub(text, report);
  if (scrubbed === text) return bytes;
  const encoded = new TextEncoder().encode(scrubbed);
  if (!compressed) return encoded;
  const options = {
    params: { [constants.ZSTD_c_compressionLevel]: 3 },
    // The CLI writes the size into the frame, and readers may rely on it.
    pledgedSrcSize: encoded.length,
  };
  return zstdCompressSync(encoded, options);
}

/** Lists the names in `folder`, sorted, so that two runs report the same. */
async function names(
  folder: string,
  kind: "isDirectory" | "isFile",
): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    if (entry[kind]) found.push(entry.name);
  }
  return found.sort();
}

/** Lists the files in a folder and below it, as paths from there. */
async function files(folder: string): Promise<string[]> {
  const found = await names(folder, "isFile");
  for (const name of await names(folder, "isDirectory")) {
    const below = await files(`${folder}/${name}`);
    found.push(...below.map((file) => `${name}/${file}`));
  }
  return found;
}

const [source, folderName = "captures"] = Deno.args;
if (source === undefined) {
  throw new TypeError("Cannot import captures: no DIR is given");
}
const replacedAt = new Map<string, number>();
const left: string[] = [];
for (const version of await names(source, "isDirectory")) {
  for (const scenario of await names(`${source}/${version}`, "isDirectory")) {
    const folder = `${source}/${version}/${scenario}`;
    const target = new URL(
      `${folderName}/${encodeURIComponent(version)}/${scenario}/`,
      TESTDATA,
    );
    for (const name of await files(folder)) {
      const report: Report = { replaced: replacedAt, prose: [] };
      const bytes = await Deno.readFile(`${folder}/${name}`);
      await Deno.mkdir(new URL(".", new URL(name, target)), {
        recursive: true,
      });
      await Deno.writeFile(
        new URL(name, target),
        scrubFile(name, bytes, report),
      );
      left.push(...report.prose.map((at) => `${folder}/${name} ${at}`));
    }
  }
}
const summary = [...replacedAt].sort().map(([place, count]) =>
  `${count}\t${place}\n`
).join("");
await Deno.stdout.write(new TextEncoder().encode(summary));
if (left.length > 0) {
  throw new Error(
    `Cannot vouch for the copy: prose is left\n${left.join("\n")}`,
  );
}
