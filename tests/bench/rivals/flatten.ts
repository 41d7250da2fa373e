/**
 * The rewriting of the rivals: that of codexpipe, written for speed on parsed objects.
 *
 * On the generated inputs its output equals that of codexpipe (a test compares them), with two
 * exceptions caused by `JSON.parse`: of the two ids of a web search it keeps the last, and
 * numbers lose their spelling. It checks nothing, which is in the rivals' favour.
 *
 * @module
 */

/** A parsed object. */
export interface Fields {
  /** The value of a field. */
  [name: string]: unknown;
}

/** The normalized names of a payload's fields, by their names in the input. */
type Payload = ReadonlyMap<string, string>;

const OUTPUT = [
  ["exit_code", "exit_code"],
  ["stdout", "stdout"],
  ["stderr", "stderr"],
] as const;
const PAYLOADS: ReadonlyMap<unknown, Payload> = new Map<unknown, Payload>([
  ["agent_message", new Map([["text", "text"]])],
  ["reasoning", new Map([["text", "text"]])],
  [
    "command_execution",
    new Map([
      ["command", "command"],
      ["aggregated_output", "stdout"],
      ...OUTPUT,
    ]),
  ],
  ["file_change", new Map([["changes", "changes"], ...OUTPUT])],
  [
    "mcp_tool_call",
    new Map([
      ["server", "server_name"],
      ["tool", "tool_name"],
      ["arguments", "arguments"],
      ["result", "result"],
      ["error", "error"],
    ]),
  ],
  [
    "web_search",
    new Map([
      ["query", "query"],
      ["action", "action"],
      ["results", "results"],
    ]),
  ],
  ["todo_list", new Map([["items", "items"]])],
  ["error", new Map([["message", "message"], ["code", "code"]])],
]);
const BARE_WORD_REGEXP = /^[A-Za-z0-9_@%+=:,./-]+$/;
/** The fields that {@linkcode Flattening} places itself. */
const PLACED: ReadonlySet<string> = new Set([
  "type",
  "call_id",
  "item",
  "item_id",
  "item_type",
  "msg",
  "status",
]);

/** The parts of an item line that are known before its fields are copied. */
interface Item {
  readonly type: string;
  readonly id: unknown;
  readonly itemType: string;
  /** The payload, if it is not among the fields. */
  readonly payload?: Fields;
}

/** Flattens records, one after the other, with the state of the stream. */
export class Flattening {
  #thread: unknown;
  #turn: unknown;
  #threads = 0;
  #turns = 0;
  #items = 0;
  #plan: string | undefined;
  #afterBreak = false;
  /** The ids of texts in progress, which deltas have begun, by the type of their messages. */
  readonly #open = new Map<string, string[]>();
  readonly #begun = new Map<unknown, Fields>();
  readonly #decoders = new Map<string, TextDecoder>();

