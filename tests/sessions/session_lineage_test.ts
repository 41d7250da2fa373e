import { assert, assertEquals } from "@std/assert";
import { zstdCompressSync } from "node:zlib";
import { drained } from "../sources.ts";
import {
  openLineage,
  readSessionLineage,
  type SessionLineage,
} from "../../lib/sessions/session_lineage.ts";
import { idInName } from "../../lib/sessions/session_start.ts";
import { decode, encode, jsonl } from "../running.ts";
import { answerLine, PAGINATED } from "../session_lines.ts";
import {
  sessionPath,
  testId,
  withFolder,
  withHome,
  writeContinued,
  writeFile,
  writeReverted,
  writeSession,
} from "./homes.ts";

/** A line of a paginated session file. */
function line(ordinal: number, text: string): string {
  return jsonl([{ ...answerLine(text), ordinal }]);
}

/** The header of a session. */
function header(
  number: number,
  ordinal: number | undefined,
  meta: Readonly<Record<string, unknown>> = {},
): string {
  return jsonl([{
    ...PAGINATED,
    ...(ordinal === undefined ? {} : { ordinal }),
    payload: { id: testId(number), history_mode: "paginated", ...meta },
  }]);
}

async function lineageText(lineage: SessionLineage): Promise<string> {
  const texts: string[] = [];
  for (const room of [1 << 16, 7]) {
    const { content, error } = await drained(openLineage(lineage), room);
    assertEquals(error, undefined);
    texts.push(decode(content));
  }
  const [text = "", inPieces] = texts;
  assertEquals(inPieces, text);
  return text;
}

function base(
  number: number,
  end: number | null,
  offset: number | null = null,
): Readonly<Record<string, unknown>> {
  return {
    history_base: {
      thread_id: testId(number),
      end_ordinal_exclusive: end,
      end_byte_offset: offset,
    },
  };
}

/** Writes the files of sessions, and returns the lineage and the text of the last one. */
async function joined(
  files: Readonly<Record<number, string>>,
  isPacked = false,
): Promise<{ readonly lineage: SessionLineage; readonly text: string }> {
  let result: { lineage: SessionLineage; text: string } | undefined;
  await withFolder(async (home) => {
    let path = "";
    for (const [number, text] of Object.entries(files)) {
      path = sessionPath(home, testId(Number(number)), "2026-11-20T15:00:00Z");
      if (isPacked) {
        await writeFile(`${path}.zst`, zstdCompressSync(encode(text)));
      } else await writeFile(path, text);
    }
    const file = { path: isPacked ? `${path}.zst` : path };
    const lineage = await readSessionLineage(file, { codexHomes: [home] });
    const text = await lineageText(lineage);
    result = { lineage, text };
  });
  assert(result !== undefined);
  return result;
}

const PARENT = header(1, 0) + line(1, "one") + line(2, "two");
const FORK = header(2, 2, base(1, 2)) + line(3, "fork");

