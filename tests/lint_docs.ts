/**
 * Lints the docs of every entry point with `deno doc --lint`, and looks for an example at
 * every module, function and class, or at a member of it. Errors are shown by what throws them.
 *
 * A schema is exported with a type of valibot's, which `deno doc` takes for a private one. Those findings pass for the entry point of the
 * schemas and nowhere else; every other finding fails.
 *
 * @module
 */

import config from "../deno.json" with { type: "json" };

/** The one entry point whose types may be valibot's. */
const SCHEMA_ENTRY = "./schema";

const ROOT = new URL("../", import.meta.url);
const PRIVATE_TYPE_REGEXP =
  /^error\[private-type-ref\]: .* references private type '(\w+)'$/m;
const LOCATION_REGEXP = /^\s*--> (.+):\d+:\d+$/m;
const NAMESPACE_REGEXP =
  /^import (?:type )?\* as (\w+) from "valibot(?:\/[^"]*)?";$/m;
const NAMED_REGEXP = /^import (?:type )?\{([^}]*)\} from "valibot";$/m;

/** Lints the given entry points together and returns what `deno doc` has to say, one text per finding. */
async function findingsOf(targets: readonly string[]): Promise<string[]> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["doc", "--lint", ...targets],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
  }).output();
  if (success) return [];
  const decoder = new TextDecoder();
  const output = decoder.decode(stdout) + decoder.decode(stderr);
  const findings = output.split(/^(?=error\b)/m).filter((text) =>
    text.startsWith("error[")
  );
  const total = /^error: Found (\d+) documentation lint error/m.exec(output);
  // Whatever else went wrong, a module that cannot be found for example, is a finding of its own.
  if (Number(total?.[1]) !== findings.length) return [output];
  return findings;
}

/** Tells whether a finding is only that a schema has a type of valibot's. */
async function isAboutValibot(finding: string): Promise<boolean> {
  const type = PRIVATE_TYPE_REGEXP.exec(finding)?.[1];
  const path = LOCATION_REGEXP.exec(finding)?.[1];
  if (type === undefined || path === undefined) return false;
  const source = await Deno.readTextFile(path);
  const namespace = NAMESPACE_REGEXP.exec(source)?.[1];
  if (namespace !== undefined && source.includes(`${namespace}.${type}`)) {
    return true;
  }
  const named = NAMED_REGEXP.exec(source)?.[1] ?? "";
  return named.split(",").some((name) =>
    name.trim().replace(/^type /, "") === type
  );
}

/** What `deno doc --json` says of one thing that is exported. */
interface Declaration {
  readonly kind: string;
  readonly location: { readonly filename: string; readonly line: number };
}

/** What `deno doc --json` says of an entry point. */
interface EntryDocs {
  readonly module_doc?: unknown;
  readonly symbols: readonly {
    readonly name: string;
    readonly declarations: readonly Declaration[];
  }[];
}

/** Tells whether there is an example in docs, or in those of a member. */
function isShown(docs: unknown): boolean {
  return JSON.stringify(docs ?? null).includes('"kind":"example"');
}

/** Finds the modules, functions and classes without an example. */
async function unshown(targets: readonly string[]): Promise<string[]> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["doc", "--json", ...targets],
    cwd: ROOT,
  }).output();
  const { nodes }: { readonly nodes: Readonly<Record<string, EntryDocs>> } =
    JSON.parse(new TextDecoder().decode(stdout));
  const findings = Object.values(nodes).flatMap(({ symbols }) =>
    symbols.flatMap(({ name, declarations }) =>
      declarations.filter((declaration) =>
        (declaration.kind === "function" ||
          (declaration.kind === "class" && !name.endsWith("Error"))) &&
        !isShown(declaration)
      ).map(({ location: { filename, line } }) =>
        `error[no-example]: ${name} has no example\n --> ${filename}:${
          line + 1
        }\n`
      )
    )
  );
  const modules = Object.entries(nodes)
    .filter(([, { module_doc }]) => !isShown(module_doc))
    .map(([path]) =>
      `error[no-example]: the module has no example\n --> ${path}\n`
    );
  // What several entry points export is one finding.
  return [...new Set([...modules, ...findings])];
}

const entries = Object.entries(config.exports);
const targets = entries.filter(([name]) => name !== SCHEMA_ENTRY)
  .map(([, target]) => target);
const failures = [
  ...await findingsOf(targets),
  ...await unshown(targets),
];
if (entries.some(([name]) => name === SCHEMA_ENTRY)) {
  // All of them together: a type is public if any entry point exports it.
  for (const finding of await findingsOf(entries.map(([, target]) => target))) {
    const known = failures.includes(finding);
    if (!known && !await isAboutValibot(finding)) failures.push(finding);
  }
}

const encoder = new TextEncoder();
if (failures.length > 0) {
  await Deno.stderr.write(encoder.encode(failures.join("")));
  Deno.exitCode = 1;
} else {
  await Deno.stdout.write(
    encoder.encode(`Checked the docs of ${entries.length} entry points\n`),
  );
}
