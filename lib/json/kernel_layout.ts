/**
 * What the kernel and those who run it must agree on: where things are in its memory, in
 * bytes, and what numbers stand for.
 *
 * The kernel is compiled with this very file (kernel/build.ts), as AssemblyScript. So there is
 * nothing in it but names for whole numbers.
 */

/** The state: where the first line starts that was left, and where the records end. */
export const STATE_NEXT = 0;
export const STATE_OUT = 4;
/** How many lines were taken, empty ones among them. */
export const STATE_LINES = 8;
/** How many of them have become records. */
export const STATE_RECORDS = 12;
/** How many would have become records that are not wanted. */
export const STATE_SKIPPED = 16;
/** Which slots were filled or emptied, by bits. */
export const STATE_TOUCHED = 20;
/** Another number whenever a slot has changed. */
export const STATE_EPOCH = 24;
/** The first branch of the tree. */
export const STATE_ROOT = 28;
/** The longest line to take, its CR included. */
export const STATE_LIMIT = 32;
/** Where to write down what was copied, and where the room for that ends; 0: nowhere. */
export const STATE_TRACE = 36;
export const STATE_TRACE_END = 40;
/** How much text is decoded at once: a record, and the texts of its strings behind it. */
export const STATE_TOGETHER = 44;
export const STATE_SIZE = 48;

/** How long a note may be. */
export const NOTE_SIZE = 1024;

/** The slots, texts that are kept from line to line: how many there are. */
export const SLOT_COUNT = 4;
/** From this one on they are filled anew for each line that asks, by a key that it names. */
export const KEYED_SLOT = 2;
/** How much one can hold. */
export const SLOT_SIZE = 16384;
/** The length of its text, 0 if it is empty; the number that was counted last; the text. */
export const SLOT_LENGTH = 0;
export const SLOT_COUNTER = 4;
export const SLOT_TEXT = 16;
export const SLOT_STRIDE = 16416;

/** What a plan does to a slot, the number of a value above these 8 bits: it empties it, */
export const EFFECT_CLEAR = 1;
/** puts the next counted text into it, */
export const EFFECT_COUNT = 2;
/** or a value. */
export const EFFECT_VALUE = 3;

/** A branch of the tree: the next one at its place; what it leads to; what follows its text. */
export const BRANCH_NEXT = 0;
export const BRANCH_TO = 4;
export const BRANCH_KIND = 8;
export const BRANCH_LENGTH = 12;
export const BRANCH_TEXT = 16;

/** What follows the text of a branch: the end of the line, */
export const KIND_END = 0;
export const KIND_STRING = 1;
export const KIND_NUMBER = 2;
/** a number without fraction and exponent, */
export const KIND_WHOLE = 3;
export const KIND_BOOLEAN = 4;
export const KIND_OBJECT = 5;
export const KIND_ARRAY = 6;
/** a string that is its own trimmed text: no escapes, and no blank at its ends. */
export const KIND_ID = 7;

/** A plan: which slots are filled, by bits; how many bytes it adds; how often it copies. */
export const PLAN_FILLED = 0;
export const PLAN_ADDED = 4;
export const PLAN_COPIES = 8;
/** What becomes of slots: how often something does, and where the slots and effects are. */
export const PLAN_EFFECT_COUNT = 12;
export const PLAN_EFFECTS = 16;
/** What stands before the number in a counted text. */
export const PLAN_PREFIX = 20;
export const PLAN_PREFIX_LENGTH = 24;
/** What stands for it in the trace; `UNWANTED` if its records are not wanted. */
export const PLAN_NUMBER = 28;
/** Where it is written where the key is; whether slots are filled by it; what to note of it, */
export const PLAN_KEY = 32;
export const PLAN_RECALLS = 36;
export const PLAN_NOTE = 40;
/** where the steps are that write it, and where they end. */
export const PLAN_NOTE_STEPS = 44;
export const PLAN_NOTE_END = 48;
/**
 * What has to stand at the end of a string, and is left out: where the places are of that and
 * of the other string whose inside it is, 0: there is none; the text before that.
 */
export const PLAN_CUT = 52;
export const PLAN_CUT_TAIL = 56;
export const PLAN_CUT_TEXT = 60;
export const PLAN_CUT_LENGTH = 64;
export const PLAN_STEP_COUNT = 68;
export const PLAN_STEPS = 72;
export const UNWANTED = 0xffffffff;

/** A step of a plan: a text, then a slot, or else a part of the line. */
export const STEP_TEXT = 0;
export const STEP_TEXT_LENGTH = 4;
export const STEP_SLOT = 8;
/** The part: the place where its first value starts, how much goes before that, */
export const STEP_FIRST = 12;
export const STEP_BEFORE = 16;
/** and the place where its last value ends. Of a string without its quotes: -1, and 1. */
export const STEP_LAST = 20;
export const STEP_AFTER = 24;
export const STEP_SIZE = 28;

/**
 * The places of a line: where it starts, then where each of its values starts and ends. The end
 * behind those of all values is where the string ends that something is left out of.
 */
export const PLACE_START = 4;
export const PLACE_END = 8;
export const PLACE_STRIDE = 8;
/** How many values a line of a plan has at most, and how many parts a record. */
export const MAX_VALUES = 100;
export const MAX_PARTS = 250;

/** The trace of a record: its plan, and where its line and it start and end. */
export const TRACE_PLAN = 0;
export const TRACE_LINE = 4;
export const TRACE_START = 8;
/** Where it and the texts behind it end. */
export const TRACE_END = 12;
/** Where the trace of the next one is. */
export const TRACE_NEXT = 16;
/** How many lines come before its own. */
export const TRACE_LINES = 20;
export const TRACE_EPOCH = 24;
/** The lengths of it, and of it with the texts, in units of UTF-16. */
export const TRACE_UNITS = 28;
export const TRACE_ALL_UNITS = 32;
/** Where in these each value and slot in it starts and ends. */
export const TRACE_PARTS = 36;
/** In the place of an end: the start is a number, which stands for itself. */
export const DIGITS = 0xffffffff;
/** Added to an end: the string has escapes; */
export const ESCAPED = 0x80000000;
/** the text is not decoded with the record, and its place is one in the memory. */
export const APART = 0x40000000;
