/**
 * Masks secrets in texts, and in the strings of JSON and JSONL.
 *
 * @example A line to share
 * ```ts
 * import { JsonlRedactorStream } from "@codexpipe/codexpipe/redact";
 * import { assertEquals } from "@std/assert";
 *
 * const line = '{"cmd":"API_TOKEN=abc123def ./deploy","n":1.0}\n';
 * const redacted = new Blob([line]).stream().pipeThrough(new JsonlRedactorStream());
 *
 * assertEquals(
 *   await new Response(redacted).text(),
 *   '{"cmd":"API_TOKEN=[redacted:token] ./deploy","n":1.0}\n',
 * );
 * ```
 *
 * @module
 */

export * from "./redactor.ts";
export { redactJson, redactJsonString } from "./json_strings.ts";
export * from "./jsonl_redactor.ts";
export * from "./linear_pattern.ts";