  /**
   * Flattens a record.
   *
   * @param record The parsed record; it may be changed.
   * @returns The record to write.
   */
  flatten(record: Fields): Fields {
    const { type, item } = record;
    // Lines of session files are not rewritten.
    if (record.payload !== undefined) return record;
    switch (type) {
      case undefined:
        return this.#old(record);
      case "thread.started":
      case "thread.resumed":
        return this.#threadStarted(record.thread_id, record);
      case "turn.started":
      case "turn.completed":
      case "turn.failed":
        return this.#turnLine(type, record);
      case "item.started":
      case "item.completed":
      case "item.updated":
        if (!isFields(item)) return record;
        return this.#item(
          {
            type: type === "item.updated" ? "item.delta" : type,
            id: item.id,
            itemType: String(item.type),
          },
          item,
          false,
        );
    }
    return record;
  }

  #threadStarted(thread_id: unknown, fields: Fields): Fields {
    this.#thread = thread_id;
    this.#turn = undefined;
    this.#turnChanged();
    this.#items = 0;
    return { type: "thread.started", thread_id, ...without(fields) };
  }

  #turnLine(type: string, fields: Fields): Fields {
    this.#turnChanged();
    let turn_id = fields.turn_id ?? fields.id;
    if (type === "turn.started") {
      turn_id ??= `synthetic-turn-${++this.#turns}`;
      this.#turn = turn_id;
    } else {
      turn_id ??= this.#turn;
      this.#turn = undefined;
    }
    return { type, thread_id: this.#thread, turn_id, ...without(fields) };
  }

  #turnChanged(): void {
    this.#plan = undefined;
    this.#afterBreak = false;
    this.#open.clear();
  }

  /**
   * Writes an item line.
   *
   * @param keepsId Whether a field `id` is kept, because it is not the item's id.
   */
  #item({ type, id, itemType, payload }: Item, fields: Fields, keepsId = true) {
    const isDelta = type === "item.delta";
    const record: Fields = {
      type,
      thread_id: this.#thread,
      turn_id: this.#turn,
      item_id: id,
      status: fields.status ?? (isDelta ? undefined : DEFAULTS[type]),
      item_type: itemType,
    };
    const names = payload === undefined ? PAYLOADS.get(itemType) : undefined;
    const content = payload ?? {};
    if (isDelta && payload === undefined) record.snapshot = true;
    if (payload !== undefined || names !== undefined) {
      record[isDelta ? "delta" : "content"] = content;
    }
    for (const name in fields) {
      const value = fields[name];
      const to = names?.get(name);
      if (to !== undefined) {
        if (value !== null) content[to] = value;
      } else if (!PLACED.has(name) && (keepsId || name !== "id")) {
        record[name] = value;
      }
    }
    if (itemType === "todo_list") content.items = todos(content.items);
    return record;
  }

  /** Flattens a line of the protocol before 0.44. */
  #old(record: Fields): Fields {
    const { msg, prompt: text } = record;
    if (isFields(msg)) {
      const { id } = record;
      const fields = id === undefined ? msg : Object.assign(msg, { id });
      return this.#message(String(msg.type), fields);
    }
    if (text !== undefined) {
      return this.#newItem("user_message", {}, { text });
    }
    return this.#threadStarted(`synthetic-thread-${++this.#threads}`, record);
  }

  #message(type: string, fields: Fields): Fields {
    switch (type) {
      case "task_started":
        return this.#turnLine("turn.started", fields);
      case "task_complete":
        return this.#turnLine("turn.completed", fields);
      case "error":
        return fields;
      case "agent_message":
      case "agent_reasoning":
      case "agent_reasoning_raw_content":
        return this.#text(type, fields);
      case "agent_message_delta":
      case "agent_reasoning_delta":
      case "agent_reasoning_raw_content_delta":
        return this.#textDelta(type.slice(0, -"_delta".length), fields);
      case "agent_reasoning_section_break":
        this.#afterBreak = true;
        return this.#newItem(type, fields);
      case "exec_command_begin":
        fields.command = joined(fields.command);
        return this.#begin("command_execution", fields, {
          command: fields.command,
        });
      case "exec_command_output_delta":
        return this.#output(fields);
      case "exec_command_end": {
        fields.status = fields.exit_code === 0 ? "completed" : "failed";
        const { stdout, aggregated_output } = fields;
        const record = this.#end("command_execution", fields);
        // If both are there, `stdout` is the content and `aggregated_output` is kept.
        if (isFields(record.content)) record.content.stdout = stdout;
        record.aggregated_output = aggregated_output;
        return record;
      }
      case "patch_apply_begin": {
        const changes = Object.entries(fields.changes ?? {}).map(changeOf);
        fields.changes = changes;
        return this.#begin("file_change", fields, { changes });
      }
      case "patch_apply_end":
        fields.status = fields.success === true ? "completed" : "failed";
        return this.#end("file_change", fields);
      case "mcp_tool_call_begin":
        spreadCall(fields);
        return this.#begin("mcp_tool_call", fields, {});
      case "mcp_tool_call_end":
        spreadCall(fields);
        fields.status = spreadResult(fields) ? "completed" : "failed";
        return this.#end("mcp_tool_call", fields);
      case "web_search_begin":
        fields.query ??= "";
        return this.#begin("web_search", fields, {});
      case "web_search_end":
        return this.#end("web_search", fields);
      case "plan_update": {
        const type = this.#plan === undefined ? "item.started" : "item.delta";
        const id = this.#plan ??= this.#newId();
        fields.items = fields.plan;
        fields.plan = undefined;
        return this.#item({ type, id, itemType: "todo_list" }, fields);
      }
    }
    return this.#newItem(type, fields);
  }

  #text(type: string, fields: Fields): Fields {
    const text = fields.message ?? fields.text;
    fields.message = undefined;
    fields.text = undefined;
    return this.#item({
      type: "item.completed",
      id: this.#open.get(type)?.shift() ?? this.#newId(),
      itemType: itemTypeOf(type),
      payload: { text },
    }, fields);
  }

  #textDelta(type: string, fields: Fields): Fields {
    const ids = this.#open.get(type) ?? [];
    const opensNext = this.#afterBreak && type === "agent_reasoning";
    if (ids.length === 0 || opensNext) ids.push(this.#newId());
    if (opensNext) this.#afterBreak = false;
    this.#open.set(type, ids);
    const payload = { text_delta: fields.delta };
    fields.delta = undefined;
    const record = this.#item({
      type: "item.delta",
      id: ids.at(-1),
      itemType: itemTypeOf(type),
    }, fields);
    return Object.assign(record, { delta: payload, snapshot: undefined });
  }

  #newId(): string {
    return `item_${this.#items++}`;
  }

  #newItem(itemType: string, fields: Fields, payload?: Fields): Fields {
    const item = { type: "item.completed", id: this.#newId(), itemType };
    return this.#item(payload ? { ...item, payload } : item, fields);
  }

  #begin(itemType: string, fields: Fields, begun: Fields): Fields {
    const id = fields.call_id;
    this.#begun.set(id, begun);
    return this.#item({ type: "item.started", id, itemType }, fields);
  }

  #end(itemType: string, fields: Fields): Fields {
    const id = fields.call_id;
    Object.assign(fields, this.#begun.get(id));
    this.#begun.delete(id);
    return this.#item({ type: "item.completed", id, itemType }, fields);
  }

  #output(fields: Fields): Fields {
    const { call_id: id, stream, chunk } = fields;
    const key = `${id} ${stream}`;
    let decoder = this.#decoders.get(key);
    if (decoder === undefined) {
      decoder = new TextDecoder("utf-8", { ignoreBOM: true });
      this.#decoders.set(key, decoder);
    }
    const bytes = typeof chunk === "string"
      ? Uint8Array.fromBase64(chunk)
      : new Uint8Array(Array.isArray(chunk) ? chunk : []);
    fields.stream = undefined;
    fields.chunk = undefined;
    return this.#item({
      type: "item.delta",
      id,
      itemType: "command_execution",
      payload: { [String(stream)]: decoder.decode(bytes, { stream: true }) },
    }, fields);
  }
}

