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
  /** Filled once there was a line of the old dialect: from then on it is told of others. */
  old: 3,
  /** Filled as long as calls are remembered that are in no slot. */
  openCalls: 4,
  /** Filled as long as characters of outputs wait for their rest. */
  openChunks: 5,
  /** Filled as long as texts are remembered that are in no slot. */
  openTexts: 6,
  /** The id of the call that began last, if it has not ended, and what its end leaves out. */
  call: 7,
  command: 8,
  changes: 9,
  server: 10,
  tool: 11,
  arguments: 12,
  /** The last output of a command, as it was put into its record. */
  output: 13,
  /** The items of texts that deltas have begun, one for each kind of text. */
  texts: 14,
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
  /** Forgets, of the calls in no slot, the command of an id. */
  commandBegun: 5,
  /** The same for a patch. */
  patchBegun: 6,
  /** The same for a tool. */
  toolBegun: 7,
  /** From here on: adds a count to that usage, by the place of the count. */
  usage: 8,
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
