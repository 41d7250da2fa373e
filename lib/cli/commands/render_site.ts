/** `codexpipe render --to=site`. */

import { join, resolve } from "node:path";
import { Redactor } from "../../redact/redactor.ts";
import {
  SITE_INDEX,
  SiteIndex,
  type SiteOrigin,
  SiteSession,
} from "../../render/site.ts";
import type { SessionHead } from "../../sessions/session_head.ts";
import { readSessionRun } from "../../sessions/session_run.ts";
import { UsageMeter, type UsageSource } from "../../usage/usage_meter.ts";
import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import { createFile } from "../created_file.ts";
import { EXIT, IoError, UsageError } from "../endings.ts";
import { writeTexts } from "../gathered.ts";
import { blocksOf, type Input } from "../input.ts";
import { Output } from "../output.ts";
import { refuseIdleFlags } from "../refusals.ts";
import { STDIN } from "../standard_streams.ts";
import type { ChosenInput } from "./_chosen_input.ts";
import { chosenInputs } from "./_chosen_inputs.ts";
import { type CreatedPage, followingPages } from "./_document_file.ts";
import { headOfInput, stems, targetFolder } from "./_folder_of_files.ts";
import { refuseOverwriting } from "./_overwriting.ts";
import { Rendering } from "./_rendering.ts";
import { patternsOf, saySecrets } from "./_secrets.ts";

/** Writes a page of each session, and an index of them. */
export async function renderSite(
  args: Arguments,
  context: CommandContext,
): Promise<number> {
  const { process, progress, diagnostics } = context;
  refuseIdleFlags(
    args,
    ["follow", "errors-to", "thread", "thread-id", "turn-id"],
    "with --to=site",
  );
  const folder = await targetFolder(args, context);
  if (folder === undefined) {
    throw new UsageError("--to=site needs --output=DIR, a folder");
  }
  const chosen = await chosenInputs(args, context, -Infinity);
  const { inputs } = chosen;
  if (inputs.some(({ name }) => name === STDIN)) {
    throw new UsageError("--to=site reads files or, with --home, a Codex home");
  }
  const redactor = args.has("no-redact")
    ? undefined
    : new Redactor({ patterns: patternsOf(args) });
  const pages = await pagesOf(inputs, context);
  const names = new Set(pages.map(({ listing: { page } }) => page));
  const likeAPage = inputs.map(({ name }) => name)
    .filter((name) => names.has(name.replace(/^.*[\\/]/, "")));
  const created = async (page: string): Promise<CreatedPage> => {
    const path = join(folder, page);
    await refuseOverwriting("output", path, likeAPage, process);
    const sink = await createFile(path, process);
    return [new Output(sink, path, process), () => sink.close()];
  };
  const index = new SiteIndex();
  const meter = new UsageMeter();
  let { isIncomplete } = chosen;
  let hasFailures = false;
  for (const [i, { input, listing }] of pages.entries()) {
    await progress.update(() => `Writing pages: ${i} of ${pages.length}`);
    const [output, closePage] = await created(listing.page);
    const following = followingPages(listing.page, closePage, created, names);
    try {
      const rendering = await Rendering.create(args, context, {
        output,
        pages: following,
        isTerminal: false,
        form: "html",
        site: { redactor, listing },
      });
      await rendering.render(input.name);
      await rendering.end();
      isIncomplete ||= rendering.isIncomplete;
      hasFailures ||= rendering.hasFailures;
      if (rendering.hasStopped) return EXIT.no;
      // Of what could not be opened nothing is known.
      if (rendering.isIncomplete && listing.session === undefined) continue;
    } finally {
      following.close();
    }
    await count(() => chosen.open(input), meter.open(input.name), context);
    listing.run = await readSessionRun({
      path: resolve(process.cwd(), input.name),
    }, process.interrupt) ?? listing.run;
    index.add(listing);
  }
  await progress.clear();
  const [output, close] = await created(SITE_INDEX);
  try {
    await writeTexts(output, index.write(meter.rows()));
  } finally {
    close();
  }
  saySecrets(redactor?.counts ?? new Map(), args, context);
  await diagnostics.flush();
  if (isIncomplete) return EXIT.io;
  return args.has("strict") && hasFailures ? EXIT.no : EXIT.done;
}

/** A page that is to be written. */
interface Page {
  readonly input: ChosenInput;
  readonly listing: SiteSession;
}

/** Finds out which pages there will be, and which of them are of a family. */
async function pagesOf(
  inputs: readonly ChosenInput[],
  { process }: CommandContext,
): Promise<readonly Page[]> {
  const stemOf = stems(SITE_INDEX.replace(".html", ""));
  const names = new Map<string, string>();
  const pages: Page[] = [];
  const byId = new Map<string, SiteSession>();
  for (const input of inputs) {
    const page = `${stemOf(input.name)}.html`;
    const head = await headOfInput(input, process);
    const id = head?.id ?? "";
    const listing = new SiteSession(page, id, originOf(head), names);
    pages.push({ input, listing });
    // Of a session in several files, the last one counts.
    if (id === "") continue;
    names.set(id.toLowerCase(), page);
    byId.set(id.toLowerCase(), listing);
  }
  for (const { listing } of pages) {
    const parent = byId.get(listing.origin?.id.toLowerCase() ?? "");
    if (parent !== listing) parent?.children.push(listing);
  }
  return pages;
}

function originOf(head: SessionHead | undefined): SiteOrigin | undefined {
  const id = head?.parent ?? head?.forkedFrom;
  return id === undefined
    ? undefined
    : { id, isAgent: head?.parent !== undefined };
}

/** Counts what a session used. What of it cannot be read was said when its page was written. */
async function count(
  open: () => Promise<Input>,
  source: UsageSource,
  { process }: CommandContext,
): Promise<void> {
  const ignore = (): void => {};
  try {
    const blocks = blocksOf(await open(), process);
    for await (const block of blocks) source.feed(block, ignore);
  } catch (error) {
    if (!(error instanceof IoError)) throw error;
  }
  source.flush(ignore);
}
