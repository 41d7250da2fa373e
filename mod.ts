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
export { DIALECTS, type StreamKind } from "./lib/dialects.ts";
export {
  DEFAULT_MAX_LINE_BYTES,
  MAX_LINE_BYTES,
} from "./lib/lines/line_framer.ts";
export * from "./lib/normalizer.ts";
export * from "./lib/pipeline.ts";
export type { Decoded, DecodedValue, Undecoded } from "./lib/decoded.ts";
export * from "./lib/exec/events.ts";
export * from "./lib/exec/decoder.ts";
export { Decoder, DecoderStream } from "./lib/decoder.ts";
export * from "./lib/event_pipeline.ts";
