/**
 * Lets `@std/cli` resolve where JSR cannot be reached: the same code, from its mirror on npm.
 *
 * The package that people import from JSR gets `@std/cli` itself; this folder is never published.
 *
 * @module
 */

// The one file instead of cli/mod.js, which needs a file that the mirror lacks. It carries no types.
// @ts-types="./mod.d.ts"
export * from "deno-std/cli/parse_args.js";