const WHOLE = [
  {
    name: "a session without history_base is one file",
    files: { 1: PARENT },
    text: PARENT,
    ancestors: [],
  },
  {
    name: "a fork is joined with the lines before its end ordinal",
    files: { 1: PARENT, 2: FORK },
    text: header(2, 2, base(1, 2)) + header(1, 0) + line(1, "one") +
      line(3, "fork"),
    ancestors: [testId(1)],
  },
  {
    name: "a fork of a file without ordinals is joined up to its end byte",
    files: {
      1: header(1, undefined) + "{}\n{}\n",
      2: header(2, undefined, base(1, null, header(1, undefined).length + 3)) +
        line(3, "fork"),
    },
    text: header(2, undefined, base(1, null, header(1, undefined).length + 3)) +
      header(1, undefined) + "{}\n" + line(3, "fork"),
    ancestors: [testId(1)],
  },
  {
    name:
      "a fork without history_base is joined with the lines before its first ordinal",
    files: {
      1: PARENT,
      2: header(2, 2, { forked_from_id: testId(1) }) + line(3, "fork"),
    },
    text: header(2, 2, { forked_from_id: testId(1) }) + header(1, 0) +
      line(1, "one") + line(3, "fork"),
    ancestors: [testId(1)],
  },
  {
    name: "a fork of a fork is joined with both origins",
    files: { 1: PARENT, 2: FORK, 3: header(3, 4, base(2, 4)) + line(5, "x") },
    text: header(3, 4, base(2, 4)) + header(2, 2, base(1, 2)) + header(1, 0) +
      line(1, "one") + line(3, "fork") + line(5, "x"),
    ancestors: [testId(2), testId(1)],
  },
  {
    name:
      "a fork that ends before its origin begins is joined with the origin's origin",
    files: { 1: PARENT, 2: FORK, 3: header(3, 1, base(2, 1)) + line(2, "x") },
    text: header(3, 1, base(2, 1)) + header(1, 0) + line(2, "x"),
    ancestors: [testId(2), testId(1)],
  },
  {
    name: "a last line without an end gets one",
    files: { 1: PARENT.trimEnd(), 2: header(2, 3, base(1, 3)) + line(4, "x") },
    text: header(2, 3, base(1, 3)) + PARENT + line(4, "x"),
    ancestors: [testId(1)],
  },
  {
    name: "a sub-agent whose file has a copied history is one file",
    files: {
      1: PARENT,
      2: header(2, 0, { forked_from_id: testId(1) }) + PARENT,
    },
    text: header(2, 0, { forked_from_id: testId(1) }) + PARENT,
    ancestors: [],
  },
  {
    name:
      "a fork whose copied header codex migrate-rollouts dropped is one file",
    files: {
      1: PARENT,
      2: header(2, 0, { forked_from_id: testId(1) }) + line(1, "one"),
    },
    text: header(2, 0, { forked_from_id: testId(1) }) + line(1, "one"),
    ancestors: [],
  },
] satisfies {
  name: string;
  files: Record<number, string>;
  text: string;
  ancestors: string[];
}[];

for (const { name, files, text, ancestors } of WHOLE) {
  for (const isPacked of [false, true]) {
    Deno.test(`readSessionLineage(): ${name}${isPacked ? ", packed" : ""}`, async () => {
      const { lineage, text: actual } = await joined(files, isPacked);
      assertEquals(actual, text);
      assertEquals(lineage.ancestors, ancestors);
      assertEquals(lineage.missing, undefined);
    });
  }
}

Deno.test("openLineage() maps each line to its file, line number and offset", async () => {
  await withFolder(async (home) => {
    const [one = "", two = "", three = ""] = [1, 2, 3].map((number) =>
      sessionPath(home, testId(number), "2026-11-20T15:00:00Z")
    );
    // Blank lines count; the line end that openLineage() adds to the second file does not.
    const texts = new Map([
      [one, `\n${PARENT}`],
      [two, `${header(2, 2, base(1, 2))}\r\n${line(3, "fork").trimEnd()}`],
      [three, `\n${header(3, 4, base(2, 4))}\n\n${line(5, "x")}`],
    ]);
    for (const [path, text] of texts) await writeFile(path, text);
    const lineage = await readSessionLineage({ path: three }, {
      codexHomes: [home],
    });
    for (const room of [1 << 16, 7]) {
      const source = openLineage(lineage);
      const { content } = await drained(source, room);
      let offset = 0;
      const paths = new Set<string>();
      const lines = decode(content).trimEnd().split("\n");
      for (const [at, text] of lines.entries()) {
        const place = source.placeOf({ line: at + 1, offset });
        assert(place !== undefined);
        const fileText = texts.get(place.path) ?? "";
        paths.add(place.path);
        assertEquals(fileText.split("\n")[place.line - 1], text);
        assert(fileText.slice(place.offset).startsWith(text));
        offset += encode(text).length + 1;
      }
      assertEquals([...paths].sort(), [one, two, three].sort());
    }
    assertEquals(
      openLineage(lineage).placeOf({ line: 1, offset: 0 }),
      undefined,
    );
  });
});

const PARTIAL = [
  {
    name: "no file of the origin",
    files: { 2: FORK },
    text: FORK,
    missing: [1, "not_found"],
  },
  {
    name: "a file shorter than the end",
    files: { 1: header(1, 0), 2: FORK },
    text: header(2, 2, base(1, 2)) + header(1, 0) + line(3, "fork"),
    missing: [1, "too_short"],
  },
  {
    name: "a fork that does not name the end of its origin",
    files: {
      1: PARENT,
      2: header(2, undefined, { forked_from_id: testId(1) }) + "{}\n",
    },
    text: header(2, undefined, { forked_from_id: testId(1) }) + "{}\n",
    missing: [1, "unknown_extent"],
  },
  {
    name: "no file of the first of three sessions",
    files: { 2: FORK, 3: header(3, 4, base(2, 4)) + line(5, "x") },
    text: header(3, 4, base(2, 4)) + FORK + line(5, "x"),
    missing: [1, "not_found"],
  },
  {
    name: "sessions that name each other as origin",
    files: {
      1: header(1, 2, base(2, 2)) + line(3, "a"),
      2: header(2, 4, base(1, 4)) + line(5, "b"),
    },
    text: header(2, 4, base(1, 4)) + header(1, 2, base(2, 2)) + line(3, "a") +
      line(5, "b"),
    missing: [2, "not_found"],
  },
] satisfies {
  name: string;
  files: Record<number, string>;
  text: string;
  missing: [number, string];
}[];

