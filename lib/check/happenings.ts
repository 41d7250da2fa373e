/** What happens in a session, told as it happens. */

import { msOf, timestampOf } from "../events/times.ts";
import {
  type Fields,
  fieldsOf,
  idOf,
  listOf,
  textOf,
  wholeOf,
} from "../json/fields.ts";
import { commandLine } from "../render/command_line.ts";
import type { TranscriptPart } from "../render/parts.ts";
import type { Emit, Stage } from "../stage.ts";
import {
  type Verdict,
  VerdictBuilder,
  type VerdictFailure,
  type VerdictOptions,
} from "./verdict_builder.ts";
import type { VerdictRecord } from "./verdict_json.ts";

/** Something that happens in a session; `switch` on `type`. This list may expand over time. */
export type Happening =
  & {
    /**
     * When it happened, in milliseconds since 1970; `undefined` as long as no line has a time. A
     * turn without an end ended when its last line was written.
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
      /** How many milliseconds it ran; `null` if that is not known. */
      readonly durationMs: number | null;
    }
    | {
      readonly type: "turn.ended";
      /** How many milliseconds it took; `null` if that is not known. */
      readonly durationMs: number | null;
      /** What is found out about the session so far. */
      readonly verdict: Verdict;
    }
    | {
      readonly type: "session.damaged";
      /** The first line that could not be read. */
      readonly failure: VerdictFailure;
    }
  );

/** A command that runs. */
export interface RunningCommand {
  /** The command, as a person would type it. */
  readonly command: string;
  /** When it began, in milliseconds since 1970. */
  readonly at: number | undefined;
}

/** As many commands are known to run at once. */
const MAX_COMMANDS = 256;

/**
 * Tells what happens in a session file: bytes in, happenings out. Turns and commands are told when
 * they begin and when they end, a turn with its verdict; of lines that cannot be read, the first.
 * What a fork or sub-agent copied from another session did not happen in it.
 *
 * Memory is bounded as that of {@linkcode VerdictBuilder} is.
 *
 * @example A session that is going on
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
  /** Whether a turn begins: told when the one before has been ended by it. */
  #isTurnDue = false;
  #hasTurn = false;
  #isDamaged = false;
  /** Whether the event that is taken was copied from another session. */
  #isInherited = false;

  /**
   * Constructs a new instance.
   *
   * @param options What to expect, and what to judge by.
   * @throws {RangeError} If a limit is none; see {@linkcode VerdictBuilder}.
   */
  constructor(options: VerdictOptions = {}) {
    this.#builder = new VerdictBuilder({ from: "rollout", ...options });
    this.#builder.hearLines(
      (event) => this.#hear(event),
      (failure) => this.#hearFailure(failure),
    );
  }

  /** When the last event was, in milliseconds since 1970; `undefined` if none has a time. */
  get at(): number | undefined {
    return this.#at;
  }

  /** Whether a turn goes on. */
  get hasTurn(): boolean {
    return this.#hasTurn;
  }

  /** When the last turn began, in milliseconds since 1970; `undefined` if that is not known. */
  get turnAt(): number | undefined {
    return this.#turnAt;
  }

  /** The commands that run, the oldest first. */
  get commands(): readonly RunningCommand[] {
    return [...this.#commands.values()];
  }

  /** What is found out so far. */
  get verdict(): Verdict {
    return this.#builder.verdict;
  }

  /**
   * Takes a block and emits what happens in the lines that it completes.
   *
   * @param block The bytes; they may be used again afterwards.
   * @param emit Is called with each happening, in order.
   */
  feed(block: Uint8Array, emit: Emit<Happening>): void {
    this.#emit = emit;
    this.#builder.feed(block, this.#take);
    this.#startTurn();
  }

  /**
   * Ends the session: a turn that goes on ends without an end.
   *
   * @param emit Is called with each happening.
   */
  flush(emit: Emit<Happening>): void {
    this.#emit = emit;
    this.#isInherited = false;
    this.#builder.flush(this.#take);
  }

  #hear(event: Fields): void {
    this.#startTurn();
    const time = timestampOf(event.timestamp);
    // Lines may be written a little out of order; what is told is in order.
    if (time !== undefined) this.#at = Math.max(this.#at ?? 0, msOf(time));
    this.#isInherited = event.inherited === true;
    if (this.#isInherited) return;
    const { type, item_type } = event;
    if (type === "thread.started") {
      if (!this.#hasBegun) this.#tell({ type: "session.started" });
      this.#hasBegun = true;
    } else if (type === "turn.started") this.#isTurnDue = true;
    else if (item_type === "command_execution") this.#hearCommand(event);
  }

  #startTurn(): void {
    if (!this.#isTurnDue) return;
    this.#isTurnDue = false;
    this.#hasTurn = true;
    this.#turnAt = this.#at;
    // What ran when Codex was killed has no end.
    this.#commands.clear();
    this.#tell({ type: "turn.started" });
  }

  #hearCommand(event: Fields): void {
    const { type, status } = event;
    const id = idOf(event.call_id) ?? idOf(event.item_id) ?? "";
    const content = fieldsOf(event.content);
    if (type === "item.started") {
      const argv = listOf(content.argv).map((word) => textOf(word) ?? "");
      const command = argv.length > 0
        ? commandLine(argv)
        : textOf(content.command) ?? "";
      if (this.#commands.size >= MAX_COMMANDS) return;
      this.#commands.set(id, { command, at: this.#at });
      this.#tell({ type: "command.started", command });
      return;
    }
    // An end may be told twice: by the answer to the model, and when the process ends.
    const running = this.#commands.get(id);
    if (running === undefined || type === "item.delta") return;
    this.#commands.delete(id);
    this.#tell({
      type: "command.ended",
      command: running.command,
      status: textOf(status) ?? "",
      exitCode: wholeOf(content.exit_code) ?? null,
      durationMs: this.#since(running.at),
    });
  }

  readonly #take = (part: TranscriptPart): void => {
    if (part.type !== "turn_ended" || this.#isInherited) return;
    this.#hasTurn = false;
    const { endedAt, durationMs } = part;
    const { verdict } = this.#builder;
    const at = endedAt === null ? this.#at : msOf(endedAt);
    this.#emit({ type: "turn.ended", at, durationMs, verdict });
  };

  #hearFailure(failure: VerdictFailure): void {
    this.#startTurn();
    if (!this.#isDamaged) this.#tell({ type: "session.damaged", failure });
    this.#isDamaged = true;
  }

  #since(at: number | undefined): number | null {
    return at === undefined || this.#at === undefined ? null : this.#at - at;
  }

  #tell(happening: DistributiveOmit<Happening, "at">): void {
    this.#emit({ at: this.#at, ...happening });
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K>
  : never;

