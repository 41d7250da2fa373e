import { assertEquals } from "@std/assert";
import {
  isPlatformError,
  isWouldBlock,
  reasonOf,
} from "../../lib/cli/reasons.ts";
import { codeOf } from "../../lib/files/byte_source.ts";
import { withFolder } from "../sessions/homes.ts";
import { platformError } from "./memory.ts";

/** Returns the value that an action throws. */
async function thrownBy(action: () => Promise<unknown>): Promise<unknown> {
  try {
    await action();
  } catch (error) {
    return error;
  }
}

Deno.test("reasonOf() and codeOf() read the errors that Deno throws", async () => {
  await withFolder(async (folder) => {
    const missing = await thrownBy(() => Deno.open(`${folder}/nowhere`));
    assertEquals(reasonOf(missing), "not found");
    assertEquals(codeOf(missing), "ENOENT");
    const create = await thrownBy(() => Deno.create(`${folder}/no/where`));
    assertEquals(reasonOf(create), "not found");
  });
});

const CASES = [
  {
    name: "a known code",
    error: platformError("EACCES"),
    reason: "permission denied",
  },
  {
    name: "a cycle of links, in the same words on every platform",
    error: platformError("ELOOP", "Too many levels of symbolic links"),
    reason: "too many symbolic links encountered",
  },
  {
    name: "the message for an unknown code",
    error: platformError("EXYZ", "Stale file handle"),
    reason: "stale file handle",
  },
  {
    name: "the message of node:fs for an unknown code",
    error: platformError("EMLINK", "EMLINK: too many links, link '/a' -> '/b'"),
    reason: "too many links",
  },
  {
    name: "the message of an error without a code",
    error: new Error("Odd"),
    reason: "odd",
  },
  { name: "a value that is not an error", error: "odd", reason: "odd" },
  { name: "undefined", error: undefined, reason: "undefined" },
  {
    name: "a denied permission",
    error: Object.assign(new Error("Requires read access"), {
      name: "NotCapable",
    }),
    reason: "Deno denied the permission",
  },
] satisfies { name: string; error: unknown; reason: string }[];

for (const { name, error, reason } of CASES) {
  Deno.test(`reasonOf() returns: ${name}`, () => {
    assertEquals(reasonOf(error), reason);
  });
}

Deno.test("isWouldBlock() is true for EAGAIN and EWOULDBLOCK only", () => {
  assertEquals(
    ["EAGAIN", "EWOULDBLOCK", "EPIPE"].map((code) =>
      isWouldBlock(platformError(code))
    ),
    [true, true, false],
  );
  assertEquals(isWouldBlock("EAGAIN"), false);
});

Deno.test("isPlatformError() is true for codes and denied permissions, and false for bugs", () => {
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
      reason: "Deno denied the permission; run deno with --allow-write",
    },
    {
      message:
        'Requires env access to "HOME", run again with the --allow-env flag',
      reason: "Deno denied the permission; run deno with --allow-env",
    },
    {
      message:
        'Requires all access to "/dev/stdin", run again with the --allow-all flag',
      reason: "Deno denied the permission; run deno with --allow-all",
    },
    {
      message: "something else",
      reason: "Deno denied the permission",
    },
  ]
) {
  Deno.test(`reasonOf() names the denied permission: ${reason}`, () => {
    assertEquals(reasonOf(new Deno.errors.NotCapable(message)), reason);
  });
}

Deno.test("reasonOf() and isPlatformError() read a TypeError for a module that may not be loaded", () => {
  const error = new TypeError(
    'Requires read access to "/lib/x.ts", run again with the --allow-read flag',
  );
  assertEquals(isPlatformError(error), true);
  assertEquals(
    reasonOf(error),
    "Deno denied the permission; run deno with --allow-read",
  );
});
