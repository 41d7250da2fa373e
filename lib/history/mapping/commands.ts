/** Records of commands: their start, output and end, for events of all carriers. */

import { plainPath } from "../../events/contents.ts";
import { msOf, timestampOf, timestampOfMs } from "../../events/times.ts";
import {
  type Fields,
  fieldsOf,
  idOf,
  isFailedWord,
  isObject,
  listOf,
  textOf,
  textsOf,
  wholeOf,
} from "../../json/fields.ts";
import { closingQuote } from "../../json/member_texts.ts";
import { keptText } from "../../json/utf8.ts";
import { tagInside } from "../plain_json.ts";
import { startedExec, TOOL_TYPES } from "../record_store.ts";
import type { ExecWait } from "../record_operations.ts";
import type {
  ExecAction,
  ExecChunk,
  ExecPayload,
  ExecWaitNote,
  ExploreStatus,
  HistoryRecord,
  HistoryRecordOf,
  ParsedCommand,
} from "../records.ts";
import {
  entryOf,
  finishExploring,
  interruptExploring,
  isSameList,
  renameEntry,
  startExploring,
} from "./explores.ts";
import { isOpenPatch } from "./file_changes.ts";
import type { CallIds, FoldContext, ItemState } from "./fold_context.ts";

interface CommandStart {
  /** The command; empty if it is not known. */
  readonly command: readonly string[];
  readonly parsed: readonly ParsedCommand[];
  readonly cwd: string | null;
  readonly startedAt: string;
  /** Whether `startedAt` stood in the event, and is not just the time of the event. */
  readonly isTimed: boolean;
}

export function showCommand(context: FoldContext, item: ItemState): void {
  const { phase, content } = item;
  const known = context.recordOf(item);
  // Releases around 0.20 emit the output of a patch as that of a command; its end has it too.
  if (isOpenPatch(known)) return;
  if (isObject(content.wait)) {
    showWait(context, item, content.wait);
    return;
  }
  // Output may arrive before the event that names the command.
  const isNamed = known?.type === "exec" && known.payload.command.length > 0;
  const isKnown = known?.type === "exec" || known?.type === "explore";
  const isNamedNow = !isNamed && idOf(content.command) !== undefined;
  if (isNamedNow || content.argv !== undefined || !isKnown) {
    startCommand(context, item, commandStart(context, item), known);
  }
  const output: CommandOutput = {
    stdout: textOf(content.stdout),
    stderr: textOf(content.stderr),
  };
  if (phase === "completed") {
    finishCommand(context, item, output);
    return;
  }
  const id = context.linkOf(item)?.id;
  // An increment of output has no `command`.
  const isOutputPiece = phase === "piece" ||
    (phase === "delta" && content.command === undefined);
  const added = isOutputPiece ? output : unseenOutput(context, id, output);
  appendOutput(context, id, added);
}

function commandStart(
  context: FoldContext,
  { phase, content, event }: ItemState,
): CommandStart {
  const command = Array.isArray(content.argv)
    ? textsOf(content.argv)
    : shellWords(textOf(content.command) ?? "");
  const started = timestampOf(event.started_at);
  const durationMs = phase === "completed" ? wholeOf(content.duration_ms) : 0;
  return {
    command: command.map(keptText),
    parsed: readParsedCommands(content.parsed_cmd),
    cwd: plainPath(content.cwd) ?? null,
    startedAt: started ??
      (durationMs
        ? timestampOfMs(msOf(context.now) - durationMs) ?? context.now
        : context.now),
    isTimed: started !== undefined,
  };
}

export function isRunningCommand(context: FoldContext, call: CallIds): boolean {
  const record = context.recordOf(call);
  return record?.type === "exec"
    ? record.payload.status === "running"
    : entryOf(context, call.id)?.entry.status === "running";
}

/** Shows a command that starts. If it has a record already, its name and time are updated. */
function startCommand(
  context: FoldContext,
  call: CallIds,
  start: CommandStart,
  known: HistoryRecord | undefined,
): void {
  const { memory, store } = context;
  const { command, parsed, startedAt } = start;
  const { callId } = call;
  const action = actionOf(parsed);
  if (known?.type === "exec") {
    renameCommand(context, known, start);
    return;
  }
  if (known?.type === "explore") {
    if (command.length === 0 || !isExploring(parsed)) return;
    renameEntry(context, call.id, { ...start, action });
    return;
  }
  const isTool = known !== undefined && TOOL_TYPES.has(known.type);
  if (!isTool && isExploring(parsed)) {
    startExploring(context, call, { ...start, action });
    return;
  }
  const record = {
    type: "exec",
    payload: startedExec({ callId, command, parsed, action, startedAt }),
  } as const;
  const id = isTool ? known.id : store.nextId;
  memory.working.add(id);
  if (isTool) context.replace(id, record);
  else {
    context.push(record);
    memory.links.set("call", call.id, id);
  }
}

