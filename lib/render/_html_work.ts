/**
 * Work as HTML: commands, edits, calls of tools.
 */

import {
  boxHtml,
  cutDiffHtml,
  type EntryFrame,
  type EntryHtml,
  isShort,
  oneLine,
  outputHtml,
} from "./_html_boxes.ts";
import { preText } from "./_html_pre.ts";
import { lostOutput, NO_MORE_RESULT } from "./_lost_output.ts";
import { startOf } from "./cut_text.ts";
import type { EditedFile } from "./edited_files.ts";
import type {
  CommandView,
  EditView,
  ExploreView,
  ToolView,
} from "./entry_views.ts";
import { elementText } from "./html_text.ts";
import { countedText, countText } from "./quantity_text.ts";

/** How many characters of the names of several commands stand in the head of a box. */
const MAX_NAMES_LENGTH = 500;

/** Writes a command and its output. */
export function commandHtml(view: CommandView, frame: EntryFrame): EntryHtml {
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
    ? `${preText(elementText(command.trim()), "cmd")}\n`
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
export function editHtml(
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
      isOpen: isFailed || isShort(files.map(({ diff }) => diff)),
    }, frame),
    lane: "edits",
    look: isFailed ? "l-bad" : "l-edit",
  };
}

/** Writes a call of a tool. */
export function toolHtml(view: ToolView, frame: EntryFrame): EntryHtml {
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
export function exploreHtml(
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
