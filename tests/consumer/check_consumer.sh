#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_consumer.sh <case> <source folder> <build folder> <cmake> <generator> <port> <c compiler> <c++ compiler>: heed as
# projects use it that are not ours. The cases, of which the first two build the project next to this file:
#   installed     with heed installed from the build folder to a prefix that is then moved; in C alone; by pkg-config. A
#                 cross build sets HEED_TOOLCHAIN_FILE and HEED_EMULATOR
#   subdirectory  with heed inside a project that has no build type, and flags, warnings and choices of its own
#   machine       heed with no option at all, and what the options for its parts, its port and its compiler's flags do
#   bare          heed with a toolchain file that is not ours, for a board that we do not know
. "$(dirname "$0")/../support/begin.sh"
manner=$1
source=$2
build=$3
cmake=$4
generator=$5
port=$6
c_compiler=$7
cxx_compiler=$8

# refused <pattern> <command...>: fails, and says why
refused() {
  pattern=$1
  shift
  if "$@" > "$work/log" 2>&1; then fail "does not fail: $*"; fi
  tr '\n' ' ' < "$work/log" | tr -s ' ' | grep -q -- "$pattern" || fail "does not say '$pattern': $*"
}
# shellcheck disable=SC2086 # the emulator's options are meant to be split
run_program() { run ${HEED_EMULATOR:-} "$1"; }

# configure <source> <build> <option>...
configure() {
  from=$1
  to=$2
  shift 2
  "$cmake" -S "$from" -B "$to" -G "$generator" -DCMAKE_C_COMPILER="$c_compiler" -DCMAKE_CXX_COMPILER="$cxx_compiler" "$@"
}

warnings='-Werror -Wall -Wextra -Wpedantic -Wsign-conversion'
consumer=$source/tests/consumer

# The headers in every standard that they are for, under the warnings.
check_headers() {
  # shellcheck disable=SC2086 # the warnings are meant to be split
  for standard in c99 c17; do
    run "$c_compiler" -std=$standard -fsyntax-only $warnings -I "$source/include" "$consumer/plain.c"
  done
  # shellcheck disable=SC2086
  for standard in c++98 c++20 c++2b; do
    header=heed.hpp
    if [ $standard = c++98 ]; then header=heed.h; fi
    echo "#include \"heed/$header\"" > "$work/headers.cpp"
    run "$cxx_compiler" -std=$standard -fsyntax-only $warnings -Wold-style-cast -I "$source/include" "$work/headers.cpp"
  done
}

# level <levels> <option>...: the optimisation that heed's own files are compiled with
level() {
  expected=$1
  shift
  rm -rf "$work/level"
  run configure "$consumer" "$work/level" -DHEED_SOURCE_DIR="$source" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "$@"
  found=$(grep '"command".*heed\.dir' "$work/level/compile_commands.json" | tr ' ' '\n' | grep '^-O' | sort -u | tr '\n' ' ')
  [ "$found" = "${expected:+$expected }" ] || fail "compiled with '$found', not '$expected': $*"
  own=$(grep '"command".*cpp20\.cpp' "$work/level/compile_commands.json" | tr ' ' '\n' | grep '^-O' | tr '\n' ' ')
  case $own in *-O2*) fail "the project's own file is compiled with -O2: $*" ;; esac
}

# Nobody's choice is -O2, for heed's own files alone; a parent's choice is left as it is.
check_levels() {
  level -O2
  level -O2 -DCMAKE_CXX_FLAGS=-DNAME-Ox
  level '' -DCMAKE_BUILD_TYPE=Debug
  level '' -DCMAKE_BUILD_TYPE=Own
  level -O1 -DCMAKE_CXX_FLAGS=-O1
  level -Os -DCONSUMER_OPTIONS=-Os
  rm -rf "$work/level"
  run "$cmake" -S "$consumer" -B "$work/level" -G 'Ninja Multi-Config' -DHEED_SOURCE_DIR="$source" \
    -DCMAKE_C_COMPILER="$c_compiler" -DCMAKE_CXX_COMPILER="$cxx_compiler"
  if grep -q 'no build type' "$work/log"; then fail 'takes many configurations for none'; fi
}

