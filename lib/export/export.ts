/**
 * Writes sessions in the formats of other tools. Each format is a fold over events that writes
 * as it reads.
 *
 * {@link https://github.com/codexpipe/codexpipe/blob/main/docs/export.md | docs/export.md} maps
 * events to the parts of each format. The module uses no API of a platform.
 *
 * @example The trajectory of a run
 * ```ts
 * import { decodeEvents } from "@codexpipe/codexpipe";
 * import { AtifExporter, type ExportPiece } from "@codexpipe/codexpipe/export";
 * import { openStream } from "@codexpipe/codexpipe/files";
 * import { assertEquals } from "@std/assert";
 *
 * const log = await openStream("testdata/captures/0.169.0/shellmany/stdout.jsonl");
 * let text = "";
 * const write = ({ data }: ExportPiece) => text += data;
 * const exporter = new AtifExporter();
 * exporter.begin({ name: "run.jsonl", stem: "run" }, write);
 * for await (const outcome of decodeEvents(log)) exporter.feed(outcome, write);
 * exporter.end(write);
 * for (const piece of exporter.flush()) write(piece);
 *
 * assertEquals(JSON.parse(text).final_metrics.total_prompt_tokens, 9600);
 * ```
 *
 * @module
 */

export * from "./exporter.ts";
export * from "./formats.ts";
export * from "./atif.ts";
export * from "./otlp.ts";
export * from "./csv.ts";
export * from "./table_exporter.ts";
export * from "./tables.ts";
