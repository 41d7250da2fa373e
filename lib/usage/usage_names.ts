/** What usage can be asked for by name. */

/** What usage can be summed up by. */
export const USAGE_KEYS = ["turn", "thread", "model", "day", "cwd"] as const;

/** What usage can be summed up by. */
export type UsageKey = typeof USAGE_KEYS[number];

/** How the usage at the end of turns of exec streams is understood. */
export const RUN_COUNTERS = ["auto", "thread", "process"] as const;

/** How the usage at the end of turns of exec streams is understood. */
export type RunCounters = typeof RUN_COUNTERS[number];
