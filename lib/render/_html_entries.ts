/**
 * What a reader sees of an entry, as HTML.
 */

import { isRetryNotice } from "../dialects/exec/retry_notices.ts";
import { cutOutput } from "./cut_output.ts";
import { endOf, lostOutput, NO_MORE_RESULT, startOf } from "./cut_text.ts";
import type { EditedFile } from "./edited_files.ts";
import type {
  CommandView,
  EditView,
  EntryView,
  ExploreView,
  MessageView,
  NoticeView,
  PlanView,
  ToolView,
} from "./entry_views.ts";
import { terminalHtml } from "./html_ansi.ts";
import { diffHtml } from "./diff_lines.ts";
import { codeHtml, languageOf } from "./html_code.ts";
import { plainLine } from "./entry_label.ts";
import { markdownHtml } from "./html_markdown.ts";
import { attributeText, elementText, preText } from "./html_text.ts";
import type { Lane } from "./html_timeline.ts";
import { countedText, countText, durationText } from "./quantity_text.ts";

/** How Markdown is written on a page. */
const MARKDOWN = { hasLinks: true, isColored: true };
/** How many characters of a remark are shown unfolded. */
const SHORT_NOTICE = 280;

function messageHtml(view: MessageView, frame: EntryFrame): EntryHtml {
  const { role, text, author, recipient } = view;
  const isUser = role === "user";
  const name = author ?? (isUser ? "User" : "Codex");
  const to = recipient === null ? "" : ` → ${recipient}`;
  const body = isUser
    ? `<div class="text" dir="auto">${elementText(text)}</div>`
    : `<div class="md" dir="auto">\n${markdownHtml(text, MARKDOWN)}\n</div>`;
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

/** What stands before a step of a plan, and what is said to those who do not see it. */
const STEP_SIGNS: ReadonlyMap<
  string,
  readonly [sign: string, words: string, look: string]
> = new Map([
  ["pending", ["○", "to do", "pending"]],
  ["in_progress", ["◐", "in progress", "in_progress"]],
  ["complete", ["✓", "done", "complete"]],
  ["skipped", ["–", "skipped", "skipped"]],
]);
const OTHER_STEP = ["·", "in an unknown state", "other"] as const;

function planHtml({ name, steps }: PlanView, frame: EntryFrame): EntryHtml {
  const done = steps.filter(({ status }) => status === "complete").length;
  const items = steps.map(({ description, status }) => {
    const [sign, words, look] = STEP_SIGNS.get(status) ?? OTHER_STEP;
    return `<li class="${look}"><span role="img" aria-label="${words}">${sign}</span><span dir="auto">${
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

function noticeHtml(
  view: NoticeView,
  frame: EntryFrame,
): EntryHtml {
  const { title, text } = view;
  // What is tried again has not failed yet.
  const level = view.level === "error" && isRetryNotice(text)
    ? "warning"
    : view.level;
  const isLong = text.length > SHORT_NOTICE || !isShort([text]);
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
          markdownHtml(text, MARKDOWN)
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
          titleHtml: oneLine(view.text, "span", plainLine(view.text)),
          body: `<div class="in md" dir="auto">\n${
            markdownHtml(view.text, MARKDOWN)
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
      // Of an URL that holds its image, only the beginning is the path.
      const path = /^data:([^;,]*)/i.exec(view.path)?.[1] ?? view.path;
      const name = path === "" ? "image" : path;
      return {
        html: boxHtml({
          look: "tool",
          sign: "▣",
          titleHtml: `<span class="one"><code>${elementText(name)}</code> ${
            elementText(view.caption)
          }</span>`,
          body: frame.images.join(""),
          isOpen: true,
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

/** What surrounds a view. */
interface EntryFrame {
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
  /** How many characters of them, however few lines they are. */
  readonly maxOutputLength: number;
  /** Its images, as HTML. */
  readonly images: readonly string[];
  /** Whether reasoning is unfolded. */
  readonly hasReasoningOpen: boolean;
  /** Whether tools and commands are shown without what they were given and gave. */
  readonly hasNamesOnly: boolean;
}

/** An entry as HTML, and as a mark of the timeline. */
interface EntryHtml {
  /** The element. */
  readonly html: string;
  /** The lane of the timeline that it belongs to; `null` if it is not in it. */
  readonly lane: Lane | null;
  /** The class of its mark. */
  readonly look: string;
}

/** What has more lines is folded, where short things are not. */
const SHORT_LINES = 40;
/** How long the title of an entry may be in the head of a box, where it is one line. */
const MAX_TITLE_LENGTH = 2000;

/** Something with a head of one line and a body that can be folded. */
interface Box {
  /** The classes of the style sheet that it has. */
  readonly look: string;
  /** What stands at the beginning of the head. */
  readonly sign: string;
  /** The title. */
  readonly titleHtml: string;
  /** What stands at the end of the head, before duration and time. */
  readonly meta?: readonly string[];
  /** What can be folded; empty if there is only a head. */
  readonly body: string;
  /** Whether it is unfolded. */
  readonly isOpen: boolean;
}

function timeHtml(at: string | null): string {
  return at === null
    ? ""
    : `<time class="at" datetime="${attributeText(at)}">${
      elementText(at.slice(11, 19))
    }</time>`;
}

/** Writes what stands at the end of a head: facts, how long it took, when it was. */
function metaHtml(
  frame: EntryFrame,
  facts: readonly string[] = [],
): string {
  const parts = frame.isLate ? ["went on", ...facts] : [...facts];
  if (frame.durationMs !== null && frame.durationMs > 0) {
    parts.push(durationText(frame.durationMs));
  }
  const spans = parts.map((part) => `<span>${part}</span>`);
  const all = [...spans, timeHtml(frame.at)].join("");
  return all === "" ? "" : `<span class="meta">${all}</span>`;
}

/** Writes a box. */
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
  maxLength: number,
  write: (text: string) => string,
): string {
  if (lines.length === 0) return "";
  const text = lines.join("\n");
  if (text.length <= maxLength) return `${write(text)}\n`;
  const start = startOf(text, maxLength / 2);
  const end = endOf(text, maxLength / 2);
  const gap = gapHtml(text.length - start.length - end.length, "character");
  return `${write(start)}\n${gap}${write(end)}\n`;
}

/** Writes text of many lines, of which too much is left out in the middle, and said. */
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

/** How long a text is that may not fit where it is shown, and is to be scrolled by keys, too. */
const SCROLLED = { lines: 12, length: 500 };

function scrolled(pre: string): string {
  const isLong = pre.length > SCROLLED.length ||
    pre.split("\n", SCROLLED.lines).length === SCROLLED.lines;
  return isLong ? pre.replace("<pre", '<pre tabindex="0"') : pre;
}

/** Writes output of a program. */
function outputHtml(text: string, frame: EntryFrame): string {
  return cutHtml(
    text,
    frame,
    (shown) => scrolled(preText(terminalHtml(shown))),
  );
}

/** Writes a diff. */
function cutDiffHtml(
  diff: string,
  frame: EntryFrame,
  language = "",
): string {
  return cutHtml(
    diff,
    frame,
    (shown) => scrolled(preText(diffHtml(shown, language), "diff")),
  );
}

/** Tells whether texts are short enough together to be shown unfolded. */
function isShort(texts: readonly string[]): boolean {
  return texts.reduce((sum, text) => sum + text.split("\n", 99).length, 0) <=
    SHORT_LINES;
}

/** Writes the first line of something, and an ellipsis if there are more. */
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

/** How many characters of the names of several commands stand in the head of a box. */
const MAX_NAMES_LENGTH = 500;

/** Writes a command and its output. */
function commandHtml(view: CommandView, frame: EntryFrame): EntryHtml {
  const { command, status, exitCode, stdout, stderr, lostBytes } = view;
  const isFailed = status === "failed";
  const meta: string[] = [];
  if (exitCode !== null && exitCode !== 0) {
    meta.push(`<b class="bad">exit ${elementText(String(exitCode))}</b>`);
  } else if (isFailed) meta.push('<b class="bad">failed</b>');
  else if (status === "running") {
    meta.push('<b class="warn">no end</b>');
  }
  const whole = command.trim().includes("\n")
    ? `${scrolled(preText(codeHtml(command.trim(), "sh"), "cmd"))}\n`
    : "";
  const lost = lostBytes === 0
    ? ""
    : `<p class="cut">${lostOutput(lostBytes)}</p>\n`;
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
      isOpen: isFailed && isShort([stdout, stderr]),
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

/** Writes what was done to files. */
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
    const diff = cutDiffHtml(file.diff, frame, languageOf(file.path));
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
      isOpen: isFailed || isShort(files.map(({ diff }) => diff)),
    }, frame),
    lane: "edits",
    look: isFailed ? "l-bad" : "l-edit",
  };
}

/** Writes a call of a tool. */
function toolHtml(view: ToolView, frame: EntryFrame): EntryHtml {
  const { title, status, arguments: list, result, isResultCut, error } = view;
  const isFailed = status === "failed";
  const given = list.map(({ name, text }) =>
    `<dt>${elementText(name)}</dt><dd>${elementText(text)}</dd>\n`
  );
  const short = list.map(({ name, text }) =>
    `${name}: ${startOf(text.replace(/\s+/g, " "), 120)}`
  ).join(", ");
  const body = [
    given.length === 0 ? "" : `<dl>\n${given.join("")}</dl>\n`,
    outputHtml(result, frame),
    isResultCut ? `<p class="cut">${NO_MORE_RESULT}</p>\n` : "",
    outputHtml(error, frame),
    ...frame.images,
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
      isOpen: isFailed && isShort([result, error]),
    }, frame),
    lane: "tools",
    look: isFailed ? "l-bad" : "l-tool",
  };
}

/** Writes commands that only looked at something. */
function exploreHtml(
  { looks }: ExploreView,
  frame: EntryFrame,
): EntryHtml {
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
  const row = (look: ExploreView["looks"][number]): string =>
    isOne && !look.command.trim().includes("\n")
      ? ""
      : `<h4><span class="sign" aria-hidden="true">$</span><code>${
        elementText(look.command)
      }</code><small>${notes(look)}</small></h4>\n`;
  const commands = looks.map(({ command }) => command);
  const outputs = looks.map(({ output }) => output)
    .filter((output) => output.trim() !== "");
  const isSilent = outputs.length === 0;
  // What is folded is named where it can be seen.
  const names = isSilent ? "" : ` <small>${
    elementText(
      startOf(
        commands.map((command) => startOf(command.replace(/\s+/g, " "), 120))
          .join(", "),
        MAX_NAMES_LENGTH,
      ),
    )
  }</small>`;
  return {
    html: boxHtml({
      look: `exec${isFailed ? " failed" : ""}`,
      sign: "$",
      titleHtml: isOne
        ? oneLine(only.command, "code")
        : `<span class="one">Looked around: ${
          countedText(looks.length, "command")
        }${names}</span>`,
      meta: isOne && notes(only) !== "" ? [notes(only)] : [],
      body: looks.map((look) => row(look) + outputHtml(look.output, frame))
        .join(""),
      isOpen: (isSilent || isFailed) && isShort([...commands, ...outputs]),
    }, frame),
    lane: "commands",
    look: isFailed ? "l-bad" : "l-run",
  };
}
