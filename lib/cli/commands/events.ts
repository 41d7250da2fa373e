/** `codexpipe events`. */

import { JsonlEventWriter } from "../../pipeline/event_pipeline.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import { answerLines } from "./normalize.ts";

export function run(
  args: Arguments,
  context: CommandContext,
): Promise<number> {
  return answerLines(args, context, (options) => new JsonlEventWriter(options));
}
