#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_page.sh <source folder> <build folder> [python]: the examples of docs/python.md and packaging/python/README.md,
# which examples_test.py runs, and the command with which the page imports the module of a build. Ends with 77
# (skipped) where the build has no module.
. "$(dirname "$0")/../support/begin.sh"
source=$1
build=$2
python=${3:-}
. "$source/tests/readme/blocks.sh"
mkdir "$work/blocks"
awk -v folder="$work/blocks" -f "$source/tests/readme/extract.awk" "$source/docs/python.md"
if [ -z "$python" ]; then
  left "$work"/blocks/*
  skip 'this build has no Python module'
fi
"$python" -B "$source/tests/python/examples_test.py"
line=$(grep -h '^PYTHONPATH=build/x86_avx2-gcc/python ' "$work"/blocks/*.sh) ||
  fail 'the page does not import the module'
mkdir "$work/heed" "$work/heed/build"
ln -s "$(cd "$build" && pwd -P)" "$work/heed/build/x86_avx2-gcc"
cd "$work/heed"
run sh -euc "$(echo "$line" | sed "s|/usr/bin/python3|$python|")"
said "^$(sed -n 's/^project(heed VERSION \([0-9.]*\) .*/\1/p' "$source/CMakeLists.txt") [a-z]"
ran "$work"/blocks/*
