#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prints the toolchain file for the machine this runs on, with the compiler given (gcc or clang; gcc by default): that of
# the best port it can run, or of the port that HEED_HOST_PORT names. HEED_CPU_INFO names a file in place of
# /proc/cpuinfo, for AArch64.
set -eu
directory=$(cd "$(dirname "$0")" && pwd)
compiler=${1:-gcc}
machine=$(uname -m)
case $machine in
  x86_64)
    if ! grep -q '^flags.*\bfma\b' /proc/cpuinfo; then
      echo "heed: this CPU has no fused multiply-add (FMA), which heed needs" >&2
      exit 2
    fi
    # has <feature>...: whether the CPU has them all, and the system lets programs use them
    has() { for feature in "$@"; do grep -q "^flags.*\\b$feature\\b" /proc/cpuinfo || return 1; done; }
    if has avx512f avx512bw avx512dq avx512vl avx512_vnni avx2 f16c; then
      name=x86_avx512_vnni
    elif has avx512f avx512bw avx512dq avx512vl avx2 f16c; then
      name=x86_avx512
    elif has avx_vnni avx2 f16c; then
      name=x86_avx_vnni
    elif has avx2 f16c; then
      name=x86_avx2
    else
      name=x86_scalar
    fi
    ;;
  aarch64)
    has() { for feature in "$@"; do grep -q "^Features.*\\b$feature\\b" "${HEED_CPU_INFO:-/proc/cpuinfo}" || return 1; done; }
    if has asimddp i8mm; then
      name=aarch64-i8mm-linux
    elif has asimddp; then
      name=aarch64-dotprod-linux
    else
      name=aarch64-linux
    fi
    ;;
  riscv64) name=$machine-linux ;;
  *) name=$machine ;;
esac
toolchain=$directory/${HEED_HOST_PORT:-$name}-$compiler.cmake
if [ ! -f "$toolchain" ]; then
  echo "heed: there is no toolchain file for building on $machine with $compiler; cross-compile from another machine" >&2
  exit 2
fi
echo "$toolchain"
