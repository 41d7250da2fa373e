/** An empty script, to measure the start of Deno. */

export {};
