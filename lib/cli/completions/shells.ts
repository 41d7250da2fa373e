/** The shells whose command line can be completed. */

/** The names of the shells. */
export const SHELLS = ["bash", "zsh", "fish"] as const;
