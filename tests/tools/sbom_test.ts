import { assert, assertEquals, assertMatch } from "@std/assert";
import { billOfMaterials } from "../../tools/sbom.ts";

/** The parts of a bill of materials that the test checks. */
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

/** A lock file: packages by id, and the dependencies of the workspace. */
interface Lock {
  readonly npm: Readonly<Record<string, unknown>>;
  readonly workspace: unknown;
}

async function lockOf(name: string): Promise<Lock> {
  const url = new URL(`../../${name}`, import.meta.url);
  return JSON.parse(await Deno.readTextFile(url));
}

Deno.test("billOfMaterials() lists the imported packages, and none that only builds or tests need", async () => {
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
  // run.lock has the same packages, and no others.
  const imported = bill.components.map(({ purl }) =>
    decodeURIComponent(purl.slice("pkg:npm/".length))
  );
  const [run, all] = await Promise.all(["run.lock", "deno.lock"].map(lockOf));
  assert(run !== undefined && all !== undefined);
  const ids = Object.keys(run.npm);
  assertEquals(ids.map((id) => id.replace(/_.*/, "")).sort(), imported.sort());
  const known = Object.entries(all.npm).filter(([id]) => ids.includes(id));
  assertEquals(run.npm, Object.fromEntries(known));
  assertEquals(run.workspace, all.workspace);
  for (const { purl, hashes } of bill.components) {
    assertMatch(purl, /^pkg:npm\/\S+@\d+\.\d+\.\d+/);
    assertMatch(hashes[0]?.content ?? "", /^[\da-f]{128}$/);
  }
});
