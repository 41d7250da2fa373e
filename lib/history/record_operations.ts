/** The arguments of the operations of a record store. */

import type * as records from "./records.ts";

/** Options of inserting a record. */
export interface RecordOptions {
  /**
   * The call id of a `running_tool` or `tool_call`; it is ignored for other records.
   *
   * @default {null}
   */
  readonly callId?: string | null | undefined;
}

/** The start of a command. */
export interface ExecStart {
  /**
   * The index at which to insert the record; one past the end means at the end.
   *
   * @default {Infinity}
   */
  readonly index?: number;
  /** The call id, if it has one. */
  readonly callId: string | null;
  /** The command and its arguments. */
  readonly command: readonly string[];
  /** The parts of the command, parsed. */
  readonly parsed: readonly records.ParsedCommand[];
  /** The kind of the command. */
  readonly action: records.ExecAction;
  /** The time at which it started. */
  readonly startedAt: string;
}

/** New output of a command. */
export interface ExecOutput {
  /**
   * A chunk of stdout.
   *
   * @default {null}
   */
  readonly stdout?: records.ExecChunk | null;
  /**
   * A chunk of stderr.
   *
   * @default {null}
   */
  readonly stderr?: records.ExecChunk | null;
}

/** The state of waiting for a command. */
export interface ExecWait {
  /** The total time of waiting so far, in milliseconds. */
  readonly totalMs: number | null;
  /** Whether the model is still waiting for it. */
  readonly active: boolean;
  /** The notes made while waiting. */
  readonly notes: readonly records.ExecWaitNote[];
}

/** The end of a command. */
export interface ExecFinish {
  /**
   * The id of the record.
   *
   * @default {null}
   */
  readonly id?: number | null;
  /**
   * The call id, by which the command is found if there is no record with that id.
   *
   * @default {null}
   */
  readonly callId?: string | null;
  /** How it ended. */
  readonly status: records.ExecStatus;
  /** The exit code, if it has one. */
  readonly exitCode: number | null;
  /** The time at which it ended. */
  readonly completedAt: string | null;
  /**
   * The rest of stdout, after the known output.
   *
   * @default {null}
   */
  readonly stdoutTail?: string | null;
  /**
   * The rest of stderr, after the known output.
   *
   * @default {null}
   */
  readonly stderrTail?: string | null;
  /**
   * The state of waiting for it. It replaces the known one.
   *
   * @default {{ totalMs: null, active: false, notes: [] }}
   */
  readonly wait?: ExecWait;
}

/** An update of an assistant message in progress. */
export interface AssistantUpdate {
  /** The id of the stream. */
  readonly streamId: string;
  /** The whole text so far. */
  readonly preview: string;
  /**
   * The new text.
   *
   * @default {null}
   */
  readonly delta?: records.AssistantDelta | null;
  /**
   * The citations and tokens of the message; `null` keeps the known ones.
   *
   * @default {null}
   */
  readonly metadata?: records.MessageMetadata | null;
  /** The time of the update. */
  readonly at: string;
}

/** A complete assistant message. */
export interface AssistantFinal {
  /** The id of the stream, if it has one. */
  readonly streamId: string | null;
  /** The text. */
  readonly markdown: string;
  /**
   * The citations and tokens of the message; `null` takes those of the message in progress.
   *
   * @default {null}
   */
  readonly metadata?: records.MessageMetadata | null;
  /**
   * The tokens of the message; `null` takes those of the metadata.
   *
   * @default {null}
   */
  readonly tokenUsage?: records.TokenUsage | null;
  /** The time at which it was complete. */
  readonly at: string;
}

/** The limits of the text that a history keeps. */
export interface RecordLimits {
  /**
   * The number of bytes of each output (stdout, stderr) of a command to keep, counted from the end.
   *
   * @default {33554432}
   */
  readonly streamBytes?: number;
  /**
   * The number of bytes of all outputs together above which those of the oldest commands are cut.
   *
   * @default {268435456}
   */
  readonly totalBytes?: number;
  /**
   * The number of bytes to keep of each output that is cut because of `totalBytes`.
   *
   * @default {524288}
   */
  readonly prunedStreamBytes?: number;
  /**
   * The number of bytes of the deltas of an assistant message to keep, counted from the end.
   *
   * @default {6291456}
   */
  readonly deltaBytes?: number;
}

/** Options of a store. */
export interface RecordStoreOptions {
  /**
   * The limits of the text that is kept.
   *
   * @default {{}}
   */
  readonly limits?: RecordLimits | undefined;
}

/** Options of restoring a store. */
export interface RestoreOptions extends RecordStoreOptions {
  /**
   * Whether the snapshot is restored unchanged. Otherwise further complete messages of the same
   * stream are dropped, and the lookups are rebuilt from the records if all of them are empty.
   *
   * @default {false}
   */
  readonly exact?: boolean | undefined;
}
