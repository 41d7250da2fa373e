#!/usr/bin/env bash
# Exports the session files that stdin names, one a line, as the tables of a shard: a folder in
# OUT, named by a checksum of the paths. The folder appears only when it is complete. Running a
# shard again, or twice at once, leaves one folder.
#   shard.sh OUT < PATHS
set -eu
out=${1%/}
files=()
# The last line may lack its LF.
while IFS= read -r file || [ -n "$file" ]; do
  [ -z "$file" ] || files+=("$file")
done
[ ${#files[@]} -gt 0 ] || exit 0
name=$(printf '%s\n' "${files[@]}" | cksum | tr ' ' -)
mkdir -p "$out"
# Beside OUT, so that the leftovers of a killed run are not read as a shard.
new=$(mktemp -d "$out.$name.XXXXXX")
trap 'rm -rf "$new"' EXIT
status=0
codexpipe export --to=tables --quiet --output "$new" "${files[@]}" 2> "$new/stderr.txt" || status=$?
cat "$new/stderr.txt" >&2
# 3: a file could not be read, which stderr.txt names; the tables have the others.
[ $status -eq 0 ] || [ $status -eq 3 ] || exit $status
chmod 755 "$new"
rm -rf "${out:?}/$name"
mv "$new" "$out/$name"
# If another run was faster, `mv` has moved this folder into that run's; both are equal.
rm -rf "${out:?}/$name/${new##*/}"
echo "$name"
