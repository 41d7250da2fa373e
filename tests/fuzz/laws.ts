/**
 * All laws of the library. They hold for every stream, however broken it is.
 *
 * @module
 */

import { HISTORY_LAWS } from "./history_laws.ts";
import type { Law } from "./law.ts";
import { PIPELINE_LAWS } from "./pipeline_laws.ts";
import { REDACTION_LAWS } from "./redaction_laws.ts";
import { RENDER_LAWS } from "./render_laws.ts";
import { USAGE_LAWS } from "./usage_laws.ts";

/** The laws of the library. */
export const LAWS: readonly Law[] = [
  ...PIPELINE_LAWS,
  ...HISTORY_LAWS,
  ...REDACTION_LAWS,
  ...USAGE_LAWS,
  ...RENDER_LAWS,
];
