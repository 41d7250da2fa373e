import { assertEquals } from "@std/assert";
import { isRetryNotice } from "../../../lib/dialects/exec/retry_notices.ts";

const CASES: readonly (readonly [message: string, isRetry: boolean])[] = [
  ["Reconnecting... 1/5", true],
  ["Re-connecting... 1/5", true],
  ["Reconnecting... 2/5 (stream disconnected before completion: x)", true],
  ["stream error: stream disconnected; retrying 2/10 in 262ms…", true],
  ["stream error: unexpected status 400\n{}; retrying 4/5 in 1.448s…", true],
  ["waiting for network", true],
  ["stream error: unexpected status 400", false],
  ["stream disconnected before completion: x", false],
  ["He said: Reconnecting... 1/5", false],
  ["", false],
];

for (const [message, isRetry] of CASES) {
  Deno.test(`isRetryNotice() returns ${isRetry} for ${JSON.stringify(message)}`, () => {
    assertEquals(isRetryNotice(message), isRetry);
  });
}
