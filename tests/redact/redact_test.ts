import { assertEquals } from "@std/assert";
import { pageWithTable } from "./table.ts";

Deno.test("the page on redaction says what is found, as it is measured", async () => {
  const page = await Deno.readTextFile(
    new URL("../../docs/redact.md", import.meta.url),
  );
  assertEquals(pageWithTable(page), page);
});
