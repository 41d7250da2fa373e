/**
 * Telling apart what says its sort in `type`, where that may be any word.
 *
 * @module
 */

/**
 * What is of a type that this library does not name: lines, items and events of other
 * releases. It holds what the line holds; a field is read with `"name" in value`.
 */
export interface UnknownKind {
  /** What sort it is, a word. */
  readonly type: string;
}

/**
 * The members of a union `T` that are of type `W`; of its open member, if none is.
 *
 * @typeParam T The union.
 * @typeParam W The type; one literal, not a union.
 */
export type OfType<T extends UnknownKind, W extends string> =
  [Extract<T, { readonly type: W }>] extends [never] ? T & { readonly type: W }
    : Extract<T, { readonly type: W }>;

/**
 * Says whether a line, an item, an event or a part of a message is of one type, known or
 * not, so that the compiler knows its fields.
 *
 * Types are open: `value.type` may be any string, and comparing it to one says nothing
 * about the fields. What a decoder gave and is of a known type has been checked, so this
 * has only to look at `type`.
 *
 * @typeParam T The type of the value.
 * @typeParam W The type to ask for; one literal, not a union.
 * @param value The line, item, event or part.
 * @param type The type to ask for.
 * @returns Whether `type` of the value is that.
 *
 * @example The commands of a paginated rollout
 * ```ts
 * import { isOfType, type RolloutLine } from "@codexpipe/codexpipe/rollout";
 * import { assertEquals } from "@std/assert";
 *
 * const lines: RolloutLine[] = [
 *   { type: "session_meta", payload: { id: "t", timestamp: "2026-11-20T15:00:00.000Z" } },
 *   {
 *     type: "event_msg",
 *     payload: {
 *       type: "item_completed",
 *       item: { type: "CommandExecution", id: "1", command: ["ls", "-l"] },
 *     },
 *   },
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
