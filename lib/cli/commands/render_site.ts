/** `codexpipe render --to=site`. */

import { join, resolve } from "node:path";
import type { Redactor } from "../../redact/redactor.ts";
import type { SessionPart } from "../../render/parts.ts";
import {
  SITE_INDEX,
  SiteIndex,
  type SiteRun,
  SiteSession,
} from "../../render/site.ts";
import { readSessionRun } from "../../sessions/session_run.ts";
import { type UsageCounts, UsageMeter } from "../../usage/usage_meter.ts";
import type { CommandContext, RunCommand } from "../command.ts";
import { EXIT, type Reading, statusAfter, UsageError } from "../endings.ts";
import { type Output, writeTexts } from "../output.ts";
import { type ChosenInput, openChosen, readOrSay } from "../input.ts";
import { resultsOf } from "../jobs.ts";
import { chosenInputs } from "./_chosen_inputs.ts";
import { InputFiles } from "./_overwriting.ts";
import { followingPages } from "./_document_file.ts";
import { headsOfInputs, stems, targetFolder } from "./_folder_of_files.ts";
import { Rendering } from "./_rendering.ts";
import { addSecrets, redactorOf, saySecrets } from "./_secrets.ts";
import { STDIN } from "../flags.ts";

export const renderSite: RunCommand = async (context) => {
  const { args } = context;
  args.refuseIdle(
    ["follow", "errors-to", "thread", "thread-id", "turn-id"],
    "with --to=site",
  );
  const target = args.value("output");
  if (target === undefined) {
    throw new UsageError("--to=site needs --output=DIR, a folder");
  }
  const folder = await targetFolder("output", target, context);
  const chosen = await chosenInputs(context);
  const { inputs } = chosen;
  if (inputs.some(({ name }) => name === STDIN)) {
    throw new UsageError("--to=site reads files or, with --home, a Codex home");
  }
  const redactor = redactorOf(args);
  const pages = await pagesOf(inputs, context);
  const names = new Set(pages.map(({ listing: { page } }) => page));
  const likeAPage = inputs.map(({ name }) => name)
    .filter((name) => names.has(name.replace(/^.*[\\/]/, "")));
  const numbered = [...names].filter((name) => /\.-*\d+\.html$/.test(name));
  const written = resultsOf({
    inputs: pages.map(({ input, listing: { page, facts } }) => ({
      ...input,
      page,
      facts,
      numbered,
      likeAPage,
    })),
    work: (page) => writePage(page, { folder, redactor }, context),
    isInTurn: args.value("on-error") === "stop",
    title: "Writing pages",
  }, context);
  const index = new SiteIndex();
  const meter = new UsageMeter();
  const secrets = new Map<string, number>();
  let { isIncomplete } = chosen;
  let hasFailures = false;
  const left = pages.values();
  for await (const page of written) {
    isIncomplete ||= page.isIncomplete;
    hasFailures ||= page.hasFailures;
    if (page.hasStopped) return EXIT.no;
    addSecrets(secrets, page.secrets);
    const listing = left.next().value?.listing;
    if (page.shown === undefined || listing === undefined) continue;
    const { title, session, words, run } = page.shown;
    listing.begin(title, session);
    listing.learn(words);
    listing.run = run ?? listing.run;
    meter.add(page.shown.counts);
    index.add(listing);
  }
  const output = await new InputFiles(likeAPage, context)
    .create(join(folder, SITE_INDEX), true);
  try {
    await writeTexts(output, index.write(meter.rows()));
  } finally {
    output.close();
  }
  saySecrets(secrets, context);
  return statusAfter({ isIncomplete, hasFailures }, args);
};

interface PageInput extends ChosenInput, Pick<SiteSession, "page" | "facts"> {
  /** The pages with a number in their names, which continued pages must not overwrite. */
  readonly numbered: readonly string[];
  /** The inputs with the same file name as a page, which must not be overwritten. */
  readonly likeAPage: readonly string[];
}

interface WrittenPage extends Reading {
  readonly secrets: ReadonlyMap<string, number> | undefined;
  /** The facts for the index page; `undefined` if the input could not be opened. */
  readonly shown: {
    readonly title: string;
    readonly session: SessionPart | undefined;
    readonly words: string;
    readonly run: SiteRun | undefined;
    readonly counts: UsageCounts;
  } | undefined;
}

async function* writePage(
  { page, facts, numbered, likeAPage, ...input }: PageInput,
  { folder, redactor }: {
    readonly folder: string;
    readonly redactor: Redactor | undefined;
  },
  context: CommandContext,
): AsyncGenerator<WrittenPage> {
  const { process } = context;
  const seen = new SiteSession("", "", undefined, new Map());
  const inputs = new InputFiles(likeAPage, context);
  const created = (page: string): Promise<Output> =>
    inputs.create(join(folder, page), true);
  const output = await created(page);
  const pages = followingPages(page, output, created, new Set(numbered));
  let rendering;
  try {
    rendering = await Rendering.create(context, {
      output,
      pages,
      form: "html",
      site: {
        redactor,
        listing: {
          facts,
          begin: (title, session) => seen.begin(title, session),
          take: (view) => seen.take(view),
        },
      },
    });
    await rendering.render(input);
    await rendering.end();
  } finally {
    pages.close();
  }
  const { isIncomplete, hasFailures, hasStopped } = rendering.work;
  const secrets = redactor?.takeCounts();
  const { title, session } = seen;
  let shown: WrittenPage["shown"];
  if (!hasStopped && (!isIncomplete || session !== undefined)) {
    const meter = new UsageMeter();
    const source = meter.open(input.name);
    // Failures were reported when the page was written.
    const ignore = (): void => {};
    await readOrSay(async () => {
      const blocks = await openChosen(input, process);
      for await (const block of blocks) source.feed(block, ignore);
    }, { say: ignore });
    source.flush(ignore);
    const file = { path: resolve(process.cwd(), input.name) };
    const run = await readSessionRun(file, process.interrupt);
    const words = seen.giveWords(Infinity);
    shown = { title, session, words, run, counts: meter.take() };
  }
  yield { isIncomplete, hasFailures, hasStopped, secrets, shown };
}

interface Page {
  readonly input: ChosenInput;
  readonly listing: SiteSession;
}

/** Names the page of each session, and links the sessions of families. */
async function pagesOf(
  inputs: readonly ChosenInput[],
  context: CommandContext,
): Promise<readonly Page[]> {
  const stemOf = stems(SITE_INDEX.replace(".html", ""));
  const names = new Map<string, string>();
  const pages: Page[] = [];
  const byId = new Map<string, SiteSession>();
  const heads = await headsOfInputs(inputs, context);
  for (const [at, input] of inputs.entries()) {
    const page = `${stemOf(input.name)}.html`;
    const head = heads[at];
    const id = head?.id ?? "";
    const originId = head?.parent ?? head?.forkedFrom;
    const origin = originId === undefined
      ? undefined
      : { id: originId, isAgent: head?.parent !== undefined };
    const listing = new SiteSession(page, id, origin, names);
    pages.push({ input, listing });
    // If a session has several files, links lead to the page of the last one.
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
