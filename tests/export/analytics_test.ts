/** The SQL statements of docs/analytics.md, run in DuckDB. */

import { assert, assertEquals } from "@std/assert";
import { TABLE_NAMES } from "../../lib/export/export.ts";
import { call } from "../cli/memory.ts";
import { runProgram } from "../programs.ts";
import { withFolder } from "../sessions/homes.ts";

const PAGE = new URL("../../docs/analytics.md", import.meta.url);
const DUCKDB = new URL("duckdb.ts", import.meta.url).href;
const CAPTURES = new URL("../../testdata/captures/", import.meta.url);

const page = await Deno.readTextFile(PAGE);

/** Returns the rows of SQL statements; null if DuckDB is not installed. */
async function query(
  statements: readonly string[],
  folder: string,
): Promise<unknown[][] | null> {
  const { status, stdout, stderr } = await runProgram(Deno.execPath(), {
    args: ["run", "--allow-all", "--quiet", DUCKDB],
    cwd: folder,
    stdin: JSON.stringify(statements),
  });
  assertEquals(status, 0, stderr);
  return JSON.parse(stdout);
}

const hasDuckdb = await query([], Deno.cwd()) !== null;

Deno.test({
  name:
    `DuckDB runs the statements of docs/analytics.md, and accepts the keys of the tables${
      hasDuckdb ? "" : " (not run: no DuckDB for this platform)"
    }`,
  ignore: !hasDuckdb,
  fn: () =>
    withFolder(async (folder) => {
      await Deno.mkdir(`${folder}/tables`);
      const files = new Map<string, Uint8Array<ArrayBuffer>>();
      for (
        const scenario of ["0.169.0/agents", "0.104.0/patch", "0.36.0/msg"]
      ) {
        const from = new URL(`${scenario}/`, CAPTURES);
        for await (const { name } of Deno.readDir(from)) {
          if (!name.endsWith(".jsonl")) continue;
          const bytes = await Deno.readFile(new URL(name, from));
          files.set(`/${scenario}/${name}`, bytes);
        }
      }
      const world = { files: Object.fromEntries(files) };
      const rows: Record<string, number> = {};
      for (const table of TABLE_NAMES) {
        const { stdout, status } = await call(
          ["export", "--to=tables", `--table=${table}`, ...files.keys()],
          world,
        );
        assertEquals(status, 0);
        rows[table] = stdout.split("\n").length - 1;
        await Deno.writeTextFile(`${folder}/tables/${table}.jsonl`, stdout);
      }
      const { stdout: schema } = await call(["schema", "--format=sql"]);
      const recipes = [...page.matchAll(/^```sql\n([^]*?)^```$/gm)]
        .map(([, sql = ""]) => sql.replace(".read schema.sql\n", ""));
      const counts = TABLE_NAMES.map((table) =>
        `SELECT count(*)::INTEGER AS rows FROM ${table}`
      );
      const results = await query(
        [schema, ...recipes, ...counts, "FROM 'tool_calls.parquet'"],
        folder,
      );
      assert(results !== null);
      assertEquals(
        results.slice(-1 - counts.length, -1),
        TABLE_NAMES.map((table) => [{ rows: rows[table] }]),
      );
      assertEquals(results.at(-1)?.length, rows.tool_calls);
      // Each query returns rows.
      const queries = recipes.map((sql, i) => sql.startsWith("SELECT") ? i : -1)
        .filter((i) => i !== -1);
      assertEquals(queries.length, 4);
      for (const i of queries) {
        assertEquals((results[1 + i]?.length ?? 0) > 0, true, recipes[i]);
      }
    }),
});
