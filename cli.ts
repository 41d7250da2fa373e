/**
 * The `codexpipe` command.
 *
 * @example Normalize a stream
 * ```sh
 * codex exec --json "fix the tests" | codexpipe normalize
 * ```
 *
 * @module
 */

import { denoIo } from "./lib/cli/deno_io.ts";
import { run } from "./lib/cli/run.ts";

if (import.meta.main) {
  const status = await run(Deno.args, denoIo((code) => Deno.exit(code)));
  Deno.exit(status);
}
