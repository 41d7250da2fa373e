/**
 * Whose a text in the index of sessions is.
 *
 * @module
 */

/** Whose a text is, or what it is about. */
export type MessageRole =
  /** What the person wrote. */
  | "user"
  /** What the model answered. */
  | "assistant"
  /** What the model thought, as far as it is shown. */
  | "reasoning"
  /** A command and its output. */
  | "command"
  /** What was changed in files. */
  | "patch"
  /** A call of another tool and what it gave, or an image. */
  | "tool"
  /** A plan. */
  | "plan"
  /** What the program said: warnings, reviews, compactions. */
  | "notice"
  /** An error. */
  | "error";

/** The roles, in the order of the help. */
export const MESSAGE_ROLES: readonly MessageRole[] = [
  "user",
  "assistant",
  "reasoning",
  "command",
  "patch",
  "tool",
  "plan",
  "notice",
  "error",
];