for (const { name, files, text, missing: [number, reason] } of PARTIAL) {
  Deno.test(`readSessionLineage() reports a missing part: ${name}`, async () => {
    const { lineage, text: actual } = await joined(files);
    assertEquals(actual, text);
    assertEquals(lineage.missing?.threadId, testId(number));
    assertEquals(lineage.missing?.reason, reason);
  });
}

Deno.test("readSessionLineage() finds an origin beside a file outside of all homes", async () => {
  await withFolder(async (folder) => {
    const [parent = "", fork = ""] = [1, 2].map((number) =>
      `${folder}/rollout-2026-11-20T15-00-00-${testId(number)}.jsonl`
    );
    await writeFile(parent, PARENT);
    await writeFile(`${parent}.zst`, "not this one");
    await writeFile(fork, FORK);
    const { parts, missing } = await readSessionLineage({ path: fork }, {
      codexHomes: [],
    });
    assertEquals(parts.map(({ path }) => path), [fork, parent, fork]);
    assertEquals(missing, undefined);
  });
});

Deno.test("readSessionLineage() reports a damaged packed file", async () => {
  await withFolder(async (home) => {
    const [parent = "", fork = ""] = [1, 2].map((number) =>
      sessionPath(home, testId(number), "2026-11-20T15:00:00Z")
    );
    const packed = zstdCompressSync(encode(PARENT));
    await writeFile(`${parent}.zst`, packed.subarray(0, packed.length - 4));
    await writeFile(fork, FORK);
    const lineage = await readSessionLineage({ path: fork }, {
      codexHomes: [home],
    });
    assertEquals(lineage.missing?.reason, "unreadable");
    assertEquals(await lineageText(lineage), FORK);
  });
});

Deno.test("readSessionLineage() finds all origins of captured forks and sub-agents", async () => {
  await withHome({}, async (home) => {
    const found = new Map<string, number>();
    for (const { path, version, scenario } of home.sessions) {
      if (path.endsWith(".json")) continue;
      const lineage = await readSessionLineage({ path }, {
        codexHomes: [home.path],
      });
      assertEquals(lineage.missing, undefined, path);
      if (lineage.ancestors.length === 0) continue;
      const name = `${version} ${scenario}`;
      found.set(name, (found.get(name) ?? 0) + 1);
    }
    assertEquals([...found].sort(), [
      ["0.160.0 fork", 1],
      ["0.169.0 fork", 1],
      ["0.169.0+direct fork", 1],
    ]);
  });
});

Deno.test("readSessionLineage() joins the files of a session in their order", async () => {
  await withFolder(async (home) => {
    const paths = (await writeContinued(home)).files.map(({ path }) => path);
    const [last = ""] = paths.slice(-1);
    const options = { codexHomes: [home] };
    const { parts, ancestors } = await readSessionLineage(
      { path: last },
      options,
    );
    assertEquals(parts.map(({ path }) => path), paths);
    assertEquals(ancestors, []);
  });
});

Deno.test("readSessionLineage() returns ids of sessions, not of files, as the ancestors", async () => {
  await withFolder(async (home) => {
    const { id, paths: [, last] } = await writeReverted(home);
    const fork = await writeSession(home, {
      id: testId(1),
      started: "2026-11-20T10:05:00.000Z",
      message: "Figs",
      meta: {
        forked_from_id: id,
        history_base: {
          thread_id: idInName(last),
          end_ordinal_exclusive: null,
          end_byte_offset: (await Deno.stat(last)).size,
        },
      },
    });
    const options = { codexHomes: [home] };
    const own = await readSessionLineage({ path: last }, options);
    assertEquals(own.ancestors, []);
    const lineage = await readSessionLineage({ path: fork }, options);
    assertEquals([lineage.ancestors, lineage.missing], [[id], undefined]);
  });
});
