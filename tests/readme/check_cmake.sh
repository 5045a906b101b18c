#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_cmake.sh <source folder> <build folder> <cmake> <generator> <port> <c compiler> <c++ compiler>: a project builds
# with the CMake lines of docs/building.md, one of each way to find heed in turn, without a warning of CMake's, and runs
# examples/attention.c; in the first, with the lines of docs/models.md, that is compiled as C++20 beside the stub of a
# model. With the toolchain file of docs/building.md the library builds for a Cortex-M4F. Ends with 77 (skipped) without
# that compiler, after the rest.
. "$(dirname "$0")/../support/begin.sh"
source=$1
build=$2
cmake=$3
generator=$4
port=$5
c_compiler=$6
cxx_compiler=$7
. "$source/tests/readme/blocks.sh"
mkdir "$work/blocks"
awk -v folder="$work/blocks" -f "$source/tests/readme/extract.awk" "$source/docs/building.md" \
  "$source/docs/models.md"

# The ways are separated by comments; the last two lines belong to each.
lines=$(grep -l 'add_subdirectory(heed)' "$work"/blocks/building.md.*.cmake)
ways=$(head -n -2 "$lines" | awk -v folder="$work" '/^#/ { ++way; next } { print > (folder "/way." way + 0) } END { print way + 1 }')
[ "$ways" = 3 ] || fail 'docs/building.md does not show three ways to find heed'

# The library as a few files, which compile sooner.
together='-DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=25'
run "$cmake" --install "$build" --prefix "$work/prefix"
stub=$(grep -l 'LANGUAGES C CXX ASM' "$work"/blocks/models.md.*.cmake)
way=0
while [ $way -lt "$ways" ]; do
  project=$work/project$way
  mkdir "$project"
  {
    # The oldest that the library takes: newer ones know more policies.
    echo 'cmake_minimum_required(VERSION 3.21)'
    if [ $way = 0 ]; then
      ln -s "$source/examples/sums" "$project/models"
      { cat "$source/examples/attention.c" && echo '#include "sums_model.h"'; } > "$project/main.cpp"
      echo 'const void* const linked = &sums_model_bytes;' >> "$project/main.cpp"
      sed 's/keyword_model/sums_model/g' "$stub"
    else
      cp "$source/examples/attention.c" "$project/main.c"
      echo '#include "heed/heed.hpp"' > "$project/headers.cpp"
      echo 'project(firmware LANGUAGES C CXX)'
      echo 'add_executable(firmware main.c headers.cpp)'
    fi
    cat "$work/way.$way"
    tail -n 2 "$lines"
  } > "$project/CMakeLists.txt"
  if grep -q add_subdirectory "$work/way.$way"; then ln -s "$source" "$project/heed"; fi
  if grep -q FetchContent "$work/way.$way"; then
    # Where git has no such commit, as in a source archive, all that is there.
    archive=$(sed -n 's/^# or, from an archive .*: \(git .*\)$/\1/p' "$lines")
    [ -n "$archive" ] || fail 'docs/building.md does not say how the archive is made'
    ln -s "$source" "$project/heed"
    (cd "$project" && eval "$archive") 2> "$work/log" ||
      tar -czf "$project/heed.tar.gz" --exclude=./build --exclude=./.git -C "$source" .
    rm "$project/heed"
  fi
  # An installed library has its port. The options are meant to be split.
  # shellcheck disable=SC2086
  run "$cmake" --no-warn-unused-cli -S "$project" -B "$project/build" -G "$generator" -DCMAKE_BUILD_TYPE=Release \
    -DHEED_PORT="$port" $together -DCMAKE_CXX_FLAGS_RELEASE=-O1 -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER="$c_compiler" -DCMAKE_CXX_COMPILER="$cxx_compiler"
  if grep -A 3 'CMake.*Warning' "$work/log"; then fail "the lines of docs/building.md have a warning"; fi
  run "$cmake" --build "$project/build"
  run "$project/build/firmware"
  head -n 1 "$work/way.$way"
  way=$((way + 1))
done
ran "$lines"
ran "$stub"

toolchain=$(grep -l HEED_PORT "$work"/blocks/building.md.*.cmake)
if ! command -v arm-none-eabi-g++ > /dev/null; then
  left "$toolchain"
  skip 'there is no arm-none-eabi-g++'
fi
# shellcheck disable=SC2086 # the options are meant to be split
run "$cmake" -S "$source" -B "$work/board" -G "$generator" --toolchain "$toolchain" -DHEED_BUILD_TESTS=OFF \
  -DHEED_BUILD_TOOLS=OFF -DHEED_BUILD_BENCH=OFF $together
if ! grep -q '^CMAKE_BUILD_TYPE:STRING=MinSizeRel' "$work/board/CMakeCache.txt"; then
  fail 'the toolchain file of docs/building.md chooses no build type'
fi
run "$cmake" --build "$work/board"
ran "$toolchain"
echo 'toolchain file'
