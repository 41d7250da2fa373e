/**
 * What a rollout says of a compaction.
 *
 * @module
 */

import {
  ANY_OBJECT,
  either,
  list,
  maybe,
  nullable,
  NUMBER,
  object,
  type Shape,
  STRING,
} from "../../shapes/shapes.ts";
import { RESPONSE_ITEM, type ResponseItem } from "./response_items.ts";
import { TOKEN_USAGE_RECORD, type TokenUsageRecord } from "./token_counts.ts";
import type { ObjectValue } from "./turn_context.ts";

/** The history was summed up to make room in the context window (0.36 and later). */
export interface Compacted {
  /** The summary; may be empty where `replacement_history` has it. */
  readonly message: string;
  /** What the model is shown from now on, in the place of the history (0.115 and later). */
  readonly replacement_history?: readonly ResponseItem[] | null;
  /** What is said of each of those items (0.155 and later). */
  readonly replacement_history_metadata?:
    | readonly (ObjectValue | null)[]
    | null;
  /** What was kept of the history (0.155 and later). */
  readonly retained_context?: ObjectValue | null;
  /** What is needed to go on (0.155 and later). */
  readonly resume_metadata?: ObjectValue | null;
  /** What a reviewer is shown in the place of the history (0.155). */
  readonly guardian_history?: readonly ResponseItem[] | null;
  /** How many windows there have been (0.142 and later). */
  readonly window_number?: number | null;
  /** The id of the first window (0.142 and later); in some releases a number. */
  readonly first_window_id?: string | number | null;
  /** The id of the window before (0.142 and later). */
  readonly previous_window_id?: string | number | null;
  /** The id of the window that begins (0.142 and later). */
  readonly window_id?: string | number | null;
  /** The id of the answer that is the summary (0.155 and later). */
  readonly compaction_response_id?: string | null;
  /** The tokens so far (0.155 and later). */
  readonly latest_token_usage_record?: TokenUsageRecord | null;
}

/** @ignore The shape of {@linkcode Compacted}. */
export const COMPACTED: Shape<Compacted> = object({
  message: STRING,
  replacement_history: maybe(list(RESPONSE_ITEM)),
  replacement_history_metadata: maybe(list(nullable(ANY_OBJECT))),
  retained_context: maybe(ANY_OBJECT),
  resume_metadata: maybe(ANY_OBJECT),
  guardian_history: maybe(list(RESPONSE_ITEM)),
  window_number: maybe(NUMBER),
  first_window_id: maybe(either(STRING, NUMBER)),
  previous_window_id: maybe(either(STRING, NUMBER)),
  window_id: maybe(either(STRING, NUMBER)),
  compaction_response_id: maybe(STRING),
  latest_token_usage_record: maybe(TOKEN_USAGE_RECORD),
});
