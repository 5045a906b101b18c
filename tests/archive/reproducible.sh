#!/bin/sh
# SPDX-License-Identifier: MIT
#
# reproducible.sh <source folder> <cmake> <generator> <port> <c compiler> <c++ compiler>: two builds of the archive, from
# two copies of the source in folders of different length, are the same bytes. Debug information is included, because
# that is where paths hide.
. "$(dirname "$0")/../support/begin.sh"
source=$1
cmake=$2
generator=$3
port=$4
c_compiler=$5
cxx_compiler=$6

# build <folder>: a copy of the source in it, and the archive in <folder>/build
build() {
  mkdir -p "$work/$1"
  cp -r "$source/CMakeLists.txt" "$source/include" "$source/runtime" "$source/ports" "$source/packaging" \
    "$source/LICENSE" "$source/README.md" "$work/$1"
  "$cmake" -S "$work/$1" -B "$work/$1/build" -G "$generator" -DHEED_PORT="$port" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DCMAKE_CXX_FLAGS_RELWITHDEBINFO='-O1 -g -DNDEBUG' \
    -DCMAKE_C_COMPILER="$c_compiler" -DCMAKE_CXX_COMPILER="$cxx_compiler" \
    -DCMAKE_CXX_FLAGS="-ffile-prefix-map=$work/$1=." \
    -DCMAKE_CXX_ARCHIVE_CREATE='<CMAKE_AR> qcD <TARGET> <LINK_FLAGS> <OBJECTS>' \
    -DCMAKE_CXX_ARCHIVE_FINISH='<CMAKE_RANLIB> -D <TARGET>' \
    -DHEED_BUILD_TOOLS=OFF -DHEED_BUILD_TESTS=OFF -DHEED_BUILD_BENCH=OFF \
    -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=25 > "$work/log" 2>&1 &&
    "$cmake" --build "$work/$1/build" --target heed >> "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
}

build first
build a/second/folder
cmp "$work/first/build/libheed.a" "$work/a/second/folder/build/libheed.a"
echo "$(wc -c < "$work/first/build/libheed.a") bytes, twice the same"
