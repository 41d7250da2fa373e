/**
 * Assertions about the HTML of pages.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { encode } from "../running.ts";
import { CONTROL_REGEXP } from "./sessions.ts";

/** A tag in the form that pages use: attributes in double quotes. */
const TAG_REGEXP =
  /<(\/?)([a-z][a-z0-9]*)((?:\s[a-z0-9-]+(?:="[^"]*")?)*)\s*>/gi;
const VOID_TAGS = ["meta", "br", "hr", "img", "input", "!doctype"];
/** A tag of the HTML in summaries and Markdown: lower case, attributes in double quotes. */
const STRICT_TAG_REGEXP = /<(\/?)([a-z][a-z0-9]*)((?: [a-z]+="[^"<>]*")*)>/g;

/**
 * Asserts that the tags of HTML are closed in order, and that no other `<` or `>` is in it.
 *
 * @param html The HTML.
 * @param tag The form of its tags.
 * @param voidTags The tags without an end tag.
 * @returns The name and the attributes of each tag that is no end tag.
 */
export function assertClosed(
  html: string,
  tag: RegExp = STRICT_TAG_REGEXP,
  voidTags: readonly string[] = ["br", "hr"],
): [name: string, attributes: string][] {
  const open: string[] = [];
  const tags: [string, string][] = [];
  for (const [all, close, name = "", attributes = ""] of html.matchAll(tag)) {
    const lower = name.toLowerCase();
    if (close === "/") {
      assertEquals(open.pop(), lower, all);
      continue;
    }
    if (!voidTags.includes(lower)) open.push(lower);
    tags.push([lower, attributes]);
  }
  assertEquals(open, [], html);
  assertEquals(html.replaceAll(tag, "").match(/[<>]/g), null, html);
  return tags;
}

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
  const ids = new Set<string>();
  const targets: string[] = [];
  for (const [, attributes] of assertClosed(body, TAG_REGEXP, VOID_TAGS)) {
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

/** Asserts that the policy of a page forbids everything but its style and script, by their hashes. */
export async function assertPolicy(page: string): Promise<void> {
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/
    .exec(page)?.[1] ?? "";
  assert(policy.startsWith("default-src 'none'; "), policy);
  for (const name of ["style", "script"]) {
    const content = encode(contentOf(page, name));
    const digest = await crypto.subtle.digest("SHA-256", content);
    const hash = btoa(String.fromCharCode(...new Uint8Array(digest)));
    assert(
      policy.includes(`${name}-src 'sha256-${hash}'`),
      `${name}: ${hash}`,
    );
  }
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

/** Returns the letters and digits that a page shows. */
export function lettersOf(html: string): string {
  const text = html.replaceAll(/<[^>]*>/g, "")
    .replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
  return lettersIn(text);
}

/** Returns the letters and digits of a text. */
export function lettersIn(text: string): string {
  return text.replaceAll(/U\+[0-9A-F]{4,5}|[^\p{L}\p{N}]/gu, "");
}

/**
 * Asserts that a summary is inert: lines of Markdown are the renderer's own headings, everything
 * else is HTML of few tags that are closed in each block.
 */
export function assertInert(summary: string): void {
  for (const block of summary.split(/\n{2,}/)) {
    const text = block.trim();
    if (text === "" || /^#{2,3} /.test(text)) {
      assert(!/[`[\]<>*\\]|\w_\w|:\/\//.test(text), text);
      continue;
    }
    // An HTML block ends at the next blank line, so it has to begin with a tag.
    assert(
      /^<(?:p|ul|ol|h[456]|pre|table|blockquote|details|hr)\b/.test(text),
      text,
    );
  }
  for (const [name, attributes] of assertClosed(summary)) {
    assert(!/ (?:href|src|style|on[a-z]+)=/.test(attributes), attributes);
    assert(name !== "a" && name !== "img" && name !== "script", name);
  }
  assert(!summary.includes("::"), "a workflow command");
  assert(!summary.includes("##["), "a workflow command of the old form");
  assert(!/^\s*(?:`{3}|~{3})/m.test(summary), "a fence");
  assert(!CONTROL_REGEXP.test(summary));
}
