import { assertEquals } from "@std/assert";
import { snakeCase } from "../../lib/json/fields.ts";

const NAMES = [
  ["McpToolCall", "mcp_tool_call"],
  ["userMessage", "user_message"],
  ["sha256Sum", "sha256_sum"],
  ["xYZ", "x_y_z"],
  ["thread", "thread"],
  ["", ""],
] as const;

for (const [name, expected] of NAMES) {
  Deno.test(`snakeCase() separates the words in "${name}"`, () => {
    assertEquals(snakeCase(name), expected);
  });
}
