/** Nothing: what it takes to start. */

export {};
