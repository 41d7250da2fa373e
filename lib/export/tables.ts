/**
 * The tables of `export --to=tables`: one description of each table defines the type of its
 * rows, the header of CSV, JSON Schema, `CREATE TABLE` and the page docs/analytics.md.
 *
 * @module
 */

/**
 * The type of a column; with `?` it may be null. A `word` is an id, the path of an input file, or
 * a fixed word such as a status. A `text` was written by a person, the model or a program, and is
 * searched for secrets.
 */
export type ColumnType =
  | "text"
  | "text?"
  | "word"
  | "word?"
  | "integer"
  | "integer?"
  | "boolean"
  | "timestamp?";

/** A column: its name, its type, and its description. */
export type Column = readonly [name: string, type: ColumnType, doc: string];

/** A table. */
export interface Table {
  /** What each row describes. */
  readonly doc: string;
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /** The columns, after those that every table has. */
  readonly columns: readonly Column[];
  /** The columns with contents, which are optional and the last ones. */
  readonly content: readonly Column[];
}

/** The columns that every table begins with: the origin of a row. */
export const PLACE_COLUMNS = [
  ["source", "word", "the name of the file or stream"],
  ["line", "integer", "the number of the first line about it"],
  ["thread_id", "word?", "the id of the thread"],
  ["turn_id", "word?", "the id of the turn; `synthetic-turn-N` if it has none"],
] as const satisfies readonly Column[];

/** The tables, by their names. */
export const TABLES = {
  threads: {
    doc: "a thread in a file or stream",
    key: ["source", "thread_id"],
    columns: [
      ["started_at", "timestamp?", "when it began"],
      ["ended_at", "timestamp?", "the time of its last event"],
      ["parent_thread_id", "word?", "the thread that spawned it"],
      ["forked_from_id", "word?", "the thread that it was forked from"],
      ["agent", "text?", "the path of the agent, or else its nickname"],
      ["cwd", "text?", "the working directory at its beginning"],
      [
        "originator",
        "word?",
        "what began it, such as `codex_exec`, `codex-tui`",
      ],
      ["origin", "word?", "its kind, such as `cli`, `exec`, `subagent:review`"],
      ["cli_version", "word?", "the version of Codex at its beginning"],
      ["model", "word?", "the model at its beginning"],
      ["model_provider", "word?", "the provider of the model"],
      ["git_branch", "text?", "the branch at its beginning"],
      ["git_commit", "word?", "the commit at its beginning"],
      ["git_url", "text?", "the URL of the repository"],
    ],
    content: [],
  },
  turns: {
    doc: "a turn of a thread in a file or stream",
    key: ["source", "thread_id", "turn_id"],
    columns: [
      ["started_at", "timestamp?", "when it began"],
      ["ended_at", "timestamp?", "when it ended"],
      ["duration_ms", "integer?", "its duration, if its last event has one"],
      ["status", "word?", "`completed` or `failed`; null if it has no end"],
      ["reason", "word?", "why it was aborted: `interrupted`, `replaced`, …"],
      ["model", "word?", "the model"],
      ["inherited", "boolean", "whether it was copied from another thread"],
      [
        "input_tokens",
        "integer?",
        "tokens sent to the model, as `codexpipe usage` counts them; null if it counts none",
      ],
      ["cached_input_tokens", "integer?", "input tokens read from the cache"],
      ["cache_write_input_tokens", "integer?", "tokens written to the cache"],
      ["output_tokens", "integer?", "tokens that the model wrote"],
      ["reasoning_output_tokens", "integer?", "output tokens of reasoning"],
      ["total_tokens", "integer?", "input and output together"],
    ],
    content: [],
  },
  items: {
    doc: "an item: a message, reasoning, a call, or a notice",
    key: ["source", "line", "item_id"],
    columns: [
      [
        "item_id",
        "word",
        "the id of the item; unique in a session file, and in a run of an exec stream",
      ],
      ["item_type", "word", "its type: see docs/events.md"],
      ["status", "word?", "`completed`, `failed`, `declined`, `in_progress`"],
      ["started_at", "timestamp?", "when it began"],
      ["ended_at", "timestamp?", "when it ended"],
      ["inherited", "boolean", "whether it was copied from another thread"],
    ],
    content: [["text", "text?", "its text or message"]],
  },
  tool_calls: {
    doc: "an item that is a call of a tool: a command, a patch, a search",
    key: ["source", "line", "item_id"],
    columns: [
      ["item_id", "word", "the id of the item"],
      [
        "item_type",
        "word",
        "`command_execution`, `file_change`, `mcp_tool_call`, `web_search`, `collab_tool_call`, `tool_call`, `dynamic_tool_call`, `image_view`, `image_generation`, or a type that codexpipe does not know",
      ],
      ["call_id", "word?", "the id of the call in the requests to the model"],
      [
        "tool",
        "word?",
        "the name of the tool, such as `shell`, `apply_patch` or `mcp__SERVER__TOOL`",
      ],
      ["status", "word?", "`completed`, `failed`, `declined`, `in_progress`"],
      ["exit_code", "integer?", "the exit status of a command"],
      ["files", "integer?", "how many files a patch changes"],
      ["duration_ms", "integer?", "its duration, if the log has it"],
      ["started_at", "timestamp?", "when it began"],
      ["ended_at", "timestamp?", "when it ended"],
      ["inherited", "boolean", "whether it was copied from another thread"],
    ],
    content: [
      ["input", "text?", "its arguments: JSON, or a plain text"],
      ["output", "text?", "its result, or its error"],
    ],
  },
  requests: {
    doc: "a request to the model whose tokens are counted",
    key: ["source", "line"],
    columns: [
      ["ended_at", "timestamp?", "the time of its token count"],
      ["model", "word?", "the model"],
      ["rule", "word", "what counted it, as in `codexpipe usage --explain`"],
      ["input_tokens", "integer", "tokens sent to the model"],
      ["cached_input_tokens", "integer", "input tokens read from the cache"],
      ["cache_write_input_tokens", "integer", "tokens written to the cache"],
      ["output_tokens", "integer", "tokens that the model wrote"],
      ["reasoning_output_tokens", "integer", "output tokens of reasoning"],
      ["total_tokens", "integer", "input and output together"],
    ],
    content: [],
  },
  failures: {
    doc: "a line that cannot be read, an error, or a turn that failed",
    key: ["source", "line", "kind"],
    columns: [
      [
        "kind",
        "word",
        "`json`, `utf8`, `line_too_long`, `normalize` or `typed` for a line; `error`; `turn`",
      ],
      ["timestamp", "timestamp?", "the time of the error or failed turn"],
      ["message", "text", "the reason"],
      ["inherited", "boolean", "whether it was copied from another thread"],
    ],
    content: [["raw", "text?", "the line that cannot be read"]],
  },
} as const satisfies Readonly<Record<string, Table>>;

