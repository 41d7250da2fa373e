/**
 * Transcripts of sessions for people: live on a terminal, as Markdown, HTML or a GitHub summary.
 *
 * {@linkcode TranscriptBuilder} turns events into parts, and a renderer turns parts into text; both
 * are stages, so they compose. For renderers of your own, {@linkcode viewEntry} turns an entry into
 * the texts and states to show.
 *
 * @example The messages of a log
 * ```ts
 * import { decodeEvents } from "@codexpipe/codexpipe";
 * import { TranscriptBuilder, viewEntry } from "@codexpipe/codexpipe/render";
 * import { assertEquals } from "@std/assert";
 *
 * const log = new Blob([
 *   '{"type":"thread.started","thread_id":"t"}\n',
 *   '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Hi"}}\n',
 * ]);
 * const transcript = new TranscriptBuilder();
 * const messages: string[] = [];
 * for await (const outcome of decodeEvents(log.stream())) {
 *   transcript.feed(outcome, (part) => {
 *     const view = part.type === "entry" ? viewEntry(part) : undefined;
 *     if (view?.kind === "message") messages.push(view.text);
 *   });
 * }
 *
 * assertEquals(messages, ["Hi"]);
 * ```
 *
 * @module
 */

export * from "./parts.ts";
export {
  type HistoryFacts,
  TranscriptBuilder,
  type TranscriptOptions,
  TranscriptStream,
} from "./transcript.ts";
export * from "./thread_transcripts.ts";
export * from "./snapshot_parts.ts";
export * from "./entry_view.ts";
export type { EditedFile } from "./edited_files.ts";
export { shellWord } from "../dialects/exec/command_line.ts";
export * from "./quantity_text.ts";
export {
  REASONING,
  type ReasoningChoice,
  RENDER_FORMS,
  type RenderForm,
  type RenderOptions,
  type TextRedactor,
  TOOLS,
  type ToolsChoice,
} from "./render_options.ts";
export * from "./html.ts";
export type { PageFact } from "./_html_page.ts";
export * from "./site.ts";
export * from "./github.ts";
export {
  type GithubAnnotation,
  githubAnnotation,
  type GithubAnnotationLevel,
} from "./github_commands.ts";
export * from "./github_report.ts";
export * from "./text.ts";
export * from "./text_style.ts";
export * from "./markdown.ts";
