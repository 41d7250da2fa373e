/**
 * Processing of many inputs in several threads, each with one input at a time.
 *
 * A thread runs the same command with the same arguments up to the call of `resultsOf`; there it
 * processes the inputs that the first thread sends it. Its output and results for an input wait
 * until all inputs before are done, so that the output is the same as that of one thread.
 */

import type { CommandContext } from "./command.ts";
import type { ByteSink, Peer, RunContext, Starter } from "./context.ts";
import { IoError, UsageError } from "./endings.ts";
import { type ChosenInput, unlessInterrupted } from "./input.ts";
import { STDIN } from "./flags.ts";

/** The input that is worth a thread, in bytes: starting one takes as long as reading half of it. */
const WORTH = 1 << 26;

/** The output of a thread that may wait for its turn, in bytes. */
const WINDOW = 1 << 21;

/** The inputs that a thread has at once, in bytes: enough for while the first thread is busy. */
const AHEAD = 1 << 23;

/** The reports that a thread gathers: a message for each small input takes as long as the work. */
const MANY = 32;

/** The size that the smallest inputs count as: opening them takes time, too. */
const LEAST = AHEAD / 64;

export interface Job<I extends ChosenInput, O> {
  /** The inputs; threads get copies of them. */
  readonly inputs: readonly I[];
  /** Processes one input and yields its results; threads send copies of them. */
  readonly work: (input: I) => AsyncIterable<O>;
  /** Returns the memory that a result takes, in bytes; by default, next to nothing. */
  readonly weigh?: (part: O) => number;
  /**
   * Whether inputs are processed one after the other, in this thread. Otherwise there are `--jobs`
   * threads, or one for each 64 MB of input, and at most the number of cores.
   */
  readonly isInTurn?: boolean;
  /** The title of the progress line, if the work writes no data: large inputs come first. */
  readonly title?: string;
}

interface Task {
  readonly at: number;
  readonly input: unknown;
}

type Order =
  /** The arguments of the command: the first message. */
  | { readonly words: readonly string[] }
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

type Report =
  | Delivery
  /** The input is done, or has failed with an error. */
  | {
    readonly at: number;
    readonly error?: { readonly name: string; readonly message: string };
  };

/**
 * Processes inputs and yields their results in order. The output for an input is written before its
 * results are yielded. In a thread that another one started, it serves that one and never ends.
 */
export async function* resultsOf<I extends ChosenInput, O>(
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
  const { count, sizes } = await planOf(job, context);
  const crew = count > 1 ? new Crew(job, count, sizes, context) : undefined;
  try {
    for (const [at, input] of inputs.entries()) {
      process.interrupt.throwIfAborted();
      // Of a single file, the progress line shows how much has been read.
      if (inputs.length > 1 && (title !== undefined || crew !== undefined)) {
        await progress.count(title ?? "Reading", at, inputs.length, "files");
      }
      yield* crew === undefined ? work(input) : crew.partsOf(at);
    }
  } finally {
    crew?.end();
  }
}

/** The number of threads to use, and the sizes of inputs if there are several threads. */
async function planOf<I extends ChosenInput, O>(
  { inputs, isInTurn = false }: Job<I, O>,
  { args, process: { threads, look } }: CommandContext,
): Promise<{ readonly count: number; readonly sizes: readonly number[] }> {
  const sizes: number[] = [];
  // Other threads cannot read stdin.
  const isAlone = isInTurn || inputs.some(({ name }) => name === STDIN);
  const jobs = args.number("jobs");
  if (threads === undefined || inputs.length < 2 || isAlone || jobs === 1) {
    return { count: 1, sizes };
  }
  let bytes = 0;
  for (const { name, size } of inputs) {
    const length = size ?? (await look(name))?.size ?? 0;
    sizes.push(length);
    bytes += length;
  }
  const count = jobs ?? Math.min(threads.cores, Math.floor(bytes / WORTH));
  return { count: Math.min(count, inputs.length), sizes };
}

/** Another thread, and the size of the inputs that it has not finished, in bytes. */
interface Worker {
  readonly peer: Peer;
  load: number;
}

class Crew<I extends ChosenInput, O> {
  readonly #job: Job<I, O>;
  readonly #context: CommandContext;
  readonly #workers: Worker[] = [];
  /** The positions of the inputs that no thread has yet, the next one last. */
  readonly #left: number[];
  readonly #sizes: readonly number[];
  /** The reports about inputs that threads have, by position. */
  readonly #answers = new Map<
    number,
    { readonly worker: Worker; readonly reports: Report[] }
  >();
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
    while (this.#workers.length < count) this.#start();
    this.#distribute();
  }

