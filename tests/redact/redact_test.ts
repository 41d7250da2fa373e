import { assertEquals } from "@std/assert";
import { pageWithTable } from "./table.ts";

Deno.test("the table in docs/redact.md shows the measured shares", async () => {
  const page = await Deno.readTextFile(
    new URL("../../docs/redact.md", import.meta.url),
  );
  assertEquals(pageWithTable(page), page);
});
