/**
 * Proves that values are lines of rollout files, once for all that are alike.
 */

import type { Proof } from "../../json/value_plan.ts";
import { lookAt } from "../../shapes/look.ts";
import { isRolloutLine } from "./decoder.ts";
import { ROLLOUT_LINE } from "./lines.ts";

/** Proves that values are lines of rollout files, before any is made. */
export const ROLLOUT_LINE_PROOF: Proof = {
  look: (reader, record) => lookAt(ROLLOUT_LINE, record, reader),
  holds: isRolloutLine,
};
