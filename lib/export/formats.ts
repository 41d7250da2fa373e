/**
 * The formats that sessions can be exported as, in one table.
 *
 * @module
 */

import type { Exporter, ExporterOptions } from "./exporter.ts";

/** A format of `export`. */
export interface ExportFormat {
  /** The value of `--to`. */
  readonly name: string;
  /** A short description, for the help. */
  readonly summary: string;
  /** The flags that this format accepts, of those that not every format accepts. */
  readonly flags: readonly string[];
  /** Loads the class of its exporter. */
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
      "traces: OTLP/JSON by the OpenTelemetry conventions for generative AI, one line for each turn",
    flags: ["content", "stamp"],
    load: async () => (await import("./otlp.ts")).OtlpExporter,
  },
  {
    name: "tables",
    summary:
      "flat rows for DuckDB and spreadsheets, with the same columns for every release, as JSONL or CSV",
    flags: ["content", "table", "format", "jobs"],
    load: async () => (await import("./table_exporter.ts")).TableExporter,
  },
];
