/**
 * Writes annotations and outputs of a step for GitHub Actions.
 *
 * The syntax follows the runner's own sources: a line is a command if it begins, after white space,
 * with `::`, or if it contains `##[`. The runner unescapes `%25`, `%0D` and `%0A`, and in
 * properties also `%3A` and `%2C`.
 */

import { shortened } from "../json/text_ends.ts";
import { escapedText } from "./inert_text.ts";

/** The severity of an annotation. */
export type GithubAnnotationLevel = "error" | "notice" | "warning";

/** An annotation: a message that GitHub shows on the page of a run. */
export interface GithubAnnotation {
  /** The severity. */
  readonly level: GithubAnnotationLevel;
  /** Its heading; GitHub shows the level if there is none. */
  readonly title?: string | undefined;
  /** The text of the annotation. */
  readonly message: string;
  /** The path of the file that the annotation is about, relative to the root of the repository. */
  readonly file?: string | undefined;
  /** The line of the file, from 1. */
  readonly line?: number | undefined;
}

/** The maximum length of a heading, in characters: GitHub refuses more than 255. */
const MAX_TITLE_LENGTH = 200;

/** The maximum length of a message, in characters. GitHub accepts 64 KB and shows much less. */
const MAX_MESSAGE_LENGTH = 8000;

/** Escapes the message of a command. `::` need not be escaped: a line holds only one command. */
function escapeMessage(text: string): string {
  const line = text.replaceAll("%", "%25")
    .replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  return escapedText(line);
}

function escapeProperty(text: string): string {
  return escapeMessage(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

/**
 * Writes an annotation as a line that GitHub's runner finds in the output of a step.
 *
 * Title and message may hold any text: they cannot end the line, begin another command or reach a
 * terminal as control characters. A title is cut after 200 characters, a message after 8,000; a
 * text that was cut ends with `…`.
 *
 * GitHub shows at most ten errors, ten warnings and ten notices of a step; the caller chooses which
 * ones to write.
 *
 * @param annotation The annotation.
 * @returns The line, with its line feed.
 *
 * @example A failed turn
 * ```ts
 * import { githubAnnotation } from "@codexpipe/codexpipe/render";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(
 *   githubAnnotation({ level: "error", title: "Codex: turn 2", message: "100%\n::notice::x" }),
 *   "::error title=Codex%3A turn 2::100%25%0A::notice::x\n",
 * );
 * ```
 */
export function githubAnnotation(annotation: GithubAnnotation): string {
  const { level, title, message, file, line } = annotation;
  const properties: string[] = [];
  if (title) {
    properties.push(
      `title=${escapeProperty(shortened(title, MAX_TITLE_LENGTH))}`,
    );
  }
  if (file !== undefined) properties.push(`file=${escapeProperty(file)}`);
  if (line !== undefined) properties.push(`line=${line}`);
  const head = properties.length === 0 ? level : `${level} ${properties}`;
  const text = escapeMessage(shortened(message, MAX_MESSAGE_LENGTH));
  return `::${head}::${text}\n`;
}

/**
 * Writes an output of a step, for the file that `GITHUB_OUTPUT` names.
 *
 * GitHub reads the value back byte for byte: it is written between two lines with a delimiter that
 * the value does not contain. Equal values give equal text. GitHub allows 1 MB of outputs per job;
 * the caller has to stay below that.
 */
export function githubOutput(name: string, value: string): string {
  let delimiter = "codexpipe_end";
  for (const [found] of value.matchAll(/codexpipe_end_*/g)) {
    if (found.length >= delimiter.length) delimiter = `${found}_`;
  }
  return `${name}<<${delimiter}\n${value}\n${delimiter}\n`;
}
