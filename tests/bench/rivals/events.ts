/** Reads typed events through Web Streams, one at a time, without output. */

import { JsonlDecoderStream } from "@codexpipe/codexpipe";

/** Three: one block is read, one is decoded, and one is queued between the two streams. */
const BLOCKS = 3;
const BLOCK_LENGTH = 1 << 18;

const [path = ""] = Deno.args;
// Like the unit, it reads synchronously and reuses its buffers.
using file = Deno.openSync(path);
const memory = new Uint8Array(BLOCKS * BLOCK_LENGTH);
let turn = 0;
const blocks = new ReadableStream<Uint8Array>({
  pull(controller): void {
    const from = (turn++ % BLOCKS) * BLOCK_LENGTH;
    const block = memory.subarray(from, from + BLOCK_LENGTH);
    const length = file.readSync(block);
    if (length === null) controller.close();
    else controller.enqueue(block.subarray(0, length));
  },
}, { highWaterMark: 0 });
let failures = 0;
for await (const outcome of blocks.pipeThrough(new JsonlDecoderStream())) {
  if (!outcome.ok) failures += 1;
}
if (failures > 0) Deno.exitCode = 1;
