/**
 * Runs the examples in the docs. `deno test --doc` would give each one an isolate, and load the
 * library into it: that takes twenty times as long.
 */

const ROOT = new URL("../", import.meta.url);
/** A block of code in Markdown, or in a comment; each of its lines may begin with ` * `. */
const EXAMPLE_REGEXP =
  /^( *\* )?```(?<language>ts|js)\r?\n(?<code>.*?\n)\1```$/gms;
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ts: "application/typescript",
  js: "text/javascript",
};

/** Lists the source files and the pages in a folder, and in those below it. */
function listFiles(folder: string): string[] {
  return [...Deno.readDirSync(new URL(folder, ROOT))].flatMap((
    { name, isDirectory },
  ) => {
    const path = folder + name;
    if (isDirectory) return listFiles(`${path}/`);
    return /\.(?:ts|md)$/.test(name) ? [path] : [];
  }).sort();
}

const FILES = [
  "README.md",
  "mod.ts",
  ...listFiles("docs/"),
  ...listFiles("lib/"),
];

for (const path of FILES) {
  const text = Deno.readTextFileSync(new URL(path, ROOT));
  for (
    const { index, groups: { language = "", code = "" } = {} } of text.matchAll(
      EXAMPLE_REGEXP,
    )
  ) {
    const line = text.slice(0, index).split("\n").length;
    Deno.test(`the example at ${path}:${line}`, async () => {
      const source = code.replaceAll(/^ *\* ?/gm, "");
      await import(
        `data:${MEDIA_TYPES[language]},${encodeURIComponent(source)}`
      );
    });
  }
}
