/** Numbers of bytes as people write them. */

import { assertEquals } from "@std/assert";
import { parseByteSize } from "../../lib/cli/byte_size.ts";

const CASES = [
  { text: "0", bytes: 0 },
  { text: "1", bytes: 1 },
  { text: "0010", bytes: 10 },
  { text: "1000000", bytes: 1_000_000 },
  { text: "2k", bytes: 2048 },
  { text: "2K", bytes: 2048 },
  { text: "256M", bytes: 268_435_456 },
  { text: "1G", bytes: 1_073_741_824 },
  { text: "9".repeat(400), bytes: Infinity },
  { text: "", bytes: undefined },
  { text: "K", bytes: undefined },
  { text: "1.5K", bytes: undefined },
  { text: "-1", bytes: undefined },
  { text: "1e3", bytes: undefined },
  { text: "0x10", bytes: undefined },
  { text: "1KB", bytes: undefined },
  { text: " 1", bytes: undefined },
  { text: "1\n", bytes: undefined },
  { text: "١", bytes: undefined },
] satisfies { text: string; bytes: number | undefined }[];

for (const { text, bytes } of CASES) {
  const name = JSON.stringify(text.slice(0, 10));
  Deno.test(`parseByteSize() reads ${name} as ${bytes}`, () => {
    assertEquals(parseByteSize(text), bytes);
  });
}