/**
 * Something that happened in a Codex home, as `codexpipe watch --json` prints it; null is what is
 * not known. Which fields there are behind `path` depends on `type`.
 *
 * This list may expand over time.
 */
export interface HappeningRecord {
  /** What happened. */
  readonly type:
    | Happening["type"]
    | "session.archived"
    | "session.unarchived"
    | "session.packed"
    | "session.unpacked"
    | "session.deleted";
  /** When it happened, or was seen: never before what was told before it. */
  readonly at: string;
  /** The id of the session. */
  readonly session_id: string | null;
  /** The id of the session that spawned it. */
  readonly parent_id: string | null;
  /** What the session is called. */
  readonly title: string;
  /** Its file. */
  readonly path: string;
  /** The folder that it runs in; of `session.started`, as all up to `agent`. */
  readonly cwd?: string | null;
  /** The model. */
  readonly model?: string | null;
  /** The version of Codex. */
  readonly cli_version?: string | null;
  /** What started it. */
  readonly source?: string | null;
  /** What a sub-agent is called. */
  readonly agent?: string | null;
  /** The command, of `command.started` and `command.ended`. */
  readonly command?: string;
  /** How it ended, of `command.ended`. */
  readonly status?: string;
  /** Its exit code. */
  readonly exit_code?: number | null;
  /** How many milliseconds it took, of `command.ended` and `turn.ended`. */
  readonly duration_ms?: number | null;
  /** What is found out about the session so far, of `turn.ended`. */
  readonly verdict?: VerdictRecord;
  /** The number of the first line that could not be read, of `session.damaged`; null if it is the file. */
  readonly line?: number | null;
  /** Why it could not be read. */
  readonly message?: string;
}
