/** `codexpipe events`. */

import { JsonlEventWriter } from "../../pipeline/event_pipeline.ts";
import type { RunCommand } from "../command.ts";
import { answerLines } from "./normalize.ts";

export const run: RunCommand = (context) =>
  answerLines(context, (options) => new JsonlEventWriter(options));
