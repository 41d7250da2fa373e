/** What the bytes of a session file are of. */

import { fieldsOf, parseJson, textOf } from "../json/fields.ts";
import { decodeUtf8 } from "../json/utf8.ts";
import { byteLength } from "../json/utf8_length.ts";
import { DEFAULT_MAX_LINE_BYTES, LineFramer } from "../lines/line_framer.ts";
import { firstOrdinalOf, isForkHeader } from "./inherited_lines.ts";
import { timeInUuid } from "./times.ts";
import { isInjectedContext } from "./user_message.ts";

/**
 * What bytes of a session file can be of.
 *
 * - `inherited`: lines that a fork or sub-agent copied from the session it began from.
 * - `images`: images in base64, wherever they stand.
 * - `output`: what commands and tools gave, as the model got it.
 * - `output_copies`: the same again, in events and items for those who watch.
 * - `reasoning_encrypted`: reasoning that only the server can read.
 * - `reasoning`: reasoning and its summaries as text.
 * - `instructions`: what the program and its settings tell the model, tools among it.
 * - `world_state`: what the model was told of its surroundings.
 * - `messages`: what the user and the model said.
 * - `compactions`: summed up histories, with what they replace the history by.
 * - `rest`: everything else: calls, counts, settings of turns, line ends, torn lines.
 */
export const SESSION_PARTS = [
  "inherited",
  "images",
  "output",
  "output_copies",
  "reasoning_encrypted",
  "reasoning",
  "instructions",
  "world_state",
  "messages",
  "compactions",
  "rest",
] as const;

/** What bytes of a session file can be of. */
export type SessionPart = typeof SESSION_PARTS[number];

/** How many bytes are of what; together they are the size of the file. */
export type SessionPartSizes = Readonly<Record<SessionPart, number>>;

/** How much of a line says what it is: what is behind that, such lines do not say first. */
const HEAD_LENGTH = 1024;
const TYPES_REGEXP =
  /^\s*\{(?:"timestamp":"[^"]*",)?(?:"ordinal":\d+,)?"type":"(\w+)"(?:,"payload":\{(?:"id":"[^"]*",)?(?:"type":"(\w+)")?)?/;
