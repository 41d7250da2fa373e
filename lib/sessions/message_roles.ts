/** Whose a text in the index of sessions is. */

/**
 * Whose a text is, or what it is about.
 *
 * - `user`: what the person wrote.
 * - `assistant`: what the model answered.
 * - `reasoning`: what the model thought, as far as it is shown.
 * - `command`: a command and its output.
 * - `patch`: what was changed in files.
 * - `tool`: a call of another tool and what it gave, or an image.
 * - `plan`: a plan.
 * - `notice`: what the program said: warnings, reviews, compactions.
 * - `error`: an error.
 */
export type MessageRole =
  | "user"
  | "assistant"
  | "reasoning"
  | "command"
  | "patch"
  | "tool"
  | "plan"
  | "notice"
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
