#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prints the toolchain file for the machine this runs on, with the compiler given (gcc or clang; gcc by default).
set -eu
directory=$(cd "$(dirname "$0")" && pwd)
compiler=${1:-gcc}
machine=$(uname -m)
if [ "$machine" != x86_64 ]; then
  echo "heed: there is no toolchain file for building on $machine; cross-compile from an x86-64 machine" >&2
  exit 2
fi
if ! grep -q '^flags.*\bfma\b' /proc/cpuinfo; then
  echo "heed: this CPU has no fused multiply-add (FMA), which heed needs" >&2
  exit 2
fi
if grep -q '^flags.*\bavx2\b' /proc/cpuinfo; then port=x86_avx2; else port=x86_scalar; fi
echo "$directory/$port-$compiler.cmake"
