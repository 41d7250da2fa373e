/**
 * What JSON values look like: the one description of each record, beside the interface that
 * it stands for, which the compiler holds it against.
 *
 * A shape is data, and the rest is made of it by walking it: the check (check.ts), what a plan
 * has to watch and which places have names (look.ts), valibot's schemas and so JSON Schema
 * (schema.ts). The builders are valibot's under short names; they build no schema of valibot's
 * at once, since loading valibot takes 10 ms, a tenth of a run of the command.
 */

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
  | WordsShape
  | ObjectShape
  | ListShape
  | MapShape
  | EitherShape
  | VariantShape;

/**
 * A string, a time (RFC 3339), a number, a whole number, one from 0, a boolean, null, any value
 * but null, or any value at all.
 */
export interface SimpleShape {
  /** What the value is. */
  readonly kind:
    | "string"
    | "time"
    | "number"
    | "whole"
    | "count"
    | "boolean"
    | "null"
    | "some"
    | "any";
}

/** One particular string. */
export interface LiteralShape {
  /** Always `literal`. */
  readonly kind: "literal";
  /** The string. */
  readonly word: string;
}

/** One of some strings, or any other. */
export interface WordsShape {
  /** Whether it is one of them. */
  readonly kind: "words" | "others";
  /** The strings. */
  readonly words: readonly string[];
}

/** An object with some members that are known, and perhaps others. */
export interface ObjectShape {
  /** Always `object`. */
  readonly kind: "object";
  /** The members that are known. */
  readonly members: readonly Member[];
  /** Of these members at least one must be there. */
  readonly oneOf?: readonly string[];
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

/** An object whose shape the word in one of its members tells. */
export interface VariantShape {
  /** Always `variant`. */
  readonly kind: "variant";
  /** The name of that member. */
  readonly key: string;
  /** The shape for each word that is known. */
  readonly shapes: ReadonlyMap<string, AnyShape>;
  /** The shape for any other word, or in words what the word has to be. */
  readonly others: ObjectShape | string;
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

/** The shape of each member of a map of types. */
export type ShapesOf<M> = { readonly [W in keyof M]: Shape<M[W]> };

/** What says in the member `K` what sort it is. */
type Tagged<K extends string> = { readonly [N in K]: string };

/** The words that the members of a union are known by; `string` of an open one is none. */
type Word<T, K extends string> = T extends Tagged<K>
  ? string extends T[K] ? never : T[K]
  : never;

/** The members of a union whose words are known, by word. */
export type Known<T, K extends string> = {
  readonly [W in Word<T, K>]: T extends Tagged<K>
    ? string extends T[K] ? never : W extends T[K] ? T : never
    : never;
};

/** The open member of a union: the one with any word. */
type OpenOf<T, K extends string> = T extends Tagged<K>
  ? string extends T[K] ? T : never
  : never;

export const STRING: Shape<string> = { kind: "string" };
export const NUMBER: Shape<number> = { kind: "number" };
/** A whole number, however it is spelled. */
export const WHOLE: Shape<number> = { kind: "whole" };
/** A whole number from 0. */
export const COUNT: Shape<number> = { kind: "count" };
/** A time with its zone. */
export const TIME: Shape<string> = { kind: "time" };
export const BOOLEAN: Shape<boolean> = { kind: "boolean" };
/** Any value, null included. */
export const ANY: Shape<unknown> = { kind: "any" };
/** Any value but null. */
export const SOME: Shape<unknown> = { kind: "some" };
export const ANY_OBJECT: Shape<{ readonly [name: string]: unknown }> = {
  kind: "map",
  value: ANY,
};

/** One particular string. */
export function literal<const W extends string>(word: W): Shape<W> {
  return { kind: "literal", word };
}

/** One of some strings. */
export function words<const W extends string>(...words: W[]): Shape<W> {
  return { kind: "words", words };
}

/** Any string but some. */
export function other(words: readonly string[]): Shape<string> {
  return { kind: "others", words };
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

/**
 * An object with these members, and perhaps others.
 *
 * @param oneOf Of these members at least one must be there.
 */
export function object<T>(
  members: NoInfer<Members<T>>,
  oneOf?: readonly (keyof T & string)[],
): ShapeOfObject<T> {
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
    ...(oneOf && { oneOf }),
  };
}

/** An object each of whose members may be absent. */
export function partial<T>(
  { members }: ShapeOfObject<T>,
): ShapeOfObject<Partial<T>> {
  return {
    kind: "object",
    members: members.map((member) => ({ ...member, isOptional: true })),
  };
}

/** The objects that their `type` tells apart, each by its other members. */
export function typed<M extends { readonly [W in keyof M]: Tagged<"type"> }>(
  members: NoInfer<{ readonly [W in keyof M]: Members<Omit<M[W], "type">> }>,
): ShapesOf<M> {
  const shapes: { -readonly [W in keyof M]?: Shape<M[W]> } = {};
  for (const word in members) {
    const tag = { name: "type", shape: literal(word), isOptional: false };
    const rest = object<Omit<M[typeof word], "type">>(members[word]);
    shapes[word] = { kind: "object", members: [tag, ...rest.members] };
  }
  // Each member of `M` has its shape by now.
  return shapes as ShapesOf<M>;
}

/** What is of a type that has no shape of its own. */
export const UNKNOWN_KIND: ShapeOfObject<Tagged<"type">> = object<
  Tagged<"type">
>({ type: STRING });

/**
 * An object whose shape the word in the member `key` tells.
 *
 * @param others The shape for words that are not known; if there are none, what the word has
 *   to be, as messages say it.
 */
export function variant<T, K extends string>(
  key: K,
  shapes: NoInfer<ShapesOf<Known<T, K>>>,
  others: [OpenOf<T, K>] extends [never] ? string
    : ShapeOfObject<OpenOf<T, K>>,
): Shape<T> {
  const known = new Map<string, AnyShape>(Object.entries<AnyShape>(shapes));
  return variantOf(key, known, others);
}

/** {@linkcode variant}, where no type tells the words. */
export function variantOf(
  key: string,
  shapes: ReadonlyMap<string, AnyShape>,
  others: ObjectShape | string,
): VariantShape {
  const tag = typeof others === "string"
    ? undefined
    : others.members.find(({ name }) => name === key);
  if (typeof others === "string" || tag?.shape.kind === "others") {
    return { kind: "variant", key, shapes, others };
  }
  const shape = other([...shapes.keys()]);
  const members = others.members.map((member) =>
    member === tag ? { ...member, shape } : member
  );
  return { kind: "variant", key, shapes, others: { ...others, members } };
}

function alternativesOf(shape: AnyShape): readonly AnyShape[] {
  return shape.kind === "either" ? shape.shapes : [shape];
}
