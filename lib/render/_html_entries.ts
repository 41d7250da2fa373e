/**
 * What a reader sees of an entry, as HTML.
 */

import { isRetryNotice } from "../dialects/exec/retry_notices.ts";
import {
  boxHtml,
  cutDiffHtml,
  type EntryFrame,
  type EntryHtml,
  isShort,
  metaHtml,
  oneLine,
  outputHtml,
} from "./_html_boxes.ts";
import { commandHtml, editHtml, exploreHtml, toolHtml } from "./_html_work.ts";
import type {
  EntryView,
  MessageView,
  NoticeView,
  PlanView,
} from "./entry_views.ts";
import { markdownHtml } from "./html_markdown.ts";
import { elementText } from "./html_text.ts";

/** How many characters of a remark are shown unfolded. */
const SHORT_NOTICE = 280;

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
