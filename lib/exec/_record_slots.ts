/**
 * What records of one stream depend on besides themselves, for those who repeat what was done
 * with them: the values that are filled in, what is noted down, and what is made of values.
 */

import type { JsonSlice } from "../json/value.ts";

/** The slots, by what is in them. */
export const SLOT = {
  /** The id of the thread; counted in the old dialect, where none says it. */
  thread: 0,
  /** The id of the turn; counted where the stream has none. */
  turn: 1,
  /** The id of the last item that got a counted one, in the old dialect. */
  item: 2,
  /** Filled as long as the old dialect remembers what decides about lines and is in no slot. */
  busy: 3,
  /** Filled once there was a line of the old dialect: from then on it is told of others. */
  old: 4,
  /** The id of the call that began last, if it has not ended, and what its end leaves out. */
  call: 5,
  command: 6,
  changes: 7,
  server: 8,
  tool: 9,
  arguments: 10,
  /** The last output of a command, as it was put into its record. */
  output: 11,
  /** The items of texts that deltas have begun, one for each kind of text. */
  texts: 12,
} as const;

/** How many slots there are: there are three kinds of text. */
export const SLOT_COUNT: number = SLOT.texts + 3;

/** Values in slots, by the number of the slot. */
export type SlotValues = (JsonSlice | undefined)[];

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
  /** A list of changes of a map of them. */
  changes: 3,
} as const;
