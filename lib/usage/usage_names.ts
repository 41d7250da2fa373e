/** The names of keys and modes of usage. */

/** The keys by which usage can be grouped. */
export const USAGE_KEYS = ["turn", "thread", "model", "day", "cwd"] as const;

/** A key by which usage can be grouped. */
export type UsageKey = typeof USAGE_KEYS[number];

/** How to interpret the usage at the ends of exec turns: as the thread's or the process's. */
export const RUN_COUNTERS = ["auto", "thread", "process"] as const;

/** How to interpret the usage at the ends of exec turns: as the thread's or the process's. */
export type RunCounters = typeof RUN_COUNTERS[number];