  async *partsOf(at: number): AsyncGenerator<O, void, void> {
    for (;;) {
      const answer = this.#answers.get(at);
      const report = answer?.reports.shift();
      if (answer === undefined || report === undefined) {
        await this.#nextMessage();
        continue;
      }
      if (!("weight" in report)) {
        this.#answers.delete(at);
        if (report.error === undefined) return;
        const { name, message } = report.error;
        throw new (ERRORS.get(name) ?? Error)(message);
      }
      if ("stream" in report) await this.#write(report);
      // The cast is safe: the thread runs the same work.
      else yield report.part as O;
      if (!this.#isAnyOrder) this.#release(report, answer.worker);
    }
  }

  /** Whether threads may process the inputs in any order, without waiting for their turn. */
  get #isAnyOrder(): boolean {
    return this.#job.title !== undefined;
  }

  end(): void {
    for (const { peer } of this.#workers) peer.end();
  }

  #start(): void {
    const { process, words } = this.#context;
    if (process.threads === undefined) return;
    const peer = process.threads.start();
    const worker = { peer, load: 0 };
    peer.listen(
      // The cast is safe: threads send nothing else.
      (message) => this.#take(message as readonly Report[], worker),
      (error) => {
        this.#failure = error;
        this.#wake();
      },
    );
    this.#workers.push(worker);
    peer.post({ words } satisfies Order);
  }

  /** Sends inputs to the threads, each to the one that has the least to do. */
  #distribute(): void {
    const shares = new Map<Worker, Task[]>();
    for (;;) {
      const at = this.#left.at(-1);
      const worker = this.#workers.reduce((one, other) =>
        other.load < one.load ? other : one
      );
      if (at === undefined || worker.load >= AHEAD) break;
      this.#left.pop();
      worker.load += this.#loadOf(at);
      this.#answers.set(at, { worker, reports: [] });
      const share = shares.get(worker) ?? [];
      share.push({ at, input: this.#job.inputs[at] });
      shares.set(worker, share);
    }
    for (const [{ peer }, share] of shares) {
      peer.post({ share } satisfies Order);
    }
  }

  #loadOf(at: number): number {
    return Math.max(this.#sizes[at] ?? 0, LEAST);
  }

  #take(reports: readonly Report[], worker: Worker): void {
    for (const report of reports) {
      this.#answers.get(report.at)?.reports.push(report);
      if ("weight" in report) {
        if (this.#isAnyOrder) this.#release(report, worker);
      } else worker.load -= this.#loadOf(report.at);
    }
    this.#distribute();
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

  #release(delivery: Delivery, { peer }: Worker): void {
    const { weight } = delivery;
    if (weight === 0) return;
    if (this.#isAnyOrder || !("stream" in delivery)) {
      peer.post({ taken: weight } satisfies Order);
    } else {
      // The buffer goes back to the thread: the engine would be slow to collect it.
      const room = delivery.bytes.buffer;
      peer.post({ taken: weight, room } satisfies Order, [room]);
    }
  }

  async #nextMessage(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const woken = new Promise<void>((resolve) => this.#wake = resolve);
    await unlessInterrupted(woken, this.#context.process.interrupt);
  }
}

/** The classes of errors that the command tells apart; the others become a plain `Error`. */
const ERRORS = new Map<string, new (message: string) => Error>([
  ["IoError", IoError],
  ["UsageError", UsageError],
  ["RangeError", RangeError],
]);

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

class Thread implements Starter {
  readonly #peer: Peer;
  readonly #tasks: Task[] = [];
  #reports: Report[] = [];
  #at = -1;
  #waiting = 0;
  /** Buffers of earlier output, to be used again. */
  readonly #rooms: ArrayBuffer[] = [];
  #wake = (): void => {};

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  take(order: Exclude<Order, { words: unknown }>): void {
    if ("share" in order) this.#tasks.push(...order.share);
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
      const task = this.#tasks.shift();
      if (task === undefined) {
        this.#report();
        await this.#nextMessage();
        continue;
      }
      const { at, input } = task;
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
      if (this.#reports.length >= MANY) this.#report();
    }
  }

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

  #report(moved: readonly ArrayBuffer[] = []): void {
    if (this.#reports.length === 0) return;
    this.#peer.post(this.#reports, moved);
    this.#reports = [];
  }

  #nextMessage(): Promise<void> {
    return new Promise((resolve) => this.#wake = resolve);
  }
}
