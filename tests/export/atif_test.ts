/** Trajectories of what real releases wrote. */

import { assert, assertEquals } from "@std/assert";
import { Ajv2020 } from "ajv/dist/2020.js";
import { AtifExporter, type ExportPiece } from "../../lib/export/export.ts";
import { JsonlEvents } from "../../lib/pipeline/event_pipeline.ts";
import { UsageMeter } from "../../lib/usage/usage.ts";
import schema from "../../testdata/export/atif-v1.7.schema.json" with {
  type: "json",
};
import { type CapturedFile, readCapturedFiles } from "../rollouts.ts";

const isValid = new Ajv2020({ strict: false }).compile(schema);

/** What the tests look at of a trajectory. */
interface Trajectory {
  readonly steps: readonly {
    readonly step_id: number;
    readonly source: string;
    readonly message: unknown;
    readonly tool_calls?: readonly { readonly tool_call_id: string }[];
    readonly observation?: {
      readonly results: readonly { readonly source_call_id?: string }[];
    };
    readonly metrics?: Readonly<Record<string, number>>;
  }[];
  readonly final_metrics: Readonly<Record<string, number>>;
}

/** The trajectories of a file. */
function trajectoriesOf(bytes: Uint8Array): Trajectory[] {
  let text = "";
  const write = ({ data }: ExportPiece): void => void (text += data);
  const exporter = new AtifExporter();
  const events = new JsonlEvents();
  exporter.begin({ name: "a", stem: "a" });
  events.feed(bytes, (outcome) => exporter.feed(outcome, write));
  events.flush((outcome) => exporter.feed(outcome, write));
  exporter.end(write);
  return text.split("\n").filter((line) => line !== "").map((line) =>
    JSON.parse(line)
  );
}

/** What `codexpipe usage` counts of a file. */
function usageOf({ bytes, path }: CapturedFile): bigint[] {
  const meter = new UsageMeter();
  const source = meter.open(path);
  source.feed(bytes, () => {});
  source.flush(() => {});
  return ["input_tokens", "output_tokens", "cached_input_tokens"].map((kind) =>
    meter.rows().reduce(
      (sum, row) => sum + BigInt(Reflect.get(row, kind)),
      0n,
    )
  );
}

/** What a trajectory breaks of the rules that its schema does not tell. */
function faultsOf({ steps, final_metrics }: Trajectory): string[] {
  const faults = steps.flatMap((step, i) => {
    const calls = new Set(step.tool_calls?.map((call) => call.tool_call_id));
    const strays = step.observation?.results.filter(({ source_call_id }) =>
      source_call_id !== undefined && !calls.has(source_call_id)
    );
    const isAgent = step.source === "agent";
    return [
      ...(step.step_id === i + 1 ? [] : [`step ${i + 1} is ${step.step_id}`]),
      ...(strays ?? []).map(() => `step ${i + 1} answers another one's call`),
      ...(isAgent || (step.tool_calls ?? step.metrics) === undefined
        ? []
        : [`step ${i + 1} has what only agents have`]),
    ];
  });
  for (const name of ["prompt", "completion", "cached"]) {
    const sum = steps.reduce(
      (sum, { metrics }) => sum + (metrics?.[`${name}_tokens`] ?? 0),
      0,
    );
    if (sum !== (final_metrics[`total_${name}_tokens`] ?? 0)) {
      faults.push(`${name}_tokens do not sum up`);
    }
  }
  return faults;
}

Deno.test("AtifExporter writes valid trajectories of every capture, which sum up to its usage", () => {
  const files = readCapturedFiles(/^(?:archived-)?rollout-.*\.jsonl$/);
  assert(files.length > 100);
  for (const file of files) {
    const trajectories = trajectoriesOf(file.bytes);
    for (const trajectory of trajectories) {
      assert(isValid(trajectory), `${file.path}: ${isValid.errors?.[0]}`);
      assertEquals(faultsOf(trajectory), [], file.path);
    }
    const total = ["prompt", "completion", "cached"].map((name) =>
      trajectories.reduce(
        (sum, { final_metrics }) =>
          sum + BigInt(final_metrics[`total_${name}_tokens`] ?? 0),
        0n,
      )
    );
    assertEquals(total, usageOf(file), file.path);
  }
});
