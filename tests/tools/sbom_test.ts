import { assert, assertEquals, assertMatch } from "@std/assert";
import { billOfMaterials } from "../../tools/sbom.ts";

/** The parts of a bill that the test looks at. */
interface Bill {
  readonly components: readonly {
    readonly name: string;
    readonly purl: string;
    readonly hashes: readonly { readonly content: string }[];
  }[];
}

function isBill(value: unknown): value is Bill {
  return typeof value === "object" && value !== null && "components" in value;
}

Deno.test("billOfMaterials() lists what is imported, and nothing that only builds or tests need", async () => {
  const bill = await billOfMaterials();
  assert(isBill(bill));
  const names = bill.components.map(({ name }) => name);
  assertEquals(
    names.filter((name) =>
      /valibot|markdown-it|string-width|strip-ansi/.test(name)
    ),
    [
      "@valibot/to-json-schema",
      "markdown-it",
      "string-width",
      "strip-ansi",
      "valibot",
    ],
  );
  assertEquals(
    names.filter((name) => /assemblyscript|fast-check|binaryen|ajv/.test(name)),
    [],
  );
  for (const { purl, hashes } of bill.components) {
    assertMatch(purl, /^pkg:npm\/\S+@\d+\.\d+\.\d+/);
    assertMatch(hashes[0]?.content ?? "", /^[\da-f]{128}$/);
  }
});
