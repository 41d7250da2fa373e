/** Why an operation of the platform failed, in plain words. */

import { assertEquals } from "@std/assert";
import {
  isPlatformError,
  isWouldBlock,
  reasonOf,
} from "../../lib/cli/reasons.ts";
import { codeOf } from "../../lib/files/byte_source.ts";
import { platformError } from "./memory.ts";

/** What is thrown when a file cannot be opened. */
async function thrownBy(action: () => Promise<unknown>): Promise<unknown> {
  try {
    await action();
  } catch (error) {
    return error;
  }
}

Deno.test("reasonOf() knows what Deno throws", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const missing = await thrownBy(() => Deno.open(`${folder}/nowhere`));
    assertEquals(reasonOf(missing), "not found");
    assertEquals(codeOf(missing), "ENOENT");
    const create = await thrownBy(() => Deno.create(`${folder}/no/where`));
    assertEquals(reasonOf(create), "not found");
  } finally {
    await Deno.remove(folder);
  }
});

const CASES = [
  {
    name: "a code that it knows",
    error: platformError("EACCES"),
    reason: "permission denied",
  },
  {
    name: "links that go round in a circle, in one way",
    error: platformError("ELOOP", "Too many levels of symbolic links"),
    reason: "too many symbolic links encountered",
  },
  {
    name: "a code that it does not know, by the message",
    error: platformError("EXYZ", "Stale file handle"),
    reason: "stale file handle",
  },
  {
    name: "a code that it does not know, in the words of node:fs",
    error: platformError("EMLINK", "EMLINK: too many links, link '/a' -> '/b'"),
    reason: "too many links",
  },
  { name: "no code, by the message", error: new Error("Odd"), reason: "odd" },
  { name: "what is no error", error: "odd", reason: "odd" },
  { name: "nothing", error: undefined, reason: "undefined" },
  {
    name: "a permission that Deno was not given",
    error: Object.assign(new Error("Requires read access"), {
      name: "NotCapable",
    }),
    reason: "Deno denied the permission",
  },
] satisfies { name: string; error: unknown; reason: string }[];

for (const { name, error, reason } of CASES) {
  Deno.test(`reasonOf() tells: ${name}`, () => {
    assertEquals(reasonOf(error), reason);
  });
}

Deno.test("isWouldBlock() knows both codes, and no other", () => {
  assertEquals(
    ["EAGAIN", "EWOULDBLOCK", "EPIPE"].map((code) =>
      isWouldBlock(platformError(code))
    ),
    [true, true, false],
  );
  assertEquals(isWouldBlock("EAGAIN"), false);
});

Deno.test("isPlatformError() tells what cannot be done from a bug", () => {
  const denied = Object.assign(new Error("Requires all access"), {
    name: "NotCapable",
  });
  assertEquals(
    [platformError("EACCES"), denied, new TypeError("x is no function"), "x"]
      .map(isPlatformError),
    [true, true, false, false],
  );
});

for (
  const { message, reason } of [
    {
      message:
        'Requires write access to "b.html", run again with the --allow-write flag',
      reason:
        "Deno denied the permission to write; run deno with --allow-write",
    },
    {
      message:
        'Requires env access to "HOME", run again with the --allow-env flag',
      reason:
        "Deno denied the permission to read environment variables; run deno with --allow-env",
    },
    {
      message: "something else",
      reason: "Deno denied the permission",
    },
  ]
) {
  Deno.test(`reasonOf() says of a permission: ${reason}`, () => {
    assertEquals(reasonOf(new Deno.errors.NotCapable(message)), reason);
  });
}

Deno.test("reasonOf() knows a module that may not be loaded", () => {
  const error = new TypeError(
    'Requires read access to "/lib/x.ts", run again with the --allow-read flag',
  );
  assertEquals(isPlatformError(error), true);
  assertEquals(
    reasonOf(error),
    "Deno denied the permission to read; run deno with --allow-read",
  );
});
