/** Compares the drift between captured releases with tables that another program made. */

import { assertEquals } from "@std/assert";
import { DriftMeter } from "../../lib/drift/drift.ts";
import { releaseNumber } from "../../lib/dialects/releases.ts";
import { type WireNode, WireTree } from "../../lib/drift/wire_tree.ts";
import { openStream } from "../../lib/files/files.ts";
import { type DriftRow, readDriftTable } from "../../tools/drift_tables.ts";

const CAPTURES = new URL("../../testdata/captures/", import.meta.url);
const APP_SERVER = new URL("../../testdata/app-server/", import.meta.url);
const TABLES = new URL("../../testdata/drift/", import.meta.url);

/** The captured files of one release, of all the ways it was used. */
interface Release {
  readonly name: string;
  readonly files: readonly string[];
}

async function filesBelow(folder: URL): Promise<string[]> {
  const files: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const url = new URL(encodeURIComponent(name), folder);
    if (isDirectory) files.push(...await filesBelow(new URL(`${url}/`)));
    else if (/^(?:stdin|stdout|.*rollout-).*\.jsonl(?:\.zst)?$/.test(name)) {
      files.push(decodeURIComponent(url.pathname));
    }
  }
  return files.sort();
}

const releases: Release[] = [];
for (const { name } of Deno.readDirSync(CAPTURES)) {
  const release = decodeURIComponent(name).replace(/\+.*$/, "");
  const folder = new URL(`${encodeURIComponent(name)}/`, CAPTURES);
  const files = await filesBelow(folder);
  const known = releases.findIndex((one) => one.name === release);
  if (known === -1) releases.push({ name: release, files });
  else {
    const all = [...releases[known]?.files ?? [], ...files];
    releases[known] = { name: release, files: all };
  }
}
releases.sort((a, b) => releaseNumber(a.name) - releaseNumber(b.name));

async function read(
  meter: DriftMeter,
  { files, name }: Release,
  isReleaseKnown: boolean,
): Promise<void> {
  for (const file of files) {
    const release = isReleaseKnown ? name : undefined;
    const source = meter.open(file, { release });
    for await (const block of await openStream(file)) source.feed(block);
    source.flush();
  }
}

const rows = (await Promise.all(
  (["exec", "rollout"] as const).map(async (dialect) => {
    const file = dialect === "exec" ? "stdout.md" : "rollout.md";
    const text = await Deno.readTextFile(new URL(file, TABLES));
    return readDriftTable(text, dialect);
  }),
)).flat();

/** Whether a release writes the path of a row. */
function wrote({ ranges }: DriftRow, release: string): boolean {
  const number = releaseNumber(release);
  return ranges.some(([first, last]) =>
    releaseNumber(first) <= number && number <= releaseNumber(last)
  );
}

const baselines: string[] = [];

/** Returns the baseline of the first `at` releases. */
async function baselineBefore(at: number): Promise<string> {
  for (const release of releases.slice(baselines.length, at)) {
    const recorder = new DriftMeter({
      isRecording: true,
      baseline: baselines.at(-1),
    });
    await read(recorder, release, true);
    baselines.push(recorder.baseline());
  }
  return baselines[at - 1] ?? "";
}

/** Lists the dialect, kind and path of each node of a baseline. */
function keysOf(baseline: string): ReadonlySet<string> {
  const tree = new WireTree(false, () => new Set());
  tree.load(JSON.parse(baseline));
  const keys = new Set<string>();
  const visit = (dialect: string, node: WireNode): void => {
    keys.add(`${dialect} ${node.kind.name} ${node.path}`);
    for (const member of node.members.values()) visit(dialect, member);
  };
  for (const [name, { kinds }] of tree.dialects) {
    for (const kind of kinds.values()) visit(name, kind);
  }
  return keys;
}

Deno.test("DriftMeter finds no drift in the captures that its built-in table was made from", async () => {
  const meter = new DriftMeter();
  for (const release of releases) await read(meter, release, false);
  const files = await filesBelow(APP_SERVER);
  await read(meter, { name: "", files }, false);
  assertEquals(meter.findings(), []);
});

/**
 * Paths that are new in the captures of a release, but not in its row of the tables: the tables
 * have no kind for items with `item_type`, and were made from more captures of some releases
 * than the repository has.
 */
const NOT_IN_TABLES =
  /^(?:exec item\.(?:completed|started|updated)(?: item.*)? 0\.42\.0|rollout message content\[\]\.image_url 0\.29\.0|rollout response_item\/custom_tool_call.* 0\.53\.0|rollout event_msg\/user_message payload\.images(?:\[\])? 0\.(?:53|104)\.0)$/;

for (const [at, release] of releases.entries()) {
  const before = releases.slice(0, at);
  if (before.length === 0) continue;
  Deno.test(`DriftMeter finds exactly the fields and kinds that are new in ${release.name}`, async () => {
    const meter = new DriftMeter({ baseline: await baselineBefore(at) });
    await read(meter, release, true);
    const found = new Set(
      meter.findings().filter(({ change }) =>
        change === "field" || change === "kind"
      ).map(({ dialect, kind, path }) => `${dialect} ${kind} ${path}`),
    );
    const recorder = new DriftMeter({ isRecording: true });
    await read(recorder, release, true);
    const here = keysOf(recorder.baseline());
    const keyOf = ({ dialect, kind, path }: DriftRow): string =>
      `${dialect} ${kind} ${path}`;
    const older = new Set(
      rows.filter((row) => before.some(({ name }) => wrote(row, name)))
        .map(keyOf),
    );
    const expected = new Set(
      rows.filter((row) => wrote(row, release.name)).map(keyOf)
        .filter((key) => !older.has(key) && here.has(key)),
    );
    const extra = [...found].filter((key) => !expected.has(key));
    assertEquals(
      {
        missing: [...expected].filter((key) => !found.has(key)),
        extra: extra.filter((key) =>
          !NOT_IN_TABLES.test(`${key.trimEnd()} ${release.name}`)
        ),
      },
      { missing: [], extra: [] },
    );
    // `seen` is set where a part is back after a gap; the gaps in the captures are too short.
    for (const { seen, change } of meter.findings()) {
      if (change !== "missing") assertEquals(seen, null);
    }
  });
}
