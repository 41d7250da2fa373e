/** Writes transcripts as HTML pages that work offline and without their script. */

import { isPrompt } from "../history/mapping/text_lines.ts";
import { endOf, startOf } from "../json/text_ends.ts";
import { type Emit, type Stage, StageStream } from "../stage.ts";
import { type Decided, decided, type RenderOptions } from "./render_options.ts";
import {
  factsHtml,
  pageEnd,
  type PageFact,
  type PageHead,
  pageStart,
  type PageTurn,
} from "./_html_page.ts";
import { endReason, isShown, isWork, timeNotes, TURN_ENDS } from "./_ends.ts";
import { redactedSession, ShownSettings } from "./_shown_settings.ts";
import { RunTotals, WorkCounts } from "./_work_counts.ts";
import { cutOutput } from "./cut_output.ts";
import { lostOutput, SHORTENED_RESULT } from "./cut_text.ts";
import type { EditedFile } from "./edited_files.ts";
import {
  argumentsLine,
  entryLabel,
  firstLine,
  titleLine,
  TurnTopic,
} from "./entry_label.ts";
import {
  type CommandView,
  type EditView,
  type EntryView,
  type ExploreView,
  type MessageView,
  type NoticeView,
  type PlanView,
  type ToolView,
  viewEntry,
} from "./entry_view.ts";
import { plainTerminalText } from "./inert_text.ts";
import { codeHtml, diffHtml, languageOf } from "./html_code.ts";
import { markdownHtml } from "./html_markdown.ts";
import { attributeText, elementText, linkHtml, preText } from "./html_text.ts";
import { type Lane, msOf, Timeline } from "./html_timeline.ts";
import type {
  EntryPart,
  SessionPart,
  TranscriptPart,
  TurnEndedPart,
  TurnStartedPart,
  TurnUsage,
} from "./parts.ts";
import { countedText, countText, durationText } from "./quantity_text.ts";
import { NO_SESSION } from "./transcript.ts";

/** Connects a page with the site that it belongs to: facts for its head, and data for the index. */
export interface PageListing {
  /** Facts above the transcript that are not part of it, such as links to other pages. */
  readonly facts: readonly PageFact[];
  /**
   * Is called once, when the page begins.
   *
   * @param title The title of the page.
   * @param session The facts of the session, redacted; `undefined` if there is no session part.
   */
  begin(title: string, session: SessionPart | undefined): void;
  /**
   * Is called with each entry of the page.
   *
   * @param view The view of the entry.
   */
  take(view: EntryView): void;
}

/** The pages of a transcript that is too long for one page. */
export interface PageSequence {
  /**
   * Returns the file name of a page, which the other pages link to.
   *
   * @param page The number of the page, from 1.
   */
  nameOf(page: number): string;
  /** Is called at the end of a page: all text emitted after the call belongs to the next page. */
  turn(): void;
}

/** Options of {@linkcode HtmlRenderer}. */
export interface HtmlOptions extends RenderOptions {
  /**
   * Whether the images that the transcript carries are shown. Secrets in images cannot be masked.
   *
   * @default {true} if there is no `redactor`
   */
  readonly images?: boolean | undefined;
  /**
   * Connects the page with the index of a site, as a `SiteSession` does.
   *
   * @default {undefined}
   */
  readonly listing?: PageListing | undefined;
  /**
   * Splits a long transcript into several pages, each of which browsers open within two seconds.
   *
   * @default {undefined} There is one page, and outputs are cut much shorter after 12 MB of it.
   */
  readonly sequence?: PageSequence | undefined;
}

const MAX_OUTPUT_LINES = 2000;

/** The maximum number of characters of one output, however long its lines are. */
const MAX_OUTPUT_LENGTH = 400_000;
/**
 * The lengths of the entries of a page, in characters, after which the next turn, or else the next
 * group of entries, begins a new page. Browsers take up to 0.17 microseconds per character.
 */
