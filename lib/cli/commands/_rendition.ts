/** How a document is rendered: the form, and what makes it, as the flags of a command say. */

import { Redactor } from "../../redact/redactor.ts";
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
import type { Arguments } from "../arguments.ts";
import type { CommandContext } from "../command.ts";
import type { ErrorFile } from "../error_file.ts";
import { COLOR } from "../flags.ts";
import type { Output } from "../output.ts";
import { refuseIdleFlags } from "../refusals.ts";
import { COLORED_STYLE, PLAIN_STYLE } from "../../render/text_style.ts";
import { patternsOf } from "./_secrets.ts";

export interface Destination {
  /** Takes the document. */
  readonly output: Output;
  /** The pages that a page which is too long goes on in. */
  readonly pages?: FollowingPages | undefined;
  /** Whether a person looks at it as it comes. */
  readonly isTerminal: boolean;
  /** The form of the document; without it, text on a terminal, and Markdown elsewhere. */
  readonly form?: RenderForm | undefined;
  /** Where failed lines are kept. */
  readonly errors?: ErrorFile | undefined;
  /** What pages of a site share, and what is told of this one. */
  readonly site?: {
    readonly redactor: Redactor | undefined;
    readonly listing: PageListing;
  };
}

/** The pages behind the first one. */
export interface FollowingPages extends Pick<PageSequence, "nameOf"> {
  /** Ends the page at hand, and makes the one with a number, from 2. */
  open(page: number): Promise<Output>;
}

/**
 * Stdout as the place for a document.
 *
 * @param form The form of the document if no flag asks for one.
 */
export function screenDestination(
  args: Arguments,
  { process, screen }: CommandContext,
  form?: RenderForm,
): Destination {
  const chosen = args.choice("to", RENDER_FORMS) ?? form;
  if (chosen !== "html") refuseIdleFlags(args, ["images"], "without --to=html");
  const isTerminal = process.isTerminal.stdout;
  return { output: screen, isTerminal, form: chosen };
}

export interface Rendition {
  readonly form: RenderForm;
  /** Masks secrets. */
  readonly redactor: Redactor | undefined;
  /** Whether images are shown, in which nothing can be masked. */
  readonly hasImages: boolean;
  /** Makes its text; that of a live view knows what runs. */
  readonly renderer:
    & Stage<TranscriptPart, string>
    & Partial<Pick<TextRenderer, "running">>;
}

/**
 * Finds out how a document is to be rendered, and loads what does it and no more.
 *
 * @param destination Where the document goes.
 * @param turn Is called when what comes next is of the next page.
 */
export async function renditionOf(
  args: Arguments,
  context: CommandContext,
  destination: Destination,
  turn: () => void,
): Promise<Rendition> {
  const form = destination.form ?? args.choice("to", RENDER_FORMS) ??
    (destination.isTerminal ? "text" : "markdown");
  const { site, pages } = destination;
  const redactor = site === undefined ? redactorOf(args, form) : site.redactor;
  const hasImages = form === "html" &&
    (args.has("images") || redactor === undefined);
  const options: RenderOptions = {
    redactor,
    reasoning: args.choice("reasoning", REASONING),
    tools: args.choice("tools", TOOLS),
    maxOutputLines: args.number("max-output-lines"),
  };
  const renderer: Rendition["renderer"] = form === "text"
    ? await textRenderer(options, args, context, destination)
    : await documentRenderer(form, {
      ...options,
      images: hasImages,
      listing: site?.listing,
      sequence: pages && { nameOf: pages.nameOf, turn },
    });
  return { form, redactor, hasImages, renderer };
}

async function textRenderer(
  options: RenderOptions,
  args: Arguments,
  { screen, style, process }: CommandContext,
  { isTerminal, output }: Destination,
): Promise<TextRenderer> {
  // What goes to a file has colours only if they are asked for.
  const isColored = args.choice("color", COLOR) === "always";
  const fileStyle = isColored ? COLORED_STYLE : PLAIN_STYLE;
  const { TextRenderer } = await import("../../render/text.ts");
  const chosen = output === screen ? style : fileStyle;
  return new TextRenderer({
    ...options,
    style: chosen,
    isFormatted: chosen === COLORED_STYLE,
    columns: () => isTerminal ? process.columns() : undefined,
  });
}

async function documentRenderer(
  form: Exclude<RenderForm, "text">,
  options: HtmlOptions,
): Promise<Stage<TranscriptPart, string>> {
  switch (form) {
    case "markdown": {
      const { MarkdownRenderer } = await import("../../render/markdown.ts");
      return new MarkdownRenderer(options);
    }
    case "html": {
      const { HtmlRenderer } = await import("../../render/html.ts");
      return new HtmlRenderer(options);
    }
    case "github": {
      const { GithubRenderer } = await import("../../render/github.ts");
      return new GithubRenderer(options);
    }
  }
}

function redactorOf(args: Arguments, form: RenderForm): Redactor | undefined {
  if (args.has("no-redact")) return undefined;
  const patterns = patternsOf(args);
  const isAsked = args.has("redact") || patterns.length > 0;
  return isAsked || form !== "text" ? new Redactor({ patterns }) : undefined;
}
