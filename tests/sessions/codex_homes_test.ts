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
    name: "those that were named, each once",
    given: ["/b", "/a", "/b"],
    env: { CODEX_HOME: "/c", HOME: "/home/me" },
    expected: ["/b", "/a"],
  },
  {
    name: "those that were named, from the user's home on",
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
    name: ".codex in the user's home on Windows",
    given: [],
    env: { USERPROFILE: "/users/me" },
    expected: ["/users/me/.codex"],
  },
  {
    name: ".codex in USERPROFILE on Windows, where HOME is something else",
    given: [],
    platform: "win32",
    env: { HOME: "/h", USERPROFILE: "/users/me" },
    expected: ["/users/me/.codex"],
  },
  {
    name: "those that were named, from USERPROFILE on on Windows",
    given: ["~/.codex", "~\\x"],
    platform: "win32",
    env: { HOME: "/h", USERPROFILE: "/users/me" },
    expected: ["/users/me/.codex", "/users/me\\x"],
  },
  { name: "none, if nobody has a home", given: [], env: {}, expected: [] },
] satisfies {
  name: string;
  given: string[];
  platform?: string;
  env: Readonly<Record<string, string>>;
  expected: string[];
}[];

for (const { name, given, platform = "linux", env, expected } of HOMES) {
  Deno.test(`codexHomesFrom() gives: ${name}`, () => {
    assertEquals(
      codexHomesFrom({ env: environment(env), given, platform }),
      expected.map((path) => resolve(path)),
    );
  });
}

const CACHES = [
  {
    name: "XDG_CACHE_HOME, wherever it is set",
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
    name: "nothing, if nobody has a home",
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
  Deno.test(`cacheFolder() gives: ${name}`, () => {
    assertEquals(
      cacheFolder({ env: environment(env), platform }),
      expected === undefined ? undefined : resolve(expected),
    );
  });
}

Deno.test("isInside() takes a folder and what is below it, and not what only begins so", () => {
  assertEquals(isInside("/a/b", "/a/b/"), true);
  assertEquals(isInside(join("/a/b", "c"), "/a/b"), true);
  assertEquals(isInside("/a/bc", "/a/b"), false);
  assertEquals(isInside("/a", "/a/b"), false);
  assertEquals(isInside("/a", "/"), true);
});
