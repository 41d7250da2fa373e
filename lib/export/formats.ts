/**
 * The formats that sessions can be exported as, in one table.
 *
 * @module
 */

import type { Exporter, ExporterOptions } from "./exporter.ts";

/** A format. */
export interface ExportFormat {
  /** Its name. */
  readonly name: string;
  /** What it is, in a few words. */
  readonly summary: string;
  /** The options of the command that only some formats take, and this one does. */
  readonly flags: readonly string[];
  /** Loads what writes it. */
  load(): Promise<new (options: ExporterOptions) => Exporter>;
}

/** The formats. */
export const EXPORT_FORMATS: readonly ExportFormat[] = [
  {
    name: "atif",
    summary:
      "trajectories: the Agent Trajectory Interchange Format, version 1.7, one document for each session",
    flags: [],
    load: async () => (await import("./atif.ts")).AtifExporter,
  },
  {
    name: "otlp",
    summary:
      "traces: OTLP/JSON by the OpenTelemetry conventions for generative AI, one request a line, for each turn one",
    flags: ["content", "stamp"],
    load: async () => (await import("./otlp.ts")).OtlpExporter,
  },
  {
    name: "tables",
    summary:
      "flat rows for DuckDB and spreadsheets, with the same columns of every release, as JSONL or CSV",
    flags: ["content", "table", "format", "jobs"],
    load: async () => (await import("./table_exporter.ts")).TableExporter,
  },
];
