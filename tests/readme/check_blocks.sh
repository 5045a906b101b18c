#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_blocks.sh <source folder> <build folder> <folder>: every fenced block of README.md, CONTRIBUTING.md, SECURITY.md
# and docs/ has been run, or compared with what was run, by a test that has left it in the folder (see blocks.sh). Runs
# the blocks of commands that no other test does, itself (see stand_in.sh). Empties the folder, for the next time.
. "$(dirname "$0")/../support/begin.sh"
source=$1
build=$2
folder=$3
trap 'rm -rf "$work"; rm -f "$folder"/*.md.* "$folder"/left/*.md.*' EXIT
mkdir "$work/blocks"
cd "$source"
set -- README.md CONTRIBUTING.md SECURITY.md docs/*.md
awk -v folder="$work/blocks" -f tests/readme/extract.awk "$@"
# Counted without what extracts them.
fences=$(cat "$@" | grep -c '^[[:space:]>]*\(```\|~~~\)')
sh tests/readme/stand_in.sh make "$source" "$build" "$work"
cd "$work/heed"

run=0
elsewhere=0
unable=0
failed=0
for block in "$work"/blocks/*; do
  name=$(basename "$block")
  if cmp -s "$block" "$folder/$name"; then
    elsewhere=$((elsewhere + 1))
  elif cmp -s "$block" "$folder/left/$name"; then
    unable=$((unable + 1))
  elif [ "${name##*.}" = sh ]; then
    run=$((run + 1))
    PATH=$work/bin:$PATH /bin/sh -eu "$block" > "$work/output" 2>&1 || {
      failed=$((failed + 1))
      echo "$name fails:"
      cat "$work/output"
    }
  else
    failed=$((failed + 1))
    echo "$name: a block that no test runs"
  fi
done
found=$((elsewhere + unable + run))
echo "$elsewhere blocks of other tests, $unable of tests that lack something, $run run, $failed failed"
[ $failed = 0 ]
[ $((2 * found)) = "$fences" ] || fail "$fences fences, but $found blocks"
