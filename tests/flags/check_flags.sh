#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_flags.sh <source folder> <cmake> <generator> <port> <c compiler> <c++ compiler>: a parent project's flags change no
# bit. Builds the project next to this file with flags that would, alone and with link-time optimisation, and looks for
# the golden hashes; then gives such flags to a single file with a score modifier: they are refused by name, or do not
# reach the library.
. "$(dirname "$0")/../support/begin.sh"
source=$1
cmake=$2
generator=$3
port=$4
c_compiler=$5
cxx_compiler=$6

# configure <build folder> <argument>...
configure() {
  folder=$1
  shift
  run "$cmake" -S "$source/tests/flags" -B "$folder" -G "$generator" -DHEED_SOURCE_DIR="$source" -DHEED_PORT="$port" \
    -DCMAKE_C_COMPILER="$c_compiler" -DCMAKE_CXX_COMPILER="$cxx_compiler" -DHEED_BUILD_TESTS=ON \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DCMAKE_UNITY_BUILD=ON \
    -DCMAKE_UNITY_BUILD_BATCH_SIZE=25 "$@"
}

# The same flags on the linker's line would have gcc set the CPU to flush subnormal numbers.
link_flags='-O2 -fno-fast-math -fno-unsafe-math-optimizations'
fast='-ffast-math -funsafe-math-optimizations -ffinite-math-only -fassociative-math -freciprocal-math -fno-signed-zeros'
fast="$fast -ffp-contract=fast"
build=$work/build
configure "$build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS="-frounding-math -march=native $fast" \
  -DCMAKE_EXE_LINKER_FLAGS="$link_flags"
run "$cmake" --build "$build" --target firmware_check modified -j 2
run "$build/heed/tests/firmware/firmware_check"
run "$build/modified" modifier

# Each flag on its own, and wider registers, on the file with the exponentials: the code is that without the flag, and
# compiles for a CPU that this one may not be.
# It is compiled as the library's first files are.
file=$source/runtime/attention/key_block.cpp
sed -n "s|.*\"command\": \"\(.*\)\",\{0,1\}|\1|; /heed\.dir\/.*unity_0_cxx\.cxx\$/p" "$build/compile_commands.json" |
  sed "s| -frounding-math -march=native $fast| HEED_FLAGS|; s| -o .*| -o HEED_OUTPUT -c $file|" > "$work/command"
grep -q HEED_FLAGS "$work/command" || fail 'no command for key_block.cpp'
# compile <object> <flags>
compile() {
  sed "s|HEED_OUTPUT|$1|; s|HEED_FLAGS|$2|" "$work/command" > "$work/compile"
  (cd "$build/heed" && run sh "$work/compile")
}
compile "$work/plain.o" ''
for flag in $fast -Ofast; do
  compile "$work/flag.o" "$flag"
  cmp "$work/plain.o" "$work/flag.o" || fail "$flag changes the library's code"
done
if [ "$port" = x86_avx2 ]; then compile "$work/flag.o" '-mavx512f -mavx512bw -mavx512dq -mavx512vl'; fi

# One file's flags that the compiler tells of.
for flag in -ffast-math -ffinite-math-only; do
  configure "$build" -DHEED_FILE_FLAGS="$flag"
  if "$cmake" --build "$build" --target modified > "$work/log" 2>&1; then fail "a file with $flag is not refused"; fi
  grep -q 'error.*heed gives the same bits everywhere' "$work/log" || { cat "$work/log"; fail "$flag is not named"; }
done
# And those that it does not tell of; without optimisation every inline function stands in the object.
hidden='-O0;-ffp-contract=fast'
case $("$cxx_compiler" --version) in *clang*) hidden="$hidden;-funsafe-math-optimizations" ;; esac
configure "$build" -DHEED_FILE_FLAGS="$hidden"
run "$cmake" --build "$build" --target modified
run "$build/modified"
# names <file>: its weak symbols, so that the linker could take another file's
names() { nm -P "$1" | awk '$2 ~ /^[uVW]$/ && $1 ~ /4heed6detail|4heed4port|5xsimd/ { print $1 }' | sort -u; }
names "$build/heed/libheed.a" > "$work/library"
names "$(find "$build" -name 'modified.cpp.*o')" > "$work/file"
[ -s "$work/library" ] && [ -s "$work/file" ] || fail 'no weak names'
comm -12 "$work/library" "$work/file" > "$work/shared"
[ ! -s "$work/shared" ] || fail "the file and the library share $(cat "$work/shared")"

configure "$work/lto" -DCMAKE_BUILD_TYPE=Plain -DCMAKE_CXX_FLAGS="-O1 $fast" -DCMAKE_EXE_LINKER_FLAGS="$link_flags" \
  -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON -DHEED_FILE_FLAGS="$hidden"
run "$cmake" --build "$work/lto" --target firmware_check modified -j 2
run "$work/lto/heed/tests/firmware/firmware_check"
run "$work/lto/modified"
echo "golden hashes with $fast, link-time optimisation and $hidden on one file"
