/**
 * Work on many inputs in several threads, each with one of them at a time.
 *
 * A thread runs the same command with the same arguments up to where that works on its inputs:
 * those it is given by the thread that started it. What it writes of an input, and what comes of
 * it, waits for the turn of the input, so that the bytes are those of one thread.
 */

import { countText } from "../render/quantity_text.ts";
import type { CommandContext } from "./command.ts";
import type {
  ByteSink,
  Peer,
  RunContext,
  Starter,
  Surroundings,
} from "./context.ts";
import { Interrupted, IoError, UsageError } from "./endings.ts";
import { unlessInterrupted } from "./input.ts";
import { STDIN } from "./flags.ts";

/** How many bytes of input are worth a thread: to start it takes as long as to read half of them. */
const WORTH = 1 << 26;

/** How much a thread may write that waits for its turn, in bytes. */
const WINDOW = 1 << 21;

/**
 * How many inputs, and of how many bytes, a thread is given at once where they may come in any
 * order: of small ones, a message for each takes as long as the work.
 */
const SHARE = { inputs: 64, bytes: 1 << 20 };

/** Something to work on; a thread gets a copy of it. */
export interface JobInput {
  /** A path, or `-`. */
  readonly name: string;
  /** How many bytes it has, if that is known already. */
  readonly size?: number | undefined;
}

/** The work on some inputs. */
export interface Job<I extends JobInput, O> {
  readonly inputs: readonly I[];
  /** Works on one of them; what comes of it, part by part, is copied, too. */
  readonly work: (input: I) => AsyncIterable<O>;
  /**
   * Says how much memory a part takes, in bytes.
   *
   * @default {() => 0} It is next to nothing.
   */
  readonly weigh?: (part: O) => number;
  /**
   * How many threads there are to be.
   *
   * @default {undefined} As many as the machine has cores and the inputs are worth.
   */
  readonly jobs: number | undefined;
  /** A title for progress, if it writes no data: then the largest inputs come first. */
  readonly title?: string;
}

/** An input, and which of all it is. */
interface Task {
  readonly at: number;
  readonly input: unknown;
}

/** A message to a thread. */
type Order =
  /** The arguments of the command: the first thing that it is told. */
  | { readonly words: readonly string[] }
  /** Some inputs, and which of all they are. */
  | { readonly share: readonly Task[] }
  /** How many bytes of what it gave wait no more, and room for others, if they left any. */
  | { readonly taken: number; readonly room?: ArrayBuffer };

/** Output of a thread for the input that it works on; it takes memory until its turn. */
type Given =
  & { readonly at: number; readonly weight: number }
  & (
    | {
      readonly stream: "stdout" | "stderr";
      readonly bytes: Uint8Array<ArrayBuffer>;
    }
    | { readonly part: unknown }
  );

/** What a thread says of the input that it works on, in a message with others. */
type Report =
  | Given
  /** It is done, with an error perhaps. */
  | {
    readonly at: number;
    readonly error?: { readonly name: string; readonly message: string };
  };

/**
 * Works on inputs and gives what comes of each, in their order; what the work writes has been
 * written by then. In a thread that another one has started, it works for that and never ends.
 *
 * @throws {Error} What the work throws.
 */
export async function* resultsOf<I extends JobInput, O>(
  job: Job<I, O>,
  context: CommandContext,
): AsyncGenerator<O, void, void> {
  const { process, progress } = context;
  const { inputs, work, title } = job;
  // The boundary between threads: it was an input of the same command there.
  await process.starter?.obey(
    (input) => work(input as I),
    (part) => job.weigh?.(part as O) ?? 0,
  );
  const sizes = await sizesOf(job, process);
  const count = countOf(job, sizes, process);
  const crew = count > 1 ? new Crew(job, count, sizes, context) : undefined;
  try {
    for (const [at, input] of inputs.entries()) {
      if (process.interrupt.aborted) throw new Interrupted();
      if (title !== undefined || crew !== undefined) {
        await progress.update(() =>
          `${title ?? "Reading"}: ${countText(at)} of ${
            countText(inputs.length)
          } files`
        );
      }
      yield* crew === undefined ? work(input) : crew.partsOf(at);
    }
  } finally {
    crew?.end();
  }
}

/** The sizes of inputs, as far as they say how to work on them. */
async function sizesOf<I extends JobInput, O>(
  { inputs, jobs, title }: Job<I, O>,
  { threads, look }: Surroundings,
): Promise<readonly number[]> {
  const sizes: number[] = [];
  if (threads === undefined || inputs.length < 2 || jobs === 1) return sizes;
  let missing = jobs === undefined ? threads.cores * WORTH : 0;
  for (const { name, size } of inputs) {
    if (title === undefined && missing <= 0) break;
    const bytes = size ?? (await look(name))?.size ?? 0;
    sizes.push(bytes);
    missing -= bytes;
  }
  return sizes;
}