const STATE_REGEXP = /^\s*\{"record_type":/;
const ITEM_REGEXP = /"item":\{(?:"id":"[^"]*",)?"type":"(\w+)"/;
const ROLE_REGEXP = /"role":"(\w+)"/;
const ORDINAL_REGEXP = /^\{"timestamp":"[^"]*","ordinal":(\d+),/;
const TURN_REGEXP = /"turn_id":"([0-9a-f-]{36})"/;
const TIME_REGEXP = /^\{"timestamp":"([^"]*)"/;
/** How long a header is that is read. */
const MAX_HEADER = 1 << 22;
/** Lines that are copied are written in one go: what comes so much later is not, in ms. */
const PAUSE = 1000;
/** Shorter ones are icons, or texts about images. */
const MIN_IMAGE = 64;
/** How much of the ends of a text says whether a person wrote it. */
const TEXT_END = 256;

/** What the types of lines, and of what they hold, say that they are of. */
const PARTS: ReadonlyMap<string, SessionPart> = new Map([
  ["function_call_output", "output"],
  ["custom_tool_call_output", "output"],
  ["local_shell_call_output", "output"],
  ["tool_search_output", "output"],
  ["exec_command_output_delta", "output_copies"],
  ["exec_command_end", "output_copies"],
  ["mcp_tool_call_end", "output_copies"],
  ["patch_apply_end", "output_copies"],
  ["CommandExecution", "output_copies"],
  ["McpToolCall", "output_copies"],
  ["DynamicToolCall", "output_copies"],
  ["FileChange", "output_copies"],
  ["reasoning", "reasoning"],
  ["agent_reasoning", "reasoning"],
  ["agent_reasoning_raw_content", "reasoning"],
  ["agent_reasoning_section_break", "reasoning"],
  ["Reasoning", "reasoning"],
  ["user_message", "messages"],
  ["agent_message", "messages"],
  ["UserMessage", "messages"],
  ["AgentMessage", "messages"],
  ["message", "messages"],
  ["additional_tools", "instructions"],
  ["world_state", "world_state"],
  ["compacted", "compactions"],
  ["compaction", "compactions"],
  ["compaction_summary", "compactions"],
  ["context_compaction", "compactions"],
  ["ContextCompaction", "compactions"],
]);

/** What stands before texts that the program gives the model, in headers and settings. */
const INSTRUCTION_NAMES = [
  '"base_instructions":',
  '"instructions":"',
  '"user_instructions":"',
  '"developer_instructions":"',
];

/**
 * Says what the bytes of one session file are of, as they are read.
 *
 * @example What a session is made of
 * ```ts
 * import { SessionPartCounter } from "@codexpipe/codexpipe/sessions";
 * import { assertEquals } from "@std/assert";
 *
 * const line = '{"timestamp":"2026-11-20T15:40:01.000Z","type":"event_msg",' +
 *   '"payload":{"type":"agent_message","message":"Hi"}}\n';
 * const counter = new SessionPartCounter();
 * counter.feed(new TextEncoder().encode(line));
 * counter.flush();
 *
 * assertEquals(counter.parts.messages, line.length - 1);
 * assertEquals(counter.parts.rest, 1);
 * ```
 */
export class SessionPartCounter {
  readonly #framer = new LineFramer(DEFAULT_MAX_LINE_BYTES);
  readonly #sizes = new Map<SessionPart, number>();
  #bytes = 0;
  #assigned = 0;
  #isBegun = false;
  /** Whether lines are copies of those of another session. */
  #isCopying = false;
  #firstOrdinal: number | null = null;
  #began: number | undefined;
  #copiedAt: number | undefined;

  /** How many bytes there were. */
  get bytes(): number {
    return this.#bytes;
  }

  /** What they are of. */
  get parts(): SessionPartSizes {
    const sizeOf = (part: SessionPart): number =>
      part === "rest"
        ? this.#bytes - this.#assigned
        : this.#sizes.get(part) ?? 0;
    const sizes = SESSION_PARTS.map((part) => [part, sizeOf(part)] as const);
    // Every part has its size.
    return Object.fromEntries(sizes) as Record<SessionPart, number>;
  }

  /**
   * Takes a block.
   *
   * @param block The bytes, unpacked; they may be used again afterwards.
   */
  feed(block: Uint8Array): void {
    this.#bytes += block.length;
    this.#framer.feed(block, this);
  }

  /**
   * Takes note of bytes that are not looked at: they are of the rest.
   *
   * @param bytes How many.
   */
  skip(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Ends the file. */
  flush(): void {
    this.#framer.flush(this);
  }

  /** Takes a line. */
  line(bytes: Uint8Array, start: number, end: number): void {
    // Engines look for text faster in a text than in bytes, by far.
    const line = decodeUtf8(bytes, start, end);
    const length = end - start;
    const head = line.slice(0, HEAD_LENGTH);
    const [, type, inner] = TYPES_REGEXP.exec(head) ?? [];
    if (type === "session_meta") this.#header(line);
    if (this.#isInherited(head, type)) {
      this.#add("inherited", length);
      return;
    }
    const part = partOf(line, head, type, inner);
    const images = imageBytes(line);
    const encrypted = spanBytes(line, '"encrypted_content":"');
    const instructions = type === "session_meta" || type === "turn_context"
      ? instructionBytes(line)
      : 0;
    this.#add("images", images);
    this.#add("reasoning_encrypted", encrypted);
    this.#add("instructions", instructions);
    this.#add(part, length - images - encrypted - instructions);
  }

  /** A line that is too long to be looked at is of the rest. */
  tooLong(): void {}

  #add(part: SessionPart, bytes: number): void {
    if (bytes <= 0 || part === "rest") return;
    this.#sizes.set(part, (this.#sizes.get(part) ?? 0) + bytes);
    this.#assigned += bytes;
  }

  /** Takes the header of the session, or that of another one that was copied behind it. */
  #header(line: string): void {
    if (this.#isBegun) {
      this.#isCopying = this.#firstOrdinal === null;
      return;
    }
    this.#isBegun = true;
    if (line.length > MAX_HEADER) return;
    const { payload: header } = fieldsOf(parseJson(line));
    const payload = fieldsOf(header);
    this.#firstOrdinal = firstOrdinalOf(payload);
    this.#began = timeInUuid(textOf(payload.id));
    // A fork that only says what it goes on from holds no copy.
    this.#isCopying = isForkHeader(payload) && this.#firstOrdinal === null &&
      payload.history_base === undefined;
  }

  #isInherited(head: string, type: string | undefined): boolean {
    if (this.#firstOrdinal !== null) {
      const ordinal = ORDINAL_REGEXP.exec(head)?.[1];
      return ordinal !== undefined && Number(ordinal) < this.#firstOrdinal;
    }
    if (!this.#isCopying) return false;
    const isOther = type === "session_meta" && this.#copiedAt !== undefined;
    const time = Date.parse(TIME_REGEXP.exec(head)?.[1] ?? "");
    const before = this.#copiedAt;
    this.#copiedAt = time;
    // The header that says so is the session's own.
    if (before === undefined) return false;
    if (isOther) return true;
    // Ids tell when they were made: a turn older than the session is not its own.
    const turn = TURN_REGEXP.exec(head)?.[1];
    const turnBegan = timeInUuid(turn);
    const isOwn = turnBegan !== undefined && this.#began !== undefined
      ? turnBegan >= this.#began
      : time - before >= PAUSE;
    this.#isCopying = !isOwn;
    return !isOwn;
  }
}

