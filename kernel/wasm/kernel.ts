/**
 * The kernel: rewrites lines of JSON by plans, in WebAssembly with SIMD.
 *
 * This is AssemblyScript; `deno task kernel` builds it. It knows JSON and UTF-8, and nothing
 * of Codex: what to do with a line is in the plans, which lib/json/kernel_plans.ts writes
 * into its memory when the rules have been seen to do it once.
 *
 * A plan is found by its text. The text of a record is cut into what every record with this
 * plan has in common (keys, punctuation, the words that the rules went by) and the values
 * between. The pieces of all plans make a tree: from the root, each branch is a piece of
 * text and the kind of value that follows it. A line that gets from the root to an end has
 * been read, checked and recognized in one go; one that does not is left to TypeScript,
 * whatever is the matter with it. So the kernel must never take what lib/json/tape.ts
 * refuses, but it need not take all that this takes.
 *
 * Every load of 16 bytes may reach behind the end of its text: all areas have some bytes of
 * slack.
 */

import { copy, CR, isAt, LF, QUOTE } from "./bytes";
import { booleanEnd, containerEnd, isId, numberEnd, stringEnd } from "./json";
import {
  fillAfter,
  fillBefore,
  filled,
  MADE_TEXT,
  POSITIONS,
  REFUSED,
  SLOT,
  SLOT_SIZE,
  slotAt,
  SLOTS,
} from "./slots";
import { endTrace, MAX_TRACE, TRACE_HEAD } from "./trace";

/** What follows a piece of text. */
const END: u32 = 0;
const STRING: u32 = 1;
const NUMBER: u32 = 2;
/** A number without fraction and exponent. */
const WHOLE: u32 = 3;
const BOOLEAN: u32 = 4;
const OBJECT: u32 = 5;
const ARRAY: u32 = 6;
/** A string that is its own trimmed text: no escapes, and no blank at its ends. */
const ID: u32 = 7;
/** From here on: the text that is in the first slot, the second one, and so on. */
const SAME: u32 = 8;
/** How often a line may turn out to be on the wrong branch. */
const MAX_DETOURS: i32 = 16;
/** The results of a run, in words; see `state`. */
const STATE: usize = memory.data(64, 16);
const NEXT: usize = STATE;
const OUT: usize = STATE + 4;
const LINES: usize = STATE + 8;
/** Where the notes end. */
const NOTED: usize = STATE + 12;
const TOUCHED: usize = STATE + 16;
/** Where the first branch of the tree is. */
const ROOT: usize = STATE + 20;
/** The longest line to take, its CR included. */
const LIMIT: usize = STATE + 24;
/**
 * Where to write down what was copied into the records, and where the room for that ends; 0
 * if nobody asks.
 */
const TRACE: usize = STATE + 28;
const TRACE_END: usize = STATE + 32;
/** How many of the lines have become records; the others are empty. */
const RECORDS: usize = STATE + 36;
/** Another number whenever a slot has changed. */
const EPOCH: usize = STATE + 40;
/** How many of the lines would have become records that nobody wants. */
const SKIPPED: usize = STATE + 44;
/** How much text is decoded at once: a record, and the texts of its strings behind it. */
const TOGETHER: usize = STATE + 48;
/** The number of plans whose records nobody wants. */
const UNWANTED: u32 = 0xffffffff;
/**
 * What is to be said of the records, in threes: the code, and where in the line the value that
 * goes with it starts and ends, 0 if there is none.
 */
const NOTES: usize = memory.data(12288, 16);
const NOTES_END: usize = NOTES + 12288;
const NOTE: usize = 12;
/** What stands before the steps of a plan. */
const PLAN_HEAD: usize = 48;
/** How the tree was walked: for each value where its branches begin, the branch before the
 * one that was taken, that one, and where in the line it begins. */
const WAY: usize = memory.data(2048, 16);

/** Where the results are. */
export function state(): usize {
  return STATE;
}

/** Where the slots are. */
export function slots(): usize {
  return SLOT;
}

/** Where the notes are. */
export function notes(): usize {
  return NOTES;
}

/** Where is put first what is made of a value. */
export function made(): usize {
  return MADE_TEXT;
}

/** Where memory is free. */
export function free(): usize {
  return (__heap_base + 63) & ~(63 as usize);
}

