/**
 * What the executables are made of: the command, and the code of `normalize` with it.
 *
 * An executable keeps the compiled form of what it has loaded, in the folder for temporary
 * files, and what its first run has not loaded it compiles in each run anew. So what is run
 * most, and what others share with it, is loaded in every run.
 */

import "../lib/cli/commands/normalize.ts";
import "../cli.ts";
