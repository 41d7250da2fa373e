/** Writes Markdown messages as HTML with an allowlist of inactive elements. */

import { codeHtml, diffHtml } from "./html_code.ts";
import { attributeText, elementText, preText } from "./html_text.ts";
import {
  type MarkdownNode,
  markdownNodes,
  markdownText,
  WEB_REGEXP,
  withTaskBox,
} from "./markdown_nodes.ts";

type Nodes = readonly MarkdownNode[];

/** The number of levels by which headings move down: page, turn and entry have headings above. */
const HEADING_SHIFT = 3;

/** Captures the host of a URL, or a mail address, which is shown after the label. */
const HOST_REGEXP = /^(?:https?:\/\/|mailto:)([^/?#]*).*$/is;

/** Writes nodes as HTML with the elements of an allowlist, and everything else as text. */
class HtmlWriter {
  /** Whether code is highlighted and tables scroll, by the style sheet of the page. */
  readonly #isPage: boolean;
  /** Whether URLs become links; false while the label of a link is written. */
  #hasLinks: boolean;

  constructor(isPage: boolean) {
    this.#isPage = isPage;
    this.#hasLinks = isPage;
  }

  blocks(nodes: Nodes): string[] {
    return nodes.map((node) => this.#block(node));
  }

  #block(node: MarkdownNode): string {
    const { type, token, children } = node;
    switch (type) {
      case "heading": {
        const level = Number(token.tag.slice(1)) + HEADING_SHIFT;
        return this.#element(`h${Math.min(6, level)}`, children);
      }
      case "hr":
        return "<hr>";
      case "fence": {
        const [language = ""] = token.info.trim().split(/\s/, 1);
        const code = token.content.replace(/\n$/, "");
        return language === "diff" || language === "patch"
          ? preText(diffHtml(code), "diff")
          : preText(codeHtml(code, this.#isPage ? language : ""));
      }
      case "code_block":
        return preText(elementText(token.content.trimEnd()));
      case "blockquote":
        return this.#lines("blockquote", "", this.blocks(children));
      case "bullet_list":
        return this.#lines("ul", "", this.#items(children));
      case "ordered_list": {
        const start = token.attrGet("start");
        const attribute = start === null ? "" : ` start="${start}"`;
        return this.#lines("ol", attribute, this.#items(children));
      }
      case "table":
        return this.#lines(
          "table",
          this.#isPage ? ' tabindex="0"' : "",
          children.flatMap((part) => part.children).map((row) =>
            `<tr>${row.children.map((cell) => this.#cell(cell)).join("")}</tr>`
          ),
        );
      default:
        return this.#element("p", children);
    }
  }

  #lines(tag: string, attributes: string, content: string[]): string {
    return [`<${tag}${attributes}>`, ...content, `</${tag}>`].join("\n");
  }

  #element(tag: string, children: Nodes): string {
    return `<${tag}>${this.#inline(children)}</${tag}>`;
  }

  #items(items: Nodes): string[] {
    return items.map(({ children: [first, ...rest] }) => {
      const blocks = this.blocks(rest);
      if (first?.type === "paragraph") {
        blocks.unshift(withTaskBox(this.#inline(first.children)));
      } else if (first !== undefined) blocks.unshift(this.#block(first));
      return `<li>${blocks.join("\n")}</li>`;
    });
  }

  #cell({ token, children }: MarkdownNode): string {
    const [, side] = /:(right|center)/.exec(`${token.attrGet("style")}`) ?? [];
    const align = side === undefined ? "" : ` align="${side}"`;
    return `<${token.tag}${align}>${this.#inline(children)}</${token.tag}>`;
  }

  #inline(nodes: Nodes): string {
    return nodes.map((node) => this.#inlineNode(node)).join("");
  }

  #inlineNode(node: MarkdownNode): string {
    const { type, token, children } = node;
    switch (type) {
      case "code_inline":
        return this.#code(token.content);
      case "softbreak":
      case "hardbreak":
        return "<br>\n";
      case "em":
      case "strong":
      case "s":
        return this.#element(type, children);
      case "link":
        return this.#link(`${token.attrGet("href")}`, children);
      case "image":
        // A link instead of an image, so that the page never loads anything.
        return `[image] ${this.#link(`${token.attrGet("src")}`, children)}`;
      default:
        // Character references such as `&#10;` put line feeds into inline text.
        return elementText(token.content).replaceAll("\n", "<br>\n");
    }
  }

  #code(text: string): string {
    return `<code>${elementText(text)}</code>`;
  }

  /** Writes a link with its host behind the label. Targets other than URLs are shown as code. */
  #link(target: string, label: Nodes): string {
    const text = markdownText(label);
    if (!this.#hasLinks || !WEB_REGEXP.test(target)) {
      if (target === "") return elementText(text);
      // The label of a path is usually the end of that path, and adds nothing to it.
      const isShown = text === "" || text === target ||
        (/[./]/.test(text) && target.includes(text));
      return isShown
        ? this.#code(target)
        : `${elementText(text)} (${this.#code(target)})`;
    }
    const isBare = text === "" || text === target;
    this.#hasLinks = false;
    const shown = isBare ? elementText(target) : this.#inline(label);
    this.#hasLinks = true;
    const host = isBare
      ? ""
      : ` <small>(${elementText(target.replace(HOST_REGEXP, "$1"))})</small>`;
    return `<a href="${
      attributeText(target)
    }" rel="nofollow noopener noreferrer">${shown}</a>${host}`;
  }
}

/**
 * Writes a Markdown message as HTML for a page: web and mail URLs become links, and code is
 * highlighted.
 *
 * HTML in the message is shown as text, so it cannot act on the page. No line of the result is
 * blank. Takes time linear in the length of the text.
 */
export function markdownHtml(text: string): string {
  return new HtmlWriter(true).blocks(markdownNodes(text)).join("\n");
}

/** Writes a message as safely as {@linkcode markdownHtml}, without links, one string per block. */
export function markdownBlocks(text: string): string[] {
  return new HtmlWriter(false).blocks(markdownNodes(text));
}
