/** The same rewriting in the style of the manuals of Deno and @std: a stream for each step. */

import { TextLineStream } from "@std/streams";
import { Flattening } from "./flatten.ts";

const [path = ""] = Deno.args;
const flattening = new Flattening();
const file = await Deno.open(path);
await file.readable
  .pipeThrough(new TextDecoderStream())
  .pipeThrough(new TextLineStream())
  .pipeThrough(
    new TransformStream<string, string>({
      transform(line, controller): void {
        const record = flattening.flatten(JSON.parse(line));
        controller.enqueue(`${JSON.stringify(record)}\n`);
      },
    }),
  )
  .pipeThrough(new TextEncoderStream())
  .pipeTo(Deno.stdout.writable);
