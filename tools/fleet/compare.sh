#!/usr/bin/env bash
# Makes a home of COUNT sessions in FOLDER and exports it with each engine that is installed.
# Prints the time and memory of each, and whether its Parquet has the rows and sums of the generator.
#   compare.sh FOLDER COUNT [SHARDS]          PYTHON=venv/bin/python: with duckdb, ray, pyspark
set -eu
tools=$(dirname "$(realpath "$0")")
folder=$(realpath "$1") count=$2 number=${3:-$((($2 + 249) / 250))}
python=${PYTHON:-python3}
cd "$folder"
[ -d home ] || deno run --allow-write=home "$tools/generate.ts" home "$count" > expected.json
# A wrapper of the command that logs the processor seconds and peak memory of each process.
mkdir -p bin
real=$(PATH=${PATH//$folder\/bin:/} command -v codexpipe) || { echo "no codexpipe on the path" >&2; exit 1; }
printf '#!/bin/sh\nexec /usr/bin/time -a -o "%s/took" -f "%%U %%S %%M" "%s" "$@"\n' \
  "$folder" "$real" > bin/codexpipe
chmod +x bin/codexpipe
export PATH="$folder/bin:$PATH" XDG_CACHE_HOME="$folder/cache"

run() {
  name=$1
  shift
  rm -rf out parquet took
  start=$(date +%s.%N)
  "$@" > names 2> "said-${name// /-}" || echo "$name: ended with $?"
  end=$(date +%s.%N)
  cp took took-export
  "$python" "$tools/parquet.py" out parquet > sums.json
  cmp -s sums.json expected.json && same=equal || same=DIFFERENT
  awk -v name="$name" -v count="$count" -v same=$same -v wall="$(echo "$end - $start" | bc)" '
    { cpu += $1 + $2; if ($3 > most) most = $3 }
    END { printf "| %-30s | %4d | %6.0f | %6.0f | %5.0f | %3.0f | %s |\n",
      name, NR, wall, cpu, count / cpu, most / 1024, same }' took-export
}

whole() { mkdir -p out/whole && codexpipe export --to=tables -q -o out/whole --codex-home home; }
shards() { codexpipe sessions family --shards="$number" --format=paths --codex-home home; }
with_parallel() {
  parallel --will-cite --pipe --recend '\n\n' -N "$2" -j "$1" "$tools/shard.sh" out < shards
}

run "one process" whole
rm -f took
shards > shards
awk '{ printf "to divide: %.0f s of CPU, %.0f MB\n", $1 + $2, $3 / 1024 }' took
run "parallel -j 2 -N 1" with_parallel 2 1
"$python" -c 'import ray' 2> /dev/null && run "ray" "$python" "$tools/ray_shards.py" out shards
"$python" -c 'import pyspark' 2> /dev/null && run "spark" "$python" "$tools/spark_shards.py" out shards
run "parallel -j 2 -N 4" with_parallel 2 4
run "parallel -j 1 -N 1" with_parallel 1 1