/** The name of a table. */
export type TableName = keyof typeof TABLES;

/** The names of the tables, in their order. */
export const TABLE_NAMES = Object.keys(TABLES) as readonly TableName[];

/** A value in a row. */
export type TableValue = string | number | bigint | boolean | null;

/**
 * The type of a column's values.
 *
 * @typeParam T The type of the column.
 */
export type ColumnValue<T extends ColumnType> = T extends `${string}?`
  ? null | (T extends "integer?" ? number | bigint : string)
  : T extends "integer" ? number | bigint
  : T extends "boolean" ? boolean
  : string;

/**
 * The values of columns, by their names.
 *
 * @typeParam C The columns.
 */
export type ColumnValues<C extends Column> = {
  readonly [Each in C as Each[0]]: ColumnValue<Each[1]>;
};

/**
 * A row of a table, by the names of its columns.
 *
 * @typeParam T The name of the table.
 */
export type TableRow<T extends TableName = TableName> =
  & ColumnValues<typeof PLACE_COLUMNS[number]>
  & ColumnValues<typeof TABLES[T]["columns"][number]>
  & Partial<ColumnValues<typeof TABLES[T]["content"][number]>>;

/** Options for {@linkcode columnsOf} and {@linkcode createTable}. */
export interface ColumnOptions {
  /**
   * Whether the columns with contents are included.
   *
   * @default {false}
   */
  readonly content?: boolean | undefined;
}

/**
 * Returns the columns of a table, in their order.
 *
 * @param name The name of the table.
 * @param options The choice of columns.
 * @returns The columns.
 *
 * @example The header of a CSV file
 * ```ts
 * import { columnsOf } from "@codexpipe/codexpipe/export";
 * import { assertEquals } from "@std/assert";
 *
 * const names = columnsOf("failures", { content: true }).map(([name]) => name);
 *
 * assertEquals(names.slice(0, 5), ["source", "line", "thread_id", "turn_id", "kind"]);
 * ```
 */
export function columnsOf(
  name: TableName,
  { content = false }: ColumnOptions = {},
): readonly Column[] {
  const table: Table = TABLES[name];
  const rest = content ? table.content : [];
  return [...PLACE_COLUMNS, ...table.columns, ...rest];
}

const SQL_TYPES = {
  text: "TEXT",
  word: "TEXT",
  integer: "BIGINT",
  boolean: "BOOLEAN",
  timestamp: "TIMESTAMP",
} as const;

/**
 * Returns the SQL statement that creates a table, for DuckDB, SQLite and PostgreSQL.
 *
 * @param name The name of the table.
 * @param options The choice of columns.
 * @returns The statement, with its semicolon.
 *
 * @example The key of a table
 * ```ts
 * import { createTable } from "@codexpipe/codexpipe/export";
 * import { assertMatch } from "@std/assert";
 *
 * assertMatch(createTable("requests"), /PRIMARY KEY \(source, line\)\n\);$/);
 * ```
 */
export function createTable(
  name: TableName,
  options: ColumnOptions = {},
): string {
  const { doc, key }: Table = TABLES[name];
  const columns = columnsOf(name, options).map(([column, type, doc]) => {
    const isNull = type.endsWith("?") && !key.includes(column);
    const base = SQL_TYPES[type.replace("?", "") as keyof typeof SQL_TYPES];
    return `  ${column} ${base}${isNull ? "" : " NOT NULL"}, -- ${doc}\n`;
  });
  return `-- ${doc}\nCREATE TABLE ${name} (\n${
    columns.join("")
  }  PRIMARY KEY (${key.join(", ")})\n);`;
}
