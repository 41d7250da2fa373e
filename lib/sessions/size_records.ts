/**
 * What sessions take, as JSON.
 *
 * @module
 */

/** What sessions can be summed up by. */
export const SIZE_KEYS = ["content", "kind", "age", "project"] as const;

/** What sessions can be summed up by. */
export type SizeKey = typeof SIZE_KEYS[number];

/** What one session file takes, as `codexpipe sessions du` prints it. */
export interface SessionSizeRecord {
  /** The id of its session; null if nothing says it. */
  readonly id: string | null;
  /** What it is called. */
  readonly title: string;
  /** The folder that it ran in; null if that is not said. */
  readonly project: string | null;
  /** `main`, `fork`, `subagent`, or `copy`: another file of a session. */
  readonly kind: string;
  /** Whether it is archived. */
  readonly archived: boolean;
  /** How it is packed: `none`, `zstd` or `gzip`. */
  readonly compression: string;
  /** When it was last written to. */
  readonly updated: string;
  /** Its size, unpacked. */
  readonly bytes: number;
  /** What it takes on the disk. */
  readonly disk_bytes: number;
  /** What its bytes are of; together they are `bytes`. */
  readonly parts: Readonly<Record<string, number>>;
  /** The file. */
  readonly path: string;
  /** Why it could not be read to its end; null if it could. */
  readonly problem: string | null;
}

/** What some sessions take, or a part of all. */
export interface SessionSizeGroup {
  /** What it was made by. */
  readonly by: string;
  /** Its name; null is a project that is not said. */
  readonly name: string | null;
  /** How many files there are with some of it. */
  readonly files: number;
  /** Its size, unpacked. */
  readonly bytes: number;
  /** What it takes on the disk; null of a part of files, which may be packed. */
  readonly disk_bytes: number | null;
  /** How much of all it is, from 0 to 1: of what is on the disk, or else unpacked. */
  readonly share: number;
}

/** A session that could go, as `codexpipe sessions du` prints it. */
export interface SpareSessionRecord {
  /** The id of the session. */
  readonly id: string;
  /** Why: `archived`, `superseded` or `orphaned`. */
  readonly reason: string;
  /** The command that would let it go. */
  readonly command: string;
  /** What it takes on the disk. */
  readonly disk_bytes: number;
}

/** What the sessions of Codex homes take, as `codexpipe sessions du --json` prints it. */
export interface SessionSizesReport {
  /** How many files there are. */
  readonly files: number;
  /** Their size, unpacked. */
  readonly bytes: number;
  /** What they take on the disk. */
  readonly disk_bytes: number;
  /** What archived ones take on the disk. */
  readonly archived_disk_bytes: number;
  /** What packed ones take on the disk. */
  readonly packed_disk_bytes: number;
  /** The sums. */
  readonly groups: readonly SessionSizeGroup[];
  /** The largest files on the disk. */
  readonly largest: readonly SessionSizeRecord[];
  /** What could go. */
  readonly spare: readonly SpareSessionRecord[];
  /** What could not be looked at. */
  readonly problems: readonly {
    readonly [name: string]: unknown;
  }[];
}
