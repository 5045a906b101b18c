#!/bin/sh
# SPDX-License-Identifier: MIT
#
# coverage.sh: runs the tests of the library, compiled with --coverage and without optimisation, on an x86-64 with AVX2,
# and prints every line and branch of include/, runtime/ and the port that none of them reaches. Ends with 0 if there is
# no such line, and at most 2 % of such branches, beside the listed ones: see coverage/exceptions.txt. Ends with 77
# (skipped) on other processors.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
case $(sh toolchains/host.sh gcc) in
  */x86_avx*) ;;
  *) echo 'skipped: this CPU has no AVX2'; exit 77 ;;
esac
command -v gcov python3 > /dev/null || { echo 'skipped: gcov or python3 is missing'; exit 77; }
build=$root/build/coverage
jobs=$(getconf _NPROCESSORS_ONLN 2> /dev/null || echo 2)
mkdir -p "$build"
# Unoptimised code is slow: what a test does a thousand times it does here a few times.
export HEED_TEST_DIVISOR="${HEED_TEST_DIVISOR:-40}"
if ! { cmake --preset coverage && cmake --build "$build" -j "$jobs" --target unit_tests c_tests bits_tests heap_tests data_tests \
         port_check &&
       find "$build" -name '*.gcda' -delete &&
       ctest --test-dir "$build" -j "$jobs" --output-on-failure -L '^(unit|c|bits|heap|data)$'; } > "$build/coverage.log" 2>&1; then
  cat "$build/coverage.log"
  exit 1
fi
exec python3 -B tests/coverage/coverage.py "$build"
