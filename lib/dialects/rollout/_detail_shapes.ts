/** The shapes of what calls and messages are made of. */

import {
  ANY,
  BOOLEAN,
  either,
  list,
  map,
  maybe,
  type Members,
  NUMBER,
  object,
  optional,
  type Shape,
  STRING,
  tagged,
  typed,
  UNKNOWN_KIND,
} from "./_shapes.ts";
import type {
  CodeLocation,
  Duration,
  ErrorInfo,
  FilePatch,
  FilePatches,
  LineRange,
  McpInvocation,
  McpOutcome,
  McpResult,
  ParsedStep,
  ReviewFinding,
  ReviewOutput,
  ReviewTarget,
  WebSearchAction,
} from "./call_details.ts";
import type {
  ContentPart,
  EncryptedPart,
  ImagePart,
  TextPart,
} from "./content_parts.ts";

/** The shape of {@linkcode Duration}. */
export const DURATION: Shape<Duration> = object<Duration>({
  secs: NUMBER,
  nanos: maybe(NUMBER),
});

/** The shape of {@linkcode ParsedStep}. */
export const PARSED_STEP: Shape<ParsedStep> = object<ParsedStep>({
  type: maybe(STRING),
  cmd: maybe(STRING),
  name: maybe(STRING),
  path: maybe(STRING),
  query: maybe(STRING),
});

const FILE_PATCH = object<FilePatch>({
  type: maybe(STRING),
  content: maybe(STRING),
  unified_diff: maybe(STRING),
  move_path: maybe(STRING),
  add: optional(ANY),
  delete: optional(ANY),
  update: optional(ANY),
});

/** The shape of {@linkcode FilePatches}. */
export const FILE_PATCHES: Shape<FilePatches> = map(either(STRING, FILE_PATCH));

/** The shape of {@linkcode WebSearchAction}. */
export const WEB_SEARCH_ACTION: Shape<WebSearchAction> = object<
  WebSearchAction
>({
  type: STRING,
  query: maybe(STRING),
  queries: maybe(list(STRING)),
  url: maybe(STRING),
  pattern: maybe(STRING),
});

/** The shape of {@linkcode McpInvocation}. */
export const MCP_INVOCATION: Shape<McpInvocation> = object<McpInvocation>({
  server: STRING,
  tool: STRING,
  arguments: optional(ANY),
});

/** The shape of {@linkcode McpResult}. */
export const MCP_RESULT: Shape<McpResult> = object<McpResult>({
  content: maybe(list(ANY)),
  structuredContent: optional(ANY),
  isError: maybe(BOOLEAN),
  _meta: optional(ANY),
});

/** The shape of {@linkcode McpOutcome}. */
export const MCP_OUTCOME: Shape<McpOutcome> = object<McpOutcome>({
  Ok: maybe(MCP_RESULT),
  Err: maybe(STRING),
});

/** The shape of {@linkcode ReviewTarget}. */
export const REVIEW_TARGET: Shape<ReviewTarget> = object<ReviewTarget>({
  type: maybe(STRING),
  instructions: maybe(STRING),
});

const LINE_RANGE = object<LineRange>({
  start: NUMBER,
  end: NUMBER,
});

const CODE_LOCATION = object<CodeLocation>({
  absolute_file_path: maybe(STRING),
  line_range: maybe(LINE_RANGE),
});

const REVIEW_FINDING = object<ReviewFinding>({
  title: STRING,
  body: maybe(STRING),
  confidence_score: maybe(NUMBER),
  priority: maybe(NUMBER),
  code_location: maybe(CODE_LOCATION),
});

/** The shape of {@linkcode ReviewOutput}. */
export const REVIEW_OUTPUT: Shape<ReviewOutput> = object<ReviewOutput>({
  findings: maybe(list(REVIEW_FINDING)),
  overall_correctness: maybe(STRING),
  overall_explanation: maybe(STRING),
  overall_confidence_score: maybe(NUMBER),
});

/** The shape of {@linkcode ErrorInfo}. */
export const ERROR_INFO: Shape<ErrorInfo> = object<ErrorInfo>({
  message: STRING,
  codex_error_info: optional(ANY),
});

const TEXT_PART: Members<Omit<TextPart<string>, "type">> = {
  text: STRING,
  annotations: maybe(list(ANY)),
};

const IMAGE_PART = typed<ImagePart>("input_image", {
  image_url: maybe(STRING),
  detail: maybe(STRING),
});

const ENCRYPTED_PART = typed<EncryptedPart>("encrypted_content", {
  encrypted_content: STRING,
});

/** The shape of a part of a message. */
export const CONTENT_PART: Shape<ContentPart> = tagged<ContentPart>({
  input_text: typed<TextPart<"input_text">>("input_text", TEXT_PART),
  output_text: typed<TextPart<"output_text">>("output_text", TEXT_PART),
  reasoning_text: typed<TextPart<"reasoning_text">>(
    "reasoning_text",
    TEXT_PART,
  ),
  summary_text: typed<TextPart<"summary_text">>("summary_text", TEXT_PART),
  text: typed<TextPart<"text">>("text", TEXT_PART),
  input_image: IMAGE_PART,
  encrypted_content: ENCRYPTED_PART,
}, UNKNOWN_KIND);
