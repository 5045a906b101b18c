#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Measures heed beside OpenBLAS, oneDNN and ONNX Runtime on the same numbers, in turns on one core, and prints the
# table, in about three minutes. Installs the packages that are missing; ONNX Runtime comes from npm into build/peers.
# The results stay in build/peers/results.json.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
purposes="desktop tools bench peers"
if ! command -v node > /dev/null || ! command -v npm > /dev/null; then purposes="$purposes node"; fi
# The list of purposes is meant to be split.
# shellcheck disable=SC2086
sh "$root/toolchains/install.sh" $purposes
toolchain=$(sh "$root/toolchains/host.sh" gcc)
build=$root/build/peers
mkdir -p "$build"
log=$build/build.log
if ! { cmake -S "$root" -B "$build" -G Ninja --toolchain "$toolchain" -DCMAKE_BUILD_TYPE=Release \
         -DHEED_BUILD_TESTS=OFF -DHEED_BUILD_TOOLS=OFF -DHEED_BUILD_PEERS=ON &&
       cmake --build "$build" --target heed_peers heed_peers_table; } > "$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
# The package holds the CPU library; its install script would fetch another one.
if [ ! -d "$build/node_modules/onnxruntime-node" ] &&
   ! npm install --prefix "$build" --ignore-scripts --no-audit --no-fund onnxruntime-node > "$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
export NODE_PATH="$build/node_modules" OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
echo 'measuring ...' >&2
"$build/bench/peers/heed_peers" "$root/bench/peers" "$build/results.json"
"$build/bench/peers/heed_peers_table" "$root/bench/goals.json" "$build/results.json"
