#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_archive_package.sh <source folder> <build folder> <cmake> <cpack> <generator> <c compiler> <c++ compiler>
# [boards.cmake]: the .tar.gz that cpack makes of a build has the library, its headers and what finds them, and a small
# consumer builds against it and runs: on the machine, in the emulator that HEED_EMULATOR is, or on the board that it
# emulates, for which boards.cmake has the start-up code. The archive for a Cortex-M serves an Arduino library as well.
. "$(dirname "$0")/../support/begin.sh"
source=$1
build=$2
cmake=$3
cpack=$4
generator=$5
c_compiler=$6
cxx_compiler=$7
boards=${8:-}

run "$cpack" --config "$build/CPackConfig.cmake" -G TGZ -B "$work/packages"
package=$(echo "$work"/packages/heed-*.tar.gz)
run tar -xzf "$package" -C "$work"
(cd "$work/packages" && run sha256sum -c "$package.sha256")
prefix=$work/$(basename "$package" .tar.gz)
for file in include/heed/heed.h include/heed/heed.hpp include/heed/kernels/port/port.hpp libheed.a heed.pc \
  heed-config.cmake heed-config-version.cmake; do
  [ -n "$(find "$prefix" -path "*/$file")" ] || fail "$package has no $file"
done
if grep -rqI -e "$source" -e "$build" "$prefix"; then fail 'the package names folders of the build'; fi

set -- -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release
if [ -n "$boards" ]; then set -- "$@" -DCONSUMER_BOARDS="$boards"; fi
if [ -n "${HEED_TOOLCHAIN_FILE:-}" ]; then set -- "$@" -DCMAKE_TOOLCHAIN_FILE="$HEED_TOOLCHAIN_FILE"; fi
run "$cmake" -S "$source/tests/consumer" -B "$work/build" -G "$generator" -DCMAKE_C_COMPILER="$c_compiler" \
  -DCMAKE_CXX_COMPILER="$cxx_compiler" "$@"
run "$cmake" --build "$work/build" --target consumer_c
# shellcheck disable=SC2086 # the emulator's options are meant to be split
run ${HEED_EMULATOR:-} "$work/build/consumer_c"

# What a sketch is compiled and linked with, in the C++ of Arduino.
case $(basename "$package") in
  *-cortex-m[0-9]*)
    # Where Arduino looks: by the board's core, and its floating-point unit if it has one.
    core=$(basename "$package" .tar.gz | sed 's/.*-\(cortex-m[0-9]*\(plus\)\{0,1\}\).*/\1/')
    flags=$(sed -n 's/^CMAKE_CXX_FLAGS:[A-Z]*=//p' "$build/CMakeCache.txt")
    case $flags in *-mfloat-abi=soft) ;; *) core=$core/fpu ;; esac
    run sh "$source/packaging/assemble.sh" arduino "$work/heed" "$core=$(find "$prefix" -name libheed.a)"
    library=$work/heed/src
    grep -q '^precompiled=full$' "$work/heed/library.properties"
    echo '#include <heed.h>' > "$work/sketch.cpp"
    cat "$source/tests/consumer/plain.c" >> "$work/sketch.cpp"
    # shellcheck disable=SC2086 # the flags are meant to be split
    run "$cxx_compiler" $flags -std=gnu++11 -fno-exceptions --specs=nosys.specs -I "$library" "$work/sketch.cpp" \
      -L "$library/$core" "$(sed -n 's/^ldflags=//p' "$work/heed/library.properties")" -o "$work/sketch"
    ;;
esac
echo "$(basename "$package"): $(wc -c < "$package") bytes"