function partOf(
  line: string,
  head: string,
  type: string | undefined,
  inner: string | undefined,
): SessionPart {
  if (type === undefined) {
    return STATE_REGEXP.test(head) ? "world_state" : "rest";
  }
  const item = inner === "item_completed" || inner === "item_started"
    ? ITEM_REGEXP.exec(head)?.[1]
    : undefined;
  const part = PARTS.get(item ?? inner ?? type) ?? "rest";
  const isMessage = inner === "message" || type === "message";
  if (!isMessage) return part;
  const role = ROLE_REGEXP.exec(head)?.[1];
  if (role === "developer" || role === "system") return "instructions";
  return role === "user" && isInjectedContext(firstText(line))
    ? "instructions"
    : part;
}

/** The first text of a message; of a long one, both ends. */
function firstText(line: string): string {
  const name = line.indexOf('"text":"');
  if (name === -1) return "";
  const start = name + 8;
  const end = endOfString(line, start);
  const text = end - start <= 2 * TEXT_END
    ? line.slice(start, end)
    : line.slice(start, start + TEXT_END) + line.slice(end - TEXT_END, end);
  return text.replaceAll("\\n", "\n");
}

/** How many bytes of a line are images in base64. */
function imageBytes(line: string): number {
  let sum = 0;
  for (
    let at = line.indexOf("data:image/");
    at !== -1;
    at = line.indexOf("data:image/", at)
  ) {
    const end = endOfBase64(line, at);
    if (end - at >= MIN_IMAGE) sum += end - at;
    at = Math.max(end, at + 1);
  }
  return sum;
}

/** Where a text in base64 ends, with what says that it is an image. */
function endOfBase64(line: string, start: number): number {
  const comma = line.indexOf(";base64,", start);
  // The type of an image is short.
  if (comma === -1 || comma - start > 64) return start;
  let at = comma + 8;
  while (isBase64(line.charCodeAt(at))) at += 1;
  return at;
}

function isBase64(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a) ||
    (byte >= 0x2f && byte <= 0x39) || byte === 0x2b || byte === 0x3d;
}

/** How many bytes the texts behind a name have, which ends with their first quote. */
function spanBytes(line: string, name: string): number {
  let sum = 0;
  for (
    let at = line.indexOf(name);
    at !== -1;
    at = line.indexOf(name, at)
  ) {
    const start = at + name.length;
    at = endOfString(line, start);
    sum += byteLength(line.slice(start, at));
  }
  return sum;
}

function endOfString(line: string, start: number): number {
  let end = line.indexOf('"', start);
  while (end > start && isEscaped(line, end, start)) {
    end = line.indexOf('"', end + 1);
  }
  return end === -1 ? line.length : end;
}

/** Whether an odd number of backslashes stands before a quote. */
function isEscaped(line: string, quote: number, start: number): boolean {
  let count = 0;
  while (quote - 1 - count >= start && line[quote - 1 - count] === "\\") {
    count += 1;
  }
  return count % 2 === 1;
}

/** How many bytes of a header, or of the settings of a turn, are instructions. */
function instructionBytes(line: string): number {
  const [base = "", ...names] = INSTRUCTION_NAMES;
  let sum = 0;
  for (const name of names) sum += spanBytes(line, name);
  const at = line.indexOf(base);
  const text = at === -1 ? -1 : line.indexOf('"text":"', at);
  if (text !== -1) {
    sum += byteLength(line.slice(text + 8, endOfString(line, text + 8)));
  }
  return sum;
}
