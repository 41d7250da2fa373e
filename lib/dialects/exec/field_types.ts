/**
 * The types that the field tables stand for, so that the compiler holds the interfaces of
 * the events against the tables.
 */

import type { FileChangeEntry, ThreadError, TodoEntry } from "./events.ts";
import type { EVENT_FIELDS, EventType, Field } from "./fields.ts";

/** What a normalized value of each kind is. */
interface KindTypes {
  string: string;
  boolean: boolean;
  whole: number;
  code: string | number;
  any: unknown;
  command: string;
  changes: readonly FileChangeEntry[];
  error: ThreadError;
  todos: readonly TodoEntry[];
}

/** What an item event is about: its item type, its payload, and whether that must be there. */
interface About {
  itemType: string;
  payload: unknown;
  isKnown: boolean;
}

/** What is said of an item type that is not known. */
export interface Unknown extends About {
  /** Any string. */
  itemType: string;
  /** Any value. */
  payload: unknown;
  /** The payload may be absent. */
  isKnown: false;
}

/** What is said of an item type that is known. */
export interface Known<T extends string, Payload> extends About {
  /** The item type. */
  itemType: T;
  /** The payload. */
  payload: Payload;
  /** The payload must be there. */
  isKnown: true;
}

type FieldType<F extends Field, A extends About> = F["kind"] extends "payload"
  ? A["payload"]
  : F["name"] extends "item_type" ? A["itemType"]
  : KindTypes[Exclude<F["kind"], "payload">];

/** Whether a normalized object always has a field: a default has been written by then. */
type IsNeeded<F extends Field, A extends About> = F extends
  { readonly required: true } | { readonly default: string } ? true
  : F["kind"] extends "payload" ? A["isKnown"]
  : false;

/** Makes one object type of an intersection. */
type Joined<T> = { [K in keyof T]: T[K] };

/** The normalized object that a table describes. */
export type Described<
  Fields extends readonly Field[],
  A extends About = Unknown,
> = Joined<
  & {
    readonly [
      F in Fields[number] as IsNeeded<F, A> extends true ? F["name"] : never
    ]: FieldType<F, A>;
  }
  & {
    readonly [
      F in Fields[number] as IsNeeded<F, A> extends true ? never : F["name"]
    ]?: FieldType<F, A>;
  }
>;

/** The normalized event that the tables describe. */
export type DescribedEvent<T extends EventType, A extends About = Unknown> =
  Joined<{ readonly type: T } & Described<typeof EVENT_FIELDS[T], A>>;

/** The normalized item event that the tables describe, `P` holding the known payloads. */
export type DescribedItemEvent<T extends EventType, P> =
  | {
    [I in keyof P & string]: DescribedEvent<T, Known<I, P[I]>>;
  }[keyof P & string]
  | DescribedEvent<T>;

/**
 * Whether two types are the same to the compiler, `readonly` and `?` included: assignable
 * to each other is not enough, since a field that is missing on one side may be optional.
 */
export type IsSame<A, B> = (<T>() => T extends A ? 1 : 2) extends
  (<T>() => T extends B ? 1 : 2) ? true
  : false;

/** What a table must be besides, so that it describes `T`: anything, or what it never is. */
export type Describing<T, FromTable> = IsSame<T, FromTable> extends true
  ? unknown
  : { readonly "the table describes another type": FromTable };
