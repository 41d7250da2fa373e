/**
 * The memory layout and the numbers that the kernel shares with its caller: offsets and sizes in
 * bytes, and codes.
 *
 * The kernel is compiled with this very file (kernel/build.ts), as AssemblyScript. So it contains
 * only constants that are whole numbers.
 *
 * The terms of this file:
 *
 * - A *value* is a part of a line that differs between the lines of a plan, such as an id or a
 *   text. Its *place* is the pair of addresses where it starts and ends.
 * - A *slot* is a text that is kept from line to line, such as the id of the thread.
 * - A *plan* describes how to rewrite the lines that share all their text but the values. It is
 *   found by walking a *tree* of branches along the line.
 * - A *step* of a plan writes a literal text, then a slot or a part of the line.
 * - A *note* is a text about a key, such as the token usage of a thread, that a plan passes to the
 *   rules.
 * - The *trace* lists where each copied value and slot ended up in a record.
 */

/**
 * The state. First: the address of the first line that was not rewritten, and the end of the
 * records.
 */
export const STATE_NEXT = 0;
export const STATE_OUT = 4;
/** The number of lines that were processed, blank ones included. */
export const STATE_LINES = 8;
/** The number of records that were written. */
export const STATE_RECORDS = 12;
/** The number of lines whose records are not wanted. */
export const STATE_SKIPPED = 16;
/** The bit set of the slots that changed. */
export const STATE_TOUCHED = 20;
/** The address of the first branch at the root of the tree. */
export const STATE_ROOT = 24;
/** The maximum length of a line, its CR included; longer lines are left. */
export const STATE_LIMIT = 28;
/** The room for the trace, start and end; 0 if no trace is written. */
export const STATE_TRACE = 32;
export const STATE_TRACE_END = 36;
/**
 * The maximum number of bytes that are decoded at once: a record and the texts of its strings
 * behind it.
 */
export const STATE_TOGETHER = 40;
export const STATE_SIZE = 44;

/** The maximum length of a note. */
export const NOTE_SIZE = 1024;

/** The number of slots. */
export const SLOT_COUNT = 4;
/**
 * The first of the slots that belong to a key in the line, such as a thread id. They are filled
 * again for each line whose plan needs them.
 */
export const KEYED_SLOT = 2;
/** The maximum length of the text of a slot. */
export const SLOT_SIZE = 16384;
/** A slot: the length of its text, 0 if it is empty; the number that was counted last; the text. */
export const SLOT_LENGTH = 0;
export const SLOT_COUNTER = 4;
export const SLOT_TEXT = 16;
export const SLOT_STRIDE = 16416;

/**
 * The effects of a plan on a slot. The index of a value is stored above these 8 bits.
 *
 * The slot is emptied.
 */
export const EFFECT_CLEAR = 1;
/** The slot gets the next counted text, such as `item_7`. */
export const EFFECT_COUNT = 2;
/** The slot gets a value of the line. */
export const EFFECT_VALUE = 3;

/**
 * A branch of the tree: the next branch to try; the first branch after it, or the plan; the kind of
 * value after its text; the length of its text; the text.
 */
export const BRANCH_NEXT = 0;
export const BRANCH_TO = 4;
export const BRANCH_KIND = 8;
export const BRANCH_LENGTH = 12;
export const BRANCH_TEXT = 16;

/** What follows the text of a branch. First: the end of the line. */
export const KIND_END = 0;
export const KIND_STRING = 1;
export const KIND_NUMBER = 2;
/** A number without a fraction or exponent. */
export const KIND_WHOLE = 3;
export const KIND_BOOLEAN = 4;
export const KIND_OBJECT = 5;
export const KIND_ARRAY = 6;
/** A string that equals its own trimmed text: it has no escapes, and no space at its ends. */
export const KIND_ID = 7;

/**
 * A plan. First: the bit set of the slots that must hold a text; the number of bytes that it writes
 * besides copies; how often it copies the value that it copies most often.
 */
export const PLAN_FILLED = 0;
export const PLAN_ADDED = 4;
export const PLAN_COPIES = 8;
/** The number of effects, and the address of the first: pairs of a slot and an effect. */
export const PLAN_EFFECT_COUNT = 12;
export const PLAN_EFFECTS = 16;
/** The text before the number of a counted text. */
export const PLAN_PREFIX = 20;
export const PLAN_PREFIX_LENGTH = 24;
/** The number of the plan in the trace, or `UNWANTED` if its records are not wanted. */
export const PLAN_NUMBER = 28;
/**
 * The address of the place of the key, 0 if there is none; 1 if slots are filled by the key; the
 * kind of the note, 0 if there is none.
 */
export const PLAN_KEY = 32;
export const PLAN_RECALLS = 36;
export const PLAN_NOTE = 40;
/** The steps that write the note: the address of the first, and the end of the last. */
export const PLAN_NOTE_STEPS = 44;
export const PLAN_NOTE_END = 48;
export const PLAN_STEP_COUNT = 52;
export const PLAN_STEPS = 56;
export const UNWANTED = 0xffffffff;

/**
 * A step of a plan: a literal text, then a slot (its address), or a part of the line if that is 0.
 */
export const STEP_TEXT = 0;
export const STEP_TEXT_LENGTH = 4;
export const STEP_SLOT = 8;
/** The part: the offsets, among the places, of the start of its first value and of its end. */
export const STEP_FIRST = 12;
export const STEP_LAST = 16;
export const STEP_SIZE = 20;

/** The places of a line: the address where the line starts, then the start and end of each value. */
export const PLACE_START = 4;
export const PLACE_END = 8;
export const PLACE_STRIDE = 8;
/** The maximum number of values of a line with a plan, and of parts of a record. */
export const MAX_VALUES = 100;
export const MAX_PARTS = 250;

/**
 * The trace of a record. First: the number of its plan, and the addresses where its line and it
 * start.
 */
export const TRACE_PLAN = 0;
export const TRACE_LINE = 4;
export const TRACE_START = 8;
/** The end of the record and of the texts behind it that are decoded with it. */
export const TRACE_END = 12;
/** The address of the trace of the next record. */
export const TRACE_NEXT = 16;
/** The number of lines of the run before its own. */
export const TRACE_LINES = 20;
/** The length of the record, and of the record with the texts behind it, in UTF-16 units. */
export const TRACE_UNITS = 24;
export const TRACE_ALL_UNITS = 28;
/**
 * The start and end of each value and slot in the record, in UTF-16 units from its start; see
 * kernel/wasm/trace.ts.
 */
export const TRACE_PARTS = 32;
/** Instead of an end: the start is not a place, but the number itself. */
export const DIGITS = 0xffffffff;
/** Added to an end: the string has escapes. */
export const ESCAPED = 0x80000000;
/** Added to an end: the pair holds the addresses of a text that is not decoded with the record. */
export const APART = 0x40000000;
