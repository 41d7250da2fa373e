/**
 * Reads what OpenAI's Codex CLI writes as JSONL, in every shape that a release has written
 * it, and makes it reliable.
 *
 * @module
 */

export * from "./lib/stage.ts";
export * from "./lib/errors.ts";
export * from "./lib/outcome.ts";
export * from "./lib/lines/line_splitter.ts";
export * from "./lib/lines/line_numberer.ts";
export * from "./lib/lines/jsonl_encoder.ts";
export * from "./lib/normalizer.ts";
export * from "./lib/pipeline.ts";
