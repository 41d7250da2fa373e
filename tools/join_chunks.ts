/**
 * Joins what is always loaded of a bundle into one module.
 *
 * A bundler that leaves out what not every run needs makes a chunk of whatever the same parts
 * have in common, and so what each run needs lies in some forty chunks. To load each of them
 * takes longer than what is in it.
 */

/** The module to begin with. */
export const MAIN = "main.js";
/**
 * The module with all the rest that is always loaded. Others need it while the one to begin
 * with waits for them, so it is not the same.
 */
const CORE = "core.js";
const CORE_ENTRY = "core_entry.js";
/** What a module of a bundle loads at once, with the names that it takes from it. */
const LOADED_REGEXP = /\bimport\s*(?:\{([^}]*)\}\s*from\s*)?"\.\/([^"]+)";?/g;
/** What it loads when it is asked to. */
const ASKED_REGEXP = /\bimport\("\.\/([^"]+)"\)/g;
/** What it exports: at its end, in one list. */
const EXPORTS_REGEXP = /\bexport\s*\{([^}]*)\};?\s*$/;

/**
 * Joins what is always loaded of a bundle; what may be asked for later uses that, too.
 *
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
    for (const [, , other = ""] of code.matchAll(LOADED_REGEXP)) {
      if (!loaded.has(other)) loaded.set(other, "");
    }
  }
  loaded.delete(entry);
  const lines: string[] = [];
  const places = new Map<string, number>();
  for (const [name, code] of loaded) {
    const place = places.size;
    places.set(name, place);
    const names = exportsOf(code).map((own) =>
      `${own} as ${joined(own, place)}`
    );
    if (names.length > 0) lines.push(`export {${names}} from "./${name}";`);
  }
  const both = [...asked].find((name) => places.has(name));
  if (both !== undefined) {
    throw new Error(`Cannot join ${both}: it is asked for, too`);
  }
  await Deno.writeTextFile(new URL(CORE_ENTRY, folder), lines.join("\n"));
  await bundle(CORE_ENTRY, CORE, [...asked]);
  await Deno.remove(new URL(CORE_ENTRY, folder));
  for (const name of loaded.keys()) await Deno.remove(new URL(name, folder));
  for await (const { name } of Deno.readDir(folder)) {
    if (name === CORE) continue;
    const file = new URL(name, folder);
    const code = await Deno.readTextFile(file);
    await Deno.writeTextFile(file, withCore(code, places));
  }
  await bundle(entry, MAIN, [CORE, ...asked]);
  await Deno.remove(new URL(entry, folder));
}

/** What the joined module calls what a chunk exports. */
function joined(own: string, place: number): string {
  return `m${place}_${own}`;
}

/**
 * Lets a module take what it needs from the joined one. With a module in place of each chunk
 * that hands it on, `normalize` loads 28 more: 1.26 of an empty executable instead of 1.21, as
 * six copies of each started in turn.
 */
function withCore(code: string, places: ReadonlyMap<string, number>): string {
  return code.replaceAll(
    LOADED_REGEXP,
    (text: string, list: string | undefined, chunk: string) => {
      const place = places.get(chunk);
      if (place === undefined) return text;
      if (list === undefined) return "";
      const names = list.split(",").map((each) => {
        const [own = "", local = own] = each.trim().split(/\s+as\s+/);
        return `${joined(own, place)} as ${local}`;
      });
      return `import{${names}}from"./${CORE}";`;
    },
  );
}

/** The names that a module exports. */
function exportsOf(code: string): string[] {
  const [, list = ""] = EXPORTS_REGEXP.exec(code) ?? [];
  return list.split(",").map((each) => each.trim().split(/\s+as\s+/).at(-1))
    .filter((name) => name !== undefined && name !== "") as string[];
}
