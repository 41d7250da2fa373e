/** Drift over what releases of Codex wrote, held to tables that another program made. */

import { assertEquals } from "@std/assert";
import { DriftMeter } from "../../lib/drift/drift.ts";
import { releaseNumber } from "../../lib/dialects/releases.ts";
import { type WireNode, WireTree } from "../../lib/drift/wire_tree.ts";
import { openStream } from "../../lib/files/files.ts";
import { type DriftRow, readDriftTable } from "../../tools/drift_tables.ts";

const CAPTURES = new URL("../../testdata/captures/", import.meta.url);
const APP_SERVER = new URL("../../testdata/app-server/", import.meta.url);
const TABLES = new URL("../../testdata/drift/", import.meta.url);

/** The captures of one release, however it was used. */
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
  isTold: boolean,
): Promise<void> {
  for (const file of files) {
    const release = isTold ? name : undefined;
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

function wrote({ ranges }: DriftRow, release: string): boolean {
  const number = releaseNumber(release);
  return ranges.some(([first, last]) =>
    releaseNumber(first) <= number && number <= releaseNumber(last)
  );
}

const baselines: string[] = [];

/** What the releases before one make. */
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

/** The paths that a baseline has. */
function keysOf(baseline: string): ReadonlySet<string> {
  const tree = new WireTree();
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

Deno.test("there is no drift in what the table was made of", async () => {
  const meter = new DriftMeter();
  for (const release of releases) await read(meter, release, false);
  const files = await filesBelow(APP_SERVER);
  await read(meter, { name: "", files }, false);
  assertEquals(meter.findings(), []);
});

/**
 * What the captures show at a release, and the tables do not call new there: in the tables,
 * items that say what they are in `item_type` have no kind, and of some releases there are more
 * captures than are in the repository.
 */
const NOT_IN_TABLES =
  /^(?:exec item\.(?:completed|started|updated)(?: item.*)? 0\.42\.0|rollout message content\[\]\.image_url 0\.29\.0|rollout response_item\/custom_tool_call.* 0\.53\.0|rollout event_msg\/user_message payload\.images(?:\[\])? 0\.(?:53|104)\.0)$/;

for (const [at, release] of releases.entries()) {
  const before = releases.slice(0, at);
  if (before.length === 0) continue;
  Deno.test(`what ${release.name} changed is found, and nothing else`, async () => {
    const meter = new DriftMeter({ baseline: await baselineBefore(at) });
    await read(meter, release, true);
    const found = new Set(
      meter.findings().filter(({ change }) =>
        change === "field" || change === "kind"
      ).map(({ dialect, kind, path }) => `${dialect} ${kind} ${path}`),
    );
    const own = new DriftMeter({ isRecording: true });
    await read(own, release, true);
    const here = keysOf(own.baseline());
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
    // Of what came back, some had not been away for long.
    for (const { seen, change } of meter.findings()) {
      if (change !== "missing") assertEquals(seen, null);
    }
  });
}
