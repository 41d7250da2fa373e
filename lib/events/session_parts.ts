/** Classifies the bytes of a session file. */

import { fieldsOf, parseJson } from "../json/fields.ts";
import { closingQuote } from "../json/member_texts.ts";
import { decodeUtf8 } from "../json/utf8.ts";
import { byteLength } from "../json/utf8_length.ts";
import { DEFAULT_MAX_LINE_BYTES, LineFramer } from "../lines/line_framer.ts";
import { InheritedLines } from "./inherited_lines.ts";
import { timestampOf } from "./times.ts";
import { isInjectedContext } from "./user_message.ts";

/**
 * The parts that the bytes of a session file are divided into.
 *
 * - `inherited`: lines that a fork or sub-agent copied from the session that it began from.
 * - `images`: images in base64, wherever they stand.
 * - `output`: the outputs of commands and tools, as the model received them.
 * - `output_copies`: the same outputs in events and items, for observers.
 * - `reasoning_encrypted`: reasoning that only the server can read.
 * - `reasoning`: reasoning and its summaries as text.
 * - `instructions`: instructions from the program and its settings to the model, including tools.
 * - `world_state`: the descriptions of its environment that the model received.
 * - `messages`: the messages of the user and the model.
 * - `compactions`: summaries of histories, with their replacements.
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

/** One part of a session file. */
export type SessionPart = typeof SESSION_PARTS[number];

/** The number of bytes of each part; their sum is the size of the file. */
export type SessionPartSizes = Readonly<Record<SessionPart, number>>;

/** How much of a line, in UTF-16 units, is searched for its types, role, time and turn. */
const HEAD_LENGTH = 1024;
const TYPES_REGEXP =
  /^\s*\{(?:"timestamp":"[^"]*",)?(?:"ordinal":\d+,)?"type":"(\w+)"(?:,"payload":\{(?:"id":"[^"]*",)?(?:"type":"(\w+)")?)?/;
const STATE_REGEXP = /^\s*\{"record_type":/;
const ITEM_REGEXP = /"item":\{(?:"id":"[^"]*",)?"type":"(\w+)"/;
const ROLE_REGEXP = /"role":"(\w+)"/;
const ORDINAL_REGEXP = /^\{"timestamp":"[^"]*","ordinal":(\d+),/;
const TURN_REGEXP = /"turn_id":"([0-9a-f-]{36}|rollout-\d+)"/;
const TIME_REGEXP = /^\{"timestamp":"([^"]*)"/;
const MAX_HEADER = 1 << 22;
const IMAGE = "data:image/";
const NO_BASE64_REGEXP = /[^A-Za-z\d+/=]/g;
/** Shorter `data:` URLs are icons, or texts about images. */
const MIN_IMAGE = 64;
/** The length of each end of a long text that is compared to recognize injected context. */
const TEXT_END = 256;

/** By the type of a line, or of its payload or item, its part. */
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

/** What stands before the texts of instructions in headers and turn contexts. */
const INSTRUCTION_NAMES = [
  '"base_instructions":{"text":"',
  '"base_instructions":"',
  '"instructions":"',
  '"user_instructions":"',
  '"developer_instructions":"',
];

/** Counts the bytes of each part of one session file while it is read. */
export class SessionPartCounter {
  readonly #framer = new LineFramer(DEFAULT_MAX_LINE_BYTES);
  readonly #sizes = new Map<SessionPart, number>();
  #bytes = 0;
  #assigned = 0;
  readonly #inherited = new InheritedLines();

  /** The number of bytes that were read or skipped. */
  get bytes(): number {
    return this.#bytes;
  }

  get parts(): SessionPartSizes {
    const sizeOf = (part: SessionPart): number =>
      part === "rest"
        ? this.#bytes - this.#assigned
        : this.#sizes.get(part) ?? 0;
    const sizes = SESSION_PARTS.map((part) => [part, sizeOf(part)] as const);
    // Every part has its size.
    return Object.fromEntries(sizes) as Record<SessionPart, number>;
  }

  /** Counts the lines of a decompressed block; the caller may reuse its bytes afterwards. */
  feed(block: Uint8Array): void {
    this.#bytes += block.length;
    this.#framer.feed(block, this);
  }

  /** Counts bytes that are not read as part of the rest. */
  skip(bytes: number): void {
    this.#bytes += bytes;
  }

  flush(): void {
    this.#framer.flush(this);
  }

  line(bytes: Uint8Array, start: number, end: number): void {
    // Engines search a string much faster than bytes.
    const line = decodeUtf8(bytes, start, end);
    const length = end - start;
    const head = line.slice(0, HEAD_LENGTH);
    const [, type, inner] = TYPES_REGEXP.exec(head) ?? [];
    if (type === "session_meta") this.#header(line, head);
    const part = partOf(line, head, type, inner);
    const isPrompt = inner === "user_message" ||
      part === "messages" && ROLE_REGEXP.exec(head)?.[1] === "user";
    if (this.#inherited.isFork && this.#isInherited(head, isPrompt)) {
      this.#add("inherited", length);
      return;
    }
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

  /** A line that is too long to be read belongs to the rest. */
  tooLong(): void {}

  #add(part: SessionPart, bytes: number): void {
    if (bytes <= 0 || part === "rest") return;
    this.#sizes.set(part, (this.#sizes.get(part) ?? 0) + bytes);
    this.#assigned += bytes;
  }

  /**
   * Processes the header of the session, or a header of another session that was copied after it.
   */
  #header(line: string, head: string): void {
    const { payload } = fieldsOf(
      line.length > MAX_HEADER ? undefined : parseJson(line),
    );
    const ordinal = ordinalIn(head);
    this.#inherited.header(fieldsOf(payload), timestampIn(head), ordinal);
  }

  #isInherited(head: string, isPrompt: boolean): boolean {
    const ordinal = ordinalIn(head);
    const turn = TURN_REGEXP.exec(head)?.[1] ?? null;
    return this.#inherited.has({ ordinal }, turn, timestampIn(head), isPrompt);
  }
}

