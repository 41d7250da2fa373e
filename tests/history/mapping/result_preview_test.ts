import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { prettyJson } from "../../../lib/history/mapping/pretty_json.ts";
import { resultPreview } from "../../../lib/history/mapping/result_preview.ts";

Deno.test("resultPreview() names what is no text", () => {
  const preview = resultPreview([
    { type: "text", text: "a\r\n\n b" },
    { type: "image", data: "" },
    { type: "input_image", image_url: "" },
    { type: "inputImage", imageUrl: "" },
    { type: "audio", data: "" },
    { type: "input_audio" },
    { type: "inputAudio" },
    { type: "resource_link", uri: "file:///y" },
    { type: "resource", resource: { uri: "file:///x" } },
    {},
  ]);
  assertEquals(preview?.lines, [
    "a",
    " b",
    "<image content>",
    "<image content>",
    "<image content>",
    "<audio content>",
    "<audio content>",
    "<audio content>",
    "link: file:///y",
    "embedded resource: file:///x",
  ]);
  assertEquals(resultPreview(["", { type: "text", text: " \n" }]), null);
});

Deno.test("resultPreview() keeps the end of a long text, by characters", () => {
  const whole = resultPreview(["😀".repeat(16_000)]);
  assertEquals([whole?.lines[0]?.length, whole?.truncated], [32_000, false]);
  const cut = resultPreview(["x" + "😀".repeat(16_000)]);
  assertEquals([cut?.lines[0]?.length, cut?.truncated], [32_000, true]);
});

Deno.test("prettyJson() lays out like JSON.stringify()", () => {
  const value = fc.oneof(
    fc.array(fc.jsonValue()),
    fc.dictionary(fc.string(), fc.jsonValue()),
  );
  fc.assert(fc.property(value, (json) => {
    const text = JSON.stringify(json);
    assertEquals(prettyJson(text), JSON.stringify(JSON.parse(text), null, 2));
  }));
});

Deno.test("prettyJson() changes no number and no key", () => {
  assertEquals(
    prettyJson(' {"2":1.0,"1":[9007199254740993],"1":{}}\n'),
    '{\n  "2": 1.0,\n  "1": [\n    9007199254740993\n  ],\n  "1": {}\n}',
  );
  for (
    const text of [
      '"a"',
      "1",
      "{",
      "[1] x",
      "",
      "[".repeat(200) + "]".repeat(200),
    ]
  ) {
    assertEquals(prettyJson(text), undefined);
  }
});