function renameCommand(
  context: FoldContext,
  { id, payload }: HistoryRecordOf<"exec">,
  { command, parsed, startedAt, isTimed }: CommandStart,
): void {
  const isOther = !isSameList(command, payload.command);
  // A later event with the same command may lack `parsed`: the known parts stay.
  const isParsed = parsed.length > 0 && payload.parsed.length === 0;
  const isNew = command.length > 0 && (isOther || isParsed);
  const started_at = isTimed ? startedAt : payload.started_at;
  if (!isNew && started_at === payload.started_at) return;
  const named = isNew ? { command, parsed, action: actionOf(parsed) } : {};
  context.replace(id, {
    type: "exec",
    payload: { ...payload, ...named, started_at },
  });
}

/** Shows the end of a command, or corrects an earlier end. */
function finishCommand(
  context: FoldContext,
  item: ItemState,
  output: CommandOutput,
): void {
  const { memory, store } = context;
  const { content, event } = item;
  const exitCode = wholeOf(content.exit_code) ?? null;
  const isWell = (exitCode ?? 0) === 0 && !isFailedWord(event.status);
  const action = context.linkOf(item)?.action ??
    actionOf(readParsedCommands(content.parsed_cmd));
  const entryStatus = isWell ? "success" : failedStatusOf(exitCode, action);
  if (finishExploring(context, item.id, entryStatus)) return;
  const record = context.recordOf(item);
  if (record?.type !== "exec") return;
  if (takesBack(context, record.payload, output)) {
    context.replace(record.id, {
      type: "exec",
      payload: { ...record.payload, stdout_chunks: [], stderr_chunks: [] },
    });
  }
  const { stdout, stderr } = unseenOutput(context, record.id, output);
  memory.working.delete(record.id);
  context.note(store.finishExec({
    id: record.id,
    status: isWell ? "success" : "error",
    exitCode,
    completedAt: context.now,
    stdoutTail: stdout,
    stderrTail: stderr,
    wait: waitOf(record.payload),
  }));
}

/**
 * Whether an end moves the output from one stream to the other: it has text for one stream, and
 * none for the other, whose text is known. In exec streams, known output stays.
 */
function takesBack(
  { memory }: FoldContext,
  { stdout_chunks, stderr_chunks }: ExecPayload,
  { stdout = "", stderr = "" }: CommandOutput,
): boolean {
  if (!memory.isSession) return false;
  return stderr !== "" && stdout === "" && stdout_chunks.length > 0 ||
    stdout !== "" && stderr === "" && stderr_chunks.length > 0;
}

function failedStatusOf(
  exitCode: number | null,
  action: string | undefined,
): ExploreStatus {
  // Commands that search or list exit with 1 if they find nothing.
  return exitCode === 1 && (action === "search" || action === "list")
    ? "not_found"
    : { error: { exit_code: exitCode } };
}

/** Ends the commands of a record that are still running when their turn fails. */
export function interruptCommand(context: FoldContext, id: number): void {
  const record = context.get(id);
  if (record?.type === "explore") interruptExploring(context, record);
  if (record?.type === "exec") endInError(context, record, null);
}

/** Ends a command in error, and appends a message to its stderr. Returns whether it was running. */
export function failCommand(
  context: FoldContext,
  call: CallIds,
  message: string,
): boolean {
  const { memory, store } = context;
  const record = context.recordOf(call);
  if (record?.type !== "exec" || record.payload.status !== "running") {
    return false;
  }
  const index = store.indexOf(record.id);
  memory.working.delete(record.id);
  const isFirst = store.outputEnd(index, "stderr") === 0;
  endInError(context, record, isFirst ? message : `\n${message}`);
  return true;
}

/** Ends a command in error at the time of the event, without an exit code. */
function endInError(
  context: FoldContext,
  { id, payload }: HistoryRecordOf<"exec">,
  stderrTail: string | null,
): void {
  context.note(context.store.finishExec({
    id,
    status: "error",
    exitCode: null,
    completedAt: context.now,
    stderrTail,
    wait: waitOf(payload),
  }));
}

/** The state of waiting, passed on because `finishExec` would reset it. */
function waitOf(payload: ExecPayload): ExecWait {
  return {
    totalMs: payload.wait_total_ms,
    active: payload.wait_active,
    notes: payload.wait_notes,
  };
}

export const CANCELLED = "Cancelled by user.";

/** Shows that the model waits for a command, or has waited for it. */
function showWait(
  context: FoldContext,
  call: CallIds,
  { active, duration_ms, text }: Fields,
): void {
  const record = context.recordOf(call);
  if (record?.type !== "exec") return;
  const { wait_total_ms, wait_notes } = record.payload;
  const isActive = active === true;
  const durationMs = wholeOf(duration_ms);
  const isOver = !isActive || durationMs !== undefined;
  context.note(context.store.waitExec(context.store.indexOf(record.id), {
    totalMs: isOver ? (wait_total_ms ?? 0) + (durationMs ?? 0) : wait_total_ms,
    active: isActive,
    notes: withNotes(wait_notes, textOf(text) ?? "", context.now),
  }));
}

