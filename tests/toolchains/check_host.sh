#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_host.sh <source folder>: what the scripts choose on an AArch64 machine, which a false `uname` claims to be. The
# native toolchain file, its compiler and its tools; no package and no emulator for the machine's own processor; the
# configurations of tests/everything.sh. Nothing is compiled or installed: the package manager is false too.
. "$(dirname "$0")/../support/begin.sh"
source=$(cd "$1" && pwd)
real_cmake=$(command -v cmake)

# false_command <folder> <name> <line of shell>
false_command() {
  mkdir -p "$work/$1"
  printf '#!/bin/sh\n%s\n' "$3" > "$work/$1/$2"
  chmod +x "$work/$1/$2"
}

# machine <name>: what `uname -m` says from now on.
machine() { false_command machine uname "if [ \"\$*\" = -m ]; then echo $1; else exec /bin/uname \"\$@\"; fi"; }
chosen() { PATH=$work/machine:$PATH sh "$source/toolchains/host.sh" "$@" > "$work/log" 2>&1; }

# What an AArch64 CPU says that it has.
false_features() { echo "Features	: fp asimd crc32 $*" > "$work/cpuinfo"; }
HEED_CPU_INFO=$work/cpuinfo
export HEED_CPU_INFO
machine aarch64
for extension in dotprod i8mm; do
  case $extension in
    dotprod) false_features asimddp ;;
    *) false_features asimddp sve i8mm bf16 ;;
  esac
  chosen gcc || fail "no toolchain file for $extension"
  grep -qx "$source/toolchains/aarch64-$extension-linux-gcc.cmake" "$work/log" || fail "$extension is not taken"
done
false_features asimdhp
for pair in 'aarch64 gcc' 'aarch64 clang' 'riscv64 gcc'; do
  machine "${pair% *}"
  chosen "${pair#* }" || fail "no toolchain file for $pair"
  grep -qx "$source/toolchains/${pair% *}-linux-${pair#* }.cmake" "$work/log" || fail "wrong toolchain file for $pair"
done
if chosen clang; then fail 'a toolchain file that is not there'; fi
machine sparc64
if chosen gcc; then fail 'a toolchain file for an unknown machine'; fi
grep -q 'no toolchain file for building on sparc64' "$work/log" || fail 'an unknown machine is not named'

machine aarch64
cat > "$work/CMakeLists.txt" << 'CMAKE'
cmake_minimum_required(VERSION 3.21)
project(native LANGUAGES NONE)
message("crosscompiling=${CMAKE_CROSSCOMPILING} emulator=${CMAKE_CROSSCOMPILING_EMULATOR} root=${CMAKE_FIND_ROOT_PATH} "
        "compiler=${CMAKE_CXX_COMPILER}${CMAKE_CXX_COMPILER_TARGET} port=${HEED_PORT} tools=${HEED_BUILD_TOOLS}")
CMAKE
# configured <toolchain file>
configured() {
  rm -rf "$work/build"
  PATH=$work/machine:$PATH "$real_cmake" -S "$work" -B "$work/build" --toolchain "$source/toolchains/$1.cmake" \
    > "$work/log" 2>&1 || fail "$1 does not configure"
}
configured aarch64-linux-gcc
grep -qx 'crosscompiling=FALSE emulator= root= compiler=g++ port=arm_neon64 tools=' "$work/log" ||
  fail 'gcc is not native on aarch64'
configured aarch64-dotprod-linux-gcc
grep -qx 'crosscompiling=FALSE emulator= root= compiler=g++ port=arm_neon64_dotprod tools=' "$work/log" ||
  fail 'the port for dot products is not native on aarch64'
configured aarch64-linux-clang
grep -qx 'crosscompiling=FALSE emulator= root= compiler=clang++ port=arm_neon64 tools=' "$work/log" ||
  fail 'clang is not native on aarch64'
for bits in 128 256; do
  configured riscv64-rvv$bits-linux-clang
  grep -q "emulator=qemu-riscv64;-cpu;rv64,v=true,vlen=$bits,.*compiler=clang++-19riscv64-linux-gnu port=riscv_rvv tools=OFF" \
    "$work/log" || fail "vectors of $bits bits are not a cross build on aarch64"
done
configured riscv64-linux-gcc
grep -q 'crosscompiling=TRUE emulator=qemu-riscv64 .*compiler=riscv64-linux-gnu-g++ port=scalar tools=OFF' \
  "$work/log" || fail 'riscv64 is not a cross build on aarch64'

false_command packages dpkg-query 'exit 1'
false_command packages apt-get "echo \"\$@\" >> $work/apt"
false_command packages id 'echo 0'
PATH=$work/packages:$work/machine:$PATH sh "$source/toolchains/install.sh" aarch64 riscv64 cortex-a riscv32 > "$work/log" 2>&1 ||
  fail 'the installation fails'
grep -q 'g++ qemu-user g++-riscv64-linux-gnu qemu-user g++ qemu-system-arm gcc-riscv64-unknown-elf picolibc-riscv64-'\
'unknown-elf g++-riscv64-linux-gnu qemu-system-misc' "$work/apt" || fail "asks for $(cat "$work/apt")"

# The configurations that the machine gets: none for its own processor in an emulator.
false_command packages riscv64-unknown-elf-g++ 'exit 1'
false_command packages qemu-system-riscv32 'exit 1'
false_command packages clang++-19 'exit 1'
# listed <script> <names>
listed() {
  PATH=$work/packages:$work/machine:$PATH sh "$source/tests/$1" --list 2> "$work/log" | sort | tr '\n' ' ' > "$work/names"
  cp "$work/names" "$work/log"
  [ "$(cat "$work/names")" = "$2 " ] || fail "$1 has other configurations than $2"
}
listed everything.sh 'aarch64-dotprod-linux-clang aarch64-dotprod-linux-gcc aarch64-i8mm-linux-clang '\
'aarch64-i8mm-linux-gcc aarch64-linux-clang aarch64-linux-gcc aarch64-linux-gcc-O1 armv7-linux-clang armv7-linux-gcc '\
'cortex-a53-bare-gcc cortex-m0plus-gcc cortex-m3-gcc cortex-m33-gcc cortex-m4f-gcc cortex-m4f-gcc-Os '\
'cortex-m4f-gcc-softfp cortex-m55-gcc cortex-m55-gcc-O1 cortex-m55-gcc-O2 cortex-m55-gcc-Os cortex-m7-gcc coverage mcdc '\
'riscv32-bare-gcc riscv32imc-bare-gcc riscv64-linux-gcc riscv64-rvv128-linux-clang riscv64-rvv256-linux-clang sanitize'
echo 'aarch64 and riscv64 machines build for themselves'
