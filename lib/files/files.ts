/**
 * Opens files, packed or not, on Deno, Node and Bun.
 *
 * @module
 */

export * from "./byte_source.ts";
export * from "./decompress.ts";
export * from "./errors.ts";
export * from "./file_changes.ts";
export * from "./follow.ts";
export * from "./open.ts";
