#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The main job on a fresh Debian 12 machine: installs what is missing, builds, runs the worked examples, then a
# ten-second summary of attention's speed on this machine, then one layer on the desktop and, as firmware, on an
# emulated Cortex-M4F, with the hashes of what both computed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
sh "$root/toolchains/install.sh" desktop tools
toolchain=$(sh "$root/toolchains/host.sh" gcc)
build=$root/build/examples
mkdir -p "$build"
log=$build/build.log
if ! { cmake -S "$root" -B "$build" -G Ninja --toolchain "$toolchain" \
         -DCMAKE_BUILD_TYPE=Release -DHEED_BUILD_TESTS=OFF -DHEED_BUILD_EXAMPLES=ON &&
       cmake --build "$build" --target heed_command heed_speed firmware_layer; } >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
"$build/tools/heed" demo "$@"
echo
"$build/bench/heed_speed"
echo
sh "$root/toolchains/install.sh" cortex-m || echo 'examples/run.sh: going on with what is there' >&2
sh "$root/examples/firmware/compare.sh" "$build/examples/firmware/firmware_layer" "$build/cortex-m4f"
