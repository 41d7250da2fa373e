/** Typed events through a Web Stream, one at a time; nothing written. */

import { JsonlDecoderStream } from "@codexpipe/codexpipe";

const [path = ""] = Deno.args;
const file = await Deno.open(path);
const blocks = new ReadableStream<Uint8Array>({
  async pull(controller): Promise<void> {
    const block = new Uint8Array(1 << 18);
    const length = await file.read(block);
    if (length === null) controller.close();
    else controller.enqueue(block.subarray(0, length));
  },
}, { highWaterMark: 0 });
let failures = 0;
for await (const outcome of blocks.pipeThrough(new JsonlDecoderStream())) {
  if (!outcome.ok) failures += 1;
}
if (failures > 0) Deno.exitCode = 1;
