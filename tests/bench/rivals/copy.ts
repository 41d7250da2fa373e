/** The least work of a program in Deno: copies a file to stdout. */

import { writeAllSync } from "./write_all.ts";

const [path = ""] = Deno.args;
using file = Deno.openSync(path);
const buffer = new Uint8Array(1 << 18);
for (;;) {
  const length = file.readSync(buffer);
  if (length === null) break;
  writeAllSync(buffer.subarray(0, length));
}
