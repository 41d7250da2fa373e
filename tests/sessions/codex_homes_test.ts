import { assertEquals } from "@std/assert";
import { join, resolve } from "node:path";
import {
  cacheFolder,
  codexHomesFrom,
  isInside,
} from "../../lib/sessions/codex_homes.ts";

function environment(
  values: Readonly<Record<string, string>>,
): (name: string) => string | undefined {
  return (name) => values[name];
}

const HOMES = [
  {
    name: "the named homes, each once",
    given: ["/b", "/a", "/b"],
    env: { CODEX_HOME: "/c", HOME: "/home/me" },
    expected: ["/b", "/a"],
  },
  {
    name: "the named homes, with ~ as the user's home",
    given: ["~/.codex", "~", "~other", "a~"],
    env: { HOME: "/home/me" },
    expected: ["/home/me/.codex", "/home/me", "~other", "a~"],
  },
  {
    name: "CODEX_HOME",
    given: [],
    env: { CODEX_HOME: "/c", HOME: "/home/me" },
    expected: ["/c"],
  },
  {
    name: ".codex in the user's home, if CODEX_HOME is empty",
    given: [],
    env: { CODEX_HOME: "", HOME: "/home/me" },
    expected: ["/home/me/.codex"],
  },
  {
    name: ".codex in USERPROFILE, if HOME is not set",
    given: [],
    env: { USERPROFILE: "/users/me" },
    expected: ["/users/me/.codex"],
  },
  {
    name: ".codex in USERPROFILE on Windows, where HOME is another folder",
    given: [],
    platform: "win32",
    env: { HOME: "/h", USERPROFILE: "/users/me" },
    expected: ["/users/me/.codex"],
  },
  {
    name: "the named homes, with ~ as USERPROFILE on Windows",
    given: ["~/.codex", "~\\x"],
    platform: "win32",
    env: { HOME: "/h", USERPROFILE: "/users/me" },
    expected: ["/users/me/.codex", "/users/me\\x"],
  },
  {
    name: "no homes, if no variable names a home",
    given: [],
    env: {},
    expected: [],
  },
] satisfies {
  name: string;
  given: string[];
  platform?: string;
  env: Readonly<Record<string, string>>;
  expected: string[];
}[];

for (const { name, given, platform = "linux", env, expected } of HOMES) {
  Deno.test(`codexHomesFrom() returns ${name}`, () => {
    assertEquals(
      codexHomesFrom({ env: environment(env), given, platform }),
      expected.map((path) => resolve(path)),
    );
  });
}

const CACHES = [
  {
    name: "XDG_CACHE_HOME, on every platform that sets it",
    platform: "darwin",
    env: { XDG_CACHE_HOME: "/cache", HOME: "/home/me" },
    expected: "/cache/codexpipe",
  },
  {
    name: "~/.cache, where XDG_CACHE_HOME is a relative path",
    platform: "linux",
    env: { XDG_CACHE_HOME: "cache", HOME: "/home/me" },
    expected: "/home/me/.cache/codexpipe",
  },
  {
    name: "~/.cache on Linux",
    platform: "linux",
    env: { HOME: "/home/me", LOCALAPPDATA: "/local" },
    expected: "/home/me/.cache/codexpipe",
  },
  {
    name: "~/Library/Caches on macOS",
    platform: "darwin",
    env: { HOME: "/home/me" },
    expected: "/home/me/Library/Caches/codexpipe",
  },
  {
    name: "LOCALAPPDATA on Windows",
    platform: "win32",
    env: { USERPROFILE: "/users/me", LOCALAPPDATA: "/local" },
    expected: "/local/codexpipe",
  },
  {
    name: "no folder, if no variable names a home",
    platform: "linux",
    env: {},
    expected: undefined,
  },
] satisfies {
  name: string;
  platform: string;
  env: Readonly<Record<string, string>>;
  expected: string | undefined;
}[];

for (const { name, platform, env, expected } of CACHES) {
  Deno.test(`cacheFolder() returns ${name}`, () => {
    assertEquals(
      cacheFolder({ env: environment(env), platform }),
      expected === undefined ? undefined : resolve(expected),
    );
  });
}

Deno.test("isInside() accepts a folder and the paths below it, but no other path with the same prefix", () => {
  assertEquals(isInside("/a/b", "/a/b/"), true);
  assertEquals(isInside(join("/a/b", "c"), "/a/b"), true);
  assertEquals(isInside("/a/bc", "/a/b"), false);
  assertEquals(isInside("/a", "/a/b"), false);
  assertEquals(isInside("/a", "/"), true);
});
