/**
 * Schemas of the rows of tables, made from the descriptions of their columns.
 *
 * @module
 */

import * as v from "valibot";
import {
  columnsOf,
  type ColumnType,
  type TableName,
  type TableRow,
  TABLES,
} from "./tables.ts";

type RowSchema<T extends TableName> = v.GenericSchema<unknown, TableRow<T>>;

/** The schemas of values, by the types of columns; all other types are strings. */
const VALUES: Readonly<Record<string, v.GenericSchema>> = {
  integer: v.pipe(v.number(), v.integer()),
  boolean: v.boolean(),
};

function valueOf(type: ColumnType, doc: string): v.GenericSchema {
  const value = VALUES[type.replace("?", "")] ?? v.string();
  const column = type.endsWith("?") ? v.nullable(value) : value;
  return v.pipe(column, v.description(doc));
}

function rowOf<T extends TableName>(name: T): RowSchema<T> {
  const all = columnsOf(name, { content: true });
  const some = columnsOf(name).length;
  const entries = all.map(([column, type, doc], i) => {
    const value = valueOf(type, doc);
    return [column, i < some ? value : v.exactOptional(value)];
  });
  const row = v.looseObject(Object.fromEntries(entries));
  return v.pipe(row, v.description(TABLES[name].doc)) as never;
}

export const ThreadRowSchema: RowSchema<"threads"> = rowOf("threads");

export const TurnRowSchema: RowSchema<"turns"> = rowOf("turns");

export const ItemRowSchema: RowSchema<"items"> = rowOf("items");

export const ToolCallRowSchema: RowSchema<"tool_calls"> = rowOf("tool_calls");

export const RequestRowSchema: RowSchema<"requests"> = rowOf("requests");

export const FailureRowSchema: RowSchema<"failures"> = rowOf("failures");