function withNotes(
  older: readonly ExecWaitNote[],
  text: string,
  timestamp: string,
): readonly ExecWaitNote[] {
  const notes = [...older];
  const known = new Set(notes.map(({ message }) => message));
  for (const line of text.split("\n")) {
    const message = line.trim();
    if (message === "" || known.has(message)) continue;
    known.add(message);
    const tone = message === CANCELLED ? "error" : "info";
    notes.push({ message, tone, timestamp });
  }
  return notes;
}

interface CommandOutput {
  readonly stdout?: string | undefined;
  readonly stderr?: string | undefined;
}

const OUTPUTS = ["stdout", "stderr"] as const;

function appendOutput(
  context: FoldContext,
  id: number | undefined,
  { stdout, stderr }: CommandOutput,
): void {
  const { store } = context;
  const index = id === undefined ? -1 : store.indexOf(id);
  const chunk = (stream: "stdout" | "stderr", content = ""): ExecChunk | null =>
    content === "" ? null : { offset: store.outputEnd(index, stream), content };
  context.note(store.streamExec(index, {
    stdout: chunk("stdout", stdout),
    stderr: chunk("stderr", stderr),
  }));
}

/**
 * Returns the part of a command's output that is not known yet. A text that contradicts the known
 * one replaces it at once.
 */
function unseenOutput(
  context: FoldContext,
  id: number | undefined,
  output: CommandOutput,
): { stdout: string; stderr: string } {
  const record = context.get(id);
  const unseen = { stdout: "", stderr: "" };
  if (record?.type !== "exec") return unseen;
  const index = context.store.indexOf(record.id);
  for (const stream of OUTPUTS) {
    const text = output[stream] ?? "";
    if (text === "") continue;
    const known = knownText(record.payload[`${stream}_chunks`]);
    if (known !== undefined && text.startsWith(known)) {
      unseen[stream] = text.slice(known.length);
    } else {
      const chunk = { offset: 0, content: text };
      context.note(context.store.streamExec(index, { [stream]: chunk }));
    }
  }
  return unseen;
}

/** Returns the known text from offset 0; `undefined` if the beginning is lost. */
function knownText(chunks: readonly ExecChunk[]): string | undefined {
  if (chunks.length === 0) return "";
  const [first] = chunks;
  return chunks.length === 1 && first?.offset === 0 ? first.content : undefined;
}

const ACTIONS: ReadonlyMap<unknown, ExecAction> = new Map([
  ["read", "read"],
  ["search", "search"],
  ["list_files", "list"],
]);

/** The fields of parsed commands that are texts, if they are there. */
const PARSED_TEXTS: ReadonlySet<string> = new Set(["name", "path", "query"]);

/** Reads parsed commands in the spelling of the protocol or of the fork: `{"Read": {…}}`. */
function readParsedCommands(value: unknown): ParsedCommand[] {
  return listOf(value).map((each) => fieldsOf(tagInside(each))).flatMap(
    ({ type, ...fields }) => {
      if (typeof type !== "string") return [];
      // Unknown fields are kept; `cmd` is always set.
      const known = Object.entries(fields).filter(([name, field]) =>
        !PARSED_TEXTS.has(name) || field === null || typeof field === "string"
      );
      const cmd = keptText(textOf(fields.cmd) ?? "");
      return [{ type, ...Object.fromEntries(known), cmd }];
    },
  );
}

/** Returns the kind of a command: that of its first part that reads, searches or lists. */
function actionOf(parsed: readonly ParsedCommand[]): ExecAction {
  const known = parsed.find(({ type }) => ACTIONS.has(type));
  return ACTIONS.get(known?.type) ?? "run";
}

/** Whether a command only reads, searches or lists files (B.11). */
function isExploring(parsed: readonly ParsedCommand[]): boolean {
  return actionOf(parsed) !== "run" ||
    parsed.some(({ type }) => type === "read_command");
}

const WHITE_SPACE = new Set([" ", "\t", "\n", "\r"]);

/**
 * Splits a command line into words as a POSIX shell would, without expanding anything. If a quote
 * or an escape in it is not closed, the whole line is one word.
 *
 * It is the inverse of Codex's joining of words. A `#` begins no comment: no text is dropped.
 */
export function shellWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let at = 0;
  while (at < line.length) {
    const char = line.charAt(at);
    at += 1;
    if (WHITE_SPACE.has(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (char === "'") {
      const end = line.indexOf("'", at);
      if (end === -1) return [line];
      word = (word ?? "") + line.slice(at, end);
      at = end + 1;
    } else if (char === '"') {
      const end = closingQuote(line, at - 1);
      if (end === -1) return [line];
      // Inside double quotes, a backslash escapes only these characters.
      word = (word ?? "") +
        line.slice(at, end).replace(/\\(?:([$`"\\])|\n)/g, "$1");
      at = end + 1;
    } else if (char === "\\") {
      if (at === line.length) return [line];
      const next = line.charAt(at);
      at += 1;
      // A backslash before a line end continues the line.
      if (next !== "\n") word = (word ?? "") + next;
    } else {
      word = (word ?? "") + char;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}
