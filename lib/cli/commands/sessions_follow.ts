/** `codexpipe sessions follow`. */

import { JsonlRecords } from "../../pipeline/jsonl_records.ts";
import type { TurnStatus } from "../../render/parts.ts";
import { LINES_NOT_SHOWN, TranscriptBuilder } from "../../render/transcript.ts";
import type { Session } from "../../sessions/session.ts";
import type { CommandContext, RunCommand } from "../command.ts";
import { type Reading, statusAfter } from "../endings.ts";
import { FORMATS } from "../flags.ts";
import type { FollowListener } from "../followed_input.ts";
import { Normalization, normalizing, writing } from "./_normalization.ts";
import { Rendering } from "./_rendering.ts";
import { lookUpSession } from "./_sessions.ts";

export const run: RunCommand = async (context) => {
  const { args, process } = context;
  const query = args.oneSession("sessions follow", 0);
  const { session, status } = await lookUpSession(query, context);
  if (session === undefined) return status;
  const form = args.choice("format", FORMATS.live) ??
    (process.isTerminal.stdout ? "text" : "jsonl");
  const follow = form === "text" ? followAsText : followAsLines;
  return statusAfter(await follow(session, context), args);
};

async function followAsText(
  { file: { path } }: Session,
  context: CommandContext,
): Promise<Reading> {
  const listener = new Listener(context);
  const rendering = await Rendering.create(context, {
    output: context.screen,
    form: "text",
    isShown: () => listener.isShown,
  });
  try {
    await rendering.follow(path, listener);
  } finally {
    await rendering.end();
  }
  return rendering.work;
}

async function followAsLines(
  { file: { path }, head }: Session,
  context: CommandContext,
): Promise<Reading> {
  const listener = new Listener(context);
  const { take, write } = writing(context.stdout);
  const work = new Normalization(context, {
    make: normalizing,
    take: (lines) => listener.isShown && take(lines),
    write,
    // A file that is given by its path may not be a session file.
    options: { from: head.hasHeader ? "rollout" : "auto" },
    get isReporting() {
      return listener.isShown;
    },
  });
  await work.follow(path, listener);
  return work;
}

/** The statuses of turns that have ended for certain. */
const ENDS: ReadonlySet<TurnStatus> = new Set([
  "completed",
  "failed",
  "aborted",
]);

/** Decides which lines are shown, and when to exit. */
class Listener implements FollowListener {
  /** Whether lines are shown; earlier lines are only read. */
  isShown: boolean;
  readonly #now: () => number;
  /** The milliseconds without new lines after which to exit. */
  readonly #idleMs: number;
  /** Whether to exit when a turn has ended and no line follows. */
  readonly #endsWithTurn: boolean;
  #records: JsonlRecords | undefined;
  #transcript = new TranscriptBuilder();
  /** The turn that ended last among the lines that are shown. */
  #lastTurn: number | undefined;
  /** The time of the last read, in milliseconds since 1970. */
  #lastTime: number;

  constructor({ args, process }: CommandContext) {
    const ends = args.values("exit-on");
    const idle = ends.findLast((value) => value !== "turn");
    this.isShown = args.has("from-start");
    this.#now = process.now;
    this.#idleMs = 1000 * Number(idle?.slice("idle=".length) ?? Infinity);
    this.#endsWithTurn = ends.includes("turn");
    this.#lastTime = process.now();
  }

  begin(): void {
    // If the file was replaced or emptied, all of its content is new.
    if (this.#records !== undefined) this.#show();
    this.#records = new JsonlRecords({ except: LINES_NOT_SHOWN });
    this.#transcript = new TranscriptBuilder();
  }

  hear(block: Uint8Array): void {
    this.#lastTime = this.#now();
    if (!this.#endsWithTurn) return;
    this.#records?.feed(
      block,
      (outcome) =>
        this.#transcript.feed(outcome, (part) => {
          const isEnd = part.type === "turn_ended" && ENDS.has(part.status);
          if (isEnd) this.#lastTurn = part.turn;
        }),
    );
  }

  isOver(): boolean {
    // All lines that were there at the start have been read.
    if (!this.isShown) this.#show();
    const isTurnOver = this.#lastTurn === this.#transcript.nextTurn - 1;
    return isTurnOver || this.#now() - this.#lastTime >= this.#idleMs;
  }

  #show(): void {
    this.isShown = true;
    this.#lastTurn = undefined;
  }
}
