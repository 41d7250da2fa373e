/**
 * Lets `@std/streams` resolve where JSR cannot be reached: the same code, from its mirror on npm.
 *
 * The package that people import from JSR gets `@std/streams` itself; this folder is never published.
 *
 * @module
 */

// The mirror carries no types.
// @ts-types="./mod.d.ts"
export * from "deno-std/streams/mod.js";
