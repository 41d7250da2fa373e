/** Token counts in rollouts. */

import {
  ANY,
  BOOLEAN,
  either,
  maybe,
  NUMBER,
  object,
  optional,
  type Shape,
  STRING,
} from "../../shapes/shapes.ts";

/**
 * Token counts: whole numbers of 64 bits. A count beyond 2^53 is rounded by JavaScript; the text of
 * the line has the exact digits.
 */
export interface TokenCounts {
  /** Tokens sent to the model. */
  readonly input_tokens: number;
  /** Input tokens that the server had cached. */
  readonly cached_input_tokens?: number | null;
  /** Input tokens that the server caches from now on (0.145 and later). */
  readonly cache_write_input_tokens?: number | null;
  /** Tokens that the model wrote. */
  readonly output_tokens: number;
  /** Output tokens that are reasoning. */
  readonly reasoning_output_tokens?: number | null;
  /** Input and output tokens together. */
  readonly total_tokens?: number | null;
}

/** The tokens of a thread so far, and of its last request. */
export interface TokenCountInfo {
  /** The tokens of the thread. */
  readonly total_token_usage: TokenCounts;
  /** The tokens of the last request. */
  readonly last_token_usage: TokenCounts;
  /** The size of the model's context window, in tokens. */
  readonly model_context_window?: number | null;
  /** Whether reasoning is counted in the last request (0.167 and later). */
  readonly last_usage_includes_reasoning?: boolean | null;
}

/** The rate limits of an account, and how much of them is used (0.40 and later). */
export interface RateLimits {
  /** The short window. */
  readonly primary?: RateLimitWindow | null;
  /** The long window. */
  readonly secondary?: RateLimitWindow | null;
  /** The id of the limit (0.101 and later). */
  readonly limit_id?: string | null;
  /** The name of the limit (0.101 and later). */
  readonly limit_name?: string | null;
  /** The remaining credits (0.60 and later). */
  readonly credits?: unknown;
  /** The plan of the account (0.66 and later). */
  readonly plan_type?: string | null;
  /** A limit of the user (0.140 and later). */
  readonly individual_limit?: unknown;
  /** The limit that was reached (0.122 and later). */
  readonly rate_limit_reached_type?: unknown;
  /** Whether a spending limit was reached (0.145 and later). */
  readonly spend_control_reached?: unknown;
}

/** A period of time with a limit. */
export interface RateLimitWindow {
  /** The used part, in percent; may be a fraction. */
  readonly used_percent?: number | null;
  /** The length of the period, in minutes. */
  readonly window_minutes?: number | null;
  /** The end of the period: Unix seconds, in some releases RFC 3339 (0.50 and later). */
  readonly resets_at?: number | string | null;
  /** The seconds until the end of the period, counted from the time of the line (0.42 to 0.47). */
  readonly resets_in_seconds?: number | null;
}

/** The tokens of one request, and the sums with it (0.153 and later). */
export interface TokenUsageRecord {
  /** The id of the thread. */
  readonly thread_id: string;
  /** The id of the turn. */
  readonly turn_id?: string | null;
  /** The id of the session. */
  readonly session_id?: string | null;
  /** The id of the root turn, which the turn belongs to. */
  readonly root_turn_id?: string | null;
  /** The id of the server's response. */
  readonly response_id?: string | null;
  /** The tokens of the request. */
  readonly usage: TokenCounts;
  /** The tokens of the turn so far. */
  readonly turn_token_usage?: TokenCounts | null;
  /** The tokens of the thread so far. */
  readonly thread_token_usage?: TokenCounts | null;
}

/** @ignore The shape of {@linkcode TokenCounts}. */
export const TOKEN_COUNTS: Shape<TokenCounts> = object({
  input_tokens: NUMBER,
  cached_input_tokens: maybe(NUMBER),
  cache_write_input_tokens: maybe(NUMBER),
  output_tokens: NUMBER,
  reasoning_output_tokens: maybe(NUMBER),
  total_tokens: maybe(NUMBER),
});

/** @ignore The shape of {@linkcode TokenCountInfo}. */
export const TOKEN_COUNT_INFO: Shape<TokenCountInfo> = object({
  total_token_usage: TOKEN_COUNTS,
  last_token_usage: TOKEN_COUNTS,
  model_context_window: maybe(NUMBER),
  last_usage_includes_reasoning: maybe(BOOLEAN),
});

const RATE_LIMIT_WINDOW = object<RateLimitWindow>({
  used_percent: maybe(NUMBER),
  window_minutes: maybe(NUMBER),
  resets_at: maybe(either(NUMBER, STRING)),
  resets_in_seconds: maybe(NUMBER),
});

/** @ignore The shape of {@linkcode RateLimits}. */
export const RATE_LIMITS: Shape<RateLimits> = object({
  primary: maybe(RATE_LIMIT_WINDOW),
  secondary: maybe(RATE_LIMIT_WINDOW),
  limit_id: maybe(STRING),
  limit_name: maybe(STRING),
  credits: optional(ANY),
  plan_type: maybe(STRING),
  individual_limit: optional(ANY),
  rate_limit_reached_type: optional(ANY),
  spend_control_reached: optional(ANY),
});

/** @ignore The shape of {@linkcode TokenUsageRecord}. */
export const TOKEN_USAGE_RECORD: Shape<TokenUsageRecord> = object({
  thread_id: STRING,
  turn_id: maybe(STRING),
  session_id: maybe(STRING),
  root_turn_id: maybe(STRING),
  response_id: maybe(STRING),
  usage: TOKEN_COUNTS,
  turn_token_usage: maybe(TOKEN_COUNTS),
  thread_token_usage: maybe(TOKEN_COUNTS),
});
