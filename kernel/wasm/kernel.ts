/**
 * The kernel: rewrites lines of JSON by plans, in WebAssembly with SIMD.
 *
 * This is AssemblyScript; `deno task kernel` builds it. The kernel knows JSON and UTF-8, but
 * nothing of Codex: the plans define how a line is rewritten. lib/json/kernel_plans.ts writes a
 * plan into the kernel's memory after it has watched the rules, in TypeScript, rewrite one record.
 *
 * A plan belongs to all lines that have the same text except for certain values. The text of a line
 * is cut into pieces that all lines of the plan share (keys, punctuation, the words that the rules
 * compared) and the values between them. The pieces of all plans form a tree: each branch is a
 * piece of text and the kind of the value that follows it. A line that matches the branches from
 * the root to an end is read, checked and recognized in one pass, and the plan at that end rewrites
 * it. A line that matches no plan is left to TypeScript, for whatever reason. So the kernel must
 * never accept a line that lib/json/tape.ts refuses, but it may leave any line that the tape
 * accepts.
 *
 * Every load of 16 bytes may reach behind the end of its text, so all areas of the memory end with
 * some unused bytes.
 */

import { copy, CR, isAt, LF, QUOTE } from "./bytes";
import { booleanEnd, containerEnd, isId, numberEnd, stringEnd } from "./json";
import {
  BRANCH_KIND,
  BRANCH_LENGTH,
  BRANCH_NEXT,
  BRANCH_TEXT,
  BRANCH_TO,
  KIND_ARRAY,
  KIND_BOOLEAN,
  KIND_END,
  KIND_NUMBER,
  KIND_OBJECT,
  KIND_STRING,
  KIND_WHOLE,
  MAX_PARTS,
  MAX_VALUES,
  NOTE_SIZE,
  PLACE_END,
  PLACE_START,
  PLACE_STRIDE,
  PLAN_ADDED,
  PLAN_COPIES,
  PLAN_EFFECT_COUNT,
  PLAN_EFFECTS,
  PLAN_FILLED,
  PLAN_KEY,
  PLAN_NOTE,
  PLAN_NOTE_END,
  PLAN_NOTE_STEPS,
  PLAN_NUMBER,
  PLAN_RECALLS,
  PLAN_STEP_COUNT,
  PLAN_STEPS,
  SLOT_COUNT,
  SLOT_LENGTH,
  SLOT_SIZE,
  SLOT_TEXT,
  STATE_LIMIT,
  STATE_LINES,
  STATE_NEXT,
  STATE_OUT,
  STATE_RECORDS,
  STATE_ROOT,
  STATE_SIZE,
  STATE_SKIPPED,
  STATE_TOGETHER,
  STATE_TOUCHED,
  STATE_TRACE,
  STATE_TRACE_END,
  STEP_FIRST,
  STEP_LAST,
  STEP_SIZE,
  STEP_SLOT,
  STEP_TEXT,
  STEP_TEXT_LENGTH,
  TRACE_LINE,
  TRACE_LINES,
  TRACE_PARTS,
  TRACE_PLAN,
  TRACE_START,
  UNWANTED,
} from "./layout";
import { fillAfter, fillBefore, filled, PLACES, REFUSED, SLOTS } from "./slots";
import { endTrace } from "./trace";

/**
 * How many times the walk of a line through the tree may go back, before the line is left to
 * TypeScript.
 */
const MAX_DETOURS: i32 = 16;
/** An upper bound on the bytes of the trace of one record. */
const MAX_TRACE: usize = TRACE_PARTS + 8 * MAX_PARTS;
const STATE: usize = memory.data(STATE_SIZE, 16);
/** The text of the pending note, and some bytes of slack. */
const NOTE: usize = memory.data(NOTE_SIZE + 64, 16);
/**
 * The path of the line through the tree. One entry of 16 bytes for each branch that was taken: the
 * word that points to the first of the branches to choose from, the branch before the taken one (0
 * if it is the first), the taken one, and the address in the line where its text starts.
 */
