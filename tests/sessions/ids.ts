/**
 * Hostile texts in place of ids, which would do harm where an id is inserted.
 *
 * @module
 */

/** Each text would act as an option, a command, a path, SQL or HTML, or is too long. */
export const HOSTILE_IDS: readonly string[] = [
  "--dangerously-bypass-approvals-and-sandbox",
  "-c",
  "$(touch pwned)",
  "a;touch pwned",
  "a b",
  "a\nb",
  "../../etc/passwd",
  "..",
  "C:x",
  "javascript:alert",
  "'; DROP TABLE files; --",
  '" onload="alert(1)',
  "<script>",
  "\u001b]0;x\u0007",
  "\u202e",
  "x".repeat(129),
];
