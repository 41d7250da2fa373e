/**
 * What a verdict depends on.
 *
 * @module
 */

import type { Dialect } from "../dialects/dialect_names.ts";

/** Options for {@linkcode VerdictBuilder}. */
export interface VerdictOptions {
  /**
   * The dialects to expect. `auto` decides by the first line that is a JSON object.
   *
   * @default {"auto"}
   */
  readonly from?: Dialect | undefined;
  /**
   * How many bytes a line may have; longer ones fail.
   *
   * @default {268435456}
   */
  readonly maxLineBytes?: number | undefined;
  /**
   * The id of the only thread that is judged.
   *
   * @default {undefined} All are.
   */
  readonly thread?: string | undefined;
  /**
   * The thread of lines before the first thread line, for logs that were cut at the start.
   *
   * @default {undefined}
   */
  readonly initialThreadId?: string | undefined;
  /**
   * The turn of lines before the first turn line, for logs that were cut at the start.
   *
   * @default {undefined}
   */
  readonly initialTurnId?: string | undefined;
  /**
   * How many lines may fail.
   *
   * @default {0}
   */
  readonly maxFailures?: number | undefined;
  /**
   * Whether no command may fail. One that was left running when its turn ended has not failed,
   * however it ended.
   *
   * @default {false}
   */
  readonly failOnCommand?: boolean | undefined;
  /**
   * Whether nothing may be declined that the model asked for: no command, no patch.
   *
   * @default {false}
   */
  readonly failOnDeclined?: boolean | undefined;
  /**
   * How many tokens, input and output together, may be used.
   *
   * @default {undefined}
   */
  readonly maxTokens?: bigint | undefined;
  /**
   * Whether the final message must be JSON, all of it.
   *
   * @default {false}
   */
  readonly jsonOutput?: boolean | undefined;
}
