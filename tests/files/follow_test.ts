import { assertEquals, assertRejects } from "@std/assert";
import { appendFileSync } from "node:fs";
import {
  appendFile,
  mkdir,
  rename,
  truncate,
  unlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import type { ByteSource } from "../../lib/files/byte_source.ts";
import {
  follow,
  type FollowOptions,
  LineTrail,
  TrailComparison,
} from "../../lib/files/follow.ts";
import fc from "../property_seed.ts";
import { byteByByte, concat, decode, encode, everySplit } from "../running.ts";
import { withFolder } from "../sessions/homes.ts";

function compared(trail: LineTrail, text: string): TrailComparison {
  const comparison = new TrailComparison(trail);
  comparison.add(encode(text));
  return comparison;
}

const REWRITTEN = [
  { name: "the same text", text: "a\nbb\nc\n", common: 7, is: "whole" },
  {
    name: "the same text and more",
    text: "a\nbb\nc\nd",
    common: 7,
    is: "whole",
  },
  { name: "the first lines", text: "a\nbb\n", common: 5, is: "open" },
  { name: "a first line and a torn one", text: "a\nb", common: 2, is: "open" },
  { name: "no text", text: "", common: 0, is: "open" },
  { name: "another line", text: "a\nbx\nc\n", common: 2, is: "parted" },
  { name: "another first line", text: "x\nbb\nc\n", common: 0, is: "parted" },
  { name: "a shorter line", text: "a\nb\nc\n", common: 2, is: "parted" },
  { name: "a longer line", text: "a\nbbb", common: 2, is: "parted" },
] satisfies {
  name: string;
  text: string;
  common: number;
  is: "whole" | "open" | "parted";
}[];

for (const { name, text, common, is } of REWRITTEN) {
  Deno.test(`LineTrail compares its lines with ${name}`, () => {
    for (const chunks of everySplit(encode("a\nbb\nc\nrest"))) {
      const trail = new LineTrail();
      for (const chunk of chunks) trail.add(chunk);
      assertEquals(trail.end, 7);
      const whole = compared(trail, text);
      const pieces = new TrailComparison(trail);
      for (const byte of byteByByte(encode(text))) pieces.add(byte);
      for (const comparison of [whole, pieces]) {
        assertEquals(comparison.common, common);
        assertEquals(comparison.isWhole, is === "whole");
        assertEquals(comparison.hasParted, is === "parted");
      }
    }
  });
}

Deno.test("LineTrail continues behind a cut", () => {
  const trail = new LineTrail();
  trail.add(encode("a\nbb\nc\n"));
  trail.cutTo(2);
  trail.add(encode("d\n"));
  assertEquals(trail.end, 4);
  assertEquals(compared(trail, "a\nd\n").isWhole, true);
  assertEquals(compared(trail, "a\nbb\n").common, 2);
});

Deno.test("LineTrail of many lines keeps fewer of the older line ends, without wrong matches", () => {
  const lines = Array.from({ length: 200_000 }, (_, i) => `${i}\n`);
  const trail = new LineTrail();
  for (let i = 0; i < lines.length; i += 1000) {
    trail.add(encode(lines.slice(i, i + 1000).join("")));
  }
  assertEquals(compared(trail, lines.join("")).isWhole, true);
  for (const at of [10, 100_000, 150_000, 199_990]) {
    const other = lines.toSpliced(at, 1, "x".repeat(lines[at]?.length ?? 0));
    const offset = lines.slice(0, at).join("").length;
    const comparison = compared(trail, other.join(""));
    assertEquals(comparison.hasParted, true);
    assertEquals(comparison.common <= offset, true);
    // Of the newest lines every end is kept.
    if (at >= 180_000) assertEquals(comparison.common, offset);
  }
});

/** A change of the folder between two reads. */
type Step = (folder: Folder) => Promise<unknown>;

/** A folder with the file that is followed. */
class Folder {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /** The possible paths of the file, the first one preferred. */
  get paths(): string[] {
    return ["run.jsonl", "run.jsonl.zst", "archived/run.jsonl"].map((name) =>
      this.at(name)
    );
  }

  at(name: string): string {
    return join(this.root, name);
  }

  append(text: string, name = "run.jsonl"): Promise<void> {
    return appendFile(this.at(name), text);
  }

  write(content: string | Uint8Array, name = "run.jsonl"): Promise<void> {
    return writeFile(this.at(name), content);
  }

  /** Replaces a file by a new one with a rename. */
  async replace(content: string | Uint8Array, name = "run.jsonl") {
    await this.write(content, "new.tmp");
    await rename(this.at("new.tmp"), this.at(name));
  }

  move(from: string, to: string): Promise<void> {
    return rename(this.at(from), this.at(to));
  }

  remove(name = "run.jsonl"): Promise<void> {
    return unlink(this.at(name));
  }

  cut(size: number): Promise<void> {
    return truncate(this.at("run.jsonl"), size);
  }
}

/** The output of a follower. */
interface Followed {
  /** The text of each source. */
  readonly contents: string[];
  /** The reported changes, each with the path in the folder. */
  readonly changes: string[];
}

/** Reads all sources to their ends, and returns the text of each. */
async function textsOf(
  sources: AsyncIterable<ByteSource>,
  size = 1 << 12,
): Promise<string[]> {
  const texts: string[] = [];
  const into = new Uint8Array(size);
  for await (const source of sources) {
    const chunks: Uint8Array[] = [];
    for (;;) {
      const length = await source.read(into);
      if (length === null) break;
      chunks.push(into.slice(0, length));
    }
    texts.push(decode(concat(chunks)));
  }
  return texts;
}

/** Follows a file, does one step at each wait, and ends behind the last step. */
async function followSteps(
  steps: readonly Step[],
  { size, ...options }: FollowOptions & { readonly size?: number } = {},
): Promise<Followed> {
  const changes: string[] = [];
  let contents: string[] = [];
  await withFolder(async (root) => {
    const folder = new Folder(root);
    await mkdir(folder.at("archived"));
    const rest = [...steps];
    await rest.shift()?.(folder);
    const sources = follow(folder.paths, {
      atEnd: () => rest.length === 0,
      onChange: (change, path) =>
        changes.push(`${change} ${path.slice(root.length + 1)}`),
      changes: {
        wait: async () => void await rest.shift()?.(folder),
        close(): void {},
      },
      ...options,
    });
    contents = await textsOf(sources, size);
  });
  return { contents, changes };
}

const A = '{"line":"a"}\n';
const B = '{"line":"ä😀"}\n';
const C = '{"line":"c"}\n';
const D = '{"line":"d"}\n';

const CASES = [
  {
    name: "appended lines",
    steps: [(f) => f.write(A), (f) => f.append(B), (f) => f.append(C + D)],
    contents: [A + B + C + D],
  },
  {
    name: "a line when its end is written",
    steps: [
      (f) => f.write(A + B.slice(0, 5)),
      (f) => f.append(B.slice(5)),
    ],
    contents: [A + B],
  },
  {
    name: "a file that does not exist yet",
    steps: [() => Promise.resolve(), (f) => f.write(A)],
    contents: [A],
    changes: ["awaited run.jsonl"],
  },
  {
    name: "a last line without an end if it is a complete record",
    steps: [(f) => f.write(A + B.trim())],
    contents: [A + B.trim()],
  },
  {
    name: "no last line without an end if it is a part of a record",
    steps: [(f) => f.write(A + B.slice(0, 5))],
    contents: [A],
    changes: ["unfinished run.jsonl"],
  },
  {
    name: "no last line without an end if it may continue",
    steps: [(f) => f.write(`${A}12`)],
    contents: [A],
    changes: ["unfinished run.jsonl"],
  },
  {
    name: "an emptied file as new content",
    steps: [(f) => f.write(A + B), (f) => f.cut(0), (f) => f.append(C)],
    contents: [A + B, C],
    changes: ["truncated run.jsonl"],
  },
  {
    name: "a file that was emptied and written between two reads",
    steps: [(f) => f.write(A + B), (f) => f.write(C)],
    contents: [A + B, C],
    changes: ["truncated run.jsonl"],
  },
  {
    name: "a file that was emptied and then grew longer than before",
    steps: [(f) => f.write(A), (f) => f.write(C + D + A)],
    contents: [A, C + D + A],
    changes: ["truncated run.jsonl"],
  },
  {
    name: "no part of a line that was removed",
    steps: [(f) => f.write(A + B.slice(0, 5)), (f) => f.write(C)],
    contents: [A, C],
    changes: ["truncated run.jsonl"],
  },
  {
    name: "another line in place of a torn one that was cut off",
    steps: [
      (f) => f.write(A + B.slice(0, 9)),
      (f) => f.cut(A.length),
      (f) => f.append("{}\n"),
    ],
    contents: [A + "{}\n"],
  },
  {
    name: "lines appended behind a cut",
    steps: [
      (f) => f.write(A + C + D),
      (f) => f.cut((A + C).length),
      (f) => f.append(B),
    ],
    contents: [A + C + D + B],
    changes: ["cut run.jsonl"],
  },
  {
    name: "a file that is rewritten in place with more lines",
    steps: [
      (f) => f.write(A + B),
      (f) => f.cut(0),
      (f) => f.append(A),
      (f) => f.append(B.slice(0, 5)),
      (f) => f.append(B.slice(5) + C),
    ],
    contents: [A + B + C],
  },
  {
    name: "only the new lines of a file that is replaced by a longer copy",
    steps: [(f) => f.write(A + B), (f) => f.replace(A + B + C)],
    contents: [A + B + C],
  },
  {
    name: "another file at the same path",
    steps: [(f) => f.write(A + B), (f) => f.replace(C), (f) => f.append(D)],
    contents: [A + B, C + D],
    changes: ["replaced run.jsonl"],
  },
  {
    name: "the last lines of a file before those of its replacement",
    steps: [
      (f) => f.write(A),
      async (f) => {
        await f.append(B + C.slice(0, 5));
        await f.replace(D);
      },
    ],
    contents: [A + B + C.slice(0, 5), D],
    changes: ["replaced run.jsonl"],
  },
  {
    name: "a file that is deleted and written again",
    steps: [
      (f) => f.write(A + B),
      (f) => f.remove(),
      (f) => f.write(A + B + C),
    ],
    contents: [A + B + C],
    changes: ["gone run.jsonl"],
  },
  {
    name: "a file that is deleted and written again in pieces",
    steps: [
      (f) => f.write(A + B),
      (f) => f.remove(),
      (f) => f.write(""),
      (f) => f.append(A + B.slice(0, 3)),
      (f) => f.append(B.slice(3) + C),
    ],
    contents: [A + B + C],
    changes: ["gone run.jsonl"],
  },
  {
    name: "a file that is archived and restored",
    steps: [
      (f) => f.write(A),
      async (f) => {
        await f.append(B);
        await f.move("run.jsonl", "archived/run.jsonl");
      },
      (f) => f.append(C, "archived/run.jsonl"),
      (f) => f.move("archived/run.jsonl", "run.jsonl"),
      (f) => f.append(D),
    ],
    contents: [A + B + C + D],
    changes: ["moved archived/run.jsonl", "moved run.jsonl"],
  },
  {
    name: "a file that is packed, unpacked and continued",
    steps: [
      (f) => f.write(A),
      async (f) => {
        await f.append(B);
        await f.replace(zstdCompressSync(encode(A + B)), "run.jsonl.zst");
        await f.remove();
      },
      () => Promise.resolve(),
      async (f) => {
        await f.replace(A + B);
        await f.remove("run.jsonl.zst");
      },
      (f) => f.append(C),
    ],
    contents: [A + B + C],
    changes: ["moved run.jsonl.zst", "moved run.jsonl"],
  },
  {
    name: "a packed file that is still being written",
    steps: [
      (f) => f.write(A),
      async (f) => {
        const packed = zstdCompressSync(encode(A + B));
        await f.write(packed.subarray(0, packed.length - 3), "run.jsonl.zst");
        await f.remove();
      },
      (f) => f.write(zstdCompressSync(encode(A + B)), "run.jsonl.zst"),
    ],
    contents: [A + B],
    changes: ["gone run.jsonl", "moved run.jsonl.zst"],
  },
  {
    name: "a packed file",
    steps: [(f) => f.write(gzipSync(A + B))],
    contents: [A + B],
  },
  {
    name: "no other content at another path",
    steps: [
      (f) => f.write(zstdCompressSync(encode(C)), "run.jsonl.zst"),
      (f) => f.write(A),
      (f) => f.remove(),
      (f) => f.write(A + B),
    ],
    contents: [A + B],
    changes: ["awaited run.jsonl", "gone run.jsonl"],
  },
] satisfies {
  name: string;
  steps: Step[];
  contents: string[];
  changes?: string[];
}[];

for (const { name, steps, contents, changes = [] } of CASES) {
  Deno.test(`follow() reads ${name}`, async () => {
    for (const size of [1 << 12, 7]) {
      assertEquals(await followSteps(steps, { size }), { contents, changes });
    }
  });
}

Deno.test("follow() reads each line once, with a read behind any byte", async () => {
  const bytes = encode(A + B + C);
  const byteByByte = [...bytes].map((_, i): Step => (f) =>
    appendFile(f.at("run.jsonl"), bytes.subarray(i, i + 1))
  );
  for (const size of [1, 5, 100]) {
    const { contents } = await followSteps(byteByByte, { size });
    assertEquals(contents, [A + B + C]);
  }
});

Deno.test("follow() reads the complete lines written before an abort", async () => {
  const end = new AbortController();
  const steps: Step[] = [
    (f) => f.write(A),
    async (f) => {
      await f.append(B + C + D.slice(0, 4));
      end.abort();
    },
    (f) => f.append("never"),
  ];
  const { contents } = await followSteps(steps, {
    signal: end.signal,
    size: 4,
    atEnd: () => false,
  });
  assertEquals(contents, [A + B + C]);
});

Deno.test("follow() reads lines written before an abort without an event", async () => {
  await withFolder(async (root) => {
    const path = join(root, "run.jsonl");
    await writeFile(path, "a\n");
    const { signal } = new AbortController();
    let isRead = false;
    let isEnding = false;
    // Reading `aborted` writes the line and aborts, without an event.
    Object.defineProperty(signal, "aborted", {
      get(): boolean {
        if (isRead && !isEnding) appendFileSync(path, "b\n");
        isEnding ||= isRead;
        return isEnding;
      },
    });
    const changes = {
      // The first line has been read when it waits.
      wait: () => Promise.resolve().then(() => void (isRead = true)),
      close(): void {},
    };
    const texts = await textsOf(follow([path], { signal, changes }));
    assertEquals(texts.join(""), "a\nb\n");
  });
});

Deno.test("follow() reads the complete lines written before an abort between two reads", async () => {
  await withFolder(async (root) => {
    const path = join(root, "run.jsonl");
    await writeFile(path, "a\n");
    const end = new AbortController();
    const into = new Uint8Array(1 << 12);
    let text = "";
    for await (const source of follow([path], { signal: end.signal })) {
      for (;;) {
        const length = await source.read(into);
        if (length === null) break;
        text += decode(into.slice(0, length));
        if (text === "a\n") {
          appendFileSync(path, "b\nc");
          end.abort();
        }
      }
    }
    assertEquals(text, "a\nb\n");
  });
});

Deno.test("follow() ends a read that waits when its loop is left", async () => {
  await withFolder(async (root) => {
    const path = join(root, "run.jsonl");
    await writeFile(path, "a\n");
    const contents = follow([path]);
    const { value } = await contents.next();
    const block = new Uint8Array(16);
    assertEquals(await value?.read(block), 2);
    const waiting = value?.read(block);
    await contents.return();
    assertEquals([await waiting, await value?.read(block)], [null, null]);
  });
});

Deno.test("follow() reports no changes after its loop is left", async () => {
  await withFolder(async (root) => {
    const path = join(root, "run.jsonl");
    await writeFile(path, "a\n");
    const waits = Promise.withResolvers<void>();
    const woken = Promise.withResolvers<void>();
    const reported: string[] = [];
    const contents = follow([path], {
      changes: {
        wait: () => {
          waits.resolve();
          return woken.promise;
        },
        close(): void {},
      },
      onChange: (change) => void reported.push(change),
    });
    const { value } = await contents.next();
    const block = new Uint8Array(16);
    assertEquals(await value?.read(block), 2);
    const waiting = value?.read(block);
    await waits.promise;
    await contents.return();
    await unlink(path);
    woken.resolve();
    assertEquals([await waiting, reported], [null, []]);
  });
});

Deno.test("follow() reads nothing if the signal is aborted before", async () => {
  const steps: Step[] = [(f) => f.write(A + B)];
  const { contents } = await followSteps(steps, {
    signal: AbortSignal.abort(),
  });
  assertEquals(contents, [""]);
});

Deno.test("follow() refuses a path that is not a regular file", async () => {
  const error = await assertRejects(
    () => followSteps([(f) => mkdir(f.at("run.jsonl"))]),
    TypeError,
  );
  assertEquals(error.message.endsWith("it is not a regular file"), true);
});

/** An action of the writer. */
type Act =
  | { readonly type: "append"; readonly bytes: number }
  | { readonly type: "look" | "pack" | "archive" | "rewrite" | "vanish" }
  | { readonly type: "empty" | "replace" | "cut" | "regrow" };

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant<"append">("append"),
      bytes: fc.integer({ min: 1, max: 40 }),
    }),
  },
  ...([
    "look",
    "look",
    "pack",
    "archive",
    "rewrite",
    "vanish",
    "empty",
    "replace",
    "cut",
    "regrow",
  ] as const).map((type) => ({
    weight: 1,
    arbitrary: fc.constant({ type }),
  })),
);

