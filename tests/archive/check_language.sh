#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_language.sh <include folder> <C++ compiler>...: each C++ header compiles alone as C++20, also where a program is
# warned of conversions; below that it is refused in words. heed.h, which serves older languages, says nothing there: see c/check_headers.sh.
. "$(dirname "$0")/../support/begin.sh"
include=$1
shift
warnings='-Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Werror'
failed=0
count=0
offend() {
  failed=1
  echo "$*"
}

for compiler in "$@"; do
  for path in "$include"/heed/*.hpp "$include"/heed/detail/*.hpp; do
    header=${path#"$include"/}
    count=$((count + 1))
    printf '#include "%s"\n#include "%s"\n' "$header" "$header" > "$work/alone.cpp"
    # shellcheck disable=SC2086 # the warnings are meant to be split
    "$compiler" -std=c++20 -pedantic $warnings -I "$include" -fsyntax-only "$work/alone.cpp" ||
      offend "$compiler: $header does not compile alone"
    for standard in c++98 c++17; do
      if "$compiler" -std=$standard -I "$include" -E "$work/alone.cpp" > /dev/null 2> "$work/message"; then
        offend "$compiler: $header is not refused as $standard"
      fi
      grep -q 'error: .*headers are C++20' "$work/message" || offend "$compiler: $header as $standard: $(cat "$work/message")"
    done
  done
done
echo "$count compilations of a header alone"
exit $failed
