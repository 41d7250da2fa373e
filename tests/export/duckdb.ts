/**
 * Runs SQL statements in DuckDB, whose library is native code and needs a process of its own.
 * Reads a JSON list of statements from stdin, runs them in the working directory, and prints a
 * JSON list with the rows of each statement, or null if the library is not installed.
 *
 * @module
 */

const library = await import("@duckdb/node-api").catch(() => undefined);
const statements: readonly string[] = JSON.parse(
  await new Response(Deno.stdin.readable).text(),
);
const results: unknown[] = [];
if (library !== undefined) {
  const instance = await library.DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  for (const statement of statements) {
    const reader = await connection.runAndReadAll(statement);
    results.push(reader.getRowObjectsJson());
  }
  connection.closeSync();
  instance.closeSync();
}
const text = JSON.stringify(library === undefined ? null : results);
await Deno.stdout.write(new TextEncoder().encode(text));
