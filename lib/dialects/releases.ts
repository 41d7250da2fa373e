/** Releases of Codex as numbers, so that they can be compared. */

const RELEASE_REGEXP = /^(\d{1,3})\.(\d{1,4})\.(\d{1,10})(?:[-+.].*)?$/;
/** The third number of the first releases is a time: 0.1.2505172129. */
const PATCHES = 1e10;
const MINORS = 1e4;

/**
 * Reads the release that a file names.
 *
 * @returns A number that is larger for later releases; 0 for what is none.
 */
export function releaseNumber(text: string | undefined): number {
  const [, major, minor, patch] = RELEASE_REGEXP.exec(text ?? "") ?? [];
  if (major === undefined || Number(major) > 9) return 0;
  return (Number(major) * MINORS + Number(minor)) * PATCHES + Number(patch);
}

/** Writes a release as files name it; what a suffix added is left out. */
export function releaseText(release: number): string {
  const minors = Math.floor(release / PATCHES);
  const major = Math.floor(minors / MINORS);
  return `${major}.${minors % MINORS}.${release % PATCHES}`;
}
