/** The parts of commands, patches, searches, MCP calls and reviews in a rollout. */

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
} from "../../shapes/shapes.ts";

/** An object without known fields. */
export interface ObjectValue {
  /** The value of a field. */
  readonly [name: string]: unknown;
}

/** A duration: seconds and nanoseconds. */
export interface Duration {
  /** Whole seconds. */
  readonly secs: number;
  /** The nanoseconds beyond the whole seconds. */
  readonly nanos?: number | null;
}

/** One step of a command line, as Codex parsed it. */
export interface ParsedStep {
  /** `read`, `list_files`, `search`, `unknown`, `noop` (0.25). */
  readonly type?: string | null;
  /** The step as shell. */
  readonly cmd?: string | null;
  /** The name of the file that is read. */
  readonly name?: string | null;
  /** The path that is read, listed or searched. */
  readonly path?: string | null;
  /** The search pattern. */
  readonly query?: string | null;
}

/** The output and the end of a command. */
export interface CommandResult {
  /** The output on stdout; in items up to 0.160. */
  readonly stdout?: string | null;
  /** The output on stderr; in items up to 0.160. */
  readonly stderr?: string | null;
  /** The output on both. */
  readonly aggregated_output?: string | null;
  /** The output as the model got it; in items up to 0.160. */
  readonly formatted_output?: string | null;
  /** The exit status. */
  readonly exit_code?: number | null;
  /** The running time. */
  readonly duration?: Duration | null;
}

/** An image that the model made. */
export interface GeneratedImage {
  /** The state of the call. */
  readonly status?: string | null;
  /** The prompt as the model revised it. */
  readonly revised_prompt?: string | null;
  /** The image, in base64. */
  readonly result?: string | null;
  /** The path under which the image was saved. */
  readonly saved_path?: string | null;
}

/**
 * The change of one file. `type` is the sort of change; up to 0.42 the details are in `add`,
 * `delete` or `update` instead.
 */
export interface FilePatch {
  /** `add`, `delete`, `update`. */
  readonly type?: string | null;
  /** The content of an added or deleted file. */
  readonly content?: string | null;
  /** The diff of an updated file. */
  readonly unified_diff?: string | null;
  /** The new path of a moved file. */
  readonly move_path?: string | null;
  /** The details of an added file (up to 0.42). */
  readonly add?: unknown;
  /** The details of a deleted file (up to 0.42). */
  readonly delete?: unknown;
  /** The details of an updated file (up to 0.42). */
  readonly update?: unknown;
}

/** The changes of files, by path; up to 0.25 the word `delete` for a deleted file. */
export interface FilePatches {
  /** The change of the file at a path. */
  readonly [path: string]: string | FilePatch;
}

/** The action of a web search. */
export interface WebSearchAction {
  /** `search`, `open_page`, `find_in_page`, `other`. */
  readonly type: string;
  /** The query. */
  readonly query?: string | null;
  /** All queries (0.95 and later). */
  readonly queries?: readonly string[] | null;
  /** The URL of the opened page (0.72 and later). */
  readonly url?: string | null;
  /** The text searched for on the page (0.72 and later). */
  readonly pattern?: string | null;
}

/** The server, the tool and the arguments of an MCP call. */
export interface McpInvocation {
  /** The name of the server. */
  readonly server: string;
  /** The name of the tool. */
  readonly tool: string;
  /** The arguments: a JSON value. */
  readonly arguments?: unknown;
}

/** The result of an MCP tool, with the names of the MCP protocol. */
export interface McpResult {
  /** The result, in parts. */
  readonly content?: readonly unknown[] | null;
  /** The result as data. */
  readonly structuredContent?: unknown;
  /** Whether the tool reports a failure. */
  readonly isError?: boolean | null;
  /** Further data of the server. */
  readonly _meta?: unknown;
}

/** The outcome of an MCP call: either `Ok` or `Err` is present. */
export interface McpOutcome {
  /** The result of the tool. */
  readonly Ok?: McpResult | null;
  /** The reason of a failure. */
  readonly Err?: string | null;
}

/** The subject of a review. */
export interface ReviewTarget {
  /** `custom`, `uncommittedChanges`, `baseBranch`, `commit`. */
  readonly type?: string | null;
  /** The instructions for the reviewer. */
  readonly instructions?: string | null;
}

/** The result of a review. */
export interface ReviewOutput {
  /** The findings. */
  readonly findings?: readonly ReviewFinding[] | null;
  /** The verdict on the change, as a phrase. */
  readonly overall_correctness?: string | null;
  /** The explanation of the verdict. */
  readonly overall_explanation?: string | null;
  /** The confidence of the reviewer, from 0 to 1. */
  readonly overall_confidence_score?: number | null;
}

