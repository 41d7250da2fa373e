/** The beginnings and ends of turns and commands of a session, emitted as its lines arrive. */

import { typedCommand } from "../events/contents.ts";
import { eventMs, msOf } from "../events/times.ts";
import {
  type Fields,
  fieldsOf,
  idOf,
  textOf,
  wholeOf,
} from "../json/fields.ts";
import type { TranscriptPart } from "../render/parts.ts";
import type { Emit, Stage } from "../stage.ts";
import type { Verdict, VerdictFailure, VerdictRecord } from "./verdict.ts";
import { VerdictBuilder, type VerdictOptions } from "./verdict_builder.ts";

/**
 * The start of a session, the start or end of one of its turns or commands, or its first damaged
 * line; `switch` on `type`. This list may expand over time.
 */
export type Happening =
  & {
    /**
     * The time, in milliseconds since 1970; `undefined` as long as no line has a time. A turn
     * without an end ends at the time of its last line.
     */
    readonly at: number | undefined;
  }
  & (
    | { readonly type: "session.started" | "turn.started" }
    | {
      readonly type: "command.started";
      /** The command, as a person would type it. */
      readonly command: string;
    }
    | {
      readonly type: "command.ended";
      /** The command, as a person would type it. */
      readonly command: string;
      /** How it ended: `completed`, `failed`, `declined`. */
      readonly status: string;
      /** Its exit code; `null` if it has none. */
      readonly exitCode: number | null;
      /** The time it ran, in milliseconds; `null` if that is not known. */
      readonly durationMs: number | null;
    }
    | {
      readonly type: "turn.ended";
      /** The time it took, in milliseconds; `null` if that is not known. */
      readonly durationMs: number | null;
      /** The verdict on the session so far. */
      readonly verdict: Verdict;
    }
    | {
      readonly type: "session.damaged";
      /** The first line that could not be read. */
      readonly failure: VerdictFailure;
    }
  );

/** A command that is running. */
export interface RunningCommand {
  /** The command, as a person would type it. */
  readonly command: string;
  /** When it began, in milliseconds since 1970; `undefined` if no line had a time by then. */
  readonly at: number | undefined;
}

/** The limit of running commands; the starts and ends of further ones are not emitted. */
const MAX_COMMANDS = 256;

/**
 * Converts the bytes of a session file to happenings: turns and commands when they begin and when
 * they end, a turn with its verdict, and the first line that cannot be read. The lines that a fork
 * or sub-agent copied from another session are skipped.
 *
 * Memory is bounded as that of {@linkcode VerdictBuilder} is.
 *
 * @example A session in progress
 * ```ts
 * import { HappeningReader } from "@codexpipe/codexpipe/check";
 * import { assertEquals } from "@std/assert";
 *
 * const item = { id: "item_0", type: "command_execution", command: "ls -l" };
 * const lines = [
 *   { type: "thread.started", thread_id: "t" },
 *   { type: "turn.started" },
 *   { type: "item.started", item },
 * ];
 * const log = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
 * const types: string[] = [];
 * const reader = new HappeningReader({ from: "exec" });
 * reader.feed(new TextEncoder().encode(log), ({ type }) => types.push(type));
 *
 * assertEquals(types, ["session.started", "turn.started", "command.started"]);
 * assertEquals(reader.commands.map(({ command }) => command), ["ls -l"]);
 * ```
 */
export class HappeningReader implements Stage<Uint8Array, Happening> {
  readonly #builder: VerdictBuilder;
  readonly #commands = new Map<string, RunningCommand>();
  #emit: Emit<Happening> = () => {};
  #at: number | undefined;
  #turnAt: number | undefined;
  #hasBegun = false;
  /**
   * Whether `turn.started` is still to be emitted: the event that starts a turn also ends the one
   * before it, whose `turn.ended` comes first.
   */
  #isTurnDue = false;
  #hasTurn = false;
  #isDamaged = false;
  /** Whether the current event was copied from another session. */
  #isInherited = false;
  #hasCopies = false;

