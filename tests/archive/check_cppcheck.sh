#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_cppcheck.sh <source folder>: cppcheck --enable=all finds nothing in include/, runtime/, the port x86_avx2 and the
# boards but what cppcheck.txt lists, and finds all of that. Ends with 77 (skipped) if it is not installed.
. "$(dirname "$0")/../support/begin.sh"
source=$1
needs cppcheck
cp -R "$source/include" "$source/runtime" "$source/ports" "$work"
cd "$work"
find runtime ports/boards -name '*.cpp' > "$work/files"
find include ports/x86_avx2 -name '*.hpp' >> "$work/files"
# Two things that cppcheck 2.10 takes for something else are spelt otherwise, in their lines: std::size_t{n} is a cast, and
# a lambda can have parameters of a template.
find include runtime ports -name '*.[ch]pp' > "$work/all"
xargs -a "$work/all" sed -i -E '
  s/\bstd::((u?int(8|16|32|64)|size|ptrdiff)_t)\{([^{}]*)\}/std::\1(\4)/g
  s/\[([^][]*)\]<int ([A-Za-z]+)>\(\)/[\1](auto \2)/g
  s/\[([^][]*)\]<(class|typename) [A-Za-z]+>\(/[\1](/g'
code=0
cppcheck --quiet --enable=all --std=c++20 --language=c++ --error-exitcode=1 --file-list="$work/files" \
  --suppressions-list="$source/tests/archive/cppcheck.txt" --template='{file}:{line}: {severity}: {message} [{id}]' \
  -I include -I runtime -I ports -I ports/x86_avx2 -D__x86_64__ -D__AVX2__ -D__FMA__ -D__F16C__ -DNDEBUG \
  -Dheed_own_code=heed_archive_code > "$work/log" 2>&1 || code=1
sort -u "$work/log"
echo "$(wc -l < "$work/files") files, $(grep -c '^[a-zA-Z]' "$source/tests/archive/cppcheck.txt") deviations, $(sort -u "$work/log" | wc -l) findings"
[ $code = 0 ] && [ ! -s "$work/log" ]