function ordinalIn(head: string): number {
  return Number(ORDINAL_REGEXP.exec(head)?.[1]);
}

function timestampIn(head: string): string | undefined {
  return timestampOf(TIME_REGEXP.exec(head)?.[1]);
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
  const item = inner === "item_completed"
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

/** Returns the first text of a message, or both ends of a long text. */
function firstText(line: string): string {
  const name = line.indexOf('"text":"');
  if (name === -1) return "";
  const text = stringAt(line, name + 7);
  const ends = text.length <= 2 * TEXT_END
    ? text
    : text.slice(0, TEXT_END) + text.slice(-TEXT_END);
  return ends.replaceAll("\\n", "\n");
}

/** Counts the bytes of a line that are images in base64. */
function imageBytes(line: string): number {
  let sum = 0;
  for (let at = line.indexOf(IMAGE); at !== -1; at = line.indexOf(IMAGE, at)) {
    const end = endOfBase64(line, at);
    if (end - at >= MIN_IMAGE) sum += end - at;
    at = Math.max(end, at + 1);
  }
  return sum;
}

/** Returns the end of a `data:` URL in base64; `start` if it is none. */
function endOfBase64(line: string, start: number): number {
  const comma = line.indexOf(";base64,", start);
  // The media type of an image is short.
  if (comma === -1 || comma - start > 64) return start;
  NO_BASE64_REGEXP.lastIndex = comma + 8;
  return NO_BASE64_REGEXP.exec(line)?.index ?? line.length;
}

/** Counts the bytes of the strings behind a key, which ends with their opening quote. */
function spanBytes(line: string, name: string): number {
  let sum = 0;
  for (let at = line.indexOf(name); at !== -1; at = line.indexOf(name, at)) {
    const text = stringAt(line, at + name.length - 1);
    sum += byteLength(text);
    at += name.length + text.length;
  }
  return sum;
}

/** Returns the text of the string that begins with a quote. */
function stringAt(line: string, quote: number): string {
  const end = closingQuote(line, quote);
  return line.slice(quote + 1, end === -1 ? undefined : end);
}

function instructionBytes(line: string): number {
  let sum = 0;
  for (const name of INSTRUCTION_NAMES) sum += spanBytes(line, name);
  return sum;
}
