/**
 * Processing of many inputs in several threads, each with one input at a time.
 *
 * A thread runs the same command with the same arguments up to the call of `resultsOf`; there it
 * processes the inputs that the first thread sends it. Its output and results for an input wait
 * until all inputs before are done, so that the output is the same as that of one thread.
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

/** The input that is worth a thread, in bytes: starting one takes as long as reading half of it. */
const WORTH = 1 << 26;

/** The output of a thread that may wait for its turn, in bytes. */
const WINDOW = 1 << 21;

/**
 * The limits of the share of inputs that a thread gets in one message, where results may come in
 * any order: for small inputs, a message for each takes as long as the work.
 */
const SHARE = { inputs: 64, bytes: 1 << 20 };

/** An input; threads get a copy of it. */
export interface JobInput {
  /** A path, or `-`. */
  readonly name: string;
  /** The size in bytes, if known already. */
  readonly size?: number | undefined;
}

/** The processing of some inputs. */
export interface Job<I extends JobInput, O> {
  readonly inputs: readonly I[];
  /** Processes one input and yields its results; threads send copies of them. */
  readonly work: (input: I) => AsyncIterable<O>;
  /**
   * Returns the memory that a result takes, in bytes.
   *
   * @default {() => 0} Next to nothing.
   */
  readonly weigh?: (part: O) => number;
  /**
   * The number of threads.
   *
   * @default {undefined} One for each 64 MB of input, and at most the number of cores.
   */
  readonly jobs: number | undefined;
  /**
   * The title of the progress line, if the work writes no data: then threads begin with the
   * largest inputs.
   */
  readonly title?: string;
}

/** An input with its position among all inputs. */
interface Task {
  readonly at: number;
  readonly input: unknown;
}

/** A message to a thread. */
type Order =
  /** The arguments of the command: the first message. */
  | { readonly words: readonly string[] }
  /** Inputs to process. */
  | { readonly share: readonly Task[] }
  /** The bytes of its output that were written, and a buffer to use again. */
  | { readonly taken: number; readonly room?: ArrayBuffer };

/** Output or a result of a thread for an input; it takes memory until its turn. */
type Delivery =
  & { readonly at: number; readonly weight: number }
  & (
    | {
      readonly stream: "stdout" | "stderr";
      readonly bytes: Uint8Array<ArrayBuffer>;
    }
    | { readonly part: unknown }
  );

/** One element of a message from a thread. */
type Report =
  | Delivery
  /** The input is done, or has failed with an error. */
  | {
    readonly at: number;
    readonly error?: { readonly name: string; readonly message: string };
  };

/**
 * Processes inputs and yields their results in order. The output for an input is written before
 * its results are yielded. In a thread that another one started, it serves that one and never
 * ends.
 *
 * @throws {Error} The error of the work.
 */
export async function* resultsOf<I extends JobInput, O>(
  job: Job<I, O>,
  context: CommandContext,
): AsyncGenerator<O, void, void> {
  const { process, progress } = context;
  const { inputs, work, title } = job;
  // The casts are safe: the other thread runs the same command, so its inputs are of type I.
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

/** The sizes of inputs, as far as they matter for the number and order of jobs. */
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

/** The number of threads to use. */
function countOf<I extends JobInput, O>(
  { inputs, jobs }: Job<I, O>,
  sizes: readonly number[],
  { threads }: Surroundings,
): number {
  // Other threads cannot read stdin.
  const isAlone = inputs.some(({ name }) => name === STDIN);
  if (threads === undefined || isAlone) return 1;
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const count = jobs ?? Math.min(threads.cores, Math.floor(bytes / WORTH));
  return Math.min(count, inputs.length);
}

/** The reports of a thread about an input. */
interface Answer {
  readonly peer: Peer;
  /** Whether the input is the last one of the thread's share. */
  readonly isLast: boolean;
  readonly reports: Report[];
}

class Crew<I extends JobInput, O> {
  readonly #job: Job<I, O>;
  readonly #context: CommandContext;
  readonly #peers: Peer[] = [];
  readonly #idle: Peer[] = [];
  /** The positions of the inputs that no thread has yet, the next one last. */
  readonly #left: number[];
  readonly #sizes: readonly number[];
  /** The reports about inputs that threads have, by position. */
  readonly #answers = new Map<number, Answer>();
  /** The bytes that wait to be written. */
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

  /** Yields the results of an input, and writes its output. */
  async *partsOf(at: number): AsyncGenerator<O, void, void> {
    for (;;) {
      this.#distribute(at);
      const answer = this.#answers.get(at);
      const report = answer?.reports.shift();
      if (answer === undefined || report === undefined) {
        await this.#nextMessage();
        continue;
      }
      if (!("weight" in report)) {
        this.#answers.delete(at);
        if (report.error !== undefined) throw errorOf(report.error);
        return;
      }
      if ("stream" in report) await this.#write(report);
      // The cast is safe: the thread runs the same work.
      else yield report.part as O;
      if (!this.#isAnyOrder) this.#release(report, answer.peer);
    }
  }

  /** Whether threads may process the inputs in any order, without waiting for their turn. */
  get #isAnyOrder(): boolean {
    return this.#job.title !== undefined;
  }

  /** Terminates the threads. */
  end(): void {
    for (const peer of this.#peers) peer.end();
  }

  #start(): void {
    const { process, words } = this.#context;
    if (process.threads === undefined) return;
    const peer = process.threads.start();
    peer.listen(
      // The cast is safe: threads send nothing else.
      (message) => this.#take(message as readonly Report[], peer),
      (error) => {
        this.#failure = error;
        this.#wake();
      },
    );
    this.#peers.push(peer);
    this.#idle.push(peer);
    send(peer, { words });
  }

  /**
   * Sends inputs to idle threads. If too much output waits already, only the input whose turn it
   * is gets sent.
   */
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
      send(peer, { share: share.map((at) => ({ at, input: inputs[at] })) });
    }
  }

  /** Takes the positions of the next share from the inputs that are left. */
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
    { stream, bytes }: Extract<Delivery, { stream: string }>,
  ): Promise<void> {
    const { stdout, diagnostics } = this.#context;
    if (stream === "stdout") return await stdout.write(bytes);
    diagnostics.add(bytes);
    await diagnostics.flush();
  }

  #release(delivery: Delivery, peer: Peer): void {
    const { weight } = delivery;
    this.#held -= weight;
    if (weight === 0) return;
    if (this.#isAnyOrder || !("stream" in delivery)) {
      send(peer, { taken: weight });
    } else {
      // The buffer goes back to the thread: the engine would be slow to collect it.
      const room = delivery.bytes.buffer;
      send(peer, { taken: weight, room }, [room]);
    }
  }

  async #nextMessage(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const woken = new Promise<void>((resolve) => this.#wake = resolve);
    await unlessInterrupted(woken, this.#context.process.interrupt);
  }
}

