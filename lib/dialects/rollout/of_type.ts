/** Narrows a value by its `type`, where the type may be any word. */

/**
 * A line, item or event of a type that this library does not know, as later releases may write it.
 * It holds all fields of the line; test for a field with `"name" in value`.
 */
export interface UnknownKind {
  /** The type. */
  readonly type: string;
}

/**
 * The kinds in a table, by type: each with its fields and its type.
 *
 * @typeParam M The table: the fields of each kind, by type.
 */
export type KindsOf<M> = {
  readonly [W in keyof M]: { readonly type: W } & M[W];
};

/**
 * The members of a union `T` whose type is `W`; if there is none, its open member.
 *
 * @typeParam T The union.
 * @typeParam W The type; one literal, not a union.
 */
export type OfType<T extends UnknownKind, W extends string> =
  [Extract<T, { readonly type: W }>] extends [never] ? T & { readonly type: W }
    : Extract<T, { readonly type: W }>;

/**
 * Returns whether a line, an item, an event or a part of a message has a type, known or not, and
 * narrows it to that type.
 *
 * Types are open: `value.type` may be any string, and comparing it with a literal does not narrow
 * the fields. A decoder has checked every value of a known type, so that comparing `type` is enough
 * here.
 *
 * @typeParam T The type of the value.
 * @typeParam W The type to compare with; one literal, not a union.
 * @param value The line, item, event or part.
 * @param type The type to compare with.
 * @returns Whether the value has that type.
 *
 * @example The commands of a paginated rollout
 * ```ts
 * import { isOfType, type RolloutLine } from "@codexpipe/codexpipe/rollout";
 * import { assertEquals } from "@std/assert";
 *
 * const item = { type: "CommandExecution", id: "1", command: ["ls", "-l"] } as const;
 * const lines: RolloutLine[] = [
 *   { type: "session_meta", payload: { id: "t", timestamp: "2026-11-20T15:00:00.000Z" } },
 *   { type: "event_msg", payload: { type: "item_completed", item } },
 * ];
 * const commands = lines.flatMap((line) =>
 *   isOfType(line, "event_msg") && isOfType(line.payload, "item_completed") &&
 *     isOfType(line.payload.item, "CommandExecution")
 *     ? [line.payload.item.command]
 *     : []
 * );
 *
 * assertEquals(commands, [["ls", "-l"]]);
 * ```
 */
export function isOfType<T extends UnknownKind, const W extends string>(
  value: T,
  type: W,
): value is OfType<T, W> {
  return value.type === type;
}
