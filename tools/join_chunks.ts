/**
 * Joins what is always loaded of a bundle into one module.
 *
 * A bundler that leaves out what not every run needs makes a chunk of whatever the same parts
 * have in common, and so what each run needs lies in some forty chunks. To load each of them
 * takes longer than what is in it.
 *
 * @module
 */

/** The module to begin with. */
export const MAIN = "main.js";
/**
 * The module with all the rest that is always loaded. Others need it while the one to begin
 * with waits for them, so it is not the same.
 */
const CORE = "core.js";
const CORE_ENTRY = "core_entry.js";
/** What a module of a bundle loads at once, and when it is asked to. */
const LOADED_REGEXP = /\b(?:from|import)\s*"\.\/([^"]+)"/g;
const ASKED_REGEXP = /\bimport\("\.\/([^"]+)"\)/g;
/** What it exports: at its end, in one list. */
const EXPORTS_REGEXP = /\bexport\s*\{([^}]*)\};?\s*$/;

/**
 * Joins what is always loaded of a bundle; what may be asked for later uses that, too.
 *
 * @param folder The folder of the bundle.
 * @param entry The name of the module that it begins with.
 * @param bundle Bundles into one module: the entry, the module to make, and the names of
 *   those that stay by themselves.
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
  const asked = new Set<string>();
  const loaded = new Map<string, string>([[entry, ""]]);
  // A map that grows while it is walked gives its new members too.
  for (const [name] of loaded) {
    const code = await Deno.readTextFile(new URL(name, folder));
    loaded.set(name, code);
    for (const [, other = ""] of code.matchAll(ASKED_REGEXP)) asked.add(other);
    for (const [, other = ""] of code.matchAll(LOADED_REGEXP)) {
      if (!loaded.has(other)) loaded.set(other, "");
    }
  }
  loaded.delete(entry);
  const lines: string[] = [];
  const shims = new Map<string, string>();
  for (const [i, [name, code]] of [...loaded].entries()) {
    const names = exportsOf(code);
    if (names.length === 0) continue;
    const pairs = names.map((own) => [own, `m${i}_${own}`] as const);
    const out = pairs.map(([own, joined]) => `${own} as ${joined}`).join();
    const back = pairs.map(([own, joined]) => `${joined} as ${own}`).join();
    lines.push(`export {${out}} from "./${name}";`);
    shims.set(name, `export {${back}} from "./${CORE}";\n`);
  }
  await Deno.writeTextFile(new URL(CORE_ENTRY, folder), lines.join("\n"));
  const external = [...asked].filter((name) => !loaded.has(name));
  await bundle(CORE_ENTRY, CORE, external);
  for (const name of loaded.keys()) {
    const shim = shims.get(name);
    const file = new URL(name, folder);
    if (shim === undefined) await Deno.remove(file);
    else await Deno.writeTextFile(file, shim);
  }
  await bundle(entry, MAIN, [CORE, ...external]);
  await Deno.remove(new URL(CORE_ENTRY, folder));
  await Deno.remove(new URL(entry, folder));
}

/** The names that a module exports. */
function exportsOf(code: string): string[] {
  const [, list = ""] = EXPORTS_REGEXP.exec(code) ?? [];
  return list.split(",").map((each) => each.trim().split(/\s+as\s+/).at(-1))
    .filter((name) => name !== undefined && name !== "") as string[];
}