const WAY: usize = memory.data(16 * (MAX_VALUES + 1), 16);

/**
 * Asks the rules to fill the slots that belong to a key, and returns the bit set of those that were
 * filled.
 */
// @ts-ignore: AssemblyScript
@external("rules", "recall")
declare function recall(start: usize, end: usize): u32;

/**
 * Passes to the rules a fact that a line states about a key: the kind of the note, the key with its
 * quotes, and the text of the note.
 */
// @ts-ignore: AssemblyScript
@external("rules", "note")
declare function note(
  kind: u32,
  start: usize,
  end: usize,
  text: usize,
  textEnd: usize,
): void;

/** Returns the address of the state, see `STATE_NEXT` in the layout. */
export function state(): usize {
  return STATE;
}

/** Returns the address of the slots. */
export function slots(): usize {
  return SLOTS;
}

/** Returns the address of the places of the current line. */
export function places(): usize {
  return PLACES;
}

/** Returns the address of the first byte that the kernel itself does not use. */
export function free(): usize {
  return (__heap_base + 63) & ~(63 as usize);
}

/** Returns the end of the value at `at` if it is of the kind, or 0. */
// @ts-ignore: AssemblyScript
@inline
function valueEnd(at: usize, kind: u32): usize {
  const byte = load<u8>(at);
  switch (kind) {
    case KIND_STRING:
      return byte == QUOTE ? stringEnd(at + 1) : 0;
    case KIND_NUMBER:
      return numberEnd(at, false);
    case KIND_WHOLE:
      return numberEnd(at, true);
    case KIND_BOOLEAN:
      return booleanEnd(at);
    case KIND_OBJECT:
      return byte == 0x7b ? containerEnd(at) : 0;
    case KIND_ARRAY:
      return byte == 0x5b ? containerEnd(at) : 0;
    default: {
      const end = byte == QUOTE ? stringEnd(at + 1) : 0;
      return end != 0 && isId(at, end) ? end : 0;
    }
  }
}

/** Where the next pair of the trace goes; 0 if no trace is written. */
let traced: usize = 0;

/**
 * Executes the steps of a plan from `step` to `last`: writes their text at `out` and returns its
 * end.
 */
function write(step: usize, last: usize, out: usize): usize {
  for (; step < last; step += STEP_SIZE) {
    const length = load<u32>(step, STEP_TEXT_LENGTH);
    out = copy(out, load<u32>(step, STEP_TEXT), length);
    const slot: usize = load<u32>(step, STEP_SLOT);
    if (slot != 0) {
      const length = load<u32>(slot, SLOT_LENGTH);
      if (traced != 0) {
        store<u32>(traced, out as u32);
        store<u32>(traced, (out as u32) + length, 4);
        traced += 8;
      }
      out = copy(out, slot + SLOT_TEXT, length);
      continue;
    }
    const first = PLACES + load<u32>(step, STEP_FIRST);
    const last = PLACES + load<u32>(step, STEP_LAST);
    const start = load<u32>(first);
    if (traced != 0) {
      const shift = (out as u32) - start;
      for (let value = first; value < last; value += PLACE_STRIDE) {
        store<u32>(traced, load<u32>(value) + shift);
        store<u32>(traced, load<u32>(value, 4) + shift, 4);
        traced += 8;
      }
    }
    out = copy(out, start, load<u32>(last) - start);
  }
  return out;
}

/** Returns the length of the note that a plan writes for the current line, in bytes. */
function noteLength(plan: usize): usize {
  let length: usize = 0;
  const last: usize = load<u32>(plan, PLAN_NOTE_END);
  for (
    let step: usize = load<u32>(plan, PLAN_NOTE_STEPS);
    step < last;
    step += STEP_SIZE
  ) {
    const slot: usize = load<u32>(step, STEP_SLOT);
    length += load<u32>(step, STEP_TEXT_LENGTH) + (slot != 0
      ? load<u32>(slot, SLOT_LENGTH)
      : load<u32>(PLACES + load<u32>(step, STEP_LAST)) -
        load<u32>(PLACES + load<u32>(step, STEP_FIRST)));
  }
  return length;
}

