/**
 * What commands, patches, searches, MCP calls and reviews in a rollout are made of.
 *
 * @module
 */

import {
  ANY,
  BOOLEAN,
  either,
  list,
  map,
  maybe,
  NUMBER,
  object,
  optional,
  type Shape,
  STRING,
} from "../../shapes/shapes.ts";

/** An object whose fields are not named here. */
export interface ObjectValue {
  /** The value of a field. */
  readonly [name: string]: unknown;
}

/** A length of time. */
export interface Duration {
  /** Whole seconds. */
  readonly secs: number;
  /** Nanoseconds besides. */
  readonly nanos?: number | null;
}

/** What a part of a command does, as Codex made it out. */
export interface ParsedStep {
  /** `read`, `list_files`, `search`, `unknown`, `noop` (0.25). */
  readonly type?: string | null;
  /** The part, as shell. */
  readonly cmd?: string | null;
  /** The name of the file that is read. */
  readonly name?: string | null;
  /** The path that is read, listed or searched. */
  readonly path?: string | null;
  /** What is searched for. */
  readonly query?: string | null;
}

/**
 * How a patch changes a file. `type` says how; in older releases one of `add`, `delete` and
 * `update` holds what else there is to say.
 */
export interface FilePatch {
  /** `add`, `delete`, `update`. */
  readonly type?: string | null;
  /** What is in the file that is added or deleted. */
  readonly content?: string | null;
  /** The change to the file that is updated. */
  readonly unified_diff?: string | null;
  /** Where the file is moved. */
  readonly move_path?: string | null;
  /** The file is added (up to 0.42). */
  readonly add?: unknown;
  /** The file is deleted (up to 0.42). */
  readonly delete?: unknown;
  /** The file is updated (up to 0.42). */
  readonly update?: unknown;
}

/** How files change, by path; up to 0.25 the word `delete` for one that is deleted. */
export interface FilePatches {
  /** How the file at a path changes. */
  readonly [path: string]: string | FilePatch;
}

/** What is done on the web. */
export interface WebSearchAction {
  /** `search`, `open_page`, `find_in_page`, `other`. */
  readonly type: string;
  /** What is searched for. */
  readonly query?: string | null;
  /** All that is searched for (0.98 and later). */
  readonly queries?: readonly string[] | null;
  /** The page that is opened (0.72 and later). */
  readonly url?: string | null;
  /** What is looked for on the page (0.72 and later). */
  readonly pattern?: string | null;
}

/** Which tool of which MCP server is called with what. */
export interface McpInvocation {
  /** The name of the server. */
  readonly server: string;
  /** The name of the tool. */
  readonly tool: string;
  /** What the tool is given: a JSON value. */
  readonly arguments?: unknown;
}

/** What an MCP tool answered, as the server spells it. */
export interface McpResult {
  /** The answer, in parts. */
  readonly content?: readonly unknown[] | null;
  /** The answer as data. */
  readonly structuredContent?: unknown;
  /** Whether the tool says that it failed. */
  readonly isError?: boolean | null;
  /** What else the server says. */
  readonly _meta?: unknown;
}

/** What a call came to: one of the two is there. */
export interface McpOutcome {
  /** What the tool answered. */
  readonly Ok?: McpResult | null;
  /** Why there is no answer. */
  readonly Err?: string | null;
}

/** What is reviewed. */
export interface ReviewTarget {
  /** `custom`, `uncommittedChanges`, `baseBranch`, `commit`. */
  readonly type?: string | null;
  /** What the reviewer is told. */
  readonly instructions?: string | null;
}

/** What a review found. */
export interface ReviewOutput {
  /** The findings. */
  readonly findings?: readonly ReviewFinding[] | null;
  /** Whether the change is right, in words. */
  readonly overall_correctness?: string | null;
  /** Why. */
  readonly overall_explanation?: string | null;
  /** How sure the reviewer is, from 0 to 1. */
  readonly overall_confidence_score?: number | null;
}

/** One finding of a review. */
export interface ReviewFinding {
  /** The finding in short. */
  readonly title: string;
  /** The finding at length. */
  readonly body?: string | null;
  /** How sure the reviewer is, from 0 to 1. */
  readonly confidence_score?: number | null;
  /** How much it matters; 0 the most. */
  readonly priority?: number | null;
  /** Where it is. */
  readonly code_location?: CodeLocation | null;
}

/** Where a finding is. */
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

/** What went wrong. */
export interface ErrorInfo {
  /** What went wrong: prose, or JSON that a server sent. */
  readonly message: string;
  /** Which sort of error: a word, or an object with one field of that name. */
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
export const MCP_INVOCATION: Shape<McpInvocation> = object({
  server: STRING,
  tool: STRING,
  arguments: optional(ANY),
});

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

/** @ignore The shape of {@linkcode ReviewOutput}. */
export const REVIEW_OUTPUT: Shape<ReviewOutput> = object({
  findings: maybe(list(REVIEW_FINDING)),
  overall_correctness: maybe(STRING),
  overall_explanation: maybe(STRING),
  overall_confidence_score: maybe(NUMBER),
});

/** @ignore The shape of {@linkcode ErrorInfo}. */
export const ERROR_INFO: Shape<ErrorInfo> = object({
  message: STRING,
  codex_error_info: optional(ANY),
});
