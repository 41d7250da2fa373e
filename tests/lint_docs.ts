/**
 * Lints the docs of every entry point with `deno doc --lint`, and checks that every module,
 * function and class, or one of its members, has an example. Error classes need none.
 *
 * A schema is exported with a type of valibot's, which `deno doc` reports as private. Those
 * findings are ignored for the entry point of the schemas only; every other finding fails.
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

/** Lints entry points together; returns the findings of `deno doc`, one text each. */
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
  // Any other error, such as a missing module, is one finding with the whole output.
  if (Number(total?.[1]) !== findings.length) return [output];
  return findings;
}

/** Whether a finding is that a schema has a type of valibot's. */
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

/** A declaration of an exported symbol, in the output of `deno doc --json`. */
interface Declaration {
  readonly kind: string;
  readonly location: { readonly filename: string; readonly line: number };
}

/** An entry point in the output of `deno doc --json`. */
interface EntryDocs {
  readonly module_doc?: unknown;
  readonly symbols: readonly {
    readonly name: string;
    readonly declarations: readonly Declaration[];
  }[];
}

/** Whether the docs, or those of a member, have an example. */
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
  // A symbol that several entry points export is one finding.
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
  // All entry points together, because a type is public if any of them exports it.
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
