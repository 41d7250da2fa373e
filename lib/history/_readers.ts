/**
 * Small readers that check a JSON value and give it its type, and readers put together of
 * them.
 *
 * @module
 */

import { durationMsOf, timestampOf, timestampOfMs } from "../events/times.ts";
import { type Fields, isObject } from "../json/fields.ts";
import { setOwn } from "./plain_json.ts";
import { refuse } from "./snapshot.ts";

/** Checks the value at a path and gives it its type. An absent value is `undefined`. */
export type Reader<T> = (value: unknown, path: string) => T;

/** Any value. */
export const anything: Reader<unknown> = (value) => value;

/** A text. */
export const text: Reader<string> = (value, path) =>
  typeof value === "string" ? value : refuse(value, path, "a string");

/** A number. */
export const number: Reader<number> = (value, path) =>
  typeof value === "number" ? value : refuse(value, path, "a number");

/** The number of a record. */
export const recordId: Reader<number> = (value, path) =>
  typeof value === "number" && value >= 0 && Number.isInteger(value)
    ? value
    : refuse(value, path, "a whole number that is not negative");

/** `true` or `false`; absent is `false`. */
export const flag: Reader<boolean> = (value, path) =>
  typeof value === "boolean"
    ? value
    : value === undefined
    ? false
    : refuse(value, path, "true or false");

/** A point in time: RFC 3339 of any zone, or the seconds and nanoseconds since 1970. */
export const timestamp: Reader<string> = (value, path) => {
  let time = timestampOf(value);
  if (isObject(value)) {
    const { secs_since_epoch: secs, nanos_since_epoch: nanos } = value;
    if (typeof secs === "number" && typeof nanos === "number") {
      time = timestampOfMs(secs * 1000 + Math.floor(nanos / 1e6));
    }
  }
  return time ?? refuse(value, path, "a point in time");
};

/** A duration in milliseconds: a number, ISO 8601, or seconds and nanoseconds. */
export const milliseconds: Reader<number> = (value, path) =>
  durationMsOf(value) ?? refuse(value, path, "a duration");

/** One of some words. */
export function word<const T extends string>(
  ...words: readonly T[]
): Reader<T> {
  return (value, path) =>
    words.find((each) => each === value) ??
      refuse(value, path, words.map((each) => `"${each}"`).join(" or "));
}

/** What may be `null` or absent, which is `null` too. */
export function nullable<T>(reader: Reader<T>): Reader<T | null> {
  return (value, path) =>
    value === undefined || value === null ? null : reader(value, path);
}

/** What may be absent and then has a value all the same. */
export function withDefault<T>(reader: Reader<T>, value: T): Reader<T> {
  return (given, path) => given === undefined ? value : reader(given, path);
}

/** What has another spelling too, which is rewritten first. */
export function rewritten<T>(
  rewrite: (value: unknown) => unknown,
  reader: Reader<T>,
): Reader<T> {
  return (value, path) => reader(rewrite(value), path);
}

/** A list; absent is empty. */
export function list<T>(reader: Reader<T>): Reader<readonly T[]> {
  return (value, path) => {
    if (value === undefined) return [];
    if (!Array.isArray(value)) return refuse(value, path, "a list");
    return value.map((part: unknown, at) => reader(part, `${path}[${at}]`));
  };
}

/** An object whose names may be anything; absent is empty. */
export function map<T>(
  reader: Reader<T>,
): Reader<{ readonly [name: string]: T }> {
  return (value, path) => {
    if (value !== undefined && !isObject(value)) {
      return refuse(value, path, "an object");
    }
    const result: { [name: string]: T } = {};
    for (const [name, member] of Object.entries(value ?? {})) {
      setOwn(result, name, reader(member, join(path, name)));
    }
    return result;
  };
}

/** An object of which some fields are known; the others are kept as they are. */
export function object<T>(
  fields: { readonly [K in keyof T]-?: Reader<T[K]> },
): Reader<T> {
  const readers = Object.entries<Reader<unknown>>(fields);
  return (value, path) => {
    if (!isObject(value)) return refuse(value, path, "an object");
    const result: Fields = {};
    for (const [name, reader] of readers) {
      const given = Object.hasOwn(value, name) ? value[name] : undefined;
      const member = reader(given, join(path, name));
      if (member !== undefined) setOwn(result, name, member);
    }
    for (const [name, member] of Object.entries(value)) {
      if (!Object.hasOwn(fields, name)) setOwn(result, name, member);
    }
    // The boundary: every field of the type has been read with the reader of its type.
    return result as T;
  };
}

/** An object that is one of several, told apart by a field. */
export function variant<T>(
  tag: string,
  variants: { readonly [name: string]: Reader<T> },
): Reader<T> {
  const names = Object.keys(variants).map((name) => `"${name}"`).join(" or ");
  return (value, path) => {
    if (!isObject(value)) return refuse(value, path, "an object");
    const name = value[tag];
    const reader = typeof name === "string" && Object.hasOwn(variants, name)
      ? variants[name]
      : undefined;
    return reader === undefined
      ? refuse(name, join(path, tag), names)
      : reader(value, path);
  };
}

/** Gives the path of a member. */
export function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
