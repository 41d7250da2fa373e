/**
 * What a reader sees of an entry, as HTML.
 */

import { isRetryNotice } from "../exec/retry_notices.ts";
import type {
  CommandView,
  EditView,
  EntryView,
  ExploreView,
  MessageView,
  NoticeView,
  PlanView,
  ToolView,
} from "./entry_view.ts";
import { terminalHtml } from "./html_ansi.ts";
import { diffHtml } from "./_html_diff.ts";
import { markdownHtml } from "./html_markdown.ts";
import { preText } from "./_html_pre.ts";
import { attributeText, elementText } from "./html_text.ts";
import type { Lane } from "./html_timeline.ts";
import type { EditedFile } from "./edited_files.ts";
import { cutOutput } from "./cut_output.ts";
import { countedText, countText, durationText } from "./quantity_text.ts";

/** What surrounds a view. */
export interface EntryFrame {
  /** The id of its element. */
  readonly id: string;
  /** When it began, as RFC 3339 in UTC; `null` if that is not known. */
  readonly at: string | null;
  /** How many milliseconds it took; `null` if that is not known. */
  readonly durationMs: number | null;
  /** Whether it goes on with an entry that was shown before. */
  readonly isLate: boolean;
  /** How many lines of one output are shown. */
  readonly maxOutputLines: number;
  /** Whether reasoning is unfolded. */
  readonly hasReasoningOpen: boolean;
  /** Whether tools and commands are shown without what they were given and gave. */
  readonly hasNamesOnly: boolean;
}

/** An entry as HTML, and as a mark of the timeline. */
export interface EntryHtml {
  /** The element. */
  readonly html: string;
  /** The lane of the timeline that it belongs to; `null` if it is not in it. */
  readonly lane: Lane | null;
  /** The class of its mark. */
  readonly look: string;
}

/** What is longer is folded, where short things are not. */
const SHORT = { lines: 40, notice: 280 };
/** How many characters of one output are shown at most, however long its lines are. */
const MAX_OUTPUT_LENGTH = 400_000;
/** How long the title of an entry may be in the head of a box, where it is one line. */
const MAX_TITLE_LENGTH = 2000;

/** Something with a head of one line and a body that can be folded. */
interface Box {
  readonly look: string;
  readonly sign: string;
  readonly titleHtml: string;
  readonly meta?: readonly string[];
  readonly body: string;
  readonly isOpen: boolean;
}

function timeHtml(at: string | null): string {
  return at === null
    ? ""
    : `<time class="at" datetime="${attributeText(at)}">${
      elementText(at.slice(11, 19))
    }</time>`;
}

function metaHtml(frame: EntryFrame, facts: readonly string[] = []): string {
  const parts = frame.isLate ? ["went on", ...facts] : [...facts];
  if (frame.durationMs !== null && frame.durationMs > 0) {
    parts.push(durationText(frame.durationMs));
  }
  const spans = parts.map((part) => `<span>${part}</span>`);
  const all = [...spans, timeHtml(frame.at)].join("");
  return all === "" ? "" : `<span class="meta">${all}</span>`;
}

function boxHtml(box: Box, frame: EntryFrame): string {
  const { look, sign, titleHtml, body, isOpen } = box;
  const head =
    `<span class="sign" aria-hidden="true">${sign}</span>${titleHtml}${
      metaHtml(frame, box.meta)
    }`;
  if (body === "" || frame.hasNamesOnly) {
    return `<div class="e box ${look}" id="${frame.id}"><div class="row">${head}</div></div>\n`;
  }
  return `<details class="e box ${look}" id="${frame.id}"${
    isOpen ? " open" : ""
  }><summary>${head}</summary>\n${body}</details>\n`;
}

/** Writes that something was left out. */
function gapHtml(count: number, word: string): string {
  return `<p class="cut">${countedText(count, word)} left out here</p>\n`;
}

/** Writes lines; of one that is far too long for a page, the beginning and the end. */
function linesHtml(
  lines: readonly string[],
  write: (text: string) => string,
): string {
  if (lines.length === 0) return "";
  const text = lines.join("\n");
  const over = text.length - MAX_OUTPUT_LENGTH;
  if (over <= 0) return `${write(text)}\n`;
  const half = MAX_OUTPUT_LENGTH / 2;
  return `${write(text.slice(0, half))}\n${gapHtml(over, "character")}${
    write(text.slice(-half))
  }\n`;
}

