#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh <target> [<executions> [<option of libFuzzer>...]]: runs a target under libFuzzer and the sanitizers, a million
# times unless said otherwise. Its corpus stays in build/fuzz/corpus/<target>, so that the next run goes on from there;
# an input that ends the process is left in build/fuzz/<target>-*.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
if [ $# = 0 ]; then
  echo "$0 <target> [<executions> [<option of libFuzzer>...]]"
  echo "targets: $(cd "$root/tests/fuzz" && echo ./*_target.cpp | sed 's|\./||g; s/_target\.cpp//g')"
  exit 2
fi
target=$1
executions=${2:-1000000}
if [ $# -gt 2 ]; then shift 2; else shift $#; fi
build=$root/build/fuzz
mkdir -p "$build"
# The port for AVX-512 takes minutes to compile with the sanitizers.
toolchain=$(sh "$root/toolchains/host.sh" clang | sed 's/x86_avx[0-9a-z_]*-/x86_avx2-/')
{ cd "$root" && cmake --preset fuzz --toolchain "$toolchain" &&
  cmake --build "$build" --target "fuzz_$target" "libfuzzer_$target"; } > "$build/run.log" 2>&1 ||
  { cat "$build/run.log"; exit 1; }
"$build/tests/fuzz/fuzz_$target" --seeds "$build/corpus/$target"
exec "$build/tests/fuzz/libfuzzer_$target" -runs="$executions" -max_len=8192 -print_final_stats=1 \
  -artifact_prefix="$build/$target-" "$@" "$build/corpus/$target"
