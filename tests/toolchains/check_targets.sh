#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_targets.sh <source folder> <cmake> <generator> <port> <c compiler> <c++ compiler>: every CPU with a fused
# multiply-add is accepted, and where a port would compute something else, CMake and the headers refuse it by name. Asks
# the compiler of this tree, told that its CPU is big-endian, and clang for CPUs of which it has no libraries. With a
# cross compiler and an emulator for IBM Z, which is big-endian, looks for the golden hashes; without them ends with 77
# (skipped), after the rest.
. "$(dirname "$0")/../support/begin.sh"
source=$1
cmake=$2
generator=$3
port=$4
c_compiler=$5
cxx_compiler=$6
big='-U__BYTE_ORDER__ -D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__'

# The headers alone, as Arduino, PlatformIO and CMSIS-Pack have them: what else they lack does not matter.
# refusal <port> <flag>...: what is refused
refusal() {
  folder=$source/ports/$1
  shift
  "$cxx_compiler" -E -x c++ -std=c++20 "$@" -I "$folder" -I "$source/ports" -I "$source/runtime" "$folder/port.hpp" \
    2>&1 > "$work/preprocessed" | grep 'error' | grep -v 'the .* port \(needs\|is for\)' || true
}
for each in arm_m arm_m0 arm_m3 riscv_f riscv_i; do
  # shellcheck disable=SC2086 # the options are meant to be split
  refusal $each $big > "$work/log"
  said 'this port of heed is for little-endian CPUs: take the port scalar'
done
fused=-DHEED_FUSED_MULTIPLY_ADD
# shellcheck disable=SC2086 # the options are meant to be split
[ -z "$(refusal scalar $fused $big)" ] || fail 'the headers refuse a big-endian CPU with the port scalar'
refusal scalar -U__FP_FAST_FMAF -U__FMA__ -U__ARM_FEATURE_FMA -U__riscv_flen > "$work/log"
said 'heed needs a fused multiply-add'
refusal scalar $fused -U__FLT_EVAL_METHOD__ -D__FLT_EVAL_METHOD__=2 > "$work/log"
said 'excess precision changes them'

# configure <build folder> <option>...; whether CMake accepts it
configure() {
  folder=$work/$1
  shift
  "$cmake" -S "$source" -B "$folder" -G "$generator" -DHEED_BUILD_TESTS=OFF -DHEED_BUILD_TOOLS=OFF \
    -DHEED_BUILD_BENCH=OFF -DHEED_BUILD_EXAMPLES=OFF -DHEED_BUILD_PYTHON=OFF -DHEED_INSTALL=OFF "$@" > "$work/log" 2>&1
}
accepts() { configure "$@" || fail "refuses $*"; }
# refuses <words> <build folder> <option>...
refuses() {
  words=$1
  shift
  if configure "$@"; then fail "accepts $*"; fi
  # CMake breaks lines.
  tr '\n' ' ' < "$work/log" | tr -s ' ' | grep -q -- "$words" || fail "does not say '$words'"
}
set -- -DCMAKE_C_COMPILER="$c_compiler" -DCMAKE_CXX_COMPILER="$cxx_compiler"
set -- "$@" -DCMAKE_CXX_FLAGS="$big"
if [ "$port" != scalar ]; then
  refuses 'targets a big-endian CPU.*pass -DHEED_PORT=scalar' own "$@" -DHEED_PORT="$port"
fi
mkdir "$work/port"
sed '/HEED_PORT_ANY_BYTE_ORDER/d' "$source/ports/scalar/port.hpp" > "$work/port/port.hpp"
cp "$source/ports/scalar/port.cmake" "$work/port"
refuses "the port in $work/port" own "$@" -DHEED_PORT_DIR="$work/port"
accepts own "$@" -DHEED_PORT_DIR= -DHEED_PORT=
said 'port scalar, chosen for this target, which is big-endian'

for command in clang clang++; do
  command -v $command > /dev/null || skip "there is no $command"
done
# for_cpu <how> <triple> <option>...: a processor for which clang has no libraries
for_cpu() {
  how=$1
  triple=$2
  shift 2
  set -- "$triple" "$@" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY \
    -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_C_COMPILER_TARGET="$triple" \
    -DCMAKE_CXX_COMPILER_TARGET="$triple"
  if [ "$how" = accepts ]; then accepts "$@"; else refuses "$how" "$@"; fi
}
for triple in s390x-linux-gnu powerpc64-linux-gnu; do
  for_cpu accepts $triple
  said 'port scalar, chosen for this target, which is big-endian'
done
# clang has no macro that says so.
for_cpu accepts powerpc-linux-gnu
grep -rq DHEED_FUSED_MULTIPLY_ADD --include=build.ninja --include=flags.make "$work/powerpc-linux-gnu" ||
  fail 'does not tell the headers of the multiply-add that CMake found'
for_cpu 'targets a CPU without a fused multiply-add' mips64-linux-gnuabi64
for_cpu 'computes floats with excess precision.*add -msse2 -mfpmath=sse' i386-linux-gnu -DHEED_PORT=scalar
for_cpu 'targets a big-endian CPU' aarch64_be-linux-gnu -DHEED_PORT=arm_neon64

needs s390x-linux-gnu-g++ qemu-s390x
run "$cmake" -S "$source" -B "$work/s390x" -G "$generator" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS_RELEASE=-O1 -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=25 -DHEED_BUILD_EXAMPLES=OFF \
  -DCMAKE_C_COMPILER=s390x-linux-gnu-gcc -DCMAKE_CXX_COMPILER=s390x-linux-gnu-g++ -DCMAKE_EXE_LINKER_FLAGS=-static \
  -DHEED_BUILD_TOOLS=OFF -DHEED_BUILD_BENCH=OFF -DHEED_INSTALL=OFF -DHEED_BUILD_TESTS=ON
run "$cmake" --build "$work/s390x" --target firmware_check -j 2
run qemu-s390x "$work/s390x/tests/firmware/firmware_check"
