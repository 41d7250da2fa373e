/**
 * Rewrites records as found in the wild into the layout of the contract.
 *
 * Nothing is checked here: what does not look as expected is left as it is, and the readers
 * of the contract's layout say what is wrong with it.
 *
 * What the wild layout knows and the contract does not is left out: indents and languages of
 * lines, folders and environments of commands, the kinds of explore entries, and the like.
 * Fields that neither of them knows are kept.
 *
 * @module
 */

import { onlyMember, toSnakeCase } from "./_record_readers.ts";
import { type Fields, isObject } from "../json/fields.ts";
import { setOwn } from "./plain_json.ts";

/** Rewrites a value. */
type Rewrite = (value: unknown) => unknown;

/** How a field is rewritten. */
interface FieldRule {
  /** Its new name. */
  readonly name?: string;
  /** How its value is rewritten. */
  readonly value?: Rewrite;
}

/** What becomes of the fields of an object; those that are not listed are kept. */
interface Rules {
  readonly [field: string]: FieldRule | Rewrite | "drop";
}

function fields(rules: Rules): Rewrite {
  return (value) => {
    if (!isObject(value)) return value;
    const result: Fields = {};
    for (const [name, member] of Object.entries(value)) {
      const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
      if (rule === "drop") continue;
      const { name: renamed = name, value: rewrite } =
        typeof rule === "function" ? { value: rule } : rule ?? {};
      setOwn(result, renamed, rewrite === undefined ? member : rewrite(member));
    }
    return result;
  };
}

function each(rewrite: Rewrite): Rewrite {
  return (value) => Array.isArray(value) ? value.map(rewrite) : value;
}

const snake: Rewrite = (value) =>
  typeof value === "string" ? toSnakeCase(value) : value;

/** `{"Custom": x}` becomes `{"custom": x}`, and `"LightBulb"` becomes `"light_bulb"`. */
const snakeTag: Rewrite = (value) => {
  const [name, member] = onlyMember(value) ?? [];
  return name === undefined ? snake(value) : { [toSnakeCase(name)]: member };
};

/** `{"Bullet": …}` becomes `"bullet"`. */
const bareTag: Rewrite = (value) => snake(onlyMember(value)?.[0] ?? value);

const marker: Rewrite = (value) => {
  if (value === "Dash") return "-";
  const [name, member] = onlyMember(value) ?? [];
  if (name === "Numbered") return `${member}.`;
  return name === "Custom" ? member : value;
};

const entity: Rewrite = (value) => {
  if (value === "Code") return { type: "code" };
  const [name, member] = onlyMember(value) ?? [];
  return name === "Link" && isObject(member)
    ? { type: "link", ...member }
    : value;
};

const spans = each(fields({ tone: snake, entity }));
const lines = each(fields({ kind: bareTag, spans }));

const usage: Rewrite = (value) => {
  if (!isObject(value) || !Object.hasOwn(value, "input_tokens")) return value;
  const {
    input_tokens: prompt,
    output_tokens: completion,
    total_tokens: total = Number(prompt) + Number(completion),
    cached_input_tokens: _cached,
    cache_write_input_tokens: _written,
    reasoning_output_tokens: _reasoning,
    ...rest
  } = value;
  return { prompt, completion, total, ...rest };
};

const metadata = fields({ token_usage: usage });

const toolArguments = each(fields({
  value: (value) => {
    if (value === "Secret") return { type: "secret" };
    const [name, member] = onlyMember(value) ?? [];
    if (name === "Text") return { type: "text", text: member };
    return name === "Json" ? { type: "json", value: member } : value;
  },
}));

const block: Rewrite = (value) => {
  if (value === "Separator") return { type: "separator" };
  const [name, member] = onlyMember(value) ?? [];
  switch (name) {
    case "Paragraph":
    case "Quote":
      return { type: snake(name), spans: spans(member) };
    case "Bullet":
    case "Code": {
      const inner = fields({ marker, spans })(member);
      return isObject(inner) ? { type: snake(name), ...inner } : value;
    }
    default:
      return value;
  }
};

const exec = fields({
  action: snake,
  status: snake,
  wait_total: { name: "wait_total_ms" },
  wait_notes: each(fields({ tone: snake })),
  working_dir: "drop",
  env: "drop",
  tags: "drop",
});

const LINE_KINDS: ReadonlyMap<unknown, string> = new Map([
  ["Addition", "added"],
  ["Removal", "removed"],
  ["Context", "context"],
]);

const diffLines = each(fields({
  kind: (value) => LINE_KINDS.get(value) ?? value,
  content: { name: "text" },
}));

