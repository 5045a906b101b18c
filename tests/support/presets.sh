# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# What configurations are made of: . tests/support/presets.sh, after runner.sh.
toolchain=$(sh toolchains/host.sh gcc) || exit 1
native=$(basename "$toolchain" -gcc.cmake)
# The port that more machines have, and that is compiled with the sanitizers in a minute.
host=$native
case $native in x86_avx*) host=x86_avx2 ;; esac
# The library as a few files, compiled in half the time: where neither figures nor single objects are looked at.
together='-DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=25'
library='-DHEED_BUILD_TOOLS=OFF -DHEED_BUILD_BENCH=OFF -DHEED_BUILD_PYTHON=OFF'
models=-DHEED_MODELS=$root/build/tests/models
# firmware_check has a golden hash of everything, port_check tells where a port is wrong.
checks='firmware_check port_check'
only_checks='^(firmware|port)_check$'
# An emulator that counts no instructions takes half of the time.
uncounted=-DHEED_COUNT_INSTRUCTIONS=OFF
# What is watched is the library: the tests are compiled in a third of the time without.
watched_library='-DHEED_TEST_FLAGS=-fno-sanitize=all -O0'
# The runtime of the sanitizers takes the usual linker longer than a test takes to compile.
linker=
if command -v ld.lld > /dev/null; then linker=-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld; fi

# has_riscv32 <name>: else the configuration is skipped.
has_riscv32() {
  missing=
  for tool in riscv64-unknown-elf-g++ qemu-system-riscv32; do
    command -v $tool > /dev/null || missing="$missing $tool"
  done
  [ -n "$missing" ] || return 0
  skip "$1" "there is no$missing"
  return 1
}

# make_models: the model files for the images, from what there is of the weights; their folder stays empty without.
make_models() {
  folder=$root/build/tests/models
  mkdir -p "$folder" "$root/build/tests/$host-gcc"
  cmake --preset "$host-gcc" -B "$root/build/tests/$host-gcc" > "$folder.log" 2>&1 &&
    sh examples/models.sh "$folder" "$root/build/tests/$host-gcc" >> "$folder.log" 2>&1 && return 0
  echo "$0: no models: see $folder.log"
  return 1
}