/** Writes text of many lines, of which too much is left out in the middle, and said. */
function cutHtml(
  text: string,
  { maxOutputLines: maxLines }: EntryFrame,
  write: (text: string) => string,
): string {
  const { head, omitted, tail } = cutOutput(text, { maxLines, keep: "both" });
  const gap = omitted === 0 ? "" : gapHtml(omitted, "line");
  return linesHtml(head, write) + gap + linesHtml(tail, write);
}

function outputHtml(text: string, frame: EntryFrame): string {
  return cutHtml(text, frame, (shown) => preText(terminalHtml(shown)));
}

function cutDiffHtml(diff: string, frame: EntryFrame): string {
  return cutHtml(diff, frame, (shown) => preText(diffHtml(shown), "diff"));
}

function isShort(...texts: readonly string[]): boolean {
  return texts.reduce((sum, text) => sum + text.split("\n", 99).length, 0) <=
    SHORT.lines;
}

/** Writes the first line of something, and an ellipsis if there are more. */
function oneLine(text: string, tag: string): string {
  const [line = ""] = text.trimStart().split("\n", 1);
  const cut = line.slice(0, MAX_TITLE_LENGTH);
  const rest = cut.length < text.trim().length ? " …" : "";
  return `<${tag} class="one" dir="auto">${elementText(cut)}${rest}</${tag}>`;
}

function messageHtml(view: MessageView, frame: EntryFrame): EntryHtml {
  const { role, text, author, recipient } = view;
  const isUser = role === "user";
  const name = author ?? (isUser ? "User" : "Codex");
  const to = recipient === null ? "" : ` → ${recipient}`;
  const body = isUser
    ? `<div class="text" dir="auto">${elementText(text)}</div>`
    : `<div class="md" dir="auto">\n${
      markdownHtml(text, { hasLinks: true })
    }\n</div>`;
  return {
    html: `<article class="e ${isUser ? "user" : "say"}" id="${frame.id}">${
      headHtml(name + to, frame)
    }${body}</article>\n`,
    lane: "messages",
    look: isUser ? "l-user" : "l-say",
  };
}

function headHtml(name: string, frame: EntryFrame): string {
  return `<h3><span class="who"><a href="#${frame.id}">${
    elementText(name)
  }</a></span>${metaHtml({ ...frame, durationMs: null })}</h3>`;
}

function commandHtml(view: CommandView, frame: EntryFrame): EntryHtml {
  const { command, status, exitCode, stdout, stderr, lostBytes } = view;
  const isFailed = status === "failed";
  const meta: string[] = [];
  if (exitCode !== null && exitCode !== 0) {
    meta.push(`<b class="bad">exit ${exitCode}</b>`);
  } else if (isFailed) meta.push('<b class="bad">failed</b>');
  else if (status === "running") {
    meta.push('<b class="warn">no end</b>');
  }
  const whole = command.trim().includes("\n")
    ? `${preText(elementText(command.trim()), "cmd")}\n`
    : "";
  const lost = lostBytes === 0
    ? ""
    : `<p class="cut">${
      countedText(lostBytes, "byte")
    } of output are not in the history</p>\n`;
  const errors = stderr === ""
    ? ""
    : `<h4>stderr</h4>\n${outputHtml(stderr, frame)}`;
  return {
    html: boxHtml({
      look: `exec${isFailed ? " failed" : ""}`,
      sign: "$",
      titleHtml: command.trim() === ""
        ? '<span class="one">Output without its command</span>'
        : oneLine(command, "code"),
      meta,
      body: `${whole}${lost}${outputHtml(stdout, frame)}${errors}`,
      isOpen: isFailed && isShort(stdout, stderr),
    }, frame),
    lane: "commands",
    look: isFailed ? "l-bad" : "l-run",
  };
}