/** The status of an item line without one. */
const DEFAULTS: Readonly<Record<string, string>> = {
  "item.started": "in_progress",
  "item.completed": "completed",
};

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the other fields of a line that is not about an item. */
function without(fields: Fields): Fields {
  const { type: _type, thread_id: _thread, turn_id: _turn, ...rest } = fields;
  return rest;
}

function itemTypeOf(type: string): string {
  return type === "agent_reasoning" ? "reasoning" : type;
}

/** Moves the fields of `invocation` to its line. */
function spreadCall(fields: Fields): void {
  const { invocation } = fields;
  if (!isFields(invocation)) return;
  Object.assign(fields, invocation);
  fields.invocation = undefined;
}

/** Unwraps a result from `Ok` or `Err`; returns whether the call succeeded. */
function spreadResult(fields: Fields): boolean {
  const { result } = fields;
  if (!isFields(result)) return true;
  const { Ok: ok, Err: error } = result;
  if (error === undefined) {
    fields.result = ok;
    return !isFields(ok) || (ok.isError ?? ok.is_error) !== true;
  }
  fields.result = null;
  fields.error = typeof error === "string" ? { message: error } : error;
  return false;
}

function todos(steps: unknown): unknown {
  if (!Array.isArray(steps)) return steps;
  return steps.map(({ step, text, completed, ...rest }) => ({
    title: step ?? text,
    completed: completed ?? rest.status === "completed",
    ...rest,
  }));
}

function changeOf([path, change]: [string, unknown]): Fields {
  if (!isFields(change)) return { path, kind: change };
  const [kind = ""] = Object.keys(change);
  const fields = change[kind];
  return { path, kind, ...(isFields(fields) ? fields : {}) };
}

function joined(command: unknown): unknown {
  if (!Array.isArray(command)) return command;
  return command.map((word) =>
    BARE_WORD_REGEXP.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`
  ).join(" ");
}
