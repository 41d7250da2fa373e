/** Writes commands as people type them. */

export { commandLine, shellWord } from "../dialects/exec/command_line.ts";
