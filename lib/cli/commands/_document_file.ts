/** The destination of a document: stdout, or the file of `--output`. */

import { basename } from "node:path";
import { RENDER_FORMS } from "../../render/render_options.ts";
import type { CommandContext } from "../command.ts";
import { FORM_ALIASES } from "../flags.ts";
import type { Output } from "../output.ts";
import { InputFiles } from "./_overwriting.ts";
import { type Destination, type FollowingPages, formOf } from "./_rendering.ts";

/** Opens the destination of a document, which the caller closes. Refuses to overwrite an input. */
export async function openDocument(
  context: CommandContext,
  inputs: readonly string[],
): Promise<Destination> {
  const { args, diagnostics, screen } = context;
  const target = args.value("output");
  if (target === undefined) return { output: screen, form: formOf(args) };
  const [, ending = ""] = /\.([^./\\]+)$/.exec(target) ?? [];
  const word = FORM_ALIASES[ending.toLowerCase()] ?? ending.toLowerCase();
  const form = formOf(args, RENDER_FORMS.find((form) => form === word));
  const files = new InputFiles(inputs, context);
  const output = await files.create(target);
  if (form === undefined && ending !== "") {
    diagnostics.remark(`${target}: is Markdown; --to=FORM writes another form`);
  }
  const following = followingPages(
    target,
    output,
    (path) => files.create(path),
  );
  const pages = form === "html" && /\.html?$/i.test(target)
    ? following
    : undefined;
  return { output, pages, form, close: following.close };
}

/** Creates the pages after the open one: `NAME.2.html` and so on, none with a path that is taken. */
export function followingPages(
  first: string,
  file: Output,
  create: (page: string) => Promise<Output>,
  taken: ReadonlySet<string> = new Set(),
): FollowingPages & Required<Pick<Destination, "close">> {
  const [stem, ending = ""] = first.split(/(\.[^.]*)$/);
  const pathOf = (page: number, sign = "."): string => {
    const path = page === 1 ? first : `${stem}${sign}${page}${ending}`;
    return page > 1 && taken.has(path) ? pathOf(page, `${sign}-`) : path;
  };
  let opened = 1;
  return {
    nameOf: (page) => basename(pathOf(page)),
    async next(): Promise<Output> {
      file.close();
      opened += 1;
      return file = await create(pathOf(opened));
    },
    close: () => file.close(),
  };
}
