/** The library without the command: `JsonlNormalizer` with synchronous reads and writes. */

import { JsonlNormalizer } from "@codexpipe/codexpipe";
import { writeAllSync } from "./write_all.ts";

const [path = ""] = Deno.args;
const normalizer = new JsonlNormalizer();
using file = Deno.openSync(path);
const buffer = new Uint8Array(1 << 18);
for (;;) {
  const length = file.readSync(buffer);
  if (length === null) break;
  normalizer.feed(buffer.subarray(0, length), writeAllSync);
}
normalizer.flush(writeAllSync);
