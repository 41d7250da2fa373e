/**
 * The entry point of the executables: the command, and the code of `normalize` with it.
 *
 * An executable caches the compiled code of the modules that its first run has loaded, in the
 * folder for temporary files. Other modules are compiled in every run. So `normalize`, which runs
 * most, and the code that other commands share with it, are loaded in every run.
 */

import "../lib/cli/commands/normalize.ts";
import "../cli.ts";