const PAGE_LENGTH = { turn: 6_000_000, any: 8_000_000 };
/** The length of the entries of a single page after which outputs are cut much shorter. */
const FULL_LENGTH = 12_000_000;
/** The limits of an output after that. */
const SHORT_OUTPUT = { lines: 20, length: 4000 };
/** The maximum length of all images of a page, as text. */
const MAX_IMAGES_LENGTH = 24 * 1024 * 1024;
/** An image that is shown: of formats without scripts. */
const IMAGE_REGEXP =
  /^data:image\/(?:png|jpe?g|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/;
/** The number of entries in a group, which browsers lay out together. */
const GROUP_LENGTH = 32;
const MAX_LISTED_TURNS = 10_000;
/** The maximum number of parts before the prompt that gives the page its title. */
const MAX_BEFORE_TITLE = 16;

class Section {
  timeline = new Timeline();
  readonly counts = new WorkCounts();
  readonly topic = new TurnTopic();
  entries = 0;

  constructor(readonly id: string, readonly turn: number | null) {}
}

/**
 * Writes a transcript as one HTML page.
 *
 * The page is a single file that needs no network and works without its script. Its content
 * security policy blocks all loading, and all scripts but its own, which searches the text as the
 * reader types, folds entries and copies code. Text of the log is escaped; characters that reorder
 * or hide text are shown as marks. Of the Markdown in messages, only structure, emphasis and links
 * to the web become HTML.
 *
 * Turns have the ids `turn-1`, `turn-2`, …, entries `turn-1-1` and so on; the ids stay the same
 * when a session goes on. Each turn has a timeline, drawn when it ends. The table of turns is at
 * the end of the document, and is shown beside or above it. A long transcript may be split into
 * several pages (`sequence`); a turn that continues on the next page has its summary and timeline
 * there.
 *
 * Memory grows only with the number of turns and threads, by a line for each. The texts emitted,
 * joined in order, are the page. Without any parts, the page is empty.
 *
 * @example A page of a snapshot's records
 * ```ts
 * import { HtmlRenderer } from "@codexpipe/codexpipe/render";
 * import { assertStringIncludes } from "@std/assert";
 *
 * const renderer = new HtmlRenderer();
 * let page = "";
 * renderer.feed({
 *   type: "failure",
 *   line: 3,
 *   kind: "json",
 *   message: "<script> stands where a value is expected",
 * }, (text) => page += text);
 * renderer.flush((text) => page += text);
 *
 * assertStringIncludes(page, "&lt;script&gt; stands where");
 * ```
 */
export class HtmlRenderer implements Stage<TranscriptPart, string> {
  readonly #options: Decided<Omit<HtmlOptions, "listing" | "sequence">>;
  #turns: PageTurn[] = [];
  readonly #totals = new RunTotals();
  #turnCount = 0;
  /** The number of the page, and the number of turns on the pages before it. */
  #page = { number: 1, turnsBefore: 0 };
  #head: PageHead = { title: "", facts: [] };
  #length = 0;
  #imageLength = 0;
  readonly #settings = new ShownSettings();
  #betweenCount = 0;
  #threadId: string | null = null;
  #section: Section | undefined;
  readonly #listing: PageListing | undefined;
  readonly #sequence: PageSequence | undefined;
  /** The parts held back until the title is known; `undefined` once the page has begun. */
  #held: TranscriptPart[] | undefined = [];
  #emit: Emit<string> = () => {};

  /**
   * Constructs a new instance.
   *
   * @param options The contents of the page, and its connection to others.
   * @throws {RangeError} If `maxOutputLines` is not a whole number from 0, or another option is
   *   not one of its words.
   */
  constructor(options: HtmlOptions = {}) {
    this.#listing = options.listing;
    this.#sequence = options.sequence;
    this.#options = {
      ...decided(options, { maxLines: MAX_OUTPUT_LINES }),
      images: options.images ?? options.redactor === undefined,
    };
  }

  /**
   * Reads a part and emits its text.
   *
   * @param part The next part of the transcript.
   * @param emit Is called with text of the page, in order.
   */
  feed(part: TranscriptPart, emit: Emit<string>): void {
    this.#emit = emit;
    if (this.#held === undefined) return this.#write(part);
    this.#held.push(part);
    const isEnough = this.#held.length > MAX_BEFORE_TITLE ||
      part.type === "turn_ended" ||
      (part.type === "entry" && isPrompt(part.record));
    if (isEnough) this.#begin();
  }

  /**
   * Ends the page.
   *
   * @param emit Is called with text of the page, in order.
   */
  flush(emit: Emit<string>): void {
    this.#emit = emit;
    this.#begin();
    this.#closeSection();
    this.#endPage(this.#totalHtml());
  }

  #endPage(summaryHtml: string): void {
    const begun = this.#turnCount - this.#page.turnsBefore;
    this.#emit(pageEnd(this.#turns, begun - this.#turns.length, summaryHtml));
  }

  /** Begins the next page, on which the current turn continues. */
  #turnPage(sequence: PageSequence): void {
    const section = this.#section;
    if (section !== undefined) {
      if (section.turn !== null) {
        this.#list(section, section.turn, "", "goes on");
      }
      this.#emit("</div>\n</div>\n</section>\n");
    }
    const { number } = this.#page;
    const linkTo = (page: number, text: string): string =>
      linkHtml(sequence.nameOf(page), text);
    const next = linkTo(number + 1, `Page ${number + 1}`);
    this.#emit(
      `<div class="gap"><span>The transcript goes on: ${next}</span></div>\n`,
    );
    this.#endPage(`Goes on: ${next}`);
    sequence.turn();
    this.#page = {
      number: number + 1,
      turnsBefore: this.#turnCount - ((section?.turn ?? null) === null ? 0 : 1),
    };
    this.#turns = [];
    this.#length = 0;
    this.#imageLength = 0;
    const { title, facts } = this.#head;
    const back = [linkTo(1, "1")];
    if (number > 1) back.push(linkTo(number, `${number}`));
    this.#emit(pageStart({
      title: `${title} (page ${number + 1})`,
      facts: [...facts, {
        name: "Page",
        html: `${number + 1}, after ${back.join(number > 2 ? " … " : " ")}`,
      }],
    }));
    if (section === undefined) return;
    section.timeline = new Timeline();
    this.#beginSection(section, "<small>goes on</small>");
  }

  #begin(): void {
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    const [first] = held;
    const session = first?.type === "session" ? first : undefined;
    const known = session && redactedSession(session, this.#options.redactor);
    this.#enter(session ?? NO_SESSION);
    const prompt = held.find((part): part is EntryPart =>
      part.type === "entry" && isPrompt(part.record)
    );
    // Both for the title and the entry: redacting it again would count its secrets twice.
    const view = prompt && viewEntry(prompt, this.#options.redactor);
    const title = titleOf(known, view);
    this.#listing?.begin(title, known);
    this.#head = {
      title,
      facts: [
        ...known === undefined ? [] : sessionFacts(known),
        ...this.#listing?.facts ?? [],
      ],
    };
    this.#emit(pageStart(this.#head));
    for (const part of held) {
      if (part === prompt) this.#writeEntry(part, view);
      else if (part !== session) this.#write(part);
    }
  }

  #write(part: TranscriptPart): void {
    switch (part.type) {
      case "session":
        return this.#startSession(part);
      case "turn_started":
        return this.#startTurn(part);
      case "entry":
        return this.#writeEntry(part);
      case "turn_ended":
        return this.#endTurn(part);
      case "rolled_back":
        this.#closeSection();
        return this.#emit(
          `<div class="gap">The user took back ${
            part.turns === 1
              ? "the last turn"
              : `the last ${countText(part.turns)} turns`
          }</div>\n`,
        );
      case "failure": {
        const id = this.#nextId();
        return this.#emit(
          `<div class="e aside failed" id="${id}"><div class="row"><span><b class="bad">Line ${
            countText(part.line)
          } could not be read</b> (${elementText(part.kind)}): ${
            elementText(this.#options.redactor.redact(part.message))
          }</span></div></div>\n`,
        );
      }
      default:
        part satisfies never;
    }
  }

  #startSession(part: SessionPart): void {
    this.#closeSection();
    this.#emit(
      this.#enter(part)
        ? '<div class="gap">The session goes on</div>\n'
        : `<div class="gap">Another session</div>\n${
          factsHtml(
            sessionFacts(redactedSession(part, this.#options.redactor)),
          )
        }`,
    );
  }

  /** Begins a session; returns whether the session before is of the same thread. */
  #enter(part: SessionPart): boolean {
    this.#settings.enter(part);
    const { thread_id } = part;
    const isSame = this.#totals.enter(thread_id) &&
      thread_id === this.#threadId;
    this.#threadId = thread_id;
    return isSame;
  }

  #startTurn(part: TurnStartedPart): void {
    const { turn, startedAt } = part;
    this.#closeSection();
    if (this.#sequence !== undefined && this.#length > PAGE_LENGTH.turn) {
      this.#turnPage(this.#sequence);
    }
    const time = startedAt === null ? "" : timeHtml(startedAt);
    const changes = this.#settings.changes(part, this.#options.redactor)
      .map((change) => `<small>${elementText(change)}</small>`);
    this.#turnCount += 1;
    this.#section = new Section(`turn-${turn}`, turn);
    this.#section.timeline.stretch(msOf(startedAt));
    this.#beginSection(this.#section, time + changes.join(""));
  }

  /** Begins the section of a turn, or one without a heading for entries between turns. */
  #beginSection({ id, turn }: Section, remark: string): void {
    const [label, heading] = turn === null
      ? ['aria-label="Between turns"', ""]
      : [
        `aria-labelledby="${id}-0"`,
        `<h2 id="${id}-0"><a href="#${id}">Turn ${turn}</a>${remark}</h2>\n`,
      ];
    this.#emit(
      `<section class="turn" id="${id}" ${label}>\n${heading}<div class="entries">\n<div class="g">\n`,
    );
  }

  #openSection(): Section {
    if (this.#section !== undefined) return this.#section;
    this.#betweenCount += 1;
    const section = new Section(`between-${this.#betweenCount}`, null);
    this.#section = section;
    this.#beginSection(section, "");
    return section;
  }

  /** Returns the id of the next entry, after ending a full group. */
  #nextId(): string {
    const section = this.#openSection();
    if (section.entries > 0 && section.entries % GROUP_LENGTH === 0) {
      if (this.#sequence !== undefined && this.#length > PAGE_LENGTH.any) {
        this.#turnPage(this.#sequence);
      } else this.#emit('</div>\n<div class="g">\n');
    }
    section.entries += 1;
    return `${section.id}-${section.entries}`;
  }

  #closeSection(): void {
    if (this.#section === undefined) return;
    this.#totals.work.addAll(this.#section.counts);
    this.#section = undefined;
    this.#emit("</div>\n</div>\n</section>\n");
  }

  #writeEntry(
    part: EntryPart,
    view: EntryView = viewEntry(part, this.#options.redactor),
  ): void {
    const { reasoning, tools, maxOutputLines } = this.#options;
    this.#listing?.take(view);
    const section = this.#openSection();
    section.counts.add(view, part.phase === "late");
    if (!isShown(view, this.#options)) return;
    const id = this.#nextId();
    const isFull = this.#sequence === undefined && this.#length > FULL_LENGTH;
    const html = entryHtml(view, {
      id,
      part,
      maxOutputLines: isFull
        ? Math.min(maxOutputLines, SHORT_OUTPUT.lines)
        : maxOutputLines,
      maxOutputLength: isFull ? SHORT_OUTPUT.length : MAX_OUTPUT_LENGTH,
      images: (part.images ?? []).map((url) => this.#imageHtml(url)),
      hasReasoningOpen: reasoning === "include",
      hasNamesOnly: tools === "names" && isWork(view),
    });
    this.#emit(html);
    this.#length += html.length;
    section.topic.take(view);
    const [lane, look] = markOf(view);
    if (lane === null) return;
    section.timeline.add({
      lane,
      look,
      target: id,
      label: firstLine(entryLabel(view)),
      startMs: msOf(part.startedAt),
      endMs: msOf(part.endedAt),
    });
  }

  #imageHtml(url: string): string {
    const isShown = this.#options.images && IMAGE_REGEXP.test(url) &&
      this.#imageLength + url.length <= MAX_IMAGES_LENGTH;
    if (isShown) {
      this.#imageLength += url.length;
      return `<p class="shot"><img src="${url}" alt="The image" loading="lazy" decoding="async"></p>\n`;
    }
    return `<p class="cut">${
      this.#options.images
        ? "An image is not shown: it is too large, not in the log, or not a PNG, JPEG, GIF or WebP image."
        : "An image is not shown: secrets in images cannot be masked. “--images” shows it."
    }</p>\n`;
  }

  #endTurn(part: TurnEndedPart): void {
    const { turn, status, durationMs, usage } = part;
    const section = this.#section;
    if (section === undefined || section.turn !== turn) return;
    const { counts } = section;
    section.timeline.stretch(msOf(part.endedAt));
    const [sign, words, look] = TURN_ENDS[status];
    const figures = workFigures(counts);
    if (durationMs !== null) figures.unshift(durationText(durationMs));
    const end = words === ""
      ? []
      : [`<span class="is ${look}">${sign} ${words}</span>`];
    const facts = [...end, ...figures, ...usageFigures(usage)];
    this.#totals.addUsage(usage);
    const reason = this.#options.redactor.redact(endReason(part));
    const why = reason === ""
      ? ""
      : `<p class="why" dir="auto">${elementText(reason)}</p>\n`;
    const list = facts.length === 0
      ? ""
      : `<ul>${facts.map((fact) => `<li>${fact}</li>`).join("\n")}</ul>\n`;
    this.#emit(
      `</div>\n</div>\n<div class="sum">\n${list}${why}${
        section.timeline.draw(`turn ${turn}`, part.requests)
      }</div>\n</section>\n`,
    );
    this.#totals.work.addAll(counts);
    if (sign !== "") {
      figures.unshift(`<span class="${look}" title="${words}">${sign}</span>`);
    }
    this.#list(section, turn, reason, figures.join(" · "));
    this.#section = undefined;
  }

  #list(
    { id, topic }: Section,
    turn: number,
    reason: string,
    summaryHtml: string,
  ): void {
    if (this.#turns.length >= MAX_LISTED_TURNS) return;
    const html = elementText(topic.text || firstLine(reason));
    this.#turns.push({ target: id, turn, html, summaryHtml });
  }

  #totalHtml(): string {
    const facts = [
      countedText(this.#turnCount, "turn"),
      ...workFigures(this.#totals.work),
    ];
    const { input_tokens: input = 0, output_tokens: output = 0 } =
      this.#totals.usage ?? {};
    if (input + output > 0) {
      facts.push(`${countedText(input, "token")} in, ${countText(output)} out`);
    }
    return facts.join(" · ");
  }
}

/** {@linkcode HtmlRenderer} as a stream. */
export class HtmlRendererStream extends StageStream<TranscriptPart, string> {
  /**
   * Constructs a new instance.
   *
   * @param options The contents of the page, and its connection to others.
   * @throws {RangeError} If `maxOutputLines` is not a whole number from 0, or another option is
   *   not one of its words.
   *
   * @example From a log to a page
   * ```ts
   * import { JsonlDecoderStream } from "@codexpipe/codexpipe";
   * import { HtmlRendererStream, TranscriptStream } from "@codexpipe/codexpipe/render";
   * import { assert } from "@std/assert";
   *
   * const log = '{"type":"thread.started","thread_id":"t"}\n{"type":"turn.started"}\n';
   * const texts = await Array.fromAsync(
   *   new Blob([log]).stream()
   *     .pipeThrough(new JsonlDecoderStream())
   *     .pipeThrough(new TranscriptStream())
   *     .pipeThrough(new HtmlRendererStream()),
   * );
   *
   * assert(texts.join("").startsWith("<!DOCTYPE html>"));
   * ```
   */
  constructor(options: HtmlOptions = {}) {
    super(new HtmlRenderer(options));
  }
}

/** Returns the first line of the prompt, or a title from the facts of the session. */
function titleOf(
  session: SessionPart | undefined,
  prompt: EntryView | undefined,
): string {
  const line = prompt?.kind === "message" ? firstLine(entryLabel(prompt)) : "";
  if (line !== "") return line;
  const folder = session?.cwd?.split(/[\\/]/).findLast((name) => name !== "");
  const { agent } = session ?? {};
  const name = agent === undefined
    ? "Codex session"
    : `Sub-agent ${firstLine(agent)}`;
  return folder === undefined ? name : `${name} in ${folder}`;
}

function timeHtml(at: string): string {
  const shown = at.slice(0, 19).replace("T", " ");
  return `<time datetime="${attributeText(at)}">${elementText(shown)}</time>`;
}

function sessionFacts(
  { thread_id, startedAt, cwd, model, cli_version, parent_thread_id }:
    SessionPart,
): PageFact[] {
  const code = (text: string): string => `<code>${elementText(text)}</code>`;
  const facts = [
    ["Thread", thread_id, code],
    ["Sub-agent of", parent_thread_id ?? null, code],
    ["Started", startedAt, timeHtml],
    ["Folder", cwd, code],
    ["Model", model, elementText],
    ["Codex", cli_version, elementText],
  ] as const;
  return facts.flatMap(([name, fact, write]) =>
    fact === null ? [] : [{ name, html: write(fact) }]
  );
}

function workFigures(counts: WorkCounts): string[] {
  return counts.phrases((text) => `<span class="bad">${text}</span>`);
}

function usageFigures(usage: TurnUsage | null): string[] {
  if (usage === null) return [];
  const { input_tokens, cached_input_tokens, output_tokens } = usage;
  const cached = detailHtml(cached_input_tokens, "cached");
  const reasoning = detailHtml(usage.reasoning_output_tokens, "reasoning");
  return [
    `${countedText(input_tokens, "token")} in${cached}`,
    `${countText(output_tokens)} out${reasoning}`,
  ];
}

function detailHtml(count: number | null, word: string): string {
  return count === null || count === 0
    ? ""
    : ` <span class="detail">(${countText(count)} ${word})</span>`;
}

const SHORT_NOTICE = 280;

function messageHtml(view: MessageView, frame: EntryFrame): string {
  const { role, text, author, recipient } = view;
  const isUser = role === "user";
  const name = author ?? (isUser ? "User" : "Codex");
  const to = recipient === null ? "" : ` → ${recipient}`;
  const body = isUser
    ? `<div class="text" dir="auto">${elementText(text)}</div>`
    : proseHtml(text, "md");
  return articleHtml(isUser ? "user" : "say", name + to, body, frame);
}

function proseHtml(text: string, look: string): string {
  const html = markdownHtml(text);
  return `<div class="${look}" dir="auto">\n${html}\n</div>`;
}

function articleHtml(
  look: string,
  name: string,
  body: string,
  frame: EntryFrame,
  remark = "",
): string {
  const { id } = frame;
  return `<article class="e ${look}" id="${id}"><h3><span class="who"><a href="#${id}">${
    elementText(name)
  }</a></span>${remark}${metaHtml(frame)}</h3>${body}</article>\n`;
}

/** The sign of a plan's step by its status, and its label for screen readers. */
const STEP_SIGNS = {
  pending: ["○", "to do"],
  in_progress: ["◐", "in progress"],
  complete: ["✓", "done"],
  skipped: ["–", "skipped"],
} as const;

function planHtml({ name, steps, done }: PlanView, frame: EntryFrame): string {
  const items = steps.map(({ description, status }) => {
    const [sign, words] = STEP_SIGNS[status];
    return `<li class="${status}"><span role="img" aria-label="${words}">${sign}</span><span dir="auto">${
      elementText(description)
    }</span></li>\n`;
  });
  const list = steps.length === 0 ? "" : `<ul>\n${items.join("")}</ul>`;
  const progress = steps.length === 0 ? "empty" : `${done} of ${steps.length}`;
  return articleHtml("plan", name, list, frame, `<small>${progress}</small>`);
}

function noticeHtml(view: NoticeView, frame: EntryFrame): string {
  const { level, title, text } = view;
  const isLong = text.length > SHORT_NOTICE || !isShort([text]);
  if (level === "info" && !isLong) {
    const name = title === "" ? "" : `<b>${elementText(title)}</b> `;
    return `<div class="e aside" id="${frame.id}"><div class="row"><span dir="auto">${name}${
      elementText(text).replaceAll("\n", "<br>\n")
    }</span>${metaHtml(frame)}</div></div>\n`;
  }
  if (level === "info") {
    return boxHtml({
      look: "aside",
      sign: "·",
      titleHtml: oneLine(title === "" ? text : title, "span"),
      body: `${proseHtml(text, "in md")}\n`,
    }, frame);
  }
  const name = level === "error" ? "Error" : "Warning";
  const body = `<div class="text" dir="auto">${elementText(text)}</div>`;
  return articleHtml(level === "error" ? "error" : "note", name, body, frame);
}

function entryHtml(view: EntryView, frame: EntryFrame): string {
  switch (view.kind) {
    case "message":
      return messageHtml(view, frame);
    case "command":
      return commandHtml(view, frame);
    case "edit":
      return editHtml(view, frame);
    case "tool":
      return toolHtml(view, frame);
    case "plan":
      return planHtml(view, frame);
    case "explore":
      return exploreHtml(view, frame);
    case "notice":
      return noticeHtml(view, frame);
    case "reasoning":
      return boxHtml({
        look: "think",
        sign: "✻",
        titleHtml: oneLine(view.text, "span", titleLine(view.text)),
        body: `${proseHtml(view.text, "in md")}\n`,
        isOpen: frame.hasReasoningOpen,
      }, frame);
    case "diff":
      return boxHtml({
        look: "edit whole",
        sign: "±",
        titleHtml: '<span class="one">All changes of the turn</span>',
        body: cutDiffHtml(view.diff, frame),
      }, frame);
    case "image":
      return boxHtml({
        look: "tool",
        sign: "▣",
        titleHtml: `<span class="one"><code>${
          elementText(view.path || "image")
        }</code> ${elementText(view.caption)}</span>`,
        body: frame.images.join(""),
        isOpen: true,
      }, frame);
    case "unknown":
      return boxHtml({
        look: "tool",
        sign: "?",
        titleHtml: `<code class="one">${elementText(view.type)}</code>`,
        body: outputHtml(view.json, frame),
      }, frame);
  }
}

/** The timeline lane of an entry, or `null` for none, and the class of its mark. */
type Mark = readonly [lane: Lane | null, look: string];

const MARKS: Readonly<Record<EntryView["kind"], Mark>> = {
  message: ["messages", "l-say"],
  reasoning: ["reasoning", "l-think"],
  notice: ["messages", "l-think"],
  command: ["commands", "l-run"],
  explore: ["commands", "l-run"],
  edit: ["edits", "l-edit"],
  diff: [null, "l-edit"],
  tool: ["tools", "l-tool"],
  plan: ["tools", "l-tool"],
  image: ["tools", "l-tool"],
  unknown: ["tools", "l-tool"],
};

function markOf(view: EntryView): Mark {
  const [lane, look] = MARKS[view.kind];
  if (view.kind === "message" && view.role === "user") return [lane, "l-user"];
  if (view.kind === "notice" && view.level === "info") return [null, look];
  const isFailed = view.kind === "explore"
    ? view.looks.some(({ status }) => status === "failed")
    : view.kind === "notice"
    ? view.level === "error"
    : "status" in view && view.status === "failed";
  return [lane, isFailed ? "l-bad" : look];
}

/** Facts of an entry besides its view, and the options for writing it. */
interface EntryFrame {
  readonly id: string;
  readonly part: EntryPart;
  readonly maxOutputLines: number;
  /** The maximum number of characters of an output, however few lines it has. */
  readonly maxOutputLength: number;
  readonly images: readonly string[];
  readonly hasReasoningOpen: boolean;
  /** Whether tools and commands are shown without their input and output. */
  readonly hasNamesOnly: boolean;
}

/** The maximum number of lines that are not folded, for bodies that are folded only if long. */
const SHORT_LINES = 40;
const MAX_TITLE_LENGTH = 2000;

/** An element with a head of one line and a body that can be folded. */
interface Box {
  readonly look: string;
  readonly sign: string;
  readonly titleHtml: string;
  /** The end of the work, as HTML; empty if it is no news. */
  readonly end?: string;
  /** The body, as HTML; empty if there is only a head. */
  readonly body: string;
  readonly isOpen?: boolean;
}

/** Writes the end of a head: the end of the work, its duration, and the time. */
function metaHtml({ part }: EntryFrame, end = ""): string {
  const parts = [...(end === "" ? [] : [end]), ...timeNotes(part)];
  const at = part.startedAt ?? part.endedAt;
  const clock = at === null
    ? ""
    : `<time class="at" datetime="${attributeText(at)}">${
      elementText(at.slice(11, 19))
    }</time>`;
  const all = parts.map((part) => `<span>${part}</span>`).join("") + clock;
  return all === "" ? "" : `<span class="meta">${all}</span>`;
}

function boxHtml(box: Box, frame: EntryFrame): string {
  const { look, sign, titleHtml, body, isOpen = false } = box;
  const head =
    `<span class="sign" aria-hidden="true">${sign}</span>${titleHtml}${
      metaHtml(frame, box.end)
    }`;
  if (body === "" || frame.hasNamesOnly) {
    return `<div class="e box ${look}" id="${frame.id}"><div class="row">${head}</div></div>\n`;
  }
  return `<details class="e box ${look}" id="${frame.id}"${
    isOpen ? " open" : ""
  }><summary>${head}</summary>\n${body}</details>\n`;
}

function gapHtml(count: number, word: string): string {
  return `<p class="cut">${countedText(count, word)} left out here</p>\n`;
}

function linesHtml(
  lines: readonly string[],
  maxLength: number,
  write: (text: string) => string,
): string {
  if (lines.length === 0) return "";
  const text = lines.join("\n");
  if (text.length <= maxLength) return `${scrolled(write(text))}\n`;
  const start = startOf(text, maxLength / 2);
  const end = endOf(text, maxLength / 2);
  const gap = gapHtml(text.length - start.length - end.length, "character");
  return `${scrolled(write(start))}\n${gap}${scrolled(write(end))}\n`;
}

/** Writes an output with the surplus lines in its middle left out, and a note on their number. */
function cutHtml(
  text: string,
  { maxOutputLines: maxLines, maxOutputLength }: EntryFrame,
  write: (text: string) => string,
): string {
  const { head, omitted, tail } = cutOutput(text, { maxLines, keep: "both" });
  const gap = omitted === 0 ? "" : gapHtml(omitted, "line");
  return linesHtml(head, maxOutputLength, write) + gap +
    linesHtml(tail, maxOutputLength, write);
}

/** The size from which a text may not fit its box, and gets the focus for scrolling by keys. */
const SCROLLED = { lines: 12, length: 500 };

function scrolled(pre: string): string {
  const isLong = pre.length > SCROLLED.length ||
    pre.split("\n", SCROLLED.lines).length === SCROLLED.lines;
  return isLong ? pre.replace("<pre", '<pre tabindex="0"') : pre;
}

function outputHtml(text: string, frame: EntryFrame): string {
  return cutHtml(
    text,
    frame,
    (shown) => preText(elementText(plainTerminalText(shown))),
  );
}

function cutDiffHtml(diff: string, frame: EntryFrame, language = ""): string {
  return cutHtml(
    diff,
    frame,
    (shown) => preText(diffHtml(shown, language), "diff"),
  );
}

function isShort(texts: readonly string[]): boolean {
  return texts.reduce((sum, text) => sum + text.split("\n", 99).length, 0) <=
    SHORT_LINES;
}

function oneLine(
  text: string,
  tag: string,
  line = text.trimStart().split("\n", 1)[0] ?? "",
): string {
  const cut = startOf(line, MAX_TITLE_LENGTH);
  const isAll = cut.length === line.length && !text.trim().includes("\n");
  return `<${tag} class="one" dir="auto">${elementText(cut)}${
    isAll ? "" : " …"
  }</${tag}>`;
}

function endHtml({ note, status }: Pick<EditView, "note" | "status">): string {
  if (note === "" || status === "success") return elementText(note);
  const look = status === "failed" ? "bad" : "warn";
  return `<b class="${look}">${elementText(note)}</b>`;
}

const MAX_NAMES_LENGTH = 500;

function commandHtml(
  view: Omit<CommandView, "kind" | "exitCode">,
  frame: EntryFrame,
): string {
  const { command, status, stdout, stderr, lostBytes } = view;
  const isFailed = status === "failed";
  const whole = command.trim().includes("\n")
    ? `${scrolled(preText(codeHtml(command.trim(), "sh"), "cmd"))}\n`
    : "";
  const lost = lostBytes === 0
    ? ""
    : `<p class="cut">${lostOutput(lostBytes)}</p>\n`;
  const errors = stderr === ""
    ? ""
    : `<h4>stderr</h4>\n${outputHtml(stderr, frame)}`;
  return boxHtml({
    look: `exec${isFailed ? " failed" : ""}`,
    sign: "$",
    titleHtml: command.trim() === ""
      ? '<span class="one">Output without its command</span>'
      : oneLine(command, "code"),
    end: endHtml(view),
    body: `${whole}${lost}${outputHtml(stdout, frame)}${errors}`,
    isOpen: isFailed && isShort([stdout, stderr]),
  }, frame);
}

function countsHtml({ added, removed }: EditedFile): string {
  const countHtml = (count: number | null, sign: string, look: string) =>
    count ? ` <span class="${look}">${sign}${countText(count)}</span>` : "";
  return countHtml(added, "+", "plus") + countHtml(removed, "−", "minus");
}

function fileVerb({ change, movedTo }: EditedFile): string {
  if (change === "update") return movedTo === "" ? "Edited" : "Moved";
  return change === "add" ? "Added" : "Deleted";
}

function fileTitle(file: EditedFile): string {
  const to = file.movedTo === ""
    ? ""
    : ` → <code>${elementText(file.movedTo)}</code>`;
  return `${fileVerb(file)} <code>${elementText(file.path)}</code>${to}${
    countsHtml(file)
  }`;
}

function editHtml(view: EditView, frame: EntryFrame): string {
  const { files, status, failure } = view;
  const [only, another] = files;
  const isOne = another === undefined;
  const title = only === undefined
    ? "Edit"
    : isOne
    ? fileTitle(only)
    : `Edited ${countedText(files.length, "file")}`;
  const bodies = files.map((file) => {
    const diff = cutDiffHtml(file.diff, frame, languageOf(file.path));
    return isOne ? diff : `<h4><span>${fileTitle(file)}</span></h4>\n${diff}`;
  });
  const isFailed = status === "failed";
  return boxHtml({
    look: `edit${isFailed ? " failed" : ""}`,
    sign: "±",
    titleHtml: `<span class="one">${title}</span>`,
    end: endHtml(view),
    body: bodies.join("") + outputHtml(failure, frame),
    isOpen: isFailed || isShort(files.map(({ diff }) => diff)),
  }, frame);
}

function toolHtml(view: ToolView, frame: EntryFrame): string {
  const { title, status, arguments: list, result, isResultCut, error } = view;
  const isFailed = status === "failed";
  const items = list.map(({ name, text }) =>
    `<dt>${elementText(name)}</dt><dd>${elementText(text)}</dd>\n`
  );
  const line = argumentsLine(view, frame.hasNamesOnly ? "names" : "full");
  const body = [
    items.length === 0 ? "" : `<dl>\n${items.join("")}</dl>\n`,
    outputHtml(result, frame),
    isResultCut ? `<p class="cut">${SHORTENED_RESULT}</p>\n` : "",
    outputHtml(error, frame),
    ...frame.images,
  ].join("");
  return boxHtml({
    look: `tool${isFailed ? " failed" : ""}`,
    sign: "ƒ",
    titleHtml: `<span class="one"><code>${elementText(title)}</code><small>${
      elementText(line)
    }</small></span>`,
    end: endHtml(view),
    body,
    isOpen: isFailed && isShort([result, error]),
  }, frame);
}

function exploreHtml({ looks }: ExploreView, frame: EntryFrame): string {
  const [only, another] = looks;
  if (only !== undefined && another === undefined) {
    const rest = { stdout: only.output, stderr: "", lostBytes: 0 };
    return commandHtml({ ...only, ...rest }, frame);
  }
  const isFailed = looks.some(({ status }) => status === "failed");
  const names = looks.map(({ command }) =>
    startOf(command.replace(/\s+/g, " "), 120)
  ).join(", ");
  const rows = looks.map(({ command, note, output }) =>
    `<h4><span class="sign" aria-hidden="true">$</span><code>${
      elementText(command)
    }</code><small>${elementText(note)}</small></h4>\n${
      outputHtml(output, frame)
    }`
  );
  return boxHtml({
    look: `exec${isFailed ? " failed" : ""}`,
    sign: "$",
    titleHtml: `<span class="one">Looked around: ${
      countedText(looks.length, "command")
    } <small>${elementText(startOf(names, MAX_NAMES_LENGTH))}</small></span>`,
    body: rows.join(""),
    isOpen: isFailed &&
      isShort(looks.flatMap(({ command, output }) => [command, output])),
  }, frame);
}
