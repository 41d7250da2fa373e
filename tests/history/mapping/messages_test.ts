import { assertEquals } from "@std/assert";
import {
  imageRecord,
  imageRecordOfUrl,
} from "../../../lib/history/mapping/messages.ts";

Deno.test("imageRecordOfUrl() drops the data of an image", () => {
  const url = "data:image/svg+xml;charset=utf-8,%3Csvg%3E";
  assertEquals(imageRecordOfUrl(url).payload, {
    path: "data:image/svg+xml;charset=utf-8",
    caption: null,
    metadata: { mime_type: "image/svg+xml", byte_len: 5 },
  });
  assertEquals(imageRecord("/w/a b.png").payload, {
    path: "/w/a b.png",
    caption: null,
    metadata: null,
  });
});

Deno.test("imageRecordOfUrl() counts the bytes of data, and keeps commas in other URLs (C.3)", () => {
  const image = (url: string) => imageRecordOfUrl(url).payload;
  const data = (url: string) => Object(image(url)).metadata.byte_len;
  assertEquals(data("data:image/png;base64,QUI="), 2);
  assertEquals(data("data:image/png;base64,QQ=="), 1);
  assertEquals(data("DATA:image/png;BASE64,QQ=="), 1);
  assertEquals(data("data:image/png;base64,===="), 0);
  assertEquals(data("data:,%"), 0);
  assertEquals(data("DATA:text/plain,a%20%C3%A9"), 4);
  assertEquals(image("https://example.com/a,b.png"), {
    path: "https://example.com/a,b.png",
    caption: null,
    metadata: null,
  });
});