function countsHtml({ added, removed }: EditedFile): string {
  const parts: string[] = [];
  if (added !== null && added > 0) {
    parts.push(`<span class="plus">+${countText(added)}</span>`);
  }
  if (removed !== null && removed > 0) {
    parts.push(`<span class="minus">−${countText(removed)}</span>`);
  }
  return parts.length === 0 ? "" : ` ${parts.join(" ")}`;
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

/** How an edit ended, where that is not what its title says. */
const EDIT_ENDS = {
  success: [],
  failed: ['<b class="bad">not applied</b>'],
  running: ['<b class="warn">no end</b>'],
  proposed: ['<b class="warn">proposed</b>'],
} as const satisfies Record<EditView["status"], readonly string[]>;

function editHtml(
  { files, status, failure }: EditView,
  frame: EntryFrame,
): EntryHtml {
  const [only, another] = files;
  const isOne = another === undefined;
  const title = only === undefined
    ? "Edit"
    : isOne
    ? fileTitle(only)
    : `Edited ${countedText(files.length, "file")}`;
  const bodies = files.map((file) => {
    const diff = cutDiffHtml(file.diff, frame);
    return isOne ? diff : `<h4><span>${fileTitle(file)}</span></h4>\n${diff}`;
  });
  const isFailed = status === "failed";
  return {
    html: boxHtml({
      look: `edit${isFailed ? " failed" : ""}`,
      sign: "±",
      titleHtml: `<span class="one">${title}</span>`,
      meta: EDIT_ENDS[status],
      body: bodies.join("") + outputHtml(failure, frame),
      isOpen: isFailed || isShort(...files.map(({ diff }) => diff)),
    }, frame),
    lane: "edits",
    look: isFailed ? "l-bad" : "l-edit",
  };
}

function toolHtml(view: ToolView, frame: EntryFrame): EntryHtml {
  const { title, status, arguments: list, result, isResultCut, error } = view;
  const isFailed = status === "failed";
  const given = list.map(({ name, text }) =>
    `<dt>${elementText(name)}</dt><dd>${elementText(text)}</dd>\n`
  );
  const short = list.map(({ name, text }) =>
    `${name}: ${text.replace(/\s+/g, " ").slice(0, 120)}`
  ).join(", ");
  const body = [
    given.length === 0 ? "" : `<dl>\n${given.join("")}</dl>\n`,
    outputHtml(result, frame),
    isResultCut ? '<p class="cut">the history keeps no more of it</p>\n' : "",
    outputHtml(error, frame),
  ].join("");
  return {
    html: boxHtml({
      look: `tool${isFailed ? " failed" : ""}`,
      sign: "ƒ",
      titleHtml: `<span class="one"><code>${elementText(title)}</code>${
        short === "" ? "" : ` <small>${elementText(short)}</small>`
      }</span>`,
      meta: isFailed
        ? ['<b class="bad">failed</b>']
        : status === "running"
        ? ['<b class="warn">no end</b>']
        : [],
      body,
      isOpen: isFailed && isShort(result, error),
    }, frame),
    lane: "tools",
    look: isFailed ? "l-bad" : "l-tool",
  };
}

/** What stands before a step of a plan, and what is said to those who do not see it. */
const STEP_SIGNS = {
  pending: ["○", "to do"],
  in_progress: ["◐", "in progress"],
  complete: ["✓", "done"],
  skipped: ["–", "skipped"],
} as const satisfies Record<PlanView["steps"][number]["status"], unknown>;

function planHtml({ name, steps }: PlanView, frame: EntryFrame): EntryHtml {
  const done = steps.filter(({ status }) => status === "complete").length;
  const items = steps.map(({ description, status }) => {
    const [sign, words] = STEP_SIGNS[status] ?? STEP_SIGNS.pending;
    return `<li class="${status}"><span role="img" aria-label="${words}">${sign}</span><span dir="auto">${
      elementText(description)
    }</span></li>\n`;
  });
  const list = steps.length === 0 ? "" : `<ul>\n${items.join("")}</ul>`;
  const progress = steps.length === 0 ? "empty" : `${done} of ${steps.length}`;
  return {
    html: `<article class="e plan" id="${frame.id}"><h3><span class="who">${
      elementText(name)
    }</span><small>${progress}</small>${
      metaHtml({ ...frame, durationMs: null })
    }</h3>${list}</article>\n`,
    lane: "tools",
    look: "l-tool",
  };
}

function exploreHtml({ looks }: ExploreView, frame: EntryFrame): EntryHtml {
  const isFailed = looks.some(({ status }) => status === "failed");
  const notes = ({ note, status }: ExploreView["looks"][number]): string =>
    note !== ""
      ? elementText(note)
      : status === "running"
      ? "no end"
      : status === "failed"
      ? "failed"
      : "";
  const [only, another] = looks;
  const isOne = only !== undefined && another === undefined;
  const rows = looks.map((look) =>
    `<h4><span class="sign" aria-hidden="true">$</span><code>${
      elementText(look.command)
    }</code><small>${notes(look)}</small></h4>\n`
  );
  const command = only?.command ?? "";
  return {
    html: boxHtml({
      look: `exec${isFailed ? " failed" : ""}`,
      sign: "$",
      titleHtml: isOne
        ? oneLine(command, "code")
        : `<span class="one">Looked around: ${
          countedText(looks.length, "command")
        }</span>`,
      meta: isOne && notes(only) !== "" ? [notes(only)] : [],
      body: isOne && !command.trim().includes("\n") ? "" : rows.join(""),
      isOpen: looks.length <= SHORT.lines,
    }, frame),
    lane: "commands",
    look: isFailed ? "l-bad" : "l-run",
  };
}

function noticeHtml(
  view: NoticeView,
  frame: EntryFrame,
): EntryHtml {
  const { title, text } = view;
  // What is tried again has not failed yet.
  const level = view.level === "error" && isRetryNotice(text)
    ? "warning"
    : view.level;
  const isLong = text.length > SHORT.notice || !isShort(text);
  const look = level === "error" ? "l-bad" : "l-think";
  const lane = level === "info" ? null : "messages";
  if (level === "info" && !isLong) {
    const name = title === "" ? "" : `<b>${elementText(title)}</b> `;
    return {
      html:
        `<div class="e aside" id="${frame.id}"><div class="row"><span dir="auto">${name}${
          elementText(text).replaceAll("\n", "<br>\n")
        }</span>${metaHtml(frame)}</div></div>\n`,
      lane,
      look,
    };
  }
  if (level === "info") {
    return {
      html: boxHtml({
        look: "aside",
        sign: "·",
        titleHtml: oneLine(title === "" ? text : title, "span"),
        body: `<div class="in md" dir="auto">\n${
          markdownHtml(text, { hasLinks: true })
        }\n</div>\n`,
        isOpen: false,
      }, { ...frame, hasNamesOnly: false }),
      lane,
      look,
    };
  }
  const name = title !== "" ? title : level === "error" ? "Error" : "Warning";
  return {
    html: `<article class="e ${
      level === "error" ? "error" : "note"
    }" id="${frame.id}">${headHtml(name, frame)}<div class="text" dir="auto">${
      elementText(text)
    }</div></article>\n`,
    lane,
    look,
  };
}

/** Writes what a reader sees of an entry. */
export function entryHtml(view: EntryView, frame: EntryFrame): EntryHtml {
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
      return {
        html: boxHtml({
          look: "think",
          sign: "✻",
          titleHtml: oneLine(view.text.replaceAll("**", ""), "span"),
          body: `<div class="in md" dir="auto">\n${
            markdownHtml(view.text, { hasLinks: true })
          }\n</div>\n`,
          isOpen: frame.hasReasoningOpen,
        }, { ...frame, hasNamesOnly: false }),
        lane: "reasoning",
        look: "l-think",
      };
    case "diff":
      return {
        html: boxHtml({
          look: "edit whole",
          sign: "±",
          titleHtml: '<span class="one">All changes of the turn</span>',
          body: cutDiffHtml(view.diff, frame),
          isOpen: false,
        }, frame),
        lane: null,
        look: "l-edit",
      };
    case "image": {
      const name = view.path === "" ? "image" : view.path;
      return {
        html: boxHtml({
          look: "tool",
          sign: "▣",
          titleHtml: `<span class="one"><code>${elementText(name)}</code> ${
            elementText(view.caption)
          }</span>`,
          body: "",
          isOpen: false,
        }, frame),
        lane: "tools",
        look: "l-tool",
      };
    }
    case "unknown":
      return {
        html: boxHtml({
          look: "tool",
          sign: "?",
          titleHtml: `<code class="one">${elementText(view.type)}</code>`,
          body: outputHtml(view.json, frame),
          isOpen: false,
        }, frame),
        lane: "tools",
        look: "l-tool",
      };
  }
}
