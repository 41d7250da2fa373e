/** Messages for errors of the platform. */

import { codeOf } from "../files/byte_source.ts";
import { IoError } from "./endings.ts";

const REASONS: ReadonlyMap<string, string> = new Map([
  ["EACCES", "permission denied"],
  ["EDQUOT", "no space left for this user"],
  ["EEXIST", "something else is there already"],
  ["EIO", "the device failed"],
  ["EISDIR", "is a directory"],
  ["ELOOP", "too many symbolic links encountered"],
  ["EMFILE", "too many files are open"],
  ["ENAMETOOLONG", "the name is too long"],
  ["ENOENT", "not found"],
  ["ENOSPC", "no space left on the device"],
  ["ENOTDIR", "a part of the path is not a directory"],
  ["EPERM", "not permitted"],
  ["ESPIPE", "is a pipe or a device, which can be read only once"],
  ["EROFS", "the file system is read-only"],
  ["ETXTBSY", "it is being executed"],
]);

/** Deno's message for a missing permission, with the flag that grants it. */
const NOT_CAPABLE_REGEXP = /^Requires \w+ access.* (--allow-[a-z]+) flag$/s;

/** Whether an error comes from the platform, and not from a bug. */
export function isPlatformError(error: unknown): boolean {
  return codeOf(error) !== "" || isNotCapable(error);
}

/** Whether Deno denied a permission: an error without a code, in a module even without its name. */
export function isNotCapable(error: unknown): boolean {
  return error instanceof Error &&
    (error.name === "NotCapable" || NOT_CAPABLE_REGEXP.test(error.message));
}

/** Whether a non-blocking pipe would block. */
export function isWouldBlock(error: unknown): boolean {
  const code = codeOf(error);
  return code === "EAGAIN" || code === "EWOULDBLOCK";
}

/** The error for a failed operation, such as `open`: `PATH: cannot open: REASON`. */
export function cannot(verb: string, path: string, cause: unknown): IoError {
  const reason = verb === "create" && codeOf(cause) === "ENOENT"
    ? "its folder does not exist"
    : reasonOf(cause);
  // The platform decodes a name that is not UTF-8 to a name that does not exist.
  const advice = verb === "open" && path.includes("\ufffd")
    ? '; a file whose name is not UTF-8 can be read as stdin, with "< FILE"'
    : "";
  return new IoError(`${path}: cannot ${verb}: ${reason}${advice}`, { cause });
}

export function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === "DanglingLinkError") {
    return error.message;
  }
  const words = REASONS.get(codeOf(error));
  if (words !== undefined) return words;
  if (!(error instanceof Error)) return String(error);
  // Deno's permissions; a compiled executable has all of them.
  if (isNotCapable(error)) {
    const [, flag] = NOT_CAPABLE_REGEXP.exec(error.message) ?? [];
    const advice = flag === undefined ? "" : `; run deno with ${flag}`;
    return `Deno denied the permission${advice}`;
  }
  // node:fs writes "EMLINK: too many links, link '/a/b'".
  const text = error.message.replace(/ \(os error \d+\).*$/s, "")
    .replace(/^E[A-Z\d]+: (.*), [a-z]+(?: '.*)?$/s, "$1");
  return text.charAt(0).toLowerCase() + text.slice(1);
}
