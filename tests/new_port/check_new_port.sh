#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_new_port.sh <source folder> <cmake> <generator> <c compiler> <c++ compiler>: a port is a folder, wherever it lies.
# Copies the plain port to a folder outside the tree under another name, builds the library and the check of the golden
# hashes with it, and runs that check. Nothing in the tree is edited.
. "$(dirname "$0")/../support/begin.sh"
source=$1
cmake=$2
generator=$3
c_compiler=$4
cxx_compiler=$5

cp -R "$source/ports/scalar" "$work/new_port"
sed 's/name = "scalar"/name = "new_port"/' "$source/ports/scalar/port.hpp" > "$work/new_port/port.hpp"
run "$cmake" -S "$source" -B "$work/build" -G "$generator" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_FLAGS_RELEASE='-O1 -DNDEBUG' -DHEED_PORT_DIR="$work/new_port" \
  -DCMAKE_C_COMPILER="$c_compiler" -DCMAKE_CXX_COMPILER="$cxx_compiler" -DHEED_BUILD_TOOLS=OFF -DHEED_BUILD_BENCH=OFF \
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=25
# A library that was built with another port would have the same hashes.
if ! grep -q "\"command\".* -I$work/new_port .*/heed.dir/Unity/" "$work/build/compile_commands.json"; then
  fail 'the library is not built with the new port'
fi
run "$cmake" --build "$work/build" --target firmware_check -j 2
"$work/build/tests/firmware/firmware_check"
