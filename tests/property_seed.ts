/**
 * Makes every property test draw the same values in each run.
 *
 * Loaded before the tests by `deno task test`. Without it, `deno test` draws others each time.
 *
 * @module
 */

import fc from "fast-check";

fc.configureGlobal({ seed: 20_250_416 });
