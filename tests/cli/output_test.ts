/** Writing everything to what takes parts. */

import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { ClosedOutput, IoError } from "../../lib/cli/endings.ts";
import { Output } from "../../lib/cli/output.ts";
import { decode, encode } from "../running.ts";
import { failing, platformError } from "./memory.ts";

const NO_PAUSE = { pause: () => Promise.reject(new Error("it waited")) };

Deno.test("Output.write() writes the rest after short writes", async () => {
  const parts: string[] = [];
  const sink = {
    write(bytes: Uint8Array): Promise<number> {
      const part = bytes.subarray(0, 1 + parts.length);
      parts.push(decode(part));
      return Promise.resolve(part.length);
    },
  };
  await new Output(sink, "x", NO_PAUSE).write(encode("abcdefgh"));
  assertEquals(parts, ["a", "bc", "def", "gh"]);
});

Deno.test("Output.write() writes nothing if there is nothing", async () => {
  const sink = failing(new Error("it was written to"));
  await new Output(sink, "x", NO_PAUSE).write(new Uint8Array(0));
});

for (const code of ["EAGAIN", "EWOULDBLOCK"]) {
  Deno.test(`Output.write() waits and tries again after ${code}`, async () => {
    const log: string[] = [];
    const answers = [undefined, undefined, 1, undefined, 1];
    const sink = {
      write(bytes: Uint8Array): Promise<number> {
        const answer = answers.shift();
        if (answer === undefined) return Promise.reject(platformError(code));
        log.push(decode(bytes));
        return Promise.resolve(answer);
      },
    };
    const pause = (): Promise<void> => {
      log.push("pause");
      return Promise.resolve();
    };
    await new Output(sink, "x", { pause }).write(encode("ab"));
    assertEquals(log, ["pause", "pause", "ab", "pause", "b"]);
  });
}

Deno.test("Output.write() tells a reader that has gone from other errors", async () => {
  const write = (error: Error): Promise<void> =>
    new Output(failing(error), "stdout", NO_PAUSE).write(encode("a"));
  await assertRejects(() => write(platformError("EPIPE")), ClosedOutput);
  await assertRejects(
    () => write(platformError("ENOSPC")),
    IoError,
    "stdout: cannot write: no space left on the device",
  );
});

for (const error of [new ClosedOutput(), new IoError("full")]) {
  Deno.test(`Output.write() passes on what another output throws: ${error.name}`, async () => {
    const output = new Output(failing(error), "inner", NO_PAUSE);
    const thrown = await assertRejects(() => output.write(encode("x")));
    assertStrictEquals(thrown, error);
  });
}
