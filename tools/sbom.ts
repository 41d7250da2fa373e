/**
 * Prints the bill of materials of the command and the library, as CycloneDX 1.6: the packages
 * that their modules import, and the dependencies of those. Packages that only builds and tests
 * need are left out, though the lock has them.
 */

import config from "../deno.json" with { type: "json" };

/** The parts of the output of `deno info --json` that are used here. */
interface ModuleGraph {
  readonly modules: readonly {
    readonly kind?: string;
    readonly npmPackage?: string;
  }[];
  readonly npmPackages: Readonly<
    Record<string, {
      readonly name: string;
      readonly version: string;
      readonly dependencies: readonly string[];
    }>
  >;
}

/** A package in the bill of materials. */
interface Component {
  readonly type: "library";
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes: readonly {
    readonly alg: string;
    readonly content: string;
  }[];
}

/** The npm packages of the lock, by name and version. */
type Locked = Readonly<Record<string, { readonly integrity?: string }>>;

/** Returns the bill of materials of all entry points. */
export async function billOfMaterials(): Promise<
  Readonly<Record<string, unknown>>
> {
  const text = await Deno.readTextFile(
    new URL("../deno.lock", import.meta.url),
  );
  const locked: Locked = JSON.parse(text).npm;
  const components = new Map<string, Component>();
  for (const entry of Object.values(config.exports)) {
    const { modules, npmPackages } = await graphOf(entry);
    const waiting = modules.flatMap(({ npmPackage }) => npmPackage ?? []);
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const found = npmPackages[id];
      if (found === undefined || components.has(id)) continue;
      const { name, version, dependencies } = found;
      const purl = `pkg:npm/${name.replace(/^@/, "%40")}@${version}`;
      components.set(id, {
        type: "library",
        "bom-ref": purl,
        name,
        version,
        purl,
        hashes: hashesOf(locked[id]?.integrity),
      });
      waiting.push(...dependencies);
    }
  }
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        name: config.name,
        version: config.version,
        licenses: [{ license: { id: config.license } }],
      },
    },
    components: [...components].sort(([a], [b]) => a < b ? -1 : 1)
      .map(([, component]) => component),
  };
}

async function graphOf(entry: string): Promise<ModuleGraph> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", new URL(`../${entry}`, import.meta.url).href],
  }).output();
  if (!success) {
    throw new TypeError(
      `Cannot look at ${entry}: ${new TextDecoder().decode(stderr)}`,
    );
  }
  return JSON.parse(new TextDecoder().decode(stdout));
}

/** Converts the integrity of a package in the lock to hashes. */
function hashesOf(integrity: string | undefined): Component["hashes"] {
  const [, base64 = ""] = /^sha512-(.+)$/.exec(integrity ?? "") ?? [];
  return base64 === "" ? [] : [{
    alg: "SHA-512",
    content: Uint8Array.fromBase64(base64).toHex(),
  }];
}

if (import.meta.main) {
  await Deno.stdout.write(
    new TextEncoder().encode(
      `${JSON.stringify(await billOfMaterials(), null, 2)}\n`,
    ),
  );
}