/**
 * Rewrites lines, until a line has no plan or the room for records or for the trace is used up. The
 * results are in the state.
 *
 * @param from The address of the first line.
 * @param to The address behind the last line and its LF.
 * @param out The address that the first record is written to.
 * @param outEnd The end of the room for records.
 * @returns Whether all lines are rewritten. If not, `STATE_NEXT` is the address of the first line
 *   that is not.
 */
export function run(from: usize, to: usize, out: usize, outEnd: usize): bool {
  const limit = load<u32>(STATE, STATE_LIMIT);
  let bits = filled();
  let lines: u32 = 0;
  let records: u32 = 0;
  let skipped: u32 = 0;
  let line = from;
  let touched: u32 = 0;
  // The pending note. Of consecutive notes of one kind about one key, only the last is passed on.
  let noted: u32 = 0;
  let notedKey: usize = 0;
  let notedKeyEnd: usize = 0;
  let notedEnd: usize = 0;
  let trace: usize = load<u32>(STATE, STATE_TRACE);
  const traceEnd: usize = load<u32>(STATE, STATE_TRACE_END);
  while (line < to) {
    const first = load<u8>(line);
    if (first == LF || (first == CR && load<u8>(line, 1) == LF)) {
      line += first == LF ? 1 : 2;
      lines += 1;
      continue;
    }
    if (trace != 0 && trace + MAX_TRACE > traceEnd) break;
    // Walk along the tree.
    let at = line;
    let head = STATE + STATE_ROOT;
    let before: usize = 0;
    let branch: usize = load<u32>(head);
    let place = PLACES;
    let way = WAY;
    let detours = 0;
    let plan: usize = 0;
    store<u32>(place, line as u32);
    for (;;) {
      let start: usize = 0;
      let end: usize = 0;
      let kind: u32 = KIND_END;
      while (branch != 0) {
        const length = load<u32>(branch, BRANCH_LENGTH);
        if (isAt(at, branch + BRANCH_TEXT, length)) {
          start = at + length;
          kind = load<u32>(branch, BRANCH_KIND);
          if (kind != KIND_END) end = valueEnd(start, kind);
          else {
            if (load<u8>(start) == LF) end = start;
            else if (load<u8>(start) == CR && load<u8>(start, 1) == LF) {
              end = start + 1;
            }
            const found: usize = load<u32>(branch, BRANCH_TO);
            let has = bits;
            if (end != 0 && load<u32>(found, PLAN_RECALLS) != 0) {
              if (noted != 0) {
                note(noted, notedKey, notedKeyEnd, NOTE, notedEnd);
                noted = 0;
              }
              const key: usize = load<u32>(found, PLAN_KEY);
              has |= recall(load<u32>(key), load<u32>(key, 4));
            }
            if (load<u32>(found, PLAN_FILLED) != has) end = 0;
          }
          if (end != 0) break;
        }
        before = branch;
        branch = load<u32>(branch, BRANCH_NEXT);
      }
      if (branch == 0) {
        // No branch matches. Go back to where the last value began, and try the next branch there.
        if (way == WAY || ++detours > MAX_DETOURS) break;
        way -= 16;
        place -= PLACE_STRIDE;
        head = load<u32>(way);
        before = load<u32>(way, 8);
        branch = load<u32>(before, BRANCH_NEXT);
        at = load<u32>(way, 12);
        continue;
      }
      store<u32>(way, head as u32);
      store<u32>(way, before as u32, 4);
      store<u32>(way, branch as u32, 8);
      store<u32>(way, at as u32, 12);
      way += 16;
      at = end;
      if (kind == KIND_END) {
        plan = load<u32>(branch, BRANCH_TO);
        break;
      }
      store<u32>(place, start as u32, PLACE_START);
      store<u32>(place, end as u32, PLACE_END);
      place += PLACE_STRIDE;
      head = branch + BRANCH_TO;
      before = 0;
      branch = load<u32>(head);
    }
    // `at` is at the LF now.
    if (plan == 0 || at - line > limit) break;
    const copied = (at - line) * load<u32>(plan, PLAN_COPIES) +
      SLOT_COUNT * SLOT_SIZE;
    if (out + copied + load<u32>(plan, PLAN_ADDED) + 64 > outEnd) break;
    const noteKind = load<u32>(plan, PLAN_NOTE);
    if (noteKind != 0 && noteLength(plan) > (NOTE_SIZE as usize)) break;
    const effects: usize = load<u32>(plan, PLAN_EFFECTS);
    const lastEffect = effects + load<u32>(plan, PLAN_EFFECT_COUNT) * 8;
    if (effects != lastEffect) {
      const counted = fillBefore(effects, lastEffect, plan);
      if (counted == REFUSED) break;
      if (counted != 0) {
        touched |= counted;
        bits |= counted;
      }
    }
    // Move each branch that was taken to the front of its list: the next line most likely takes it
    // too.
    while (way > WAY) {
      way -= 16;
      before = load<u32>(way, 4);
      if (before == 0) continue;
      head = load<u32>(way);
      branch = load<u32>(way, 8);
      store<u32>(before, load<u32>(branch, BRANCH_NEXT), BRANCH_NEXT);
      store<u32>(branch, load<u32>(head), BRANCH_NEXT);
      store<u32>(head, branch as u32);
    }
    const number = load<u32>(plan, PLAN_NUMBER);
    if (number == UNWANTED) skipped += 1;
    else {
      // Write the record.
      const record = trace;
      if (record != 0) {
        store<u32>(record, number, TRACE_PLAN);
        store<u32>(record, line as u32, TRACE_LINE);
        store<u32>(record, out as u32, TRACE_START);
        store<u32>(record, lines, TRACE_LINES);
        trace += TRACE_PARTS;
      }
      const step = plan + PLAN_STEPS;
      const lastStep = step + load<u32>(plan, PLAN_STEP_COUNT) * STEP_SIZE;
      traced = trace;
      out = write(step, lastStep, out);
      if (record != 0) {
        trace = traced;
        const together = load<u32>(STATE, STATE_TOGETHER);
        out = endTrace(record, trace, out, outEnd, together);
      }
      store<u8>(out++, LF);
      records += 1;
    }
    if (effects != lastEffect) {
      const changed = fillAfter(effects, lastEffect);
      if (changed != 0) {
        touched |= changed;
        bits = filled();
      }
    }
    if (noteKind != 0) {
      const place: usize = load<u32>(plan, PLAN_KEY);
      const key: usize = load<u32>(place);
      const keyEnd: usize = load<u32>(place, 4);
      const isOther = noteKind != noted ||
        keyEnd - key != notedKeyEnd - notedKey ||
        !isAt(key, notedKey, keyEnd - key);
      if (isOther && noted != 0) {
        note(noted, notedKey, notedKeyEnd, NOTE, notedEnd);
      }
      traced = 0;
      noted = noteKind;
      notedKey = key;
      notedKeyEnd = keyEnd;
      notedEnd = write(
        load<u32>(plan, PLAN_NOTE_STEPS),
        load<u32>(plan, PLAN_NOTE_END),
        NOTE,
      );
    }
    lines += 1;
    line = at + 1;
  }
  if (noted != 0) note(noted, notedKey, notedKeyEnd, NOTE, notedEnd);
  store<u32>(STATE, line as u32, STATE_NEXT);
  store<u32>(STATE, out as u32, STATE_OUT);
  store<u32>(STATE, lines, STATE_LINES);
  store<u32>(STATE, records, STATE_RECORDS);
  store<u32>(STATE, skipped, STATE_SKIPPED);
  store<u32>(STATE, touched, STATE_TOUCHED);
  return line >= to;
}
