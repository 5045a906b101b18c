#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_manifests.sh <source folder> <build folder>: the manifests are as packaging/generate.sh writes them, and name
# the sources, options and definitions with which the build compiles the library, in the managers' formats. Ends with
# 77 (skipped) without python3.
. "$(dirname "$0")/../support/begin.sh"
source=$1
build=$2
needs python3
sh "$source/packaging/generate.sh" "$work"
(cd "$work" && find . -type f) > "$work.files"
failed=0
while read -r file; do
  diff -u "$source/$file" "$work/$file" || failed=1
done < "$work.files"
count=$(wc -l < "$work.files")
rm "$work.files"
[ $failed = 0 ] || fail 'run: sh packaging/generate.sh'
[ "$count" -ge 10 ]
python3 "$source/tests/package/check_formats.py" "$source"
python3 "$source/tests/package/check_manifests.py" "$source" "$build"