/** The end of the value at a place, if it is of a kind, or 0. */
// @ts-ignore: AssemblyScript
@inline
function valueEnd(at: usize, kind: u32): usize {
  const byte = load<u8>(at);
  switch (kind) {
    case STRING:
      return byte == QUOTE ? stringEnd(at + 1) : 0;
    case NUMBER:
      return numberEnd(at, false);
    case WHOLE:
      return numberEnd(at, true);
    case BOOLEAN:
      return booleanEnd(at);
    case OBJECT:
      return byte == 0x7b ? containerEnd(at) : 0;
    case ARRAY:
      return byte == 0x5b ? containerEnd(at) : 0;
    case ID: {
      const end = byte == QUOTE ? stringEnd(at + 1) : 0;
      return end != 0 && isId(at, end) ? end : 0;
    }
    default: {
      const slot = slotAt(kind - SAME);
      const length = load<u32>(slot);
      return length != 0 && isAt(at, slot + 16, length) ? at + length : 0;
    }
  }
}

/**
 * Writes the notes of a plan behind those that are there; says where they end. One without a
 * value is not written twice in a row.
 */
function takeNotes(plan: usize, at: usize): usize {
  let note: usize = load<u32>(plan, 40);
  const last = note + load<u32>(plan, 36) * 20;
  for (; note < last; note += 20) {
    const code = load<u32>(note);
    const first: usize = load<u32>(note, 4);
    let start: u32 = 0;
    let end: u32 = 0;
    if (first != 0) {
      start = load<u32>(POSITIONS + first) + load<u32>(note, 8);
      end = load<u32>(POSITIONS + load<u32>(note, 12)) + load<u32>(note, 16);
    } else if (
      at > NOTES && load<u32>(at - NOTE) == code && load<u32>(at - NOTE, 8) == 0
    ) continue;
    store<u32>(at, code);
    store<u32>(at, start, 4);
    store<u32>(at, end, 8);
    at += NOTE;
  }
  return at;
}

/**
 * Rewrites lines, as long as there are plans for them.
 *
 * @param from Where the first line starts.
 * @param to Where the last one has ended, its LF included.
 * @param out Where the records go.
 * @param outEnd Where the room for them ends.
 * @returns Whether all lines have been rewritten; if not, `NEXT` is where the first one is
 *   that was not.
 */