  /**
   * Constructs a new instance.
   *
   * @param options The dialects, limits and demands. `from` is `rollout` by default.
   * @throws {RangeError} If a limit is out of its range; see {@linkcode VerdictBuilder}.
   */
  constructor(options: VerdictOptions = {}) {
    this.#builder = new VerdictBuilder({ from: "rollout", ...options });
    this.#builder.hearLines(
      (event) => this.#addEvent(event),
      (failure) => this.#addFailure(failure),
    );
  }

  /** The time of the last event, in milliseconds since 1970; `undefined` if none has a time. */
  get at(): number | undefined {
    return this.#at;
  }

  /** Whether a turn is in progress. */
  get hasTurn(): boolean {
    return this.#hasTurn;
  }

  /** The start of the last turn, in milliseconds since 1970; `undefined` if it is not known. */
  get turnAt(): number | undefined {
    return this.#turnAt;
  }

  /** The running commands, the oldest first. */
  get commands(): readonly RunningCommand[] {
    return [...this.#commands.values()];
  }

  /** The verdict so far. */
  get verdict(): Verdict {
    return this.#builder.verdict;
  }

  /**
   * Reads a block and emits the happenings of the lines that it completes.
   *
   * @param block The bytes; they may be used again afterwards.
   * @param emit Is called with each happening, in order.
   */
  feed(block: Uint8Array, emit: Emit<Happening>): void {
    this.#emit = emit;
    this.#builder.feed(block, this.#addPart);
    this.#startTurn();
  }

  /**
   * Ends the input. A turn in progress is emitted as `turn.ended`, though the log has no end of it.
   *
   * @param emit Is called with each happening.
   */
  flush(emit: Emit<Happening>): void {
    this.#emit = emit;
    this.#isInherited = false;
    this.#builder.flush(this.#addPart);
  }

  #addEvent(event: Fields): void {
    this.#startTurn();
    const time = eventMs(event);
    // Lines may be written a little out of order. The times of happenings never decrease.
    if (time !== undefined) this.#at = Math.max(this.#at ?? 0, time);
    this.#isInherited = event.inherited === true;
    this.#hasCopies ||= this.#isInherited;
    if (this.#isInherited) return;
    const { type, item_type } = event;
    if (type === "thread.started") {
      // A log of `codex exec` has one for each time that the session was resumed.
      if (!this.#hasBegun) this.#emitNow({ type: "session.started" });
      this.#hasBegun = true;
    } else if (type === "turn.started") this.#isTurnDue = true;
    else if (item_type === "command_execution") this.#addCommandEvent(event);
  }

  #startTurn(): void {
    if (!this.#isTurnDue) return;
    this.#isTurnDue = false;
    this.#hasTurn = true;
    this.#turnAt = this.#at;
    // Commands that ran when Codex was killed never end.
    this.#commands.clear();
    this.#emitNow({ type: "turn.started" });
  }

  #addCommandEvent(event: Fields): void {
    const { type, status } = event;
    const id = idOf(event.call_id) ?? idOf(event.item_id) ?? "";
    const content = fieldsOf(event.content);
    if (type === "item.started") {
      if (this.#commands.size >= MAX_COMMANDS) return;
      const command = typedCommand(content);
      this.#commands.set(id, { command, at: this.#at });
      this.#emitNow({ type: "command.started", command });
      return;
    }
    // A command may end twice: with the output for the model, and when its process exits.
    const running = this.#commands.get(id);
    if (running === undefined || type === "item.delta") return;
    this.#commands.delete(id);
    this.#emitNow({
      type: "command.ended",
      command: running.command,
      status: textOf(status) ?? "",
      exitCode: wholeOf(content.exit_code) ?? null,
      durationMs: wholeOf(content.duration_ms) ?? this.#since(running.at),
    });
  }

  readonly #addPart = (part: TranscriptPart): void => {
    // A copied turn without an end is over when the first own turn begins.
    const isCopied = this.#isInherited || this.#hasCopies && !this.#hasTurn;
    if (part.type !== "turn_ended" || isCopied) return;
    this.#hasTurn = false;
    const { endedAt, durationMs } = part;
    const { verdict } = this.#builder;
    const at = endedAt === null ? this.#at : msOf(endedAt);
    this.#emit({ type: "turn.ended", at, durationMs, verdict });
  };

  #addFailure(failure: VerdictFailure): void {
    this.#startTurn();
    if (!this.#isDamaged) this.#emitNow({ type: "session.damaged", failure });
    this.#isDamaged = true;
  }

  #since(at: number | undefined): number | null {
    return at === undefined || this.#at === undefined ? null : this.#at - at;
  }

  #emitNow(happening: DistributiveOmit<Happening, "at">): void {
    this.#emit({ at: this.#at, ...happening });
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K>
  : never;

/**
 * A change in a Codex home, as `codexpipe watch --json` prints it: a {@linkcode Happening} of a
 * session, or that its file was archived, packed or deleted. Unknown values are null. The members
 * after `path` depend on `type`.
 *
 * This list may expand over time.
 */
export interface HappeningRecord {
  /** The kind of change. */
  readonly type:
    | Happening["type"]
    | "session.archived"
    | "session.unarchived"
    | "session.packed"
    | "session.unpacked"
    | "session.deleted";
  /** The time at which it happened or was noticed. Never before that of the record before. */
  readonly at: string;
  /** The id of the session. */
  readonly session_id: string | null;
  /** The id of the session that spawned it. */
  readonly parent_id: string | null;
  /** The title of the session. */
  readonly title: string;
  /** The path of its file. */
  readonly path: string;
  /** The working folder. This member and those up to `agent` belong to `session.started`. */
  readonly cwd?: string | null;
  /** The model. */
  readonly model?: string | null;
  /** The version of Codex. */
  readonly cli_version?: string | null;
  /** The program that started the session, as Codex names it, such as `cli`. */
  readonly source?: string | null;
  /** The name of a sub-agent. */
  readonly agent?: string | null;
  /** The command, of `command.started` and `command.ended`. */
  readonly command?: string;
  /** How it ended, of `command.ended`. */
  readonly status?: string;
  /** Its exit code. */
  readonly exit_code?: number | null;
  /** The time it took, in milliseconds, of `command.ended` and `turn.ended`. */
  readonly duration_ms?: number | null;
  /** The verdict on the session so far, of `turn.ended`. */
  readonly verdict?: VerdictRecord;
  /**
   * The number of the first line that could not be read, of `session.damaged`; null if the whole
   * file cannot be read.
   */
  readonly line?: number | null;
  /** Why it could not be read. */
  readonly message?: string;
}
