#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Nothing that a run computes or branches on comes from memory that nobody has written: arenas and results begin that
# way, and stay so between regions. Ends with 77 (skipped) where the tool is missing.
# check_memory.sh valgrind <program>: the library of this build, with the port's own instructions.
# check_memory.sh sanitizer <source folder> <clang++>: the plain port, compiled with clang's memory sanitizer.
. "$(dirname "$0")/../support/begin.sh"
manner=$1
shift
case $manner in
  valgrind)
    needs valgrind
    if ! valgrind --error-exitcode=1 --track-origins=yes "$1" > "$work/log" 2>&1; then
      if grep -q 'unhandled instruction\|Unrecognised instruction' "$work/log"; then
        skip 'valgrind does not know an instruction of this program'
      fi
      cat "$work/log"
      exit 1
    fi
    tail -n 1 "$work/log"
    ;;
  sanitizer)
    cd "$1"
    echo 'int main() { return 0; }' > "$work/empty.cpp"
    flags='-std=c++20 -O1 -g1 -fsanitize=memory -fsanitize-memory-track-origins -fno-omit-frame-pointer'
    # shellcheck disable=SC2086 # the flags are meant to be split
    "$2" $flags "$work/empty.cpp" -o "$work/empty" 2> /dev/null || skip 'there is no memory sanitizer'
    if [ "$(uname -m)" = x86_64 ]; then flags="$flags -mfma"; fi
    find runtime -name '*.cpp' | sort | sed "s|.*|#include \"$PWD/&\"|" > "$work/all.cpp"
    # shellcheck disable=SC2086
    "$2" $flags -ffp-contract=off -Iports/scalar -Iports -Iruntime -Iinclude -Itests "$work/all.cpp" tests/runs/*.cpp \
      -o "$work/runs"
    "$work/runs" | sort | uniq -c
    ;;
esac
