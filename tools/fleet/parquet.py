"""Makes Parquet from the tables of the shards in OUT, and prints the numbers of rows and tokens.

    python parquet.py OUT PARQUET
"""

import json
import os
import subprocess
import sys

import duckdb

out, folder = sys.argv[1], sys.argv[2]
os.makedirs(folder, exist_ok=True)
database = duckdb.connect(config={"memory_limit": "2GB", "threads": 2})
schema = ["codexpipe", "schema", "--format=sql"]
database.execute(subprocess.run(schema, check=True, capture_output=True, text=True).stdout)
sums = {}
for table in ["threads", "turns", "items", "tool_calls", "requests"]:
    columns = dict(database.execute(
        f"SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = '{table}'"
    ).fetchall())
    (key,) = database.execute(
        "SELECT constraint_column_names FROM duckdb_constraints() "
        f"WHERE table_name = '{table}' AND constraint_type = 'PRIMARY KEY'"
    ).fetchone()
    file = os.path.join(folder, f"{table}.parquet")
    # One COPY reads the files of all shards.
    database.execute(
        f"COPY (FROM read_json('{out}/*/{table}.jsonl', format = 'nd', columns = {columns})) "
        f"TO '{file}' (FORMAT parquet)"
    )
    rows, keys = database.execute(
        f"SELECT count(*), count(DISTINCT ({', '.join(key)})) FROM '{file}'"
    ).fetchone()
    assert rows == keys, f"{table}: {rows} rows, {keys} keys"
    sums[table] = rows
for column in ["input_tokens", "output_tokens"]:
    total, again = database.execute(
        f"SELECT (SELECT sum({column}) FROM '{folder}/turns.parquet'), "
        f"(SELECT sum({column}) FROM '{folder}/requests.parquet')"
    ).fetchone()
    assert total == again, f"{column}: {total} in turns, {again} in requests"
    sums[column] = int(total)
print(json.dumps(sums, separators=(",", ":")))