export function run(from: usize, to: usize, out: usize, outEnd: usize): bool {
  const limit = load<u32>(LIMIT);
  let bits = filled();
  let lines: u32 = 0;
  let records: u32 = 0;
  let skipped: u32 = 0;
  let line = from;
  let noted = NOTES;
  let touched: u32 = 0;
  let trace: usize = load<u32>(TRACE);
  const traceEnd: usize = load<u32>(TRACE_END);
  store<u32>(LINES, 0);
  while (line < to) {
    const first = load<u8>(line);
    if (first == LF || (first == CR && load<u8>(line, 1) == LF)) {
      line += first == LF ? 1 : 2;
      lines += 1;
      continue;
    }
    if (trace != 0 && trace + MAX_TRACE > traceEnd) break;
    // Read the line along the tree.
    let at = line;
    let head = ROOT;
    let before: usize = 0;
    let branch: usize = load<u32>(head);
    let position = POSITIONS;
    let way = WAY;
    let detours = 0;
    let plan: usize = 0;
    store<u32>(position, line as u32);
    for (;;) {
      let start: usize = 0;
      let end: usize = 0;
      let kind: u32 = END;
      while (branch != 0) {
        const length = load<u32>(branch, 12);
        if (isAt(at, branch + 16, length)) {
          start = at + length;
          kind = load<u32>(branch, 8);
          if (kind != END) end = valueEnd(start, kind);
          else if (load<u32>(load<u32>(branch, 4)) == bits) {
            if (load<u8>(start) == LF) end = start;
            else if (load<u8>(start) == CR && load<u8>(start, 1) == LF) {
              end = start + 1;
            }
          }
          if (end != 0) break;
        }
        before = branch;
        branch = load<u32>(branch);
      }
      if (branch == 0) {
        // Back to where the last value began, and on with the next branch there.
        if (way == WAY || ++detours > MAX_DETOURS) break;
        way -= 16;
        position -= 8;
        head = load<u32>(way);
        before = load<u32>(way, 8);
        branch = load<u32>(before);
        at = load<u32>(way, 12);
        continue;
      }
      store<u32>(way, head as u32);
      store<u32>(way, before as u32, 4);
      store<u32>(way, branch as u32, 8);
      store<u32>(way, at as u32, 12);
      way += 16;
      at = end;
      if (kind == END) {
        plan = load<u32>(branch, 4);
        break;
      }
      store<u32>(position, start as u32, 4);
      store<u32>(position, end as u32, 8);
      position += 8;
      head = branch + 4;
      before = 0;
      branch = load<u32>(head);
    }
    // `at` is at the LF now.
    if (plan == 0 || at - line > limit) break;
    const slotsSize = SLOTS * SLOT_SIZE + 64;
    const copied = (at - line) * load<u32>(plan, 12);
    if (out + copied + load<u32>(plan, 4) + slotsSize > outEnd) break;
    const notes: usize = load<u32>(plan, 36);
    if (noted + notes * NOTE > NOTES_END) break;
    const effects: usize = load<u32>(plan, 32);
    const lastEffect = effects + load<u32>(plan, 8) * 8;
    if (effects != lastEffect) {
      const slots = fillBefore(effects, lastEffect, plan);
      if (slots == REFUSED) break;
      if (slots != 0) {
        touched |= slots;
        bits |= slots;
        store<u32>(EPOCH, load<u32>(EPOCH) + 1);
      }
    }
    // What was taken last comes first next time.
    while (way > WAY) {
      way -= 16;
      before = load<u32>(way, 4);
      if (before == 0) continue;
      head = load<u32>(way);
      branch = load<u32>(way, 8);
      store<u32>(before, load<u32>(branch));
      store<u32>(branch, load<u32>(head));
      store<u32>(head, branch as u32);
    }
    if (load<u32>(plan, 28) == UNWANTED) skipped += 1;
    else {
      // Write the record.
      const record = trace;
      if (record != 0) {
        store<u32>(record, load<u32>(plan, 28));
        store<u32>(record, line as u32, 4);
        store<u32>(record, out as u32, 8);
        store<u32>(record, lines, 20);
        store<u32>(record, load<u32>(EPOCH), 24);
        trace += TRACE_HEAD;
      }
      let step = plan + PLAN_HEAD;
      const lastStep = step + load<u32>(plan, 24) * 32;
      for (; step < lastStep; step += 32) {
        out = copy(out, load<u32>(step), load<u32>(step, 4));
        const slot: usize = load<u32>(step, 8);
        if (slot != 0) {
          const length = load<u32>(slot);
          if (record != 0) {
            store<u32>(trace, out as u32);
            store<u32>(trace, (out as u32) + length, 4);
            trace += 8;
          }
          out = copy(out, slot + 16, length);
        } else {
          const first = POSITIONS + load<u32>(step, 12);
          const last = POSITIONS + load<u32>(step, 20);
          const start = load<u32>(first) + load<u32>(step, 16);
          const end = load<u32>(last) + load<u32>(step, 24);
          if (record != 0) {
            const shift = (out as u32) - start;
            for (let value = first; value < last; value += 8) {
              store<u32>(trace, load<u32>(value) + shift);
              store<u32>(trace, load<u32>(value, 4) + shift, 4);
              trace += 8;
            }
          }
          out = copy(out, start, end - start);
        }
      }
      if (record != 0) {
        out = endTrace(record, trace, out, outEnd, load<u32>(TOGETHER));
      }
      store<u8>(out++, LF);
      records += 1;
    }
    if (notes != 0) noted = takeNotes(plan, noted);
    if (effects != lastEffect) {
      const slots = fillAfter(effects, lastEffect);
      if (slots != 0) {
        touched |= slots;
        bits = filled();
        store<u32>(EPOCH, load<u32>(EPOCH) + 1);
      }
    }
    lines += 1;
    line = at + 1;
  }
  store<u32>(NEXT, line as u32);
  store<u32>(OUT, out as u32);
  store<u32>(LINES, lines);
  store<u32>(RECORDS, records);
  store<u32>(SKIPPED, skipped);
  store<u32>(NOTED, noted as u32);
  store<u32>(TOUCHED, touched);
  return line >= to;
}
