/**
 * Holds pages to what HTML asks for: what the tests of pages share.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";

/** A tag as a page has them: attributes in double quotes. */
const TAG_REGEXP =
  /<(\/?)([a-z][a-z0-9]*)((?:\s[a-z0-9-]+(?:="[^"]*")?)*)\s*>/gi;
const VOID_TAGS = new Set(["meta", "br", "hr", "img", "input", "!doctype"]);

/** Gives what stands between the first tag of a name and its end. */
export function contentOf(page: string, name: string): string {
  const start = page.indexOf(`<${name}`);
  const from = page.indexOf(">", start) + 1;
  return page.slice(from, page.indexOf(`</${name}>`, from));
}

/** Gives a page without its style, its script and their hashes: the same on every page. */
export function withoutConstants(page: string): string {
  return page.replace(contentOf(page, "style"), "…")
    .replace(contentOf(page, "script"), "…")
    .replaceAll(/sha256-[\w+/=]+/g, "…");
}

/**
 * Holds a page to tags that are closed in order, and ids that are there once.
 *
 * @param page The page.
 * @param pages The pages beside it that it may lead to.
 */
export function assertSound(
  page: string,
  pages: readonly string[] = [],
): void {
  const body = withoutConstants(page).replace("<!DOCTYPE html>", "");
  const open: string[] = [];
  const ids = new Set<string>();
  const targets: string[] = [];
  for (
    const [all, close, tag = "", attributes = ""] of body.matchAll(TAG_REGEXP)
  ) {
    const name = tag.toLowerCase();
    if (close === "/") assertEquals(open.pop(), name, all);
    else if (!VOID_TAGS.has(name)) open.push(name);
    const id = / id="([^"]*)"/.exec(attributes)?.[1];
    if (id !== undefined) {
      assert(!ids.has(id), `${id} is there twice`);
      ids.add(id);
    }
    const href = / href="([^"]*)"/.exec(attributes)?.[1];
    if (href?.startsWith("#")) targets.push(href.slice(1));
    else if (href !== undefined && !pages.includes(decodeURIComponent(href))) {
      assert(/^(?:https?:\/\/|mailto:)/.test(href), href);
    }
  }
  assertEquals(open, []);
  assertEquals(body.replaceAll(TAG_REGEXP, "").match(/[<>]/g), null);
  assertEquals(targets.filter((target) => !ids.has(target)), []);
}

/** Holds a page to asking for nothing from anywhere, and running nothing but its script. */
export function assertAlone(page: string): void {
  // An image that is in the page itself asks for nothing.
  const body = withoutConstants(page).replaceAll(
    /<img src="data:image\/[a-z]+;base64,[A-Za-z0-9+/=]+" alt="[^"<>]*" loading="lazy" decoding="async">/g,
    "",
  );
  assertEquals(
    body.match(/<(?:link|img|iframe|object|embed|base|form)\b/g),
    null,
  );
  const attributes = [...body.matchAll(TAG_REGEXP)].map(([, , , all]) => all);
  assertEquals(
    attributes.filter((all = "") =>
      / (?:src|srcset|style|on[a-z]+|action)=/.test(all)
    ),
    [],
  );
  assertEquals(body.match(/<script/g)?.length, 1);
  assertEquals(body.match(/<style/g)?.length, 1);
}

/** Takes the data out of the index of a site: the rest is to be a page like others. */
export function withoutData(index: string): { page: string; data: unknown } {
  const open = '<script type="application/json" id="data">';
  const start = index.indexOf(open) + open.length;
  const end = index.indexOf("</script>", start);
  const text = index.slice(start, end);
  assert(!/[<>&]/.test(text), text);
  const page = index.slice(0, start - open.length) +
    index.slice(end + "</script>".length);
  return { page, data: JSON.parse(text) };
}
