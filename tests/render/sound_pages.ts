/**
 * Assertions about the HTML of pages.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";

/** A tag in the form that pages use: attributes in double quotes. */
const TAG_REGEXP =
  /<(\/?)([a-z][a-z0-9]*)((?:\s[a-z0-9-]+(?:="[^"]*")?)*)\s*>/gi;
const VOID_TAGS = new Set(["meta", "br", "hr", "img", "input", "!doctype"]);

/** Returns the text between the first tag of a name and its end tag. */
export function contentOf(page: string, name: string): string {
  const start = page.indexOf(`<${name}`);
  const from = page.indexOf(">", start) + 1;
  return page.slice(from, page.indexOf(`</${name}>`, from));
}

/**
 * Returns a page without its style, its script and their hashes, which are the same on every page.
 */
export function withoutConstants(page: string): string {
  return page.replace(contentOf(page, "style"), "…")
    .replace(contentOf(page, "script"), "…")
    .replaceAll(/sha256-[\w+/=]+/g, "…");
}

/**
 * Asserts that the tags of a page are closed in order, its ids are unique, and its links have
 * targets.
 *
 * @param page The page.
 * The pages that its links may lead to.
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

/** Asserts that a page loads nothing, and runs only its own script. */
export function assertAlone(page: string): void {
  // An image in a data URL loads nothing.
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

/** Separates the data in the index of a site from the rest of the page. */
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
