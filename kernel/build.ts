/**
 * Compiles the AssemblyScript of `kernel/wasm/` to the WebAssembly module of the kernel:
 * `deno task kernel` writes it to `lib/json/kernel_module.ts`. With the argument `-` it prints the
 * file to stdout instead.
 *
 * The module is stored as base64 in a TypeScript file, so that it is published with the code
 * everywhere: on JSR and npm, in a compiled executable, in a browser.
 *
 * @module
 */

import asc from "assemblyscript/asc";

const SOURCES = new URL("wasm/", import.meta.url);
const ENTRY = "kernel.ts";
const MODULE = "kernel.wasm";
const WIDTH = 76;
const OPTIONS = [
  "--runtime=stub",
  "--enable=simd",
  "--enable=bulk-memory",
  "-O3",
  "--noAssert",
  "--converge",
];

/** The memory layout, which the kernel (as `./layout`) and its caller in TypeScript share. */
const LAYOUT = new URL("../lib/json/kernel_layout.ts", import.meta.url);
const TARGET = new URL("../lib/json/kernel_module.ts", import.meta.url);

async function readSource(name: string): Promise<string | null> {
  try {
    const isLayout = name === "layout.ts";
    return await Deno.readTextFile(isLayout ? LAYOUT : new URL(name, SOURCES));
  } catch (error) {
    // The compiler tries several paths for each import; a path without a file is no error.
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** Compiles the kernel and returns the text of `kernel_module.ts`. */
async function buildKernel(): Promise<string> {
  let module: Uint8Array | undefined;
  const { error, stderr } = await asc.main(
    [ENTRY, `--outFile=${MODULE}`, ...OPTIONS],
    {
      readFile: readSource,
      writeFile: (name: string, contents: Uint8Array | string) => {
        if (name === MODULE && typeof contents !== "string") module = contents;
      },
      listFiles: () => [],
    },
  );
  if (error !== null || module === undefined) {
    throw new SyntaxError(`Cannot build the kernel:\n${stderr}`);
  }
  return textOf(module);
}

function textOf(module: Uint8Array): string {
  const base64 = btoa(String.fromCharCode(...module));
  const pieces = base64.match(new RegExp(`.{1,${WIDTH}}`, "g")) ?? [];
  return `// Made of kernel/wasm/kernel.ts by \`deno task kernel\`. Do not edit.

/** The kernel as a WebAssembly module of ${module.length} bytes, in base64. */
export const KERNEL_MODULE = \`
${pieces.join("\n")}
\`;
`;
}

const text = await buildKernel();
if (Deno.args[0] === "-") {
  await Deno.stdout.write(new TextEncoder().encode(text));
} else await Deno.writeTextFile(TARGET, text);
