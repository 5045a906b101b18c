#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_style.sh format <source folder>: every C and C++ file is as clang-format leaves it.
# check_style.sh tidy <source folder> <build folder>: clang-tidy has nothing to say about runtime/ and what it includes.
# Ends with 77 (skipped) where the tool is not installed.
set -eu
manner=$1
source=$2
command -v "clang-$manner" > /dev/null || { echo "skipped: there is no clang-$manner"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$source"

case $manner in
  format)
    # Without a repository, as in a source archive, everything counts that is not a build.
    { git ls-files -z '*.[ch]' '*.[ch]pp' 2> /dev/null ||
      find . \( -name .git -o -name 'build*' \) -prune -o -type f \( -name '*.[ch]' -o -name '*.[ch]pp' \) -print0; } \
      > "$work/files"
    [ -s "$work/files" ] || { echo 'no file found'; exit 1; }
    echo "$(tr -cd '\0' < "$work/files" | wc -c) files"
    xargs -0 clang-format --dry-run -Werror < "$work/files"
    ;;
  tidy)
    build=$3
    [ -f "$build/compile_commands.json" ] || { echo "$build has no compile_commands.json"; exit 1; }
    find runtime -name '*.cpp' -print0 > "$work/files"
    echo "$(tr -cd '\0' < "$work/files" | wc -c) files"
    # The other compiler's warning options are none of clang-tidy's business.
    xargs -0 -n 1 -P 2 clang-tidy --quiet -p "$build" --extra-arg=-Wno-unknown-warning-option < "$work/files" \
      > "$work/log" 2> "$work/errors" || {
      grep -E '(error|warning): ' "$work/log" | sort -u
      grep -v 'warnings generated' "$work/errors" || true
      exit 1
    }
    ;;
esac
