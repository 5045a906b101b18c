#!/bin/sh
# SPDX-License-Identifier: MIT
#
# mcdc.sh: runs the tests of the library, compiled by clang 19 for coverage of modified conditions and decisions, on an
# x86-64 with AVX2, and prints the conditions in decisions of include/, runtime/ and the port of which no test has shown
# that they decide alone. Ends with 0 if there is none beside the listed ones: see coverage/mcdc_exceptions.txt. Ends with
# 77 (skipped) on other processors, or without clang 19 and its tools.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
case $(sh toolchains/host.sh gcc) in
  */x86_avx*) ;;
  *) echo 'skipped: this CPU has no AVX2'; exit 77 ;;
esac
for tool in clang-19 clang++-19 llvm-profdata-19 llvm-cov-19 python3; do
  command -v $tool > /dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
build=$root/build/mcdc
jobs=$(getconf _NPROCESSORS_ONLN 2> /dev/null || echo 2)
mkdir -p "$build"
rm -rf "$build/profiles"
# What a test does a thousand times it does here a few times.
export HEED_TEST_DIVISOR="${HEED_TEST_DIVISOR:-5}"
export LLVM_PROFILE_FILE="$build/profiles/%4m.profraw"
# Of functions in a precompiled header clang writes no map.
flags='-fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc'
if ! { cmake -S . -B "$build" -G Ninja -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 -DHEED_PORT=x86_avx2 \
         -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" \
         -DCMAKE_C_FLAGS_RELEASE='-O1 -DNDEBUG' -DCMAKE_CXX_FLAGS_RELEASE='-O1 -DNDEBUG' \
         -DHEED_BUILD_TESTS=ON -DHEED_BUILD_TOOLS=OFF -DHEED_BUILD_BENCH=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON &&
       cmake --build "$build" -j "$jobs" --target unit_tests c_tests bits_tests heap_tests data_tests \
         port_check &&
       ctest --test-dir "$build" -j "$jobs" --output-on-failure -L '^(unit|c|bits|heap|data)$' &&
       llvm-profdata-19 merge "$build"/profiles/*.profraw -o "$build/mcdc.profdata"; } > "$build/mcdc.log" 2>&1; then
  cat "$build/mcdc.log"
  exit 1
fi
exec python3 -B tests/coverage/mcdc.py "$build"
