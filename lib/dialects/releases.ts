/** Release numbers of Codex, as numbers that can be compared. */

const RELEASE_REGEXP = /^(\d)\.(\d{1,4})\.(\d{1,10})(?:[-+.].*)?$/;
/** The third part of the first releases is a time: 0.1.2505172129. */
const PATCHES = 1e10;
const MINORS = 1e4;

/** Parses a release, such as `0.92.0`, to a number that grows with it; 0 for any other text. */
export function releaseNumber(text: string | null | undefined): number {
  const [, major, minor, patch] = RELEASE_REGEXP.exec(text ?? "") ?? [];
  if (major === undefined) return 0;
  return (Number(major) * MINORS + Number(minor)) * PATCHES + Number(patch);
}

/** Formats a release; a suffix that was parsed away is not restored. */
export function releaseText(release: number): string {
  const minors = Math.floor(release / PATCHES);
  const major = Math.floor(minors / MINORS);
  return `${major}.${minors % MINORS}.${release % PATCHES}`;
}
