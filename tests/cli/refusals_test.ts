import { assertThrows } from "@std/assert";
import { parseArguments } from "../../lib/cli/arguments.ts";
import { UsageError } from "../../lib/cli/endings.ts";
import { refuseIdleFlags } from "../../lib/cli/refusals.ts";

Deno.test("refuseIdleFlags() refuses a flag only if it was given", () => {
  const args = parseArguments(["--tee", "--pretty"]);
  refuseIdleFlags(args, ["redact", "github"], "here");
  assertThrows(
    () => refuseIdleFlags(args, ["redact", "pretty"], "with --jsonl"),
    UsageError,
    "--pretty has no effect with --jsonl",
  );
});
