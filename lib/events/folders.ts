/** Compares the paths of folders, which Windows spells in several ways. */

/** A drive, or a path that begins with two backslashes: a server, or the prefix of long paths. */
const WINDOWS_REGEXP = /^(?:[a-z]:[\\/]|\\\\)/i;
const LONG_PATH_REGEXP = /^\\\\\?\\/;
const LONG_SERVER_REGEXP = /^\\\\\?\\UNC\\/i;
/** A drive of Windows in WSL: a session that Codex resumes there has its path in lower case. */
const MOUNTED_DRIVE_REGEXP = /^\/mnt\/[a-z](?:\/|$)/i;

/**
 * Whether a path is an absolute one of Windows. On other systems it must not be read as a relative
 * path: sessions may have been copied from Windows, or be read from Linux that runs on Windows.
 */
export function isWindowsPath(path: string): boolean {
  return WINDOWS_REGEXP.test(path);
}

/** Returns one spelling of a path of Windows for all that it may have. */
export function comparablePath(path: string): string {
  if (MOUNTED_DRIVE_REGEXP.test(path)) return path.toLowerCase();
  if (!isWindowsPath(path)) return path;
  return path.replaceAll("/", "\\").replace(LONG_SERVER_REGEXP, "\\\\")
    .replace(LONG_PATH_REGEXP, "").toLowerCase();
}
