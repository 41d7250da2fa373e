/**
 * What can be asked of a store of records.
 *
 * @module
 */

import type {
  AssistantDelta,
  ExecAction,
  ExecChunk,
  ExecStatus,
  ExecWaitNote,
  MessageMetadata,
  ParsedCommand,
  TokenUsage,
} from "./records.ts";

/** How a record is put in. */
export interface RecordOptions {
  /**
   * The id of the call, for `running_tool` and `tool_call`; other records are not found by it.
   *
   * @default {null}
   */
  readonly callId?: string | null | undefined;
}

/** A command that begins. */
export interface ExecStart {
  /**
   * Where to put it; behind the end means at the end.
   *
   * @default {Infinity}
   */
  readonly index?: number;
  /** The id of the call, if it has one. */
  readonly callId: string | null;
  /** The command and its arguments. */
  readonly command: readonly string[];
  /** What the parts of the command do. */
  readonly parsed: readonly ParsedCommand[];
  /** What the command does. */
  readonly action: ExecAction;
  /** When it began. */
  readonly startedAt: string;
}

/** What a command has written. */
export interface ExecOutput {
  /**
   * A piece of stdout.
   *
   * @default {null}
   */
  readonly stdout?: ExecChunk | null;
  /**
   * A piece of stderr.
   *
   * @default {null}
   */
  readonly stderr?: ExecChunk | null;
}

/** How a command is being waited for. All of it takes the place of what was known. */
export interface ExecWait {
  /** How many milliseconds it has been waited for. */
  readonly totalMs: number | null;
  /** Whether it is still being waited for. */
  readonly active: boolean;
  /** What was said meanwhile. */
  readonly notes: readonly ExecWaitNote[];
}

/** A command that ends. */
export interface ExecFinish {
  /**
   * The number of the record.
   *
   * @default {null}
   */
  readonly id?: number | null;
  /**
   * The id of the call, for when there is no record with that number.
   *
   * @default {null}
   */
  readonly callId?: string | null;
  /** How it ended. */
  readonly status: ExecStatus;
  /** Its exit code, if it has one. */
  readonly exitCode: number | null;
  /** When it ended. */
  readonly completedAt: string | null;
  /**
   * What it wrote to stdout and is not known yet.
   *
   * @default {null}
   */
  readonly stdoutTail?: string | null;
  /**
   * What it wrote to stderr and is not known yet.
   *
   * @default {null}
   */
  readonly stderrTail?: string | null;
  /**
   * How many milliseconds it was waited for. It takes the place of what was known.
   *
   * @default {null}
   */
  readonly waitTotalMs?: number | null;
  /**
   * Whether it is still being waited for. It takes the place of what was known.
   *
   * @default {false}
   */
  readonly waitActive?: boolean;
  /**
   * What was said meanwhile. It takes the place of what was known.
   *
   * @default {[]}
   */
  readonly waitNotes?: readonly ExecWaitNote[];
}

/** An answer that is being written. */
export interface AssistantUpdate {
  /** The id of the stream. */
  readonly streamId: string;
  /** The whole text so far. */
  readonly preview: string;
  /**
   * The piece that is new.
   *
   * @default {null}
   */
  readonly delta?: AssistantDelta | null;
  /**
   * What belongs to it besides its text; `null` leaves what is known.
   *
   * @default {null}
   */
  readonly metadata?: MessageMetadata | null;
  /** When that was. */
  readonly at: string;
}

/** An answer that is complete. */
export interface AssistantFinal {
  /** The id of the stream, if it has one. */
  readonly streamId: string | null;
  /** The text. */
  readonly markdown: string;
  /**
   * What belongs to it besides its text; `null` takes what its stream had.
   *
   * @default {null}
   */
  readonly metadata?: MessageMetadata | null;
  /**
   * The tokens that it took; `null` takes those of the metadata.
   *
   * @default {null}
   */
  readonly tokenUsage?: TokenUsage | null;
  /** When that was. */
  readonly at: string;
}

/** How much text is kept. */
export interface RecordLimits {
  /**
   * How many bytes of each output of a command are kept, counted from the end.
   *
   * @default {33554432}
   */
  readonly streamBytes?: number;
  /**
   * How many bytes of all outputs together are kept.
   *
   * @default {268435456}
   */
  readonly totalBytes?: number;
  /**
   * How many bytes are left of each output of the oldest commands, as soon as all outputs
   * together are too long.
   *
   * @default {524288}
   */
  readonly prunedStreamBytes?: number;
  /**
   * How many bytes of the pieces of an answer are kept, counted from the end.
   *
   * @default {6291456}
   */
  readonly deltaBytes?: number;
}

/** Options of a store. */
export interface RecordStoreOptions {
  /**
   * How much text is kept.
   *
   * @default {{}}
   */
  readonly limits?: RecordLimits | undefined;
}

/** Options of restoring a store. */
export interface RestoreOptions extends RecordStoreOptions {
  /**
   * Whether the snapshot is taken exactly as it is. Otherwise repeated answers of a stream are
   * dropped, and lookups that are all empty are made anew from the records.
   *
   * @default {false}
   */
  readonly exact?: boolean | undefined;
}