/** How many threads there are to be. */
function countOf<I extends JobInput, O>(
  { inputs, jobs }: Job<I, O>,
  sizes: readonly number[],
  { threads }: Surroundings,
): number {
  // What one thread was given, others cannot read.
  const isAlone = inputs.some(({ name }) => name === STDIN);
  if (threads === undefined || isAlone) return 1;
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const count = jobs ?? Math.min(threads.cores, Math.floor(bytes / WORTH));
  return Math.min(count, inputs.length);
}

/** What a thread says of an input. */
interface Answer {
  readonly peer: Peer;
  /** Whether the thread has nothing to do behind it. */
  readonly isLast: boolean;
  readonly reports: Report[];
}

class Crew<I extends JobInput, O> {
  readonly #job: Job<I, O>;
  readonly #context: CommandContext;
  readonly #peers: Peer[] = [];
  readonly #idle: Peer[] = [];
  /** The inputs that no thread was given yet, the next one last. */
  readonly #left: number[];
  readonly #sizes: readonly number[];
  /** What threads say of the inputs that they were given, until it is taken. */
  readonly #answers = new Map<number, Answer>();
  /** How many bytes wait to be written. */
  #held = 0;
  #failure: Error | undefined;
  #wake = (): void => {};

  constructor(
    job: Job<I, O>,
    count: number,
    sizes: readonly number[],
    context: CommandContext,
  ) {
    this.#job = job;
    this.#context = context;
    this.#sizes = sizes;
    this.#left = [...job.inputs.keys()].reverse();
    if (job.title !== undefined) {
      this.#left.sort((a, b) => (sizes[a] ?? 0) - (sizes[b] ?? 0));
    }
    while (this.#peers.length < count) this.#start();
  }

  /** Waits for what comes of an input, and writes what was written of it. */
  async *partsOf(at: number): AsyncGenerator<O, void, void> {
    for (;;) {
      this.#distribute(at);
      const answer = this.#answers.get(at);
      const report = answer?.reports.shift();
      if (answer === undefined || report === undefined) {
        await this.#news();
        continue;
      }
      if (!("weight" in report)) {
        this.#answers.delete(at);
        if (report.error !== undefined) throw errorOf(report.error);
        return;
      }
      if ("stream" in report) await this.#write(report);
      // The boundary between threads: it is what the work gave there.
      else yield report.part as O;
      if (!this.#isAnyOrder) this.#release(report, answer.peer);
    }
  }

  /** Whether the turn of what is given may come last of all. */
  get #isAnyOrder(): boolean {
    return this.#job.title !== undefined;
  }

  /** Ends the threads, whatever they do. */
  end(): void {
    for (const peer of this.#peers) peer.end();
  }

  #start(): void {
    const { process, words } = this.#context;
    if (process.threads === undefined) return;
    const peer = process.threads.start();
    peer.listen(
      // The boundary between threads: nothing else is said there.
      (message) => this.#take(message as readonly Report[], peer),
      (error) => {
        this.#failure = error;
        this.#wake();
      },
    );
    this.#peers.push(peer);
    this.#idle.push(peer);
    tell(peer, { words });
  }

  /** Gives inputs to threads that have none, unless enough waits for the one whose turn it is. */
  #distribute(turn: number): void {
    const isFull = !this.#isAnyOrder &&
      this.#held >= this.#peers.length * WINDOW;
    for (const peer of this.#idle.splice(0)) {
      const next = this.#left.at(-1);
      if (next === undefined || isFull && next !== turn) {
        this.#idle.push(peer);
        continue;
      }
      const share = this.#nextShare();
      for (const at of share) {
        const isLast = at === share.at(-1);
        this.#answers.set(at, { peer, isLast, reports: [] });
      }
      const { inputs } = this.#job;
      tell(peer, { share: share.map((at) => ({ at, input: inputs[at] })) });
    }
  }

