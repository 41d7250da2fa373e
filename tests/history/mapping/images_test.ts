import { assertEquals } from "@std/assert";
import { pathOf } from "../../../lib/history/mapping/images.ts";

const PATHS = [
  ["/a b.png", "/a b.png"],
  ["file:///w/a%20b.png", "/w/a b.png"],
  ["FILE:///w/a.png", "/w/a.png"],
  ["file:///C:/a.png", "C:/a.png"],
  ["file:///w/C:/a.png", "/w/C:/a.png"],
  ["/w/file://a.png", "/w/file://a.png"],
  ["https://example.com/a.png", "https://example.com/a.png"],
  ["file:///%", "file:///%"],
] as const;

for (const [uri, path] of PATHS) {
  Deno.test(`pathOf() gives the path in ${uri}`, () => {
    assertEquals(pathOf(uri), path);
  });
}
