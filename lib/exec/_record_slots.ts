/**
 * What records of one stream depend on besides themselves, for those who repeat what was done
 * with them: where each value is, and what is noted down.
 */

/** The slots: strings of JSON that are put into records. */
export const SLOT = {
  /** The id of the thread; counted in the old dialect, where none says it. */
  thread: 0,
  /** The id of the turn; counted where the stream has none. */
  turn: 1,
  /** The id of the last item that got a counted one, in the old dialect. */
  item: 2,
  /** The id of the command that began last and has not ended. */
  call: 3,
  /** What it is. */
  command: 4,
  /** The last output of a command, as it is put into its record. */
  output: 5,
  /** Filled as long as the old dialect remembers what is in no slot, and nothing is repeated. */
  busy: 6,
  /** Filled once there was a line of the old dialect: from then on it is told of others. */
  old: 7,
} as const;

/** What the old dialect does with a record besides rewriting it. */
export const NOTE = {
  /** Forgets what the thread before said. */
  threadStarted: 1,
  /** Forgets what the turn before left open. */
  turnChanged: 2,
  /** Takes to account that a section of reasoning has ended. */
  sectionEnded: 3,
  /** Remembers the usage of the thread, which is given. */
  totalUsage: 4,
  /** From here on: adds a count to that usage, by the place of the count. */
  usage: 5,
} as const;

/** What is made of values of the old dialect. */
export const MADE = {
  /** A command line of a list of words. */
  command: 1,
  /** A text of a chunk of output. */
  output: 2,
} as const;
