/** The form of a document, its renderer and its redactor, from the flags of a command. */

import type { Redactor } from "../../redact/redactor.ts";
import type {
  HtmlOptions,
  PageListing,
  PageSequence,
} from "../../render/html.ts";
import type { TranscriptPart } from "../../render/parts.ts";
import {
  REASONING,
  RENDER_FORMS,
  type RenderForm,
  type RenderOptions,
  TOOLS,
} from "../../render/render_options.ts";
import type { TextRenderer } from "../../render/text.ts";
import type { Stage } from "../../stage.ts";
import type { CommandContext } from "../command.ts";
import type { ErrorFile } from "../created_file.ts";
import { COLOR } from "../flags.ts";
import { Gathered, type Output } from "../output.ts";
import { COLORED_STYLE, PLAIN_STYLE } from "../../render/text_style.ts";

export interface Destination {
  readonly output: Output;
  /** Closes the file of the current page, if the output is a file. */
  readonly close?: () => void;
  /** Creates further pages, for a page that is too long. */
  readonly pages?: FollowingPages | undefined;
  readonly isTerminal: boolean;
  /** The form of the document; by default, text on a terminal, and Markdown elsewhere. */
  readonly form?: RenderForm | undefined;
  readonly errors?: ErrorFile | undefined;
  /** Whether what is read now is shown and its failures are reported; by default, all is. */
  readonly isShown?: () => boolean;
  /** For a page of a site: the shared redactor, and the listing that collects its facts. */
  readonly site?: {
    readonly redactor: Redactor | undefined;
    readonly listing: PageListing;
  };
}

export interface FollowingPages extends Pick<PageSequence, "nameOf"> {
  next(): Promise<Output>;
}

/** Makes stdout the destination of a document, of the given form unless `--to` is given. */
export function screenDestination(
  { args, process, screen }: CommandContext,
  form?: RenderForm,
): Destination {
  const chosen = args.choice("to", RENDER_FORMS) ?? form;
  if (chosen !== "html") args.refuseIdle(["images"], "without --to=html");
  const isTerminal = process.isTerminal.stdout;
  return { output: screen, isTerminal, form: chosen };
}

export interface Rendition {
  readonly form: RenderForm;
  /** Masks secrets; `undefined` if they are not masked. */
  readonly redactor: Redactor | undefined;
  /** Whether images are shown; secrets in them cannot be masked. */
  readonly hasImages: boolean;
  /** The renderer; the one for text also has the running call. */
  readonly renderer:
    & Stage<TranscriptPart, string>
    & Partial<Pick<TextRenderer, "running">>;
  /** Text that is not written yet: the end of the current page, and the pages after it. */
  readonly written: Gathered[];
}

const DOCUMENTS: Record<
  Exclude<RenderForm, "text">,
  () => Promise<
    new (options: HtmlOptions) => Stage<TranscriptPart, string>
  >
> = {
  markdown: async () =>
    (await import("../../render/markdown.ts")).MarkdownRenderer,
  html: async () => (await import("../../render/html.ts")).HtmlRenderer,
  github: async () => (await import("../../render/github.ts")).GithubRenderer,
};

export async function renditionOf(
  context: CommandContext,
  destination: Destination,
): Promise<Rendition> {
  const { args } = context;
  const { isTerminal, site, pages } = destination;
  const form = destination.form ?? (isTerminal ? "text" : "markdown");
  const isRedacted = !args.has("no-redact") &&
    (form !== "text" || args.has("redact") || args.has("redact-pattern"));
  const redactor = site !== undefined ? site.redactor : isRedacted
    // Loaded here: text on a terminal is usually not masked.
    ? (await import("./_secrets.ts")).redactorOf(args)
    : undefined;
  const hasImages = form === "html" &&
    (args.has("images") || redactor === undefined);
  const options: RenderOptions = {
    redactor,
    reasoning: args.choice("reasoning", REASONING),
    tools: args.choice("tools", TOOLS),
    maxOutputLines: args.number("max-output-lines"),
  };
  const written = [new Gathered()];
  const turn = (): void => void written.push(new Gathered());
  const renderer: Rendition["renderer"] = form === "text"
    ? await textRenderer(options, context, destination)
    : new (await DOCUMENTS[form]())({
      ...options,
      images: hasImages,
      listing: site?.listing,
      sequence: pages && { nameOf: pages.nameOf, turn },
    });
  return { form, redactor, hasImages, renderer, written };
}

async function textRenderer(
  options: RenderOptions,
  { args, screen, style, width }: CommandContext,
  { isTerminal, output }: Destination,
): Promise<TextRenderer> {
  // A file has colours only with --color=always.
  const isColored = args.choice("color", COLOR) === "always";
  const fileStyle = isColored ? COLORED_STYLE : PLAIN_STYLE;
  const { TextRenderer } = await import("../../render/text.ts");
  return new TextRenderer({
    ...options,
    style: output === screen ? style : fileStyle,
    columns: () => isTerminal ? width() : undefined,
  });
}
