/**
 * Joins the chunks of a bundle that every run loads into one module.
 *
 * A bundler with code splitting makes a chunk for each set of modules that the same dynamic
 * imports share, so the code that every run needs is divided among some forty chunks. Loading a
 * chunk takes longer than evaluating the code in it.
 */

/** The module that starts the command. */
export const MAIN = "main.js";
/**
 * The module with all other code that every run loads. It is separate from the main module,
 * because dynamically imported modules need it while the main module awaits them.
 */
const CORE = "core.js";
const CORE_ENTRY = "core_entry.js";
/** Matches a static import: the imported names, and the module. */
const STATIC_REGEXP = /\bimport\s*(?:\{([^}]*)\}\s*from\s*)?"\.\/([^"]+)";?/g;
/** Matches a dynamic import. */
const DYNAMIC_REGEXP = /\bimport\("\.\/([^"]+)"\)/g;
/** Matches the list of exports, which is one and at the end of a module. */
const EXPORTS_REGEXP = /\bexport\s*\{([^}]*)\};?\s*$/;

/**
 * Joins the chunks of a bundle that are imported statically. Modules that are imported
 * dynamically then import the joined module.
 *
 * @param folder The folder of the bundle.
 * @param entry The name of the bundle's entry module.
 * @param bundle Bundles a module and its imports into one: takes the entry, the output, and the
 *   names of modules that stay separate.
 * @throws {Error} If a module is imported both statically and dynamically.
 */
export async function joinChunks(
  folder: URL,
  entry: string,
  bundle: (
    entry: string,
    output: string,
    external: readonly string[],
  ) => Promise<void>,
): Promise<void> {
  const dynamic = new Set<string>();
  const loaded = new Map<string, string>([[entry, ""]]);
  // Iterating over a map includes entries that are added meanwhile.
  for (const [name] of loaded) {
    const code = await Deno.readTextFile(new URL(name, folder));
    loaded.set(name, code);
    for (const [, other = ""] of code.matchAll(DYNAMIC_REGEXP)) {
      dynamic.add(other);
    }
    for (const [, , other = ""] of code.matchAll(STATIC_REGEXP)) {
      if (!loaded.has(other)) loaded.set(other, "");
    }
  }
  loaded.delete(entry);
  const lines: string[] = [];
  const indexes = new Map<string, number>();
  for (const [name, code] of loaded) {
    const index = indexes.size;
    indexes.set(name, index);
    const names = exportsOf(code).map((exported) =>
      `${exported} as ${joined(exported, index)}`
    );
    if (names.length > 0) lines.push(`export {${names}} from "./${name}";`);
  }
  const both = [...dynamic].find((name) => indexes.has(name));
  if (both !== undefined) {
    throw new Error(`Cannot join ${both}: it is imported dynamically, too`);
  }
  await Deno.writeTextFile(new URL(CORE_ENTRY, folder), lines.join("\n"));
  await bundle(CORE_ENTRY, CORE, [...dynamic]);
  await Deno.remove(new URL(CORE_ENTRY, folder));
  for (const name of loaded.keys()) await Deno.remove(new URL(name, folder));
  for await (const { name } of Deno.readDir(folder)) {
    if (name === CORE) continue;
    const file = new URL(name, folder);
    const code = await Deno.readTextFile(file);
    await Deno.writeTextFile(file, withCore(code, indexes));
  }
  await bundle(entry, MAIN, [CORE, ...dynamic]);
  await Deno.remove(new URL(entry, folder));
}

/** Returns the name in the joined module of a chunk's export. */
function joined(exported: string, index: number): string {
  return `m${index}_${exported}`;
}

/**
 * Replaces imports of joined chunks by imports from the joined module. The alternative, a module
 * in place of each chunk that re-exports from the joined one, makes `normalize` load 28 more
 * modules: 1.26 of an empty executable instead of 1.21, with six copies of each started in turn.
 */
function withCore(code: string, indexes: ReadonlyMap<string, number>): string {
  return code.replaceAll(
    STATIC_REGEXP,
    (text: string, list: string | undefined, chunk: string) => {
      const index = indexes.get(chunk);
      if (index === undefined) return text;
      if (list === undefined) return "";
      const names = list.split(",").map((each) => {
        const [exported = "", local = exported] = each.trim().split(/\s+as\s+/);
        return `${joined(exported, index)} as ${local}`;
      });
      return `import{${names}}from"./${CORE}";`;
    },
  );
}

/** Returns the names that a module exports. */
function exportsOf(code: string): string[] {
  const [, list = ""] = EXPORTS_REGEXP.exec(code) ?? [];
  return list.split(",").map((each) => each.trim().split(/\s+as\s+/).at(-1))
    .filter((name) => name !== undefined && name !== "") as string[];
}
