#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [--list | name...]: the gate, ten minutes on two cores. First a core that is always the same: the library's
# tests under the sanitizers; on this machine the golden hashes, the kernels, memory and the rules of the tree; hashes
# on boards and another processor in an emulator. Then what changed.sh chooses for the changes since the commit in
# tests/tested_whole, on which all that it would choose has passed. Installs what is missing. Ends as support/runner.sh
# says.
. "$(dirname "$0")/support/runner.sh"
. "$root/tests/support/presets.sh"
. "$root/tests/support/changes.sh"

# The longest first, so that none ends alone.
core() {
  core_sanitizers
  core_boards
  core_processors
  core_host
}

core_sanitizers() {
  if [ ! -f "toolchains/$host-clang.cmake" ]; then skip core-sanitize "there is no clang for $host"; return; fi
  # shellcheck disable=SC2086
  configuration core-sanitize sanitize 'unit_tests c_tests bits_tests heap_tests' \
    '-L ^(unit|c|bits|heap)$ -E ^port_check$' --toolchain "$root/toolchains/$host-clang.cmake" \
    $together $linker "$watched_library" -DHEED_TEST_DIVISOR=15 \
    -DCMAKE_CXX_FLAGS_RELWITHDEBINFO='-O1 -g1 -DNDEBUG -fno-sanitize=pointer-overflow'
}

# hashes <preset> <targets> <tests> [option...]: the golden hashes, and the kernels where a change of the port calls for
# them. The shared kernels are those that the port of this machine is compared with.
hashes() {
  preset=$1
  targets="firmware_check $2"
  tests="firmware_check|$3"
  shift 3
  case " $chosen_presets " in
    *" $preset "*)
      targets="$targets port_check"
      tests="$tests|port_check"
      ;;
  esac
  configuration "core-${preset%-gcc}" "$preset" "$targets" "-R ^($tests)$" "$@"
}

core_boards() {
  hashes cortex-m4f-gcc 'probes runs' 'archive|figures_.*'
  for preset in cortex-m0plus-gcc riscv32imc-bare-gcc cortex-m55-gcc; do
    case $preset in riscv32*) has_riscv32 "core-${preset%-gcc}" || continue ;; esac
    # shellcheck disable=SC2086
    hashes "$preset" '' archive $together $uncounted
  done
}

core_processors() {
  case $native in
    aarch64*) ;;
    # shellcheck disable=SC2086
    *) hashes aarch64-dotprod-linux-gcc '' archive $library $together ;;
  esac
}

core_host() {
  # shellcheck disable=SC2086
  configuration "core-$host" "$host-gcc" "$checks guard_tests" \
    '-R ^(guard_.*|(firmware|port)_check|archive|static_objects|refused_plan|include_rules|style_format)$' \
    $library $together
  if [ "$native" != "$host" ]; then
    # shellcheck disable=SC2086
    configuration "core-$native" "$native-gcc" "$checks" "-R $only_checks" $library $together
  fi
}

gate() {
  core
  changed_configurations
}

choose_since "$(cat tests/tested_whole 2> /dev/null)" >&2
if [ "${1:-}" = --list ]; then list_all gate; exit; fi
# shellcheck disable=SC2086
install_packages 'desktop tools tests' aarch64 cortex-m riscv32 figures $chosen_packages
run_all gate "$@"; exit
