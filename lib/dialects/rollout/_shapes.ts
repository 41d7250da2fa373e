/**
 * A small language that says what a JSON value looks like.
 *
 * The shapes of rollout lines are told in it once. The checks and the schemas are made of
 * them, and the compiler holds every shape against the interface it stands for.
 */

import type { UnknownKind } from "./of_type.ts";

declare const TYPE: unique symbol;

/** What tells shapes of different types apart; it is never there. */
interface Of<T> {
  /** Never there. */
  readonly [TYPE]?: (value: T) => T;
}

/** The shape of values of type `T`. */
export type Shape<T> = AnyShape & Of<T>;

/** The shape of objects of type `T`. */
export type ShapeOfObject<T> = ObjectShape & Of<T>;

/** A shape, whatever its type. */
export type AnyShape =
  | SimpleShape
  | LiteralShape
  | ObjectShape
  | ListShape
  | MapShape
  | EitherShape
  | TaggedShape;

/** A string, a number, a boolean, null, or any value at all. */
export interface SimpleShape {
  /** What the value is. */
  readonly kind: "string" | "number" | "boolean" | "null" | "any";
}

/** One particular string. */
export interface LiteralShape {
  /** Always `literal`. */
  readonly kind: "literal";
  /** The string. */
  readonly word: string;
}

/** An object with some members that are known, and perhaps others. */
export interface ObjectShape {
  /** Always `object`. */
  readonly kind: "object";
  /** The members that are known. */
  readonly members: readonly Member[];
}

/** A member of an object. */
export interface Member {
  /** Its name. */
  readonly name: string;
  /** What its value looks like. */
  readonly shape: AnyShape;
  /** Whether it may be absent. */
  readonly isOptional: boolean;
}

/** A list. */
export interface ListShape {
  /** Always `list`. */
  readonly kind: "list";
  /** What each element looks like. */
  readonly element: AnyShape;
}

/** An object whose names are data. */
export interface MapShape {
  /** Always `map`. */
  readonly kind: "map";
  /** What each value looks like. */
  readonly value: AnyShape;
}

/** One of some shapes, which the sort of JSON value tells apart. */
export interface EitherShape {
  /** Always `either`. */
  readonly kind: "either";
  /** The shapes; no two are for one sort of JSON value. */
  readonly shapes: readonly AnyShape[];
}

/** An object that its `type` says the shape of. */
export interface TaggedShape {
  /** Always `tagged`. */
  readonly kind: "tagged";
  /** The shape of each type that is known. */
  readonly shapes: ReadonlyMap<string, AnyShape>;
  /** The shape where the type is not known. */
  readonly open: ObjectShape;
}

/** A member that may be absent. */
export interface Optional<T> {
  /** What its value looks like where it is there. */
  readonly optional: Shape<T>;
}

/** The members of `T`, each with its shape, and `optional` just where `T` says `?`. */
export type Members<T> = {
  readonly [K in keyof T]-?: Record<never, never> extends Pick<T, K>
    ? Optional<Exclude<T[K], undefined>>
    : Shape<T[K]>;
};

/** The words that the types of a union are known by; `string` of an open member is none. */
export type KnownType<T extends UnknownKind> = T extends
  { readonly type: infer W extends string } ? string extends W ? never : W
  : never;

/** The shape of each member of a map of types. */
export type ShapesOf<M> = { readonly [W in keyof M]: Shape<M[W]> };

/** The open member of a union: the one whose type may be any word. */
type OpenOf<T extends UnknownKind> = T extends unknown
  ? string extends T["type"] ? T : never
  : never;

/** Any string. */
export const STRING: Shape<string> = { kind: "string" };
/** Any number. */
export const NUMBER: Shape<number> = { kind: "number" };
/** `true` or `false`. */
export const BOOLEAN: Shape<boolean> = { kind: "boolean" };
/** Any value, null included. */
export const ANY: Shape<unknown> = { kind: "any" };
/** Any object. */
export const ANY_OBJECT: Shape<{ readonly [name: string]: unknown }> = {
  kind: "map",
  value: ANY,
};

/** One particular string. */
export function literal<const W extends string>(word: W): Shape<W> {
  return { kind: "literal", word };
}

/** A list of values of one shape. */
export function list<T>(element: Shape<T>): Shape<readonly T[]> {
  return { kind: "list", element };
}

/** An object whose names are data, with values of one shape. */
export function map<T>(
  value: Shape<T>,
): Shape<{ readonly [name: string]: T }> {
  return { kind: "map", value };
}

/** A value of one of two shapes that are for different sorts of JSON values. */
export function either<A, B>(one: Shape<A>, other: Shape<B>): Shape<A | B> {
  return { kind: "either", shapes: [one, other].flatMap(alternativesOf) };
}

/** A value of a shape, or null. */
export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  const nothing: Shape<null> = { kind: "null" };
  return shape.kind === "any" ? { kind: "any" } : either(shape, nothing);
}

/** A member that may be absent, but not null. */
export function optional<T>(shape: Shape<T>): Optional<T> {
  return { optional: shape };
}

/**
 * A member that may be absent or null. Releases differ in which of the two they write, so
 * most members that may be absent may be null as well.
 */
export function maybe<T>(shape: Shape<T>): Optional<T | null> {
  return { optional: nullable(shape) };
}

/** An object with these members, and perhaps others. */
export function object<T>(members: Members<T>): ShapeOfObject<T> {
  const entries: [string, AnyShape | Optional<unknown>][] = Object.entries(
    members,
  );
  return {
    kind: "object",
    members: entries.map(([name, member]) =>
      "optional" in member
        ? { name, shape: member.optional, isOptional: true }
        : { name, shape: member, isOptional: false }
    ),
  };
}

/** An object of one type, with these members besides `type`. */
export function typed<T extends UnknownKind>(
  type: KnownType<T> & T["type"],
  rest: Members<Omit<T, "type">>,
): ShapeOfObject<T> {
  const { members } = object<Omit<T, "type">>(rest);
  const tag = { name: "type", shape: literal(type), isOptional: false };
  return { kind: "object", members: [tag, ...members] };
}

/** What is of a type that has no shape of its own. */
export const UNKNOWN_KIND: ShapeOfObject<UnknownKind> = object<UnknownKind>({
  type: STRING,
});

/** An object that its `type` says the shape of; of any other type, of the open shape. */
export function tagged<T extends UnknownKind>(
  shapes: { readonly [W in KnownType<T>]: Shape<Extract<T, { type: W }>> },
  open: ShapeOfObject<OpenOf<T>>,
): Shape<T> {
  const known = new Map<string, AnyShape>(Object.entries<AnyShape>(shapes));
  return { kind: "tagged", shapes: known, open };
}

function alternativesOf(shape: AnyShape): readonly AnyShape[] {
  return shape.kind === "either" ? shape.shapes : [shape];
}
