/** The unit of the comparison: `JSON.parse` of every line, without output. */

import { readLinesInBlocks } from "./lines_in_blocks.ts";

const [path = ""] = Deno.args;
readLinesInBlocks(path, (text) => {
  for (let start = 0; start < text.length;) {
    const end = text.indexOf("\n", start);
    JSON.parse(text.slice(start, end));
    start = end + 1;
  }
});