case $manner in
  installed)
    run "$cmake" --install "$build" --prefix "$work/first" --component development
    mv "$work/first" "$work/prefix"
    version=$(sed -n 's/^project(heed VERSION \([0-9]*\.[0-9]*\)\..*/\1/p' "$source/CMakeLists.txt")
    set -- -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_BUILD_TYPE=Release -DCONSUMER_HEED_VERSION="$version"
    if [ -n "${HEED_TOOLCHAIN_FILE:-}" ]; then set -- "$@" -DCMAKE_TOOLCHAIN_FILE="$HEED_TOOLCHAIN_FILE"; fi
    run configure "$consumer" "$work/build" "$@"
    run "$cmake" --build "$work/build"
    for program in c cpp17 cpp20 kernels; do run_program "$work/build/consumer_$program"; done
    run configure "$consumer" "$work/c" "$@" -DCONSUMER_LANGUAGES=C
    run "$cmake" --build "$work/c"
    run_program "$work/c/consumer_c"
    if grep -q '^CMAKE_CXX_COMPILER:FILEPATH' "$work/c/CMakeCache.txt"; then fail 'a project in C looks for C++'; fi
    if [ -z "${HEED_EMULATOR:-}" ] && command -v pkg-config > "$work/log"; then
      flags=$(PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name heed.pc)") pkg-config --cflags --libs "heed >= $version")
      # shellcheck disable=SC2086 # the flags are meant to be split
      run "$c_compiler" "$consumer/plain.c" $flags -o "$work/program"
      run_program "$work/program"
    fi
    ;;
  subdirectory)
    # Code that the machine's loader cannot move, unless heed is told to make other. The plain port is compiled in a third
    # of the time.
    run configure "$consumer" "$work/build" -DHEED_SOURCE_DIR="$source" -DHEED_PORT=scalar \
      -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
      -DBUILD_SHARED_LIBS=ON -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=25 \
      -DCMAKE_C_FLAGS="-fno-pie -DCONSUMER_HAS_ASSERTS $warnings" \
      -DCMAKE_CXX_FLAGS="-fno-pie -DCONSUMER_HAS_ASSERTS -Wold-style-cast $warnings"
    said '^-- heed: no build type is chosen, so the library is compiled with -O2$'
    said '^-- heed: heed::heed is a static library all the same; heed::c beside it is the shared one$'
    run "$cmake" --build "$work/build" -j 2
    for program in c cpp17 cpp20 kernels; do run_program "$work/build/consumer_$program"; done
    check_headers
    check_levels
    [ -f "$work/build/heed/libheed.a" ] || fail 'the library is not static'
    if grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=.' "$work/build/CMakeCache.txt"; then fail 'a build type is forced'; fi
    if grep -q '^HEED_BUILD_[A-Z]*:[A-Z]*=.*[^F]$' "$work/build/CMakeCache.txt"; then fail 'not the library alone'; fi
    run "$cmake" --install "$work/build" --prefix "$work/prefix"
    find "$work/prefix" -type f > "$work/log"
    [ "$(cat "$work/log")" = "$work/prefix/bin/consumer_c" ] || fail 'installs more than the project'
    run configure "$consumer" "$work/build" -DHEED_INSTALL=ON
    run "$cmake" --install "$work/build" --prefix "$work/prefix"
    [ -f "$work/prefix/include/heed/heed.h" ] || fail 'does not install heed when it is told to'
    # The same folder, so that the library is there already.
    rm "$work/build/consumer_c"
    run configure "$consumer" "$work/build" -DCONSUMER_LANGUAGES=C
    run "$cmake" --build "$work/build" --target consumer_c -j 2
    run_program "$work/build/consumer_c"
    ;;
  machine)
    # The standard after C++20, and warnings that are not heed's own, and a compiler's instruments.
    sanitize='-fsanitize=address,undefined -fno-sanitize-recover=all'
    run configure "$source" "$work/build" -DCMAKE_CXX_FLAGS="$sanitize -Wold-style-cast $warnings" \
      -DCMAKE_CXX_STANDARD=23 -DCMAKE_CXX_FLAGS_RELEASE=-O0 -DCMAKE_UNITY_BUILD=ON \
      -DCMAKE_UNITY_BUILD_BATCH_SIZE=25 -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON \
      -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON -DHEED_GOOGLETEST_DIR="$work/none"
    said '^-- heed: port .*, chosen for this target'
    said '^-- heed: left out: .*the desktop command (there is no CLI11), the tests but for firmware_check (there is no GTest)'
    grep -q '^CMAKE_BUILD_TYPE:STRING=Release' "$work/build/CMakeCache.txt" || fail 'is not optimised'
    run "$cmake" --build "$work/build" --target heed -j 2
    # shellcheck disable=SC2086 # the flags are meant to be split
    run "$cxx_compiler" $sanitize -std=c++17 -I "$source/include" "$consumer/cpp17.cpp" "$work/build/libheed.a" \
      -o "$work/program"
    run_program "$work/program"
    check_headers

    library='-DHEED_BUILD_TOOLS=OFF -DHEED_BUILD_TESTS=OFF -DHEED_BUILD_BENCH=OFF'
    refused 'the desktop command cannot be built without CLI11' configure "$source" "$work/build" -DHEED_BUILD_TOOLS=ON
    # A port's flags are checked when it comes, and not the port's before.
    mkdir "$work/port"
    cp "$source/ports/scalar/port.hpp" "$work/port"
    echo 'target_compile_options(heed PRIVATE -mno-fma)' > "$work/port/port.cmake"
    # shellcheck disable=SC2086 # the options are meant to be split
    run configure "$source" "$work/build" $library
    case $(uname -m) in
      x86_64) refused 'targets a CPU without a fused multiply-add' configure "$source" "$work/build" \
        -DHEED_PORT_DIR="$work/port" ;;
    esac
    run configure "$source" "$work/build" -DHEED_PORT_DIR= -DHEED_PORT="$port"
    ;;
  bare)
    needs arm-none-eabi-g++
    cat > "$work/toolchain.cmake" << 'CMAKE'
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(CMAKE_CXX_FLAGS_INIT "-mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard")
set(CMAKE_C_FLAGS_INIT "${CMAKE_CXX_FLAGS_INIT}")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
CMAKE
    # The port follows from the flags, whatever an SDK calls its system; flags of no CPU are refused.
    while read -r system port flags; do
      sed -e "s/Generic/$system/" -e "s/-mcpu=.*hard/$flags/" "$work/toolchain.cmake" > "$work/other.cmake"
      rm -rf "$work/other"
      set -- -S "$source" -B "$work/other" -G "$generator" --toolchain "$work/other.cmake"
      if [ "$port" = none ]; then refused 'no port fits the target' "$cmake" "$@"; continue; fi
      run "$cmake" "$@"
      said "^-- heed: port $port, chosen for this target"
    done << 'SYSTEMS'
Generic none -O2
Generic none -mthumb -mbig-endian -mcpu=cortex-m3
PICO arm_m0 -mthumb -mcpu=cortex-m0plus
PICO arm_m -mthumb -march=armv8-m.main+fp+dsp -mfloat-abi=softfp
Generic-RTOS arm_m3 -mthumb -mcpu=cortex-m33+nofp
Generic arm_mve -mcpu=cortex-m55 -mfloat-abi=hard
SYSTEMS
    set -- -S "$source" -B "$work/build" -G "$generator" --toolchain "$work/toolchain.cmake"
    run "$cmake" "$@" -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=25
    said '^-- heed: port arm_m, chosen for this target'
    run "$cmake" --build "$work/build" -j 2
    [ -f "$work/build/libheed.a" ] || fail 'there is no library'
    if [ -e "$work/build/tests" ] || [ -e "$work/build/examples" ]; then fail 'not the library alone'; fi
    refused 'need a board' "$cmake" "$@" -DHEED_BUILD_TESTS=ON
    ;;
  *)
    echo "check_consumer.sh: no such case: $manner" >&2
    exit 2
    ;;
esac
