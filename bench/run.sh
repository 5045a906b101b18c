#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Measures everything that the goals in goals.json name, in under three minutes, and prints the table of goals.
# Installs the packages that are missing. The results stay in build/bench/results.json.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
sh "$root/toolchains/install.sh" desktop tools bench
toolchain=$(sh "$root/toolchains/host.sh" gcc)
build=$root/build/bench
mkdir -p "$build"
log=$build/build.log
if ! { cmake --fresh -S "$root" -B "$build" -G Ninja --toolchain "$toolchain" -DCMAKE_BUILD_TYPE=Release \
         -DHEED_BUILD_TESTS=OFF -DHEED_BUILD_TOOLS=OFF &&
       cmake --build "$build" --target heed_bench heed_goals heed_draw; } > "$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
echo 'measuring ...' >&2
# Repetitions of different benchmarks take turns, so that a slow minute of the machine hits all of them alike.
if ! "$build/bench/heed_bench" --benchmark_enable_random_interleaving=true --benchmark_out_format=json \
     --benchmark_out="$build/results.json" > "$build/bench.log" 2> "$build/errors.log"; then
  cat "$build/errors.log" >&2
  exit 1
fi
"$build/bench/heed_goals" "$root/bench/goals.json" goals "$build/results.json"