  /** Takes the next inputs that a thread is to be given. */
  #nextShare(): number[] {
    const left = this.#left;
    const share: number[] = [];
    let bytes = 0;
    do {
      const at = left.pop();
      if (at === undefined) break;
      share.push(at);
      bytes += this.#sizes[at] ?? 0;
    } while (
      this.#isAnyOrder && share.length < SHARE.inputs && bytes < SHARE.bytes
    );
    return share;
  }

  #take(reports: readonly Report[], peer: Peer): void {
    for (const report of reports) {
      const answer = this.#answers.get(report.at);
      answer?.reports.push(report);
      if ("weight" in report) {
        this.#held += report.weight;
        if (this.#isAnyOrder) this.#release(report, peer);
      } else if (answer?.isLast) this.#idle.push(peer);
    }
    this.#wake();
  }

  async #write(
    { stream, bytes }: Extract<Given, { stream: string }>,
  ): Promise<void> {
    const { stdout, diagnostics } = this.#context;
    if (stream === "stdout") return await stdout.write(bytes);
    diagnostics.add(bytes);
    await diagnostics.flush();
  }

  #release(given: Given, peer: Peer): void {
    const { weight } = given;
    this.#held -= weight;
    if (weight === 0) return;
    if (this.#isAnyOrder || !("stream" in given)) tell(peer, { taken: weight });
    else {
      // What has been written: the engine would be slow to find out that it is garbage.
      const room = given.bytes.buffer;
      tell(peer, { taken: weight, room }, [room]);
    }
  }

  async #news(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const woken = new Promise<void>((resolve) => this.#wake = resolve);
    await unlessInterrupted(woken, this.#context.process.interrupt);
  }
}

function tell(
  peer: Peer,
  order: Order,
  moved: readonly ArrayBuffer[] = [],
): void {
  peer.post(order, moved);
}

/** The errors that say more than that something is wrong. */
const ERRORS = new Map<string, new (message: string) => Error>([
  ["IoError", IoError],
  ["UsageError", UsageError],
  ["RangeError", RangeError],
]);

function errorOf({ name, message }: { name: string; message: string }): Error {
  return new (ERRORS.get(name) ?? Error)(message);
}

/** Runs the command in a thread, for the one that started it. */
export function runThread(
  peer: Peer,
  context: RunContext,
  run: (words: readonly string[], context: RunContext) => Promise<number>,
): void {
  const { threads: _, ...rest } = context;
  const thread = new Thread(peer);
  peer.listen(async (message) => {
    // The boundary between threads: nothing else is told here.
    const order = message as Order;
    if (!("words" in order)) return thread.take(order);
    const status = await run(order.words, {
      ...rest,
      starter: thread,
      stdout: thread.sink("stdout"),
      stderr: thread.sink("stderr"),
    });
    throw new Error(`a thread has ended with ${status}`);
  }, (error) => {
    throw error;
  });
}

/** A thread, as it sees itself. */
class Thread implements Starter {
  readonly #peer: Peer;
  /** What it is to do. */
  #tasks: readonly Task[] = [];
  /** What it has to say of that, with the next message. */
  #reports: Report[] = [];
  #at = -1;
  /** How many bytes of what it gave wait. */
  #waiting = 0;
  /** Room for what it gives next: that of what it gave before. */
  readonly #rooms: ArrayBuffer[] = [];
  #wake = (): void => {};

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  /** Takes what the thread is told. */
  take(order: Exclude<Order, { words: unknown }>): void {
    if ("share" in order) this.#tasks = order.share;
    else {
      this.#waiting -= order.taken;
      if (order.room !== undefined) this.#rooms.push(order.room);
    }
    this.#wake();
  }

  async obey(
    work: (input: unknown) => AsyncIterable<unknown>,
    weigh: (part: unknown) => number,
  ): Promise<never> {
    for (;;) {
      const tasks = this.#tasks;
      this.#tasks = [];
      if (tasks.length === 0) await this.#news();
      for (const { at, input } of tasks) {
        this.#at = at;
        let end: Report = { at };
        try {
          for await (const part of work(input)) {
            await this.#give({ at, part, weight: weigh(part) });
          }
        } catch (error) {
          const { name, message } = error instanceof Error
            ? error
            : new Error(String(error));
          end = { at, error: { name, message } };
        }
        this.#reports.push(end);
      }
      if (tasks.length > 0) this.#report();
    }
  }

  /** Takes what the thread writes. */
  sink(stream: "stdout" | "stderr"): ByteSink {
    return {
      write: async (given): Promise<number> => {
        const weight = given.length;
        const room = this.#rooms.pop();
        const bytes = new Uint8Array(
          room === undefined || room.byteLength < weight
            ? new ArrayBuffer(weight)
            : room,
          0,
          weight,
        );
        bytes.set(given);
        await this.#give({ at: this.#at, stream, bytes, weight }, bytes.buffer);
        return weight;
      },
    };
  }

  /** Gives something, and waits as long as there is too much of it. */
  async #give(given: Given, ...moved: ArrayBuffer[]): Promise<void> {
    this.#waiting += given.weight;
    this.#reports.push(given);
    if (given.weight > 0) this.#report(moved);
    while (this.#waiting > WINDOW) await this.#news();
  }

  /** Says what there is to say. */
  #report(moved: readonly ArrayBuffer[] = []): void {
    this.#peer.post(this.#reports, moved);
    this.#reports = [];
  }

  #news(): Promise<void> {
    return new Promise((resolve) => this.#wake = resolve);
  }
}
