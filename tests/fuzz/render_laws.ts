/**
 * Laws of rendered output: they hold however broken a stream is.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { JsonlDecoder } from "../../lib/pipeline/event_pipeline.ts";
import { HistoryState } from "../../lib/history/history_state.ts";
import { Redactor } from "../../lib/redact/redactor.ts";
import {
  GITHUB_MIN_SUMMARY_BYTES,
  GITHUB_SUMMARY_BYTES,
  GithubRenderer,
} from "../../lib/render/github.ts";
import { HtmlRenderer } from "../../lib/render/html.ts";
import { MarkdownRenderer } from "../../lib/render/markdown.ts";
import type { TranscriptPart } from "../../lib/render/parts.ts";
import {
  REASONING,
  type RenderOptions,
  TOOLS,
} from "../../lib/render/render_options.ts";
import { snapshotParts } from "../../lib/render/snapshot_parts.ts";
import { SiteIndex, SiteSession } from "../../lib/render/site.ts";
import { TextRenderer } from "../../lib/render/text.ts";
import { TranscriptBuilder } from "../../lib/render/transcript.ts";
import type { UsageRow } from "../../lib/usage/tokens.ts";
import { UsageMeter } from "../../lib/usage/usage_meter.ts";
import type { Stage } from "../../lib/stage.ts";
import {
  assertAlone,
  assertSound,
  withoutConstants,
  withoutData,
} from "../render/sound_pages.ts";
import { emitted } from "../running.ts";
import type { Law } from "./law.ts";
import type { Random } from "./random.ts";

/** Matches characters that must not reach a terminal or browser: controls, and text direction. */
const CONTROL_REGEXP =
  // deno-lint-ignore no-control-regex
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
/** Matches a line that GitHub's runner would run as a command. */
const COMMAND_REGEXP = /^\s*(?:::|##\[)/m;

const CODE_REGEXP = /(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g;
const FENCE_REGEXP = /^[ >]*(`{3,}(?=[^`]*$)|~{3,})/;
const ELEMENT_REGEXP = /<(?:script|svg|img|iframe)\b/i;
/** Matches the beginnings and ends of blocks of HTML in Markdown. */
const HTML_BLOCKS = [
  { start: /^ {0,3}<pre\b/, end: /<\/pre>/ },
  { start: /^ {0,3}<\/?(?:p|details|summary|table|h\d)\b/, end: /^\s*$/ },
];
const LINK_REGEXP = /\]\(\s*<?(?:javascript|data):/i;

/** Throws if a text has a character that must not reach a terminal or browser. */
export function mustBeInert(text: string): void {
  const at = text.search(CONTROL_REGEXP);
  const around = text.slice(Math.max(0, at - 100), at + 100);
  assert(at === -1, JSON.stringify(around));
}

/** Returns the parts of a stream, live or not, or those of its final snapshot. */
function partsOf(stream: Uint8Array, random: Random): TranscriptPart[] {
  const outcomes = emitted(new JsonlDecoder(), [stream]);
  if (!random.oneIn(4)) {
    const live = random.oneIn(2);
    return emitted(new TranscriptBuilder({ live, images: live }), outcomes);
  }
  const state = new HistoryState();
  for (const outcome of outcomes) if (outcome.ok) state.apply(outcome.value);
  return [...snapshotParts(state.snapshot())];
}

function usageOf(stream: Uint8Array): UsageRow[] {
  const meter = new UsageMeter();
  const source = meter.open("a");
  source.feed(stream, () => {});
  source.flush(() => {});
  return meter.rows();
}

function optionsFor(random: Random): RenderOptions {
  return {
    reasoning: random.pick(REASONING),
    tools: random.oneIn(2) ? "full" : random.pick(TOOLS),
    ...(random.oneIn(2) ? { maxOutputLines: random.below(4) } : {}),
    ...(random.oneIn(2) ? { redactor: new Redactor() } : {}),
  };
}

function textOf(
  renderer: Stage<TranscriptPart, string>,
  parts: readonly TranscriptPart[],
): string {
  return emitted(renderer, parts).join("");
}

/** The laws of rendered output. */
export const RENDER_LAWS: readonly Law[] = [
  {
    name: "a transcript begins with the session and ends every turn it began",
    check(stream, random): void {
      const live = random.oneIn(2);
      const outcomes = emitted(new JsonlDecoder(), [stream]);
      const parts = emitted(new TranscriptBuilder({ live }), outcomes);
      assert(
        parts.length === 0 || parts[0]?.type === "session",
        `begins with ${parts[0]?.type}`,
      );
      let open: number | undefined;
      for (const part of parts) {
        if (part.type === "turn_started") {
          assert(open === undefined, `${open} has no end`);
          open = part.turn;
        } else if (part.type === "turn_ended") {
          assertEquals(part.turn, open);
          open = undefined;
        }
      }
      assert(open === undefined, `${open} has no end`);
    },
  },
  {
    name: "text has no controls that a terminal would execute",
    check(stream, random): void {
      const columns = random.oneIn(2) ? 20 + random.below(100) : undefined;
      const renderer = new TextRenderer({
        ...optionsFor(random),
        columns: () => columns,
      });
      mustBeInert(textOf(renderer, partsOf(stream, random)));
    },
  },
  {
    name: "a page is sound, loads nothing, and runs nothing of the log",
    check(stream, random): void {
      const pages = random.oneIn(2) ? ["a b.html", "index.html"] : [];
      const origin = { id: "t", isAgent: true };
      const names = new Map([["t", "a b.html"]]);
      const session = new SiteSession("a b.html", "<u>", origin, names);
      session.children.push(session);
      const listing = pages.length > 0 ? session : undefined;
      const renderer = new HtmlRenderer({ ...optionsFor(random), listing });
      const texts = [textOf(renderer, partsOf(stream, random))];
      if (listing !== undefined) {
        const index = new SiteIndex();
        index.add(listing);
        const text = [...index.write(usageOf(stream))].join("");
        mustBeInert(text);
        texts.push(withoutData(text).page);
      }
      for (const page of texts) {
        mustBeInert(page);
        assertSound(page, pages);
        assertAlone(page);
        assert(!COMMAND_REGEXP.test(withoutConstants(page)), "a command");
      }
    },
  },
  {
    name: "Markdown holds no HTML, no command and no control character",
    check(stream, random): void {
      const renderer = new MarkdownRenderer(optionsFor(random));
      const text = textOf(renderer, partsOf(stream, random));
      mustBeInert(text);
      mustBeProse(text);
    },
  },
  {
    name:
      "a summary holds no HTML of the log, no command and stays in its limit",
    check(stream, random): void {
      // Half of the limits are so small that parts are left out.
      const maxBytes = random.oneIn(2)
        ? GITHUB_MIN_SUMMARY_BYTES + random.below(8_000)
        : GITHUB_SUMMARY_BYTES;
      const renderer = new GithubRenderer({ ...optionsFor(random), maxBytes });
      const text = textOf(renderer, partsOf(stream, random));
      mustBeInert(text);
      mustBeProse(text);
      const bytes = new TextEncoder().encode(text).length;
      assert(bytes <= maxBytes, `${bytes} bytes`);
    },
  },
];

/**
 * Throws if text of the log could be an HTML element outside of code, or a command of the runner,
 * or if `<details>` or code has no end: then it would contain all that follows.
 */
function mustBeProse(text: string): void {
  const command = COMMAND_REGEXP.exec(text);
  assert(command === null, `a command: ${JSON.stringify(command?.[0])}`);
  let fence = "";
  let html: RegExp | undefined;
  let depth = 0;
  for (const line of text.split("\n")) {
    if (fence === "") {
      // Markdown is not interpreted in a block of HTML.
      html ??= HTML_BLOCKS.find(({ start }) => start.test(line))?.end;
      const prose = html === undefined ? line.replace(CODE_REGEXP, "") : line;
      const isLive = ELEMENT_REGEXP.test(prose) ||
        (html === undefined && LINK_REGEXP.test(prose));
      assert(!isLive, line.slice(0, 500));
      for (const [, slash] of prose.matchAll(/<(\/?)details\b/gi)) {
        depth += slash === "" ? 1 : -1;
        assert(depth >= 0, "</details> that ends nothing");
      }
    }
    if (html !== undefined) {
      if (html.test(line)) html = undefined;
      continue;
    }
    const mark = FENCE_REGEXP.exec(line)?.[1] ?? "";
    if (fence === "") fence = mark;
    else if (mark.startsWith(fence) && /^[ >]*(?:`+|~+)$/.test(line)) {
      fence = "";
    }
  }
  assert(fence === "", "code without an end");
  assert(depth === 0, `${depth} <details> without an end`);
}
