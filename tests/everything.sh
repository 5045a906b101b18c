#!/bin/sh
# SPDX-License-Identifier: MIT
#
# everything.sh [--list | name...]: every test, with each port, compiler and board, as independent configurations. A
# name runs one of them, so that a service can spread them over machines. It is for a release, and for a piece of work
# that is done. Installs what is missing. Ends as support/runner.sh says, where a clean tree passes whole with how to note
# it.
. "$(dirname "$0")/support/runner.sh"
. "$root/tests/support/presets.sh"

everything() {
  on_machine
  watched
  on_boards
  on_processors
}

# Every port of this machine with each compiler: with gcc all tests, and each case of the longest.
on_machine() {
  configuration "$host-gcc" "$host-gcc" all '' "$models" -DHEED_THOROUGH_TESTS=ON
  ports=$host
  if [ "$host" = x86_avx2 ]; then ports="x86_avx2 x86_scalar"; fi
  if [ "$native" != "$host" ]; then ports="$ports $native"; fi
  case $native in x86_avx512_vnni) ports="$ports x86_avx512" ;; esac
  for port in $ports; do
    for compiler in gcc clang; do
      preset=$port-$compiler
      if [ ! -f "toolchains/$preset.cmake" ] || [ "$preset" = "$host-gcc" ]; then continue; fi
      # What lies above a port's arithmetic is tested with each port once, and with each compiler.
      targets=$checks
      tests="-R $only_checks"
      if [ $preset != x86_scalar-clang ]; then
        targets='unit_tests c_tests bits_tests guard_tests heap_tests sweep_tests port_check'
        tests='-L ^(unit|c|bits|guard|heap|sweep)$ -LE once'
      fi
      # shellcheck disable=SC2086
      configuration "$preset" "$preset" "$targets" "$tests" $library $together -DHEED_TEST_FLAGS=-O1
    done
  done
  case $native in
    x86_avx512*) ;;
    x86*)
      for preset in x86_avx512-gcc x86_avx512-clang; do compile $preset $preset 'this CPU has no AVX-512'; done ;;
  esac
  # shellcheck disable=SC2086
  configuration "$host-gcc-O1" "$host-gcc" "$checks" "-R $only_checks" $library $together \
    -DCMAKE_CXX_FLAGS_RELEASE='-O1 -DNDEBUG'
}

# Accesses, lines and conditions.
watched() {
  if [ -f "toolchains/$host-clang.cmake" ]; then
    # shellcheck disable=SC2086
    configuration sanitize sanitize 'unit_tests c_tests bits_tests heap_tests fuzz_tests port_check' \
      '-L ^(unit|c|bits|heap|fuzz)$' --toolchain "$root/toolchains/$host-clang.cmake" $together $linker \
      "$watched_library"
  fi
  script coverage tests/coverage.sh
  script mcdc tests/mcdc.sh
}

on_boards() {
  for preset in cortex-m4f-gcc cortex-m55-gcc cortex-m33-gcc cortex-m7-gcc cortex-a53-bare-gcc cortex-m3-gcc \
    cortex-m0plus-gcc riscv32-bare-gcc riscv32imc-bare-gcc; do
    case $preset in riscv32*) has_riscv32 "$preset" || continue ;; esac
    targets=all
    tests=
    case $preset in
      # With the port of a Cortex-M4F.
      cortex-m33-gcc | cortex-m7-gcc)
        targets="$checks probes runs model_costs"
        tests='-R ^((firmware|port)_check|figures_.*|model_costs_.*)$'
        ;;
      # Ten minutes, in which the estimates of a Cortex-M3 tell of such cores.
      cortex-m0plus-gcc | riscv32imc-bare-gcc) tests='-LE ^costs$' ;;
    esac
    configuration "$preset" "$preset" "$targets" "$tests" "$models"
  done
  # shellcheck disable=SC2086
  configuration cortex-m4f-gcc-Os cortex-m4f-gcc "$checks" "-R $only_checks" -DCMAKE_CXX_FLAGS_RELEASE='-Os -DNDEBUG' \
    $together $uncounted
  # Floats in registers, but handed over in those of integers.
  softfp='-mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=softfp'
  # shellcheck disable=SC2086
  configuration cortex-m4f-gcc-softfp cortex-m4f-gcc "$checks" "-R $only_checks" -DCMAKE_C_FLAGS="$softfp" \
    -DCMAKE_CXX_FLAGS="$softfp" -DCMAKE_ASM_FLAGS="$softfp" $together $uncounted
  # Where gcc moves the intrinsics of Helium is another matter at each level.
  for level in -O1 -O2 -Os; do
    # shellcheck disable=SC2086
    configuration cortex-m55-gcc$level cortex-m55-gcc "$checks" "-R $only_checks" \
      -DCMAKE_CXX_FLAGS_RELEASE="$level -DNDEBUG" $together $uncounted
  done
}

# What depends on a port is what has a hash, and memory at the ends of rows.
on_processors() {
  for preset in aarch64-linux-gcc armv7-linux-gcc riscv64-linux-gcc; do
    case $native in "${preset%-gcc}"*) continue ;; esac
    configuration "$preset" "$preset" 'bits_tests guard_tests port_check probes runs' '-L ^(bits|guard|figures)$'
  done
  for preset in aarch64-linux-clang armv7-linux-clang aarch64-dotprod-linux-gcc aarch64-dotprod-linux-clang \
    aarch64-i8mm-linux-gcc aarch64-i8mm-linux-clang; do
    # shellcheck disable=SC2086
    case $native-$preset in
      "${preset%-*}"-*) ;;
      aarch64-linux-aarch64-dotprod* | aarch64-linux-aarch64-i8mm* | aarch64-dotprod-linux-aarch64-i8mm*)
        compile "$preset" "$preset" 'this CPU cannot run it' ;;
      *) configuration "$preset" "$preset" "$checks" "-R $only_checks" $library $together ;;
    esac
  done
  # A RISC-V machine has one length of vectors, or none.
  for bits in 128 256; do
    preset=riscv64-rvv$bits-linux-clang
    if ! command -v clang++-19 > /dev/null; then skip "$preset" 'there is no clang++-19'; continue; fi
    # shellcheck disable=SC2086
    configuration "$preset" "$preset" 'firmware_check port_check probes runs' '-R ^(firmware_check|figures_.*)$'
  done
}

if [ "${1:-}" = --list ]; then list_all everything; exit; fi
install_packages 'desktop tools tests bench' packages 'aarch64 armv7 riscv64' riscv64-rvv 'cortex-m cortex-a' riscv32 \
  figures analysis s390x
for name in "${@:-all}"; do
  case $name in all | "$host-gcc" | cortex-*-gcc | riscv32*) make_models || exit 1; break ;; esac
done
{
  run_all everything "$@" || exit 1
  if [ $# = 0 ] && [ -z "$(git status --porcelain 2>&1)" ]; then
    echo "this commit was tested whole: git rev-parse HEAD > tests/tested_whole"
  fi
  exit
}