/** A writer of numbered lines that computes the expected output of a follower. */
class Writer {
  readonly #steps: Step[] = [];
  /** Steps before the next read. */
  #pending: Step[] = [];
  #content = "";
  #line = 0;
  #todo = "";
  #name = "run.jsonl";
  #expected = "";
  #complete = 0;

  append(count: number): void {
    const name = this.#name;
    if (name.endsWith(".zst")) this.#unpack();
    for (let text = ""; count > 0; count -= text.length) {
      if (this.#todo === "") this.#todo = `{"line":${this.#line++}}\n`;
      text = this.#todo.slice(0, count);
      this.#todo = this.#todo.slice(text.length);
      this.#write(text);
    }
  }

  do(type: Exclude<Act["type"], "append">): void {
    switch (type) {
      case "look":
        return this.#look();
      case "pack": {
        if (this.#name !== "run.jsonl" || !this.#isKnown()) return;
        const packed = zstdCompressSync(encode(this.#content));
        this.#name = "run.jsonl.zst";
        return this.#add(async (f) => {
          await f.replace(packed, "run.jsonl.zst");
          await f.remove();
        });
      }
      case "archive": {
        const from = this.#name;
        if (from.endsWith(".zst") || !this.#isKnown()) return;
        const to = from === "run.jsonl" ? "archived/run.jsonl" : "run.jsonl";
        this.#name = to;
        return this.#add((f) => f.move(from, to));
      }
      case "rewrite": {
        const content = this.#content;
        const name = this.#name;
        if (name.endsWith(".zst")) return;
        return this.#add((f) => f.replace(content, name));
      }
      case "vanish": {
        const name = this.#name;
        this.#add((f) => f.move(name, "away"));
        this.#look();
        return this.#add((f) => f.move("away", name));
      }
      case "regrow": {
        // In place, with a read behind each character.
        const content = this.#content;
        if (this.#name !== "run.jsonl") return;
        this.#look();
        this.#add((f) => f.cut(0));
        for (const character of content) {
          this.#look();
          this.#add((f) => f.append(character));
        }
        return;
      }
      case "empty":
        if (this.#name !== "run.jsonl") return;
        this.#look();
        this.#add((f) => f.cut(0));
        return this.#begin("");
      case "replace": {
        if (this.#name !== "run.jsonl") return;
        const rest = this.#content.slice(this.#content.lastIndexOf("\n") + 1);
        this.#look();
        this.#add((f) => f.replace(""));
        return this.#begin(rest);
      }
      case "cut": {
        if (this.#name !== "run.jsonl") return;
        const size = this.#content.lastIndexOf("\n") + 1;
        this.#look();
        this.#content = this.#content.slice(0, size);
        this.#todo = "";
        return this.#add((f) => f.cut(size));
      }
    }
  }

  /** Returns the steps and the expected output. */
  finish(): { readonly steps: readonly Step[]; readonly expected: string } {
    // Another line, so that a follower can tell the last content from the one before.
    this.append(this.#todo.length);
    this.append(40);
    this.append(this.#todo.length);
    this.#look();
    return {
      steps: [() => Promise.resolve(), ...this.#steps],
      expected: this.#expected,
    };
  }

  /** Begins new content behind the torn rest of the old one, if that is still in the file. */
  #begin(rest: string): void {
    // Without a complete line the old content cannot be told from the new one.
    if (this.#complete > 0) this.#expected += rest;
    this.#content = "";
    this.#todo = "";
    this.#complete = 0;
  }

  /** Lets a follower read, and returns whether it can recognize the content at another path. */
  #isKnown(): boolean {
    this.#look();
    return this.#complete > 0;
  }

  #unpack(): void {
    const content = this.#content;
    this.#name = "run.jsonl";
    this.#add(async (f) => {
      await f.replace(content);
      await f.remove("run.jsonl.zst");
    });
  }

  #write(text: string): void {
    const name = this.#name;
    this.#content += text;
    const end = this.#content.lastIndexOf("\n") + 1;
    if (end > this.#complete) {
      this.#expected += this.#content.slice(this.#complete, end);
      this.#complete = end;
    }
    this.#add((f) => f.append(text, name));
  }

  #add(step: Step): void {
    this.#pending.push(step);
  }

  #look(): void {
    const steps = this.#pending;
    this.#pending = [];
    if (steps.length === 0) return;
    this.#steps.push(async (folder) => {
      for (const step of steps) await step(folder);
    });
  }
}

Deno.test("follow() reads every line once, with any changes of the file", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { minLength: 5, maxLength: 40 }),
      fc.constantFrom(5, 1000),
      async (acts, size) => {
        const writer = new Writer();
        writer.append(30);
        for (const act of acts) {
          if (act.type === "append") writer.append(act.bytes);
          else writer.do(act.type);
        }
        const { steps, expected } = writer.finish();
        const { contents } = await followSteps(steps, { size });
        assertEquals(contents.join(""), expected);
      },
    ),
    { numRuns: 60 },
  );
});
