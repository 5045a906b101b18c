#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The main job on a fresh Debian 12 machine: installs what is missing, builds, runs the worked examples and then a
# ten-second summary of attention's speed on this machine.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
sh "$root/toolchains/install.sh" desktop tools
toolchain=$(sh "$root/toolchains/host.sh" gcc)
build=$root/build/examples
mkdir -p "$build"
log=$build/build.log
if ! { cmake -S "$root" -B "$build" -G Ninja --toolchain "$toolchain" \
         -DCMAKE_BUILD_TYPE=Release -DHEED_BUILD_TESTS=OFF &&
       cmake --build "$build" --target heed_command heed_speed; } >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
"$build/tools/heed" demo "$@"
echo
"$build/bench/heed_speed"
