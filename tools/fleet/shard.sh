#!/usr/bin/env bash
# Exports the session files that stdin names, one a line, as the tables of a shard: a folder in
# OUT whose name says of which files it is. It is there whole or not at all, and once, however
# often the shard is run, also by two at a time.
#   shard.sh OUT < PATHS
set -eu
out=${1%/}
files=()
# The last line may have no end.
while IFS= read -r file || [ -n "$file" ]; do
  [ -z "$file" ] || files+=("$file")
done
[ ${#files[@]} -gt 0 ] || exit 0
name=$(printf '%s\n' "${files[@]}" | cksum | tr ' ' -)
mkdir -p "$out"
# Beside OUT: what a run leaves that is killed is not read with the others.
new=$(mktemp -d "$out.$name.XXXXXX")
trap 'rm -rf "$new"' EXIT
status=0
codexpipe export --to=tables --quiet --output "$new" "${files[@]}" 2> "$new/stderr.txt" || status=$?
cat "$new/stderr.txt" >&2
# 3: a file could not be read, which stderr.txt names; what there is of the others is here.
[ $status -eq 0 ] || [ $status -eq 3 ] || exit $status
chmod 755 "$new"
rm -rf "${out:?}/$name"
mv "$new" "$out/$name"
# Where another run was faster, this one lies in its folder now, and is the same.
rm -rf "${out:?}/$name/${new##*/}"
echo "$name"
