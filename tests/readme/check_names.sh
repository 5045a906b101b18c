#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_names.sh <source folder>: what README.md, docs/ and examples/README.md name is there: links, paths, scripts,
# presets, tests. README.md links every page of docs/ that is for users. Every row of a table has as many cells as the
# table's head.
. "$(dirname "$0")/../support/begin.sh"
source=$1
cd "$source"
failed=0
checked=0

# missing <page> <what> <name>
missing() {
  echo "$1: there is no $2 $3"
  failed=$((failed + 1))
}

for page in README.md examples/README.md docs/*.md; do
  folder=$(dirname "$page")
  grep -o '](\([^)#]*\))' "$page" | sed 's/^](//; s/)$//' | grep -v '^http' > "$work/links" || true
  while read -r link; do
    checked=$((checked + 1))
    [ -e "$folder/$link" ] || missing "$page" file "$link"
  done < "$work/links"

  # Folders that are made by a build are not in the tree.
  grep -o '`\(sh \)\?[a-z_]*/[A-Za-z0-9_./-]*' "$page" | sed 's/^`\(sh \)\?//' > "$work/paths" || true
  grep -o '^sh [A-Za-z0-9_./-]*' "$page" | sed 's/^sh //' >> "$work/paths" || true
  while read -r path; do
    case $path in build/*) continue ;; esac
    checked=$((checked + 1))
    [ -e "$path" ] || [ -e "include/$path" ] || [ -n "$(find runtime -path "runtime/$path*" | head -n 1)" ] || missing "$page" file "$path"
  done < "$work/paths"

  grep -o '\-\-preset [a-z0-9_-]*' "$page" | sed 's/^--preset //' > "$work/presets" || true
  while read -r preset; do
    checked=$((checked + 1))
    grep -q "\"name\": \"$preset\"" CMakePresets.json || missing "$page" preset "$preset"
  done < "$work/presets"

  grep -o '`[a-z0-9_]*_\(test\|check\)`' "$page" | tr -d '\140' > "$work/tests" || true
  while read -r test; do
    checked=$((checked + 1))
    [ -n "$(find tests -name "$test.c*")" ] || grep -rqw --include=CMakeLists.txt "$test" tests || missing "$page" test "$test"
  done < "$work/tests"
done

for page in README.md examples/README.md docs/*.md ports/*.md ports/boards/*.md; do
  awk '/^```/ { code = !code }
       code || !/^\|/ { head = 0; next }
       { row = $0; gsub(/\\\|/, "", row); cells = gsub(/\|/, "", row) - 1; if (head == 0) head = cells }
       cells != head { print FILENAME ":" FNR ": " cells " cells in a table of " head }' "$page" > "$work/rows"
  cat "$work/rows"
  failed=$((failed + $(wc -l < "$work/rows")))
done

for page in docs/*.md; do
  # What authors alone need is linked for them.
  case $page in docs/measuring.md) from=CONTRIBUTING.md ;; *) from=README.md ;; esac
  grep -q "]($page)" $from || missing $from 'link to' "$page"
done
echo "$checked names, $failed missing"
[ $failed = 0 ] && [ $checked != 0 ]
