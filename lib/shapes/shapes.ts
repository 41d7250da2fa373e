/**
 * Shapes: the one description of each record type. A shape stands beside the interface that it
 * describes, and the compiler checks the two against each other.
 *
 * A shape is data. Everything else is derived by walking it: the check (check.ts), the parts of a
 * record that a plan watches and the paths that have names (look.ts), valibot's schemas and JSON
 * Schema (schema.ts). The builders have the names of valibot's, shortened, but build no valibot
 * schema themselves: loading valibot takes 10 ms, a tenth of a run of the command.
 */

declare const TYPE: unique symbol;

/** A phantom property that carries the type of a shape; it never exists at run time. */
interface Of<T> {
  readonly [TYPE]?: (value: T) => T;
}

/** The shape of values of type `T`. */
export type Shape<T> = AnyShape & Of<T>;

export type ShapeOfObject<T> = ObjectShape & Of<T>;

/** A shape of any type. */
export type AnyShape =
  /**
   * A value described by its kind alone: a string, a time (RFC 3339), a number, a whole number
   * (`whole`), a whole number from 0 (`count`), a boolean, null, any value but null (`some`), or
   * any value (`any`).
   */
  | {
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
  | { readonly kind: "literal"; readonly word: string }
  /** A string from a fixed set (`words`), or a string outside of it (`others`). */
  | { readonly kind: "words" | "others"; readonly words: readonly string[] }
  | ObjectShape
  | ListShape
  /** An object whose keys are data. */
  | { readonly kind: "map"; readonly value: AnyShape }
  /** One of several shapes, each for a different kind of JSON value. */
  | { readonly kind: "either"; readonly shapes: readonly AnyShape[] }
  | VariantShape;

/** An object with known members; other members are allowed. */
export interface ObjectShape {
  readonly kind: "object";
  readonly members: readonly Member[];
  /** At least one of these members must be present. */
  readonly oneOf?: readonly [string, ...string[]];
}

export interface Member {
  readonly name: string;
  readonly shape: AnyShape;
  readonly isOptional: boolean;
}

export interface ListShape {
  readonly kind: "list";
  readonly element: AnyShape;
}

/** An object whose shape is chosen by a string in one of its members, the tag. */
export interface VariantShape {
  readonly kind: "variant";
  readonly key: string;
  readonly shapes: ReadonlyMap<string, AnyShape>;
  /**
   * The shape for every other tag. If no other tag is allowed, the expected value as messages word
   * it.
   */
  readonly others: ObjectShape | string;
}

export interface Optional<T> {
  readonly optional: Shape<T>;
}

/** The shape of each member of `T`; `optional` exactly where `T` has a `?`. */
export type Members<T> = {
  readonly [K in keyof T]-?: Record<never, never> extends Pick<T, K>
    ? Optional<Exclude<T[K], undefined>>
    : Shape<T[K]>;
};

/** The shape of each entry of a type map. */
export type ShapesOf<M> = { readonly [W in keyof M]: Shape<M[W]> };

/** An object with a string tag in the member `K`. */
type Tagged<K extends string> = { readonly [N in K]: string };

/** The literal tags of a union; a member of the union whose tag is `string` adds none. */
type Word<T, K extends string> = T extends Tagged<K>
  ? string extends T[K] ? never : T[K]
  : never;

/** The members of a union that have literal tags, by tag. */
export type Known<T, K extends string> = {
  readonly [W in Word<T, K>]: T extends Tagged<K>
    ? string extends T[K] ? never : W extends T[K] ? T : never
    : never;
};

/** The open member of a union: the one whose tag is `string`. */
type OpenOf<T, K extends string> = T extends Tagged<K>
  ? string extends T[K] ? T : never
  : never;

export const STRING: Shape<string> = { kind: "string" };
export const NUMBER: Shape<number> = { kind: "number" };
/** A whole number in any spelling, `1.0` and `1e2` included. */
export const WHOLE: Shape<number> = { kind: "whole" };
export const COUNT: Shape<number> = { kind: "count" };
export const TIME: Shape<string> = { kind: "time" };
export const BOOLEAN: Shape<boolean> = { kind: "boolean" };
export const ANY: Shape<unknown> = { kind: "any" };
export const SOME: Shape<unknown> = { kind: "some" };
export const ANY_OBJECT: Shape<{ readonly [name: string]: unknown }> = {
  kind: "map",
  value: ANY,
};

export function literal<const W extends string>(word: W): Shape<W> {
  return { kind: "literal", word };
}

export function words<const W extends string>(...words: W[]): Shape<W> {
  return { kind: "words", words };
}

export function other(words: readonly string[]): Shape<string> {
  return { kind: "others", words };
}

export function list<T>(element: Shape<T>): Shape<readonly T[]> {
  return { kind: "list", element };
}

/** An object whose keys are data and whose values have one shape. */
export function map<T>(value: Shape<T>): Shape<{ readonly [name: string]: T }> {
  return { kind: "map", value };
}

/** A value of one of two shapes, which must be for different kinds of JSON values. */
export function either<A, B>(one: Shape<A>, other: Shape<B>): Shape<A | B> {
  return { kind: "either", shapes: [one, other].flatMap(alternativesOf) };
}

export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  const nothing: Shape<null> = { kind: "null" };
  return either(shape, nothing);
}

/** A member that may be absent, but not null. */
export function optional<T>(shape: Shape<T>): Optional<T> {
  return { optional: shape };
}

/**
 * A member that may be absent or null. Most optional members are of this kind, since some releases
 * leave such a member out and others write null.
 */
export function maybe<T>(shape: Shape<T>): Optional<T | null> {
  return { optional: nullable(shape) };
}

/**
 * An object with the given members; other members are allowed.
 *
 * @param oneOf At least one of these members must be present.
 */
export function object<T>(
  members: NoInfer<Members<T>>,
  oneOf?: readonly [keyof T & string, ...(keyof T & string)[]],
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

/** The same object with every member optional. */
export function partial<T>(
  { members }: ShapeOfObject<T>,
): ShapeOfObject<Partial<T>> {
  return {
    kind: "object",
    members: members.map((member) => ({ ...member, isOptional: true })),
  };
}

/** The shapes of objects whose tag is `type`, each given by its other members. */
export function typed<M extends { readonly [W in keyof M]: Tagged<"type"> }>(
  members: NoInfer<{ readonly [W in keyof M]: Members<Omit<M[W], "type">> }>,
): ShapesOf<M> {
  const shapes: { -readonly [W in keyof M]?: Shape<M[W]> } = {};
  for (const word in members) {
    const tag = { name: "type", shape: literal(word), isOptional: false };
    const rest = object<Omit<M[typeof word], "type">>(members[word]);
    shapes[word] = { kind: "object", members: [tag, ...rest.members] };
  }
  // Every key of `M` has its shape by now.
  return shapes as ShapesOf<M>;
}

/** The shape of a record whose type has no shape of its own. */
export const UNKNOWN_KIND: ShapeOfObject<Tagged<"type">> = object<
  Tagged<"type">
>({ type: STRING });

/**
 * An object whose shape is chosen by the tag in the member `key`.
 *
 * @param others The shape for unknown tags. If there is none, the expected tag as messages word it.
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

/** {@linkcode variant} without the compiler's check of the tags. */
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
