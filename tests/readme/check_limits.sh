#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_limits.sh <source folder>: README.md is read in two minutes: at most 100 lines of at most 120 characters, C++ of
# at most 15 lines, and no cell of a table with more than one number; digits within a name, as in KWT-1, are none. It
# names the version of CMakeLists.txt.
. "$(dirname "$0")/../support/begin.sh"
cd "$1"
LC_ALL=C.UTF-8 awk '
  function offend(what) { print "README.md:" FNR ": " what; ++offences }
  function numbers(text, count) {
    count = 0
    while (match(text, /(^|[^A-Za-z0-9_.,-])[0-9][0-9.,]*/)) {
      ++count
      text = substr(text, RSTART + RLENGTH)
    }
    return count
  }
  length($0) > 120 { offend(length($0) " characters") }
  /^```/ { cpp = /^```cpp/; inside = !inside; lines = 0; next }
  cpp && ++lines == 16 { offend("C++ of more than 15 lines") }
  !inside && /^\|/ {
    cells = split($0, cell, "|")
    for (i = 2; i < cells; ++i) if (numbers(cell[i]) > 1) offend("more than one number:" cell[i])
  }
  END {
    if (FNR > 100) offend(FNR " lines")
    exit offences != 0
  }' README.md
version=$(sed -n 's/^project(heed VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
grep -q "^Version ${version:-nothing}[, ]" README.md || fail "README.md does not say Version ${version:-nothing}"