function send(
  peer: Peer,
  order: Order,
  moved: readonly ArrayBuffer[] = [],
): void {
  peer.post(order, moved);
}

/** The classes of errors that the command tells apart; the others become a plain `Error`. */
const ERRORS = new Map<string, new (message: string) => Error>([
  ["IoError", IoError],
  ["UsageError", UsageError],
  ["RangeError", RangeError],
]);

function errorOf({ name, message }: { name: string; message: string }): Error {
  return new (ERRORS.get(name) ?? Error)(message);
}

/** Runs the command in a thread, for the thread that started it. */
export function runThread(
  peer: Peer,
  context: RunContext,
  run: (words: readonly string[], context: RunContext) => Promise<number>,
): void {
  const { threads: _, ...rest } = context;
  const thread = new Thread(peer);
  peer.listen(async (message) => {
    // The cast is safe: the first thread sends nothing else.
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

/** The side of a started thread. */
class Thread implements Starter {
  readonly #peer: Peer;
  /** The inputs to process. */
  #tasks: readonly Task[] = [];
  /** The reports of the next message. */
  #reports: Report[] = [];
  /** The position of the input that is being processed. */
  #at = -1;
  /** The bytes of its output that wait to be written. */
  #waiting = 0;
  /** Buffers of earlier output, to be used again. */
  readonly #rooms: ArrayBuffer[] = [];
  #wake = (): void => {};

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  /** Takes a message of the first thread. */
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
      if (tasks.length === 0) await this.#nextMessage();
      for (const { at, input } of tasks) {
        this.#at = at;
        let end: Report = { at };
        try {
          for await (const part of work(input)) {
            await this.#deliver({ at, part, weight: weigh(part) });
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

  /** Returns a sink that sends its bytes to the first thread. */
  sink(stream: "stdout" | "stderr"): ByteSink {
    return {
      write: async (written): Promise<number> => {
        const weight = written.length;
        const room = this.#rooms.pop();
        const bytes = new Uint8Array(
          room === undefined || room.byteLength < weight
            ? new ArrayBuffer(weight)
            : room,
          0,
          weight,
        );
        bytes.set(written);
        await this.#deliver(
          { at: this.#at, stream, bytes, weight },
          bytes.buffer,
        );
        return weight;
      },
    };
  }

  /** Sends output or a result, and waits while too much of it waits to be written. */
  async #deliver(delivery: Delivery, ...moved: ArrayBuffer[]): Promise<void> {
    this.#waiting += delivery.weight;
    this.#reports.push(delivery);
    if (delivery.weight > 0) this.#report(moved);
    while (this.#waiting > WINDOW) await this.#nextMessage();
  }

  /** Sends the pending reports. */
  #report(moved: readonly ArrayBuffer[] = []): void {
    this.#peer.post(this.#reports, moved);
    this.#reports = [];
  }

  #nextMessage(): Promise<void> {
    return new Promise((resolve) => this.#wake = resolve);
  }
}
