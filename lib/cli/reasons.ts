/** Errors of the platform, in words. */

import { codeOf } from "../files/byte_source.ts";
import { IoError } from "./endings.ts";

/** The codes that need an answer of their own. */
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
  ["EROFS", "the file system is read-only"],
  ["ETXTBSY", "it is being executed"],
]);

/** How Deno says which permission lacks, and the flag that gives it. */
const NOT_CAPABLE_REGEXP = /^Requires (\w+) access.* (--allow-[a-z]+) flag$/s;

/** Whether an error is one of the platform's: not a bug, but what cannot be done here. */
export function isPlatformError(error: unknown): boolean {
  return codeOf(error) !== "" || isNotCapable(error);
}

/**
 * Whether Deno says that it may not: such an error has no code, and where a module could not be
 * loaded not even a name.
 */
export function isNotCapable(error: unknown): boolean {
  return error instanceof Error &&
    (error.name === "NotCapable" || NOT_CAPABLE_REGEXP.test(error.message));
}

/** Whether a pipe can take or give nothing just now. */
export function isWouldBlock(error: unknown): boolean {
  const code = codeOf(error);
  return code === "EAGAIN" || code === "EWOULDBLOCK";
}

/** That something cannot be done with a path, and why. */
export function cannot(what: string, path: string, cause: unknown): IoError {
  return new IoError(`${path}: cannot ${what}: ${reasonOf(cause)}`, { cause });
}

export function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === "DanglingLinkError") {
    return error.message;
  }
  const words = REASONS.get(codeOf(error));
  if (words !== undefined) return words;
  if (!(error instanceof Error)) return String(error);
  // Deno's own permissions, which a compiled command does not ask for.
  if (isNotCapable(error)) {
    const [, what, flag] = NOT_CAPABLE_REGEXP.exec(error.message) ?? [];
    return flag === undefined
      ? "this process was not given the permission"
      : `this process was not given the permission to ${
        what === "env" ? "ask for variables" : what
      }; give deno ${flag}`;
  }
  // "EMLINK: too many links, link '/a/b'" is how node:fs says it.
  const text = error.message.replace(/ \(os error \d+\).*$/s, "")
    .replace(/^E[A-Z\d]+: (.*), [a-z]+(?: '.*)?$/s, "$1");
  return text.charAt(0).toLowerCase() + text.slice(1);
}
