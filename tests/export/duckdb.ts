/**
 * Runs statements of SQL in DuckDB, in a process of its own: its library is native code. Takes a
 * list of statements as JSON from stdin, in the folder that it is run in, and prints the rows of
 * each as JSON; null if the library is not there.
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
