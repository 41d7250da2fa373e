/**
 * Words of command lines, for people to copy.
 */

/** Writes a word so that a shell takes it for one. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word)
    ? word
    : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Writes a path so that a shell takes it for one word, and a command for no option. */
export function shellPath(path: string): string {
  return shellWord(path.startsWith("-") ? `./${path}` : path);
}
