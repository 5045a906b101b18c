#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_firmware.sh together|apart <source folder> <cmake>: what packaging/assemble.sh gives to each manager of firmware
# compiles with the sources, folders and options that the manager's own files name, and a small consumer links with it
# and runs in the emulator; managers that ask for the same compile it once. `together`: all sources as one; `apart`:
# each alone, and Helium too. Zephyr and ESP-IDF find every source from heed's own tree as well. Ends with 77 (skipped)
# if a compiler is missing, after the rest.
. "$(dirname "$0")/../support/begin.sh"
manner=$1
source=$2
cmake=$3
skipped=0

has() { command -v "$1" > /dev/null || { echo "skipped: there is no $1"; skipped=1; return 1; }; }

# configure <name> <manager> <folder> <option>...: a build in $work/<name>
configure() {
  to=$work/$1
  kind=$2
  package_folder=$3
  shift 3
  if [ "$manner" = together ]; then set -- "$@" -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=0; fi
  "$cmake" -S "$source/tests/package/firmware" -B "$to" -G Ninja -DCMAKE_BUILD_TYPE=MinSizeRel -DKIND="$kind" \
    -DPACKAGE="$package_folder" "$@" > "$work/log" 2>&1
}

# build <name> <folder>: the archive; another build's, if that does just the same.
build() {
  {
    ninja -C "$work/$1" -t commands libheed.a
    find "$work/$1" -name 'unity_*' -exec cat {} +
  } | sed "s|[^ \"]*/CMakeFiles/|CMakeFiles/|g; s|$2|.|g; s|$work/$1|.|g" > "$work/$1.commands"
  for other in "$work"/*.commands; do
    archive=$(dirname "$other")/$(basename "$other" .commands)/libheed.a
    if [ "$other" != "$work/$1.commands" ] && [ -f "$archive" ] && cmp -s "$other" "$work/$1.commands"; then
      cp "$archive" "$work/$1"
      echo "$1: as $(basename "$other" .commands)"
      return
    fi
  done
  run "$cmake" --build "$work/$1" -j 2
  echo "$1: compiles"
}

# consume <name> <folder> <program> <emulator> <start-up code> <compiler> <flag>...: a program of C, with nothing else.
consume() {
  name=$1
  folder=$2
  program=$3
  emulator=$4
  start=$5
  shift 5
  # A loop that copies must not become a call of memcpy inside of memcpy.
  run "$@" -Os -ffreestanding -fno-tree-loop-distribute-patterns -nostdlib -I "$folder/include" "$program" \
    "$source/tests/package/firmware/$start" "$source/tests/package/firmware/memory.c" "$work/$name/libheed.a" -lgcc \
    -o "$work/program"
  # shellcheck disable=SC2086 # the emulator's options are meant to be split
  if has "${emulator%% *}"; then run $emulator "$work/program"; fi
}

consumer=$source/tests/consumer/plain.c
for manager in zephyr esp-idf platformio cmsis-pack; do
  run sh "$source/packaging/assemble.sh" $manager "$work/package/$manager"
done

if has arm-none-eabi-g++; then
  m4='-DCMAKE_TOOLCHAIN_FILE='$source/toolchains/cortex-m4f-gcc.cmake
  for manager in zephyr platformio cmsis-pack; do
    package=$work/package/$manager
    configure $manager $manager "$package" "$m4" -DPORT=arm_m || fail "$manager does not configure"
    build $manager "$package"
    consume $manager "$package" "$consumer" 'qemu-arm -cpu max' start_arm.S \
      arm-none-eabi-gcc -mthumb -mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard
  done
  configure in_tree zephyr "$source/packaging" "$m4" -DPORT=arm_m || fail 'the tree is no module of Zephyr'
  if [ "$manner" = apart ]; then
    # As the boards of Arduino that pass floats in other registers.
    soft='-mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=softfp'
    configure softfp zephyr "$work/package/zephyr" "$m4" -DPORT=arm_m -DCMAKE_CXX_FLAGS="$soft" ||
      fail 'zephyr does not configure for softfp'
    build softfp "$work/package/zephyr"
    # shellcheck disable=SC2086 # the flags are meant to be split
    consume softfp "$work/package/zephyr" "$consumer" 'qemu-arm -cpu max' start_arm.S arm-none-eabi-gcc $soft
    configure helium zephyr "$work/package/zephyr" -DPORT=arm_mve \
      -DCMAKE_TOOLCHAIN_FILE="$source/toolchains/cortex-m55-gcc.cmake" || fail 'zephyr does not configure for Helium'
    build helium "$work/package/zephyr"
  fi
  # The sample needs nothing of Zephyr's but its C library.
  run arm-none-eabi-gcc -mthumb -mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard --specs=nosys.specs -Wall -Wextra \
    -Werror -I "$source/include" "$source/packaging/zephyr/samples/attention/src/main.c" "$work/zephyr/libheed.a" \
    -o "$work/sample"
fi

headers=$(find /usr/include/newlib/c++ -name span 2> /dev/null | sort | tail -n 1)
if has riscv64-unknown-elf-g++; then
  if [ -z "$headers" ] || ! riscv64-unknown-elf-gcc --specs=picolibc.specs -E - < /dev/null > "$work/log" 2>&1; then
    echo 'skipped: there are no headers for riscv64-unknown-elf-g++'
    skipped=1
  else
    folder=$(dirname "$headers")
    config=$(find "$folder" -path '*thumb/v7e-m/nofp/bits/c++config.h')
    toolchain=$source/tests/package/firmware/riscv32.cmake
    set -- -DCMAKE_TOOLCHAIN_FILE="$toolchain" \
      -DCMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES="$folder;${config%/bits/c++config.h}"
    package=$work/package/esp-idf
    if configure soft esp-idf "$package" -DFPU=n "$@"; then fail 'ESP-IDF: a core without an FPU passes'; fi
    grep -q 'is no RISC-V with a floating-point unit' "$work/log" || fail 'ESP-IDF: refuses without saying why'
    configure esp-idf esp-idf "$package" -DFPU=y "$@" || fail 'esp-idf does not configure'
    build esp-idf "$package"
    consume esp-idf "$package" "$consumer" qemu-riscv32 start_riscv.S \
      riscv64-unknown-elf-gcc -march=rv32imafc -mabi=ilp32f
    configure in_tree_esp-idf esp-idf "$source/packaging/esp-idf/heed" -DFPU=y "$@" || fail 'the tree is no component'
  fi
fi
[ $skipped = 0 ] || exit 77
