#!/bin/sh
# SPDX-License-Identifier: MIT
#
# install.sh [purpose...]: installs the Debian packages that the purposes need, with sudo unless run by root:
#   desktop (the default)  building the library for this machine      tools     the command `heed`
#   tests                  everything that tests/run.sh uses          bench     the benchmarks
#   packages               what the tests of packages read them with; of firmware's also cortex-m, riscv32 and riscv64
#   analysis               tests/coverage.sh, tests/mcdc.sh, tests/mutation/run.sh
#   peers                  what bench/peers compares with
#   cortex-m               cross-compiling for Cortex-M and running it in QEMU; the C library's packages are there for
#                          C++'s headers, nothing is linked from them
#   cortex-a, riscv32      the same for a bare AArch64, and for a bare 32-bit RISC-V
#   node                   the peers' package manager
#   figures                what tests/figures/run.sh measures with, beside the compilers and emulators of the targets
#   aarch64, armv7, riscv64  building for these processors, and running what was built in an emulator
#   riscv64-rvv              the same for RISC-V with vectors, which takes a newer clang
#   s390x                  the same for IBM Z, on which tests/toolchains/check_targets.sh looks for the golden hashes
# Silent, and touches nothing, when every package is there.
set -eu

# compiler_for <processor> <triple>: a cross compiler's package; on that processor itself g++ has the command.
compiler_for() {
  if [ "$(uname -m)" = "$1" ]; then echo g++; else echo "g++-$2"; fi
}

packages_for() {
  case $1 in
    desktop) echo g++ cmake ninja-build libxsimd-dev ;;
    tools) echo libcli11-dev nlohmann-json3-dev libxtensor-dev ;;
    tests) echo googletest clang libclang-rt-dev clang-format clang-tidy cppcheck valgrind python3-numpy ;;
    bench) echo libbenchmark-dev ;;
    packages) echo dpkg-dev file pkg-config lintian mandoc groff-base doxygen python3 ;;
    peers) echo libopenblas-dev libdnnl-dev ;;
    cortex-m) echo gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib qemu-system-arm ;;
    riscv32)
      echo gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf "$(compiler_for riscv64 riscv64-linux-gnu)" qemu-system-misc
      ;;
    cortex-a) echo "$(compiler_for aarch64 aarch64-linux-gnu)" qemu-system-arm ;;
    node) echo nodejs npm ;;
    analysis)
      echo g++ cmake ninja-build libxsimd-dev googletest nlohmann-json3-dev python3 clang-19 libclang-rt-19-dev llvm-19
      ;;
    figures) echo g++ cmake ninja-build python3 llvm ;;
    aarch64) echo "$(compiler_for aarch64 aarch64-linux-gnu)" qemu-user ;;
    armv7) echo g++-arm-linux-gnueabihf qemu-user ;;
    riscv64) echo "$(compiler_for riscv64 riscv64-linux-gnu)" qemu-user ;;
    s390x) echo g++-s390x-linux-gnu qemu-user ;;
    riscv64-rvv) echo clang-19 "$(compiler_for riscv64 riscv64-linux-gnu)" qemu-user ;;
    *)
      echo "install.sh: no such purpose: $1; the head of the script lists them" >&2
      exit 2
      ;;
  esac
}

[ $# -gt 0 ] || set -- desktop
wanted=
for purpose in "$@"; do
  packages=$(packages_for "$purpose")
  wanted="$wanted $packages"
done

if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
  echo "install.sh: this is not a Debian system; install what these packages hold:$wanted" >&2
  exit 1
fi
missing=
for package in $wanted; do
  dpkg-query -W -f='${db:Status-Status}\n' "$package" 2> /dev/null | grep -qx installed || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo > /dev/null; then
    echo "install.sh: run this as root, or install sudo; missing:$missing" >&2
    exit 1
  fi
  as_root=sudo
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "installing:$missing" >&2
# Old package lists may do where new ones cannot be had. The list of packages is meant to be split.
# shellcheck disable=SC2086
if ! { $as_root apt-get update || true
       $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } > "$log" 2>&1
then
  tail -n 20 "$log" >&2
  echo "install.sh: apt-get could not install:$missing" >&2
  exit 1
fi
