#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_consumer.sh subdirectory|installed <source folder> <build folder> <cmake> <generator> <port> <c compiler>
# <c++ compiler>: builds and runs the project next to this file, with heed as a subdirectory, or installed from the build
# folder to a new prefix. A cross build sets HEED_TOOLCHAIN_FILE and HEED_EMULATOR.
set -eu
manner=$1
source=$2
build=$3
cmake=$4
generator=$5
port=$6
c_compiler=$7
cxx_compiler=$8
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run <command...>, and show what it said only if it fails
run() {
  "$@" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
}

case $manner in
  subdirectory)
    set -- -DHEED_SOURCE_DIR="$source" -DHEED_PORT="$port"
    ;;
  installed)
    run "$cmake" --install "$build" --prefix "$work/prefix"
    set -- -DCMAKE_PREFIX_PATH="$work/prefix"
    ;;
  *)
    echo "check_consumer.sh: no such manner: $manner" >&2
    exit 2
    ;;
esac
if [ -n "${HEED_TOOLCHAIN_FILE:-}" ]; then set -- "$@" -DCMAKE_TOOLCHAIN_FILE="$HEED_TOOLCHAIN_FILE"; fi
run "$cmake" -S "$source/tests/consumer" -B "$work/build" -G "$generator" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_C_COMPILER="$c_compiler" -DCMAKE_CXX_COMPILER="$cxx_compiler" "$@"
run "$cmake" --build "$work/build"
# shellcheck disable=SC2086 # the emulator's options are meant to be split
${HEED_EMULATOR:-} "$work/build/consumer"