/** One finding of a review. */
export interface ReviewFinding {
  /** The headline. */
  readonly title: string;
  /** The full text. */
  readonly body?: string | null;
  /** The confidence of the reviewer, from 0 to 1. */
  readonly confidence_score?: number | null;
  /** The priority; 0 is the highest. */
  readonly priority?: number | null;
  /** The place in the code. */
  readonly code_location?: CodeLocation | null;
}

/** The place of a finding. */
export interface CodeLocation {
  /** The path of the file. */
  readonly absolute_file_path?: string | null;
  /** The lines. */
  readonly line_range?: LineRange | null;
}

/** Lines of a file, counted from 1. */
export interface LineRange {
  /** The first line. */
  readonly start: number;
  /** The last line. */
  readonly end: number;
}

/** An error. */
export interface ErrorInfo {
  /** The message: prose, or JSON that a server sent. */
  readonly message: string;
  /** The kind of error: a word, or an object whose only field has that name. */
  readonly codex_error_info?: unknown;
}

/** @ignore The shape of {@linkcode Duration}. */
export const DURATION: Shape<Duration> = object({
  secs: NUMBER,
  nanos: maybe(NUMBER),
});

/** @ignore The shape of {@linkcode ParsedStep}. */
export const PARSED_STEP: Shape<ParsedStep> = object({
  type: maybe(STRING),
  cmd: maybe(STRING),
  name: maybe(STRING),
  path: maybe(STRING),
  query: maybe(STRING),
});

/** @ignore The shapes of the members of {@linkcode CommandResult}. */
export const COMMAND_RESULT: Members<CommandResult> = {
  stdout: maybe(STRING),
  stderr: maybe(STRING),
  aggregated_output: maybe(STRING),
  formatted_output: maybe(STRING),
  exit_code: maybe(NUMBER),
  duration: maybe(DURATION),
};

/** @ignore The shapes of the members of {@linkcode GeneratedImage}. */
export const GENERATED_IMAGE: Members<GeneratedImage> = {
  status: maybe(STRING),
  revised_prompt: maybe(STRING),
  result: maybe(STRING),
  saved_path: maybe(STRING),
};

const FILE_PATCH = object<FilePatch>({
  type: maybe(STRING),
  content: maybe(STRING),
  unified_diff: maybe(STRING),
  move_path: maybe(STRING),
  add: optional(ANY),
  delete: optional(ANY),
  update: optional(ANY),
});

/** @ignore The shape of {@linkcode FilePatches}. */
export const FILE_PATCHES: Shape<FilePatches> = map(either(STRING, FILE_PATCH));

/** @ignore The shape of {@linkcode WebSearchAction}. */
export const WEB_SEARCH_ACTION: Shape<WebSearchAction> = object({
  type: STRING,
  query: maybe(STRING),
  queries: maybe(list(STRING)),
  url: maybe(STRING),
  pattern: maybe(STRING),
});

/** @ignore The shape of {@linkcode McpInvocation}. */
export const MCP_INVOCATION: Members<McpInvocation> = {
  server: STRING,
  tool: STRING,
  arguments: optional(ANY),
};

/** @ignore The shape of {@linkcode McpResult}. */
export const MCP_RESULT: Shape<McpResult> = object({
  content: maybe(list(ANY)),
  structuredContent: optional(ANY),
  isError: maybe(BOOLEAN),
  _meta: optional(ANY),
});

/** @ignore The shape of {@linkcode McpOutcome}. */
export const MCP_OUTCOME: Shape<McpOutcome> = object({
  Ok: maybe(MCP_RESULT),
  Err: maybe(STRING),
});

/** @ignore The shape of {@linkcode ReviewTarget}. */
export const REVIEW_TARGET: Shape<ReviewTarget> = object({
  type: maybe(STRING),
  instructions: maybe(STRING),
});

/** @ignore The shape of {@linkcode ReviewOutput}. */
export const REVIEW_OUTPUT: Shape<ReviewOutput> = object({
  findings: maybe(list(object<ReviewFinding>({
    title: STRING,
    body: maybe(STRING),
    confidence_score: maybe(NUMBER),
    priority: maybe(NUMBER),
    code_location: maybe(object<CodeLocation>({
      absolute_file_path: maybe(STRING),
      line_range: maybe(object<LineRange>({ start: NUMBER, end: NUMBER })),
    })),
  }))),
  overall_correctness: maybe(STRING),
  overall_explanation: maybe(STRING),
  overall_confidence_score: maybe(NUMBER),
});

/** @ignore The shape of {@linkcode ErrorInfo}. */
export const ERROR_INFO: Shape<ErrorInfo> = object({
  message: STRING,
  codex_error_info: optional(ANY),
});
