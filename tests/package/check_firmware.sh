#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_firmware.sh together|apart <source folder> <cmake>: what packaging/assemble.sh gives to each manager of firmware
# chooses the port of each core, compiles with the sources, folders and options that the manager's own files name and the
# processor's flags of a toolchain file, and a small consumer links with it and runs in the emulator; managers that ask
# for the same compile it once. `together`: all sources as one; `apart`: each alone, and Helium too. Zephyr, ESP-IDF and
# PlatformIO find every source in heed's own tree as well. Ends with 77 (skipped) if a compiler is missing, after the
# rest.
. "$(dirname "$0")/../support/begin.sh"
manner=$1
source=$2
cmake=$3
skipped=0
needs python3

has() { command -v "$1" > /dev/null || { echo "skipped: there is no $1"; skipped=1; return 1; }; }

# configure <manager> <folder> <toolchain> <option>...: in $work/<toolchain>, which knows its compiler after the first time
configure() {
  kind=$1
  package=$2
  to=$work/$3
  toolchain=$source/toolchains/$3.cmake
  shift 3
  case $manner in
    # Without optimization, which takes most of the time.
    together) set -- "$@" -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=0 ;;
    *) set -- "$@" -DCMAKE_BUILD_TYPE=MinSizeRel ;;
  esac
  [ ! -d "$to" ] || find "$to" -name 'unity_*' -delete
  "$cmake" -S "$source/tests/package/firmware" -B "$to" -G Ninja -DKIND="$kind" -DPACKAGE="$package" \
    -DCMAKE_TOOLCHAIN_FILE="$toolchain" "$@" > "$work/log" 2>&1
}

# headers <folder>...: those that a port may have, as an include path finds them, and what is in them
headers() {
  for folder in "$@"; do
    (cd "$folder" && find port.hpp kernels detail -name '*.hpp' -exec cksum {} + 2> /dev/null) || true
  done | awk '!seen[$3]++' | sort -k3
}

# has_port <port>: what is configured finds the headers that the project's own build of the port finds
has_port() {
  ninja -C "$to" -t commands libheed.a > "$work/commands"
  tr ' ' '\n' < "$work/commands" | sed -n 's/^-I//p' | awk '!seen[$0]++' > "$work/folders"
  # shellcheck disable=SC2046 # folders without spaces
  headers $(cat "$work/folders") > "$work/found"
  inherits=$(sed -n 's/^set(heed_port_inherits \(.*\))$/\1/p' "$source/ports/$1/port.cmake")
  # shellcheck disable=SC2046,SC2086 # folders without spaces
  headers $(printf "$source/ports/%s " $1 $inherits) "$source/runtime" > "$work/expected"
  cmp "$work/found" "$work/expected" || fail "$kind does not choose $1"
}

