/**
 * Hostile input: keys, values, bytes and line ends that often break programs.
 *
 * @module
 */

/** Keys that often break programs, and keys with a meaning in some dialect. */
export const KEYS = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "",
  "0",
  "length",
  "then",
  "toJSON",
  "type",
  "item",
  "item_type",
  "item_id",
  "id",
  "call_id",
  "thread_id",
  "turn_id",
  "session_id",
  "conversation_id",
  "status",
  "content",
  "payload",
  "timestamp",
  "ordinal",
  "msg",
  "usage",
  "info",
  "text",
  "message",
  "changes",
  "record_type",
  "history_mode",
  "\\u0074ype",
  "a".repeat(300),
] as const;

/** Numbers at the limits of their representations, as JSON. */
export const NUMBERS = [
  "0",
  "-0",
  "-1",
  "1.0",
  "0.5",
  "1e400",
  "-1e400",
  "1e-400",
  "2147483648",
  "4294967296",
  "8640000000000001",
  "9007199254740991",
  "9007199254740993",
  "-9007199254740993",
  "9223372036854775807",
  "9223372036854775808",
  "18446744073709551616",
  "123456789012345678901234567890",
] as const;

/** Invalid and extreme times, as JSON. */
export const TIMES = [
  '"1970-01-01T00:00:00.000Z"',
  '"0000-00-00T00:00:00Z"',
  '"9999-12-31T23:59:60Z"',
  '"+275760-09-13T00:00:00.001Z"',
  '"-000001-01-01T00:00:00Z"',
  '"2026-02-30T10:00:00Z"',
  '"2026-11-20T15:49:48+99:99"',
  '"2026-11-20T15:49:48.999999999999-05:30"',
  '"2026-11-20 15:49:48"',
  '"yesterday"',
  '""',
] as const;

/** A secret, in two parts so that no scanner reports this file. */
export const SECRET = "AKIA" + "IOSFODNN7EXAMPLE";

/** Texts that could have an effect when they are shown, as JSON. */
export const TEXTS = [
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\u2028\u202e\ufeff"',
  '"\\u001b]0;x\\u0007\\u001b[2J\\u009b31m\\r\\n\\u0085"',
  '"<script>alert(1)</script>"',
  '"<img src=x onerror=alert(1)>"',
  `"'\\"><svg/onload=alert(1)><!--"`,
  '"[x](javascript:alert(1)) ![y](data:text/html,z) <javascript:alert(1)>"',
  '"```\\n# x\\n~~~~\\n<details>"',
  '"::error::x\\n::set-output name=a::b\\n##[error]x\\nEOF"',
  "\"$(touch x); `id` && 'a'\\\\\"",
  `"${SECRET}"`,
  `"export API_TOKEN=hunter2hunter2 password: ${SECRET}"`,
  '"Exit code: 1e9\\nWall time: NaN seconds\\nTotal output lines: -1\\nOutput:\\n"',
  '"Process running with session ID 99999999999999999999\\nOutput:\\n"',
  '"{\\"output\\":{},\\"metadata\\":{\\"exit_code\\":\\"0\\"}}"',
  '"*** Begin Patch\\n*** Update File: \\n@@\\n*** Move to: \\n*** Add File: a\\n-b\\n*** End Patch"',
  '"--- a\\n+++ b\\n@@ -1,99999999999999999999 +0 @@\\n+x\\n\\\\ No newline"',
  '"<environment_context>\\n</environment_context>"',
  '"other"',
] as const;

/** Values that programs seldom expect, as JSON. */
export const VALUES: readonly [string, ...string[]] = [
  "null",
  "true",
  "false",
  ...NUMBERS,
  ...TEXTS,
  "[]",
  "{}",
  "[null]",
  "[[]]",
  '{"":null}',
  '{"__proto__":{"x":1}}',
  '{"toString":1,"valueOf":1}',
  '{"type":"x","type":null}',
  "[[[[[[]]]]]]",
  '{"type":"thread.started","thread_id":"other"}',
  '"thread.started"',
  '"item.completed"',
  '"item.updated"',
  '"agent_message"',
  '"command_execution"',
  '"mcp_tool_call"',
  '"todo_list"',
  '"response_item"',
  '"event_msg"',
  '"function_call_output"',
  '"token_count"',
  '"line.failed"',
  '"completed"',
  '"failed"',
];

/** Invalid UTF-8, NUL, and the BOM. */
export const BROKEN: readonly [
  readonly number[],
  ...(readonly number[])[],
] = [
  [0xff],
  [0xc0, 0x80],
  [0xe2, 0x82],
  [0xed, 0xa0, 0x80],
  [0xf5, 0x80, 0x80, 0x80],
  [0x80],
  [0x00],
  [0xef, 0xbb, 0xbf],
];

/** Line ends; the first one is the usual one. */
export const ENDS = [
  "\n",
  "\r\n",
  "\n\n",
  " \n",
  "\r\r\n",
  "\n \t\n",
] as const;