/** Gives the text that an explore entry is shown as. */
function displayOf(summary: unknown): string {
  const [name, member] = onlyMember(summary) ?? [];
  const parts: Fields = isObject(member) ? member : {};
  const shown: unknown[] = [];
  if (name === "Search") shown.push(parts.query, parts.path);
  else if (name === "List") shown.push(parts.path ?? "./");
  else if (name === "Read") shown.push(parts.display_path);
  else if (name === "Count") shown.push(parts.target);
  else if (name === "Command") shown.push(parts.display);
  else shown.push(parts.text);
  return shown.filter((part) => typeof part === "string" && part !== "")
    .join(" ");
}

const exploreEntry: Rewrite = (value) => {
  if (!isObject(value) || !Object.hasOwn(value, "summary")) return value;
  const { summary, action: _action, status, ...rest } = value;
  const command = [displayOf(summary)];
  return { command, cwd: null, status: snakeTag(status), ...rest };
};

const image: Rewrite = (value) => {
  if (!isObject(value)) return value;
  const { source_path, alt_text, width, height, sha256, ...other } = value;
  const { mime_type, byte_len, ...rest } = other;
  // No image is 0 pixels wide: that is how not knowing is written there.
  const known = Object.entries({
    width: width === 0 ? null : width,
    height: height === 0 ? null : height,
    sha256,
    mime_type,
    byte_len,
  }).filter(([, member]) => member !== undefined && member !== null);
  return {
    path: source_path ?? "",
    caption: alt_text ?? null,
    metadata: known.length === 0 ? null : Object.fromEntries(known),
    ...rest,
  };
};

const rateLimits: Rewrite = (value) => {
  if (!isObject(value)) return value;
  const { snapshot, legend: _legend, ...rest } = value;
  return isObject(snapshot) ? { ...snapshot, ...rest } : value;
};

const patch: Rewrite = (value) => {
  if (!isObject(value)) return value;
  const { patch_type, ...rest } = value;
  const [name, member] = onlyMember(patch_type) ?? [];
  const auto_approved = isObject(member) ? member.auto_approved : null;
  const event = name ?? patch_type;
  return {
    event: event === "ApprovalRequest" ? "proposed" : snake(event),
    auto_approved: auto_approved ?? null,
    ...rest,
  };
};

/** What the fields of each type of record become, by the name of the type. */
const REWRITES: ReadonlyMap<string, Rewrite> = new Map([
  ["PlainMessage", fields({ role: snake, kind: snake, lines, metadata })],
  [
    "WaitStatus",
    fields({
      header: fields({ title_tone: snake, summary_tone: snake }),
      details: each(fields({ tone: snake })),
    }),
  ],
  ["Loading", fields({})],
  ["RunningTool", fields({ arguments: toolArguments, call_id: "drop" })],
  [
    "ToolCall",
    fields({
      status: snake,
      duration: { name: "duration_ms" },
      arguments: toolArguments,
      call_id: "drop",
    }),
  ],
  ["PlanUpdate", fields({ icon: snakeTag })],
  ["UpgradeNotice", fields({})],
  [
    "Reasoning",
    fields({
      sections: each(fields({ summary: spans, blocks: each(block) })),
      effort: "drop",
    }),
  ],
  ["Exec", exec],
  ["MergedExec", fields({ action: snake, segments: each(exec) })],
  ["AssistantStream", fields({ metadata, truncated_prefix_bytes: "drop" })],
  [
    "AssistantMessage",
    fields({ metadata, token_usage: usage, mid_turn: "drop" }),
  ],
  [
    "Diff",
    fields({ hunks: each(fields({ lines: diffLines })), title: "drop" }),
  ],
  ["Image", image],
  ["Explore", fields({ entries: each(exploreEntry) })],
  ["RateLimits", rateLimits],
  ["Patch", patch],
  ["BackgroundEvent", fields({})],
  ["Notice", fields({ body: lines })],
  ["Context", fields({})],
]);

/** A record taken out of the wild layout. */
export interface CodeRecord {
  /** Its number, unchecked. */
  readonly id: unknown;
  /** What it is. */
  readonly type: string;
  /** What is in it, unchecked. */
  readonly payload: unknown;
  /** The id of the call, if it is a tool and has one. */
  readonly callId: string | undefined;
}

/**
 * Rewrites a record of the wild layout: an object with one member, whose name is that of a
 * type.
 *
 * A type that is not known there is taken for one that came later if its member has a number
 * as a record does.
 *
 * @returns The record, or `undefined` if it is of another layout.
 */
export function fromCodeLayout(value: unknown): CodeRecord | undefined {
  const [name, member] = onlyMember(value) ?? [];
  if (name === undefined || !isObject(member)) return undefined;
  const rewrite = REWRITES.get(name);
  const isLater = /^[A-Z]/.test(name) && typeof member.id === "number";
  if (rewrite === undefined && !isLater) return undefined;
  const { id, ...rest } = member;
  const type = toSnakeCase(name);
  const isTool = type === "running_tool" || type === "tool_call";
  const callId = isTool && typeof rest.call_id === "string"
    ? rest.call_id
    : undefined;
  return { id, type, payload: rewrite ? rewrite(rest) : rest, callId };
}