# build <name> <port>: $work/<name>.a; another build's, if that does just the same
build() {
  {
    echo "$2"
    grep -v '/ports/' "$work/folders" | sort
    sed 's|-I[^ ]* ||g' "$work/commands"
    find "$to" -name 'unity_*' -exec cat {} +
  } | sed "s|[^ \"]*/CMakeFiles/|CMakeFiles/|g; s|$package|.|g" > "$work/$1.commands"
  for other in "$work"/*.commands; do
    archive=${other%.commands}.a
    if [ "$other" != "$work/$1.commands" ] && [ -f "$archive" ] && cmp -s "$other" "$work/$1.commands"; then
      cp "$archive" "$work/$1.a"
      echo "$1: as $(basename "$archive" .a)"
      return
    fi
  done
  run "$cmake" --build "$to" -j 2
  cp "$to/libheed.a" "$work/$1.a"
  echo "$1: compiles"
}

# consume <name> <emulator> <start-up code> <compiler> <flag>...: a program of C (`programs`, plain.c otherwise), with
# nothing else
consume() {
  archive=$work/$1.a
  emulator=$2
  start=$3
  shift 3
  # A loop that copies must not become a call of memcpy inside of memcpy.
  # shellcheck disable=SC2086 # files without spaces
  run "$@" -Os -ffreestanding -fno-tree-loop-distribute-patterns -nostdlib -I "$package/include" \
    -I "$source/packaging/samples" ${programs:-$source/tests/consumer/plain.c} \
    "$source/tests/package/firmware/$start" "$source/tests/package/firmware/memory.c" "$archive" -lgcc -o "$work/program"
  # shellcheck disable=SC2086 # the emulator's options are meant to be split
  if has "${emulator%% *}"; then run $emulator "$work/program"; fi
}

# run_sample <name> <flag>...: the program of the SDKs' samples has the bits of every machine
run_sample() {
  name=$1
  shift
  programs="$source/packaging/samples/layer.c $source/packaging/zephyr/samples/layer/src/main.c
    $source/tests/package/firmware/silent.c" \
    consume "$name" 'qemu-arm -cpu max' start_arm.S arm-none-eabi-gcc -mthumb "$@" -Wall -Wextra -Werror
}

# check <name> <manager> <port> <toolchain> <option>...: all of it
check() {
  name=$1
  manager=$2
  port=$3
  file=$4
  shift 4
  configure "$manager" "$work/package/$manager" "$file" "$@" || fail "$name does not configure"
  has_port "$port"
  build "$name" "$port"
  cpu=$(sed -n 's/^set(cpu "\(.*\)")$/\1/p' "$source/toolchains/$file.cmake")
  # shellcheck disable=SC2086 # the flags are meant to be split
  case $file in
    # The emulator of Linux programs has no Helium: the program links.
    cortex-m55*) consume "$name" true start_arm.S arm-none-eabi-gcc -mthumb $cpu ;;
    cortex-*) consume "$name" 'qemu-arm -cpu max' start_arm.S arm-none-eabi-gcc -mthumb $cpu ;;
    *) consume "$name" qemu-riscv32 start_riscv.S riscv64-unknown-elf-gcc $cpu ;;
  esac
}

for manager in zephyr esp-idf platformio cmsis-pack; do
  run sh "$source/packaging/assemble.sh" $manager "$work/package/$manager"
done
zephyr='-DSYMBOLS=CPP;REQUIRES_FULL_LIBCPP;STD_CPP20'
mainline=$zephyr';CPU_CORTEX_M;ARMV7_M_ARMV8_M_MAINLINE'
baseline=$zephyr';CPU_CORTEX_M;ARMV6_M_ARMV8_M_BASELINE'
riscv=$zephyr';RISCV;RISCV_ISA_EXT_M'

if has arm-none-eabi-g++; then
  check m4 zephyr arm_m cortex-m4f-gcc "$mainline;CPU_CORTEX_M4;FPU"
  run_sample m4 -mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard
  check m4_platformio platformio arm_m cortex-m4f-gcc
  check m4_pack cmsis-pack arm_m cortex-m4f-gcc '-DDEVICE=Dcore=Cortex-M4;Dfpu=SP_FPU;Dmve=NO_MVE'
  check m0 platformio arm_m0 cortex-m0plus-gcc
  # As an SDK that puts its own functions in place of the compiler's.
  run_sample m0 -mcpu=cortex-m0plus
  # shellcheck disable=SC2086 # the flags are meant to be split
  programs=$source/tests/consumer/flushing.c consume m0 'qemu-arm -cpu max' start_arm.S arm-none-eabi-gcc -mthumb $cpu -Wl,--wrap=__aeabi_fmul
  check m0_zephyr zephyr arm_m0 cortex-m0plus-gcc "$baseline;CPU_CORTEX_M0PLUS"
  check m0_pack cmsis-pack arm_m0 cortex-m0plus-gcc '-DDEVICE=Dcore=Cortex-M0+;Dfpu=NO_FPU;Dmve=NO_MVE'
  check m3 zephyr arm_m3 cortex-m3-gcc "$mainline;CPU_CORTEX_M3"
  run_sample m3 -mcpu=cortex-m3
  check m3_platformio platformio arm_m3 cortex-m3-gcc
  check m3_pack cmsis-pack arm_m3 cortex-m3-gcc '-DDEVICE=Dcore=Cortex-M3;Dmve=NO_MVE'
  configure platformio "$source" cortex-m0plus-gcc || fail 'the tree is no library of PlatformIO'
  has_port arm_m0
  if configure zephyr "$source/packaging" cortex-m0plus-gcc '-DSYMBOLS=CPP;REQUIRES_FULL_LIBCPP;STD_CPP20;X86;FPU'; then
    fail 'Zephyr: x86 passes'
  fi
  grep -q 'no port fits this board' "$work/log" || fail 'Zephyr: refuses x86 without saying why'
  configure zephyr "$source/packaging" cortex-m0plus-gcc "$baseline;CPU_CORTEX_M23;ARMV8_M_BASELINE" ||
    fail 'the tree is no module of Zephyr'
  has_port arm_m0
  configure cmsis-pack "$work/package/cmsis-pack" cortex-m55-gcc '-DDEVICE=Dcore=Cortex-M55;Dfpu=DP_FPU;Dmve=FP_MVE' ||
    fail 'the pack does not know Helium'
  has_port arm_mve
  if [ "$manner" = apart ]; then
    check helium zephyr arm_mve cortex-m55-gcc "$mainline;CPU_CORTEX_M55;FPU;ARMV8_1_M_MVEF"
    # As the boards of Arduino that pass floats in other registers.
    soft='-mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=softfp'
    configure zephyr "$work/package/zephyr" cortex-m4f-gcc "$mainline;CPU_CORTEX_M4;FPU" -DCMAKE_CXX_FLAGS="$soft" ||
      fail 'zephyr does not configure for softfp'
    has_port arm_m
    build softfp arm_m
    # shellcheck disable=SC2086 # the flags are meant to be split
    consume softfp 'qemu-arm -cpu max' start_arm.S arm-none-eabi-gcc $soft
  fi
fi

if has riscv64-unknown-elf-g++ && has riscv64-linux-gnu-g++; then
  check p4 esp-idf riscv_f riscv32-bare-gcc -DCHIP=esp32p4
  check p4_zephyr zephyr riscv_f riscv32-bare-gcc "$riscv;FPU"
  check c3 esp-idf riscv_i riscv32imc-bare-gcc -DCHIP=esp32c3
  check c6 esp-idf riscv_i riscv32imc-bare-gcc -DCHIP=esp32c6
  check c3_zephyr zephyr riscv_i riscv32imc-bare-gcc "$riscv"
  check c3_platformio platformio riscv_i riscv32imc-bare-gcc
  configure esp-idf "$source" riscv32imc-bare-gcc -DCHIP=esp32c3 || fail 'the tree is no component'
  has_port riscv_i
  if configure esp-idf "$source" riscv32imc-bare-gcc -DCHIP=esp32s3; then fail 'ESP-IDF: no RISC-V passes'; fi
  grep -q 'is no RISC-V' "$work/log" || fail 'ESP-IDF: refuses without saying why'
fi
[ $skipped = 0 ] || exit 77
