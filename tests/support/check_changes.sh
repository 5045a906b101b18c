#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_changes.sh <source folder> <build folder>: what a change of a file calls for, that each test which is called for
# is there, and that a revision which is not there is said. The build folder is one that has every test.
. "$(dirname "$0")/begin.sh"
source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
needs git
git init -q "$work/tree"
cd "$work/tree"
root=$work/tree
native=x86_avx2
. "$source/tests/support/changes.sh"
echo /build > .gitignore
git add .gitignore
git -c user.name=test -c user.email=test commit -q -m first

# calls_for <file> <areas>: what is chosen where that file alone is new
calls_for() {
  mkdir -p "$(dirname "$1")"
  touch "$1"
  choose_since HEAD > "$work/log"
  rm "$1"
  found=$(sed -n 's/^chosen: \([^,]*\), by .*/\1/p' "$work/log" | tr '\n' ' ')
  [ "$found" = "$2 " ] || fail "a change of $1 calls for $found, not $2"
  tests="${tests:-}${tests:+|}$chosen_tests"
}
calls_for tools/commands/plan.cpp 'command tree'
calls_for tools/formats/gguf.cpp 'command architectures fuzz tree'
calls_for runtime/text/tokenizer.cpp 'command fuzz tree'
calls_for runtime/nn/activation.cpp 'functions tree'
calls_for packaging/python/heed/_model.py 'python packages'
calls_for packaging/zephyr/CMakeLists.txt packages
calls_for ports/target.cmake 'packages tree'
calls_for include/heed/heed.h 'python headers tree'
calls_for tests/support/runner.sh runs
calls_for docs/models.md pages
calls_for README.md pages
calls_for bench/speed.cpp measures
calls_for ports/neon_lanes.hpp 'tree cortex-m4f-gcc cortex-m55-gcc cortex-m0plus-gcc aarch64-dotprod-linux-gcc '\
'armv7-linux-gcc'
calls_for ports/arm_m3/kernels/exp2.hpp 'functions tree cortex-m3-gcc'
[ "$chosen_presets" = ' cortex-m3-gcc' ] || fail "presets: $chosen_presets"
calls_for ports/x86_avx512/port.hpp 'tree x86_avx512-gcc'
[ "$chosen_compiled" = ' x86_avx512-gcc' ] || fail "compiled: $chosen_compiled"
choose_since HEAD > "$work/log"
said 'nothing is chosen by path: no change since HEAD'
choose_since 0123456789012345678901234567890123456789 > "$work/log"
said "0123456789012345678901234567890123456789 is not in this folder's history"
[ -n "$unknown" ] || fail 'an unknown revision is none'

ctest --test-dir "$build" -N | sed -n 's/^ *Test *#[0-9]*: //p' > "$work/names"
echo "$tests" | tr '|' '\n' | sort -u > "$work/wanted"
while read -r pattern; do
  grep -qxE "$pattern" "$work/names" || fail "no test is $pattern"
done < "$work/wanted"
echo "$(wc -l < "$work/wanted") patterns of tests, each with a test"
