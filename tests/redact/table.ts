/**
 * Measures the share of secrets that are found, and writes it into `docs/redact.md`: `deno task
 * redact:table`.
 *
 * @module
 */

import process from "node:process";
import { JsonlRedactor } from "../../lib/redact/jsonl_redactor.ts";
import { Redactor } from "../../lib/redact/redactor.ts";
import { decode, encode } from "../running.ts";
import {
  brokenExample,
  exampleOf,
  type Family,
  PLACE_FAMILIES,
  TOKEN_FAMILIES,
} from "./families.ts";
import { HOSTILE } from "./hostile_texts.ts";

const PAGE = new URL("../../docs/redact.md", import.meta.url);
/** The number of secrets made up of each shape. */
const COUNT = 10;
const MB = 1 << 20;

/** Replaces a part of a page between the comments that mark it. */
function replacedPart(page: string, name: string, text: string): string {
  const part = new RegExp(`(<!-- ${name}: .*-->\n)[^]*?(<!-- end -->)`);
  return page.replace(part, (_, begin, end) => `${begin}\n${text}\n\n${end}`);
}

/** Returns the page with the measured shares of each family. */
export function pageWithTable(page: string): string {
  const head = [
    "family",
    "kind",
    "shapes",
    "texts",
    "JSONL",
    "deltas",
    "lines",
  ];
  const families = [...TOKEN_FAMILIES, ...PLACE_FAMILIES];
  const rows = families.map((family) => [
    family.name,
    `\`${family.kind}\``,
    String(family.shapes.length),
    shareOf(family, isFoundInText),
    shareOf(family, isFoundInJsonl),
    shareOf(family, isFoundInDeltas),
    TOKEN_FAMILIES.includes(family) ? shareOf(family, isFoundInLines) : "",
  ]);
  return replacedPart(page, "families", tableText([head, ...rows]));
}

/** Returns the share of made-up secrets that are found. */
function shareOf(
  { kind, shapes }: Family,
  isFound: (shape: string, seed: number, kind: string) => boolean,
): string {
  let count = 0;
  for (const shape of shapes) {
    for (let seed = 0; seed < COUNT; seed++) {
      if (isFound(shape, seed, kind)) count += 1;
    }
  }
  return `${Math.floor(100 * count / (COUNT * shapes.length))} %`;
}

function isFoundInText(shape: string, seed: number, kind: string): boolean {
  const { before, secret, after } = exampleOf(shape, seed);
  return new Redactor().redact(before + secret + after) ===
    `${before}[redacted:${kind}]${after}`;
}

function isFoundInJsonl(shape: string, seed: number, kind: string): boolean {
  const { before, secret, after } = exampleOf(shape, seed);
  const inside = JSON.stringify({ text: `${before}${secret}${after}` });
  const [line = ""] = redactedLines([{ arguments: inside }]);
  const masked: unknown = JSON.parse(JSON.parse(line).arguments).text;
  return masked === `${before}[redacted:${kind}]${after}`;
}

function isFoundInDeltas(shape: string, seed: number, kind: string): boolean {
  const { before, secret, after } = exampleOf(shape, seed);
  const text = before + secret + after;
  const cut = 1 + seed % 7;
  const records = Array.from(
    { length: Math.ceil(text.length / cut) },
    (_, i) => ({
      type: "item.delta",
      item_id: "a",
      delta: { text_delta: text.slice(i * cut, i * cut + cut) },
    }),
  );
  const masked = redactedLines(records)
    .map((line) => JSON.parse(line).delta.text_delta).join("");
  return masked === `${before}[redacted:${kind}]${after}`;
}

function isFoundInLines(shape: string, seed: number, kind: string): boolean {
  const { before, text } = brokenExample(shape, seed);
  return new Redactor().redact(text) === `${before}[redacted:${kind}]\nok`;
}

function redactedLines(records: readonly unknown[]): string[] {
  const redactor = new JsonlRedactor();
  let text = "";
  const emit = (bytes: Uint8Array): void => void (text += decode(bytes));
  for (const record of records) {
    redactor.feed(encode(`${JSON.stringify(record)}\n`), emit);
  }
  redactor.flush(emit);
  return text.trimEnd().split("\n");
}

/** Formats a table like `deno fmt`. */
function tableText(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) =>
    Math.max(3, ...rows.map((row) => (row[i] ?? "").length))
  );
  const lines = rows.map((row) =>
    `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`
  );
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [lines[0], rule, ...lines.slice(1)].join("\n");
}

/** Returns the page with the time that hostile texts take on this machine. */
function pageWithTimes(page: string): string {
  let slowest = 0;
  let steepest = 0;
  for (const text of HOSTILE) {
    const [short, long] = [secondsFor(text, MB), secondsFor(text, 4 * MB)];
    slowest = Math.max(slowest, long);
    // The growth of very short times cannot be measured.
    if (long > 0.1) steepest = Math.max(steepest, long / short);
  }
  const summary = `Of ${HOSTILE.length} such texts, 4 MB of the slowest take ` +
    `${slowest.toFixed(1)} s, and none takes more than\n` +
    `${steepest.toFixed(1)} times what its first MB takes.`;
  return replacedPart(page, "times", summary);
}

/** Returns the processor time in seconds that a repeated text takes. */
function secondsFor(text: string, length: number): number {
  const long = `${text.repeat(Math.ceil(length / text.length))}!`;
  const start = process.cpuUsage();
  new Redactor().redact(long);
  return process.cpuUsage(start).user / 1e6;
}

if (import.meta.main) {
  const page = await Deno.readTextFile(PAGE);
  await Deno.writeTextFile(PAGE, pageWithTimes(pageWithTable(page)));
}
