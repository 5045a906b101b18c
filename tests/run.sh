#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh: builds and runs every test on this machine, what runs the library also under the sanitizers, and the golden
# hashes with each port, with gcc and clang, at -O1, and on the other processors and boards in an emulator. Installs
# what is missing. One line per configuration with its time and its processor time, what failed in full, and the sum as
# the last line. Ends with 0 if something ran and nothing failed.
#
# run.sh thorough, which tests/thorough.sh calls: every test with every port and compiler, and the longest in full.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root" || exit 1
thorough=${1:-}
case $thorough in
  '' | thorough) ;;
  *)
    echo "run.sh: $thorough: thorough, or nothing, is needed" >&2
    exit 2
    ;;
esac
for purposes in 'desktop tools tests bench' packages 'aarch64 armv7 riscv64' riscv64-rvv 'cortex-m cortex-a' riscv32 \
  figures ${thorough:+analysis s390x}; do
  # shellcheck disable=SC2086 # the purposes are meant to be split
  sh toolchains/install.sh $purposes || echo 'tests/run.sh: going on with what is there' >&2
done
# Two configurations at a time, with half of the processors each: what one does alone, such as to configure, to link or
# to end a long test, leaves nothing idle.
processors=$(getconf _NPROCESSORS_ONLN 2> /dev/null || echo 2)
jobs=$(((processors + 1) / 2))
mkdir -p build/tests
results=$root/build/tests/results
: > "$results"
free=$root/build/tests/free
rm -f "$free"
mkfifo "$free" || exit 1
exec 9<> "$free"
echo >&9
if [ "$processors" != 1 ]; then echo >&9; fi
# shellcheck disable=SC2046 # one argument for each process
trap 'kill $(jobs -p) 2> /dev/null; exit 130' INT TERM

# beside <function> <argument>...: calls it beside what is running, once there is room, and prints what it prints when
# it has ended.
beside() {
  read -r _ <&9
  printed=$(mktemp "$root/build/tests/printed.XXXXXX") || exit 1
  {
    "$@" > "$printed" 2>&1 9>&-
    cat "$printed"
    rm -f "$printed"
    echo >&9
  } &
}

# count <passed> <failed> <skipped>
count() { echo "$@" >> "$results"; }

# attribute <name> <file>: a number from the head of ctest's own summary in JUnit's form.
attribute() {
  head -c 2000 "$2" | tr '\n\t' '  ' | sed -n "s/.*<testsuite [^>]* $1=\"\([0-9]*\)\".*/\1/p"
}

# broken <configuration> <what>: counts a configuration that cannot be tested as one failure, and shows why.
broken() {
  count 0 1 0
  printf '%-22s does not %s\n' "$1" "$2"
  cat "$build/run.log"
}

# processor_time <file>: sets `used` to the seconds that the processors have spent on what this shell has started.
processor_time() {
  times > "$1"
  used=$(sed -n '2s/[ms]/ /gp' "$1" | LC_ALL=C awk '{ printf "%d", 60 * ($1 + $3) + $2 + $4 }')
}

# configuration <name> <preset> <targets> <ctest's selection> [cmake option...]
configuration() { beside run_configuration "$@"; }
run_configuration() {
  name=$1
  preset=$2
  target=$3
  selection=$4
  shift 4
  if [ -n "$thorough" ] && [ -n "$selection" ]; then
    target=all
    selection='-LE once'
  fi
  build=$root/build/tests/$name
  start=$(date +%s)
  mkdir -p "$build"
  summary=$build/summary.xml
  rm -f "$summary"
  if ! cmake --preset "$preset" -B "$build" "$@" > "$build/run.log" 2>&1; then broken "$name" configure; return; fi
  # shellcheck disable=SC2086 # the targets are meant to be split
  if ! cmake --build "$build" --target $target -j "$jobs" > "$build/run.log" 2>&1; then broken "$name" build; return; fi
  # shellcheck disable=SC2086 # the selection is meant to be split
  ctest --test-dir "$build" -j "$jobs" --output-on-failure --no-tests=error --output-junit "$summary" $selection \
    > "$build/run.log" 2>&1
  result=$?
  ran=$(attribute tests "$summary" 2> /dev/null)
  bad=$(attribute failures "$summary" 2> /dev/null)
  left=$(attribute skipped "$summary" 2> /dev/null)
  if [ "${ran:-0}" = 0 ] || [ -z "$bad" ] || [ -z "$left" ]; then broken "$name" 'run a test'; return; fi
  # A failure that the summary does not know is one all the same.
  if [ $result != 0 ] && [ "$bad" = 0 ]; then bad=1; fi
  good=$((ran - bad - left))
  count $good "$bad" "$left"
  processor_time "$build/times"
  printf '%-22s %4d passed, %d failed, %d skipped, %4d s, %4d s of processor time\n' \
    "$name" $good "$bad" "$left" $(($(date +%s) - start)) "$used"
  if [ "$bad" != 0 ]; then cat "$build/run.log"; fi
}

# skip <preset> <why>
skip() {
  count 0 0 1
  printf '%-22s skipped: %s\n' "$1" "$2"
}

# compile <preset> <why it cannot run>: the library and the check of the golden hashes, which counts as skipped.
compile() { beside run_compile "$@"; }
run_compile() {
  build=$root/build/tests/$1
  mkdir -p "$build"
  # shellcheck disable=SC2086 # the options are meant to be split
  if ! cmake --preset "$1" -B "$build" $library $together > "$build/run.log" 2>&1; then broken "$1" configure; return; fi
  if ! cmake --build "$build" --target firmware_check port_check -j "$jobs" > "$build/run.log" 2>&1; then broken "$1" build; return; fi
  count 0 0 1
  printf '%-22s compiles; skipped: %s\n' "$1" "$2"
}

# script <name> <script>: counts as one test; 77 means skipped.
script() { beside run_script "$@"; }
run_script() {
  build=$root/build/tests/$1
  mkdir -p "$build"
  start=$(date +%s)
  result=0
  sh "$2" > "$build/run.log" 2>&1 || result=$?
  case $result in
    0) count 1 0 0 ;;
    77) count 0 0 1 ;;
    *) count 0 1 0; cat "$build/run.log" ;;
  esac
  printf '%-22s %s, %4d s\n' "$1" "$(tail -n 1 "$build/run.log")" $(($(date +%s) - start))
}

toolchain=$(sh toolchains/host.sh gcc) || exit 1
host=$(basename "$toolchain" -gcc.cmake)
# The narrower port is the one that more machines have, and is compiled with the sanitizers in a minute.
avx512=
case $host in
  x86_avx512_vnni) avx512='x86_avx512 x86_avx512_vnni' ;;
  x86_avx512) avx512=x86_avx512 ;;
esac
case $host in x86_avx*) host=x86_avx2 ;; esac
ports=$host
if [ "$host" = x86_avx2 ]; then ports="x86_avx2 x86_scalar${avx512:+ $avx512}"; fi
natives=
for port in $ports; do
  for compiler in gcc clang; do
    if [ -f "toolchains/$port-$compiler.cmake" ]; then natives="$natives $port-$compiler"; fi
  done
done
# Where neither figures nor the archive are looked at: the library as a few files, compiled in half the time.
together='-DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=25'
library='-DHEED_BUILD_TOOLS=OFF -DHEED_BUILD_BENCH=OFF -DHEED_BUILD_PYTHON=OFF'
# The model files for the images, from what there is of the weights; their folder stays empty without.
models=-DHEED_MODELS=$root/build/tests/models
mkdir -p "$root/build/tests/models" "$root/build/tests/$host-gcc"
if ! { cmake --preset "$host-gcc" -B "$root/build/tests/$host-gcc" > "$root/build/tests/models.log" 2>&1 &&
       sh examples/models.sh "$root/build/tests/models" "$root/build/tests/$host-gcc"; }; then
  build=$root/build/tests
  cp "$build/models.log" "$build/run.log"
  broken models 'come about'
fi
longest=-DHEED_THOROUGH_TESTS=OFF
if [ -n "$thorough" ]; then
  longest=-DHEED_THOROUGH_TESTS=ON
  together=
fi
configuration "$host-gcc" "$host-gcc" all '' "$models" $longest
# Every unit test runs with x86_avx2, and with clang's sanitizers, which are clang for that port; the other pairs of a
# port and a compiler run what depends on them: firmware_check, which has a golden hash of everything, port_check, which
# tells where a port is wrong, and memory where rows have masks. Another level than -O3 is that of test `flags`.
checks='firmware_check port_check'
only_checks='-R ^(firmware|port)_check$'
for preset in $natives; do
  case $preset$thorough in
    "$host-gcc"* | x86_avx2-clang | x86_scalar-clang) continue ;;
    # The wider port has all of it but its products in integers.
    x86_avx512-clang) case $avx512 in *vnni) continue ;; esac ;;
  esac
  # shellcheck disable=SC2086
  case $preset in
    # Its kernels are the wider port's, but for products in integers, whose numbers firmware_check has.
    x86_avx512-gcc)
      if [ -z "$thorough" ]; then export HEED_TEST_DIVISOR=5; fi
      configuration "$preset" "$preset" 'firmware_check guard_tests' '-R ^(guard_.*|firmware_check)$' $library $together
      unset HEED_TEST_DIVISOR ;;
    *) configuration "$preset" "$preset" "$checks" "$only_checks" $library $together ;;
  esac
done
if [ "$host" = x86_avx2 ] && [ -z "$avx512" ]; then
  for compiler in gcc clang; do compile x86_avx512-$compiler 'this CPU has no AVX-512'; done
fi
if [ -n "$thorough" ]; then
  # shellcheck disable=SC2086
  configuration "$host-gcc-O1" "$host-gcc" "$checks" "$only_checks" $library $together -DCMAKE_CXX_FLAGS_RELEASE='-O1 -DNDEBUG'
fi
for core in cortex-m4f cortex-m55; do configuration $core-gcc $core-gcc all '' "$models"; done
if [ -n "$thorough" ]; then
  for core in cortex-m33 cortex-m7; do configuration $core-gcc $core-gcc all '' "$models"; done
fi
missing=
for tool in riscv64-unknown-elf-g++ qemu-system-riscv32; do command -v $tool > /dev/null || missing="$missing $tool"; done
bare='cortex-a53-bare-gcc cortex-m3-gcc cortex-m0plus-gcc'
for preset in riscv32-bare-gcc riscv32imc-bare-gcc; do
  if [ -z "$missing" ]; then bare="$bare $preset"; else skip $preset "there is no$missing"; fi
done
# The two boards above run whole models; the thorough run, all boards.
for preset in $bare; do
  # shellcheck disable=SC2086
  configuration "$preset" "$preset" "$checks" '-R ^((firmware|port)_check|archive)$' "$models" $together
done
# shellcheck disable=SC2086
configuration cortex-m4f-gcc-Os cortex-m4f-gcc "$checks" "$only_checks" -DCMAKE_CXX_FLAGS_RELEASE='-Os -DNDEBUG' $together
if [ -n "$thorough" ]; then
  # Floats in registers, but handed over in those of integers.
  softfp='-mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=softfp'
  configuration cortex-m4f-gcc-softfp cortex-m4f-gcc all '-L bits' -DCMAKE_C_FLAGS="$softfp" -DCMAKE_CXX_FLAGS="$softfp" \
    -DCMAKE_ASM_FLAGS="$softfp"
  # Where gcc moves the intrinsics of Helium is another matter at each level.
  for level in -O1 -O2 -Os; do
    configuration cortex-m55-gcc$level cortex-m55-gcc all '-L bits' -DCMAKE_CXX_FLAGS_RELEASE="$level -DNDEBUG"
  done
fi
if [ -f "toolchains/$host-clang.cmake" ]; then
  # To watch every sum of a pointer takes a fifth of the time to compile, and of the kernels three quarters: the thorough
  # run does. What is read or written beside an object is found without.
  if [ -z "$thorough" ]; then
    export HEED_TEST_DIVISOR=5
    # Its runtime takes the usual linker longer than a test takes to compile.
    linker=
    if command -v ld.lld > /dev/null; then linker=-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld; fi
    # shellcheck disable=SC2086
    set -- $together $linker -DCMAKE_CXX_FLAGS_RELWITHDEBINFO='-O1 -g1 -DNDEBUG -fno-sanitize=pointer-overflow'
  else
    set --
  fi
  configuration sanitize sanitize 'unit_tests c_tests bits_tests heap_tests fuzz_tests' '-L ^(unit|c|bits|heap|fuzz)$' \
    --toolchain "$root/toolchains/$host-clang.cmake" "$@"
  unset HEED_TEST_DIVISOR
fi
for processor in aarch64-linux armv7-linux riscv64-linux; do
  case $processor in
    "$host") ;;
    *)
      # One processor tells the memory of all; the golden hashes and the kernels are each one's own.
      # shellcheck disable=SC2086
      case $processor in
        aarch64-linux)
          configuration $processor-gcc $processor-gcc "$checks guard_tests" '-R ^(guard_.*|(firmware|port)_check)$' $together ;;
        *) configuration $processor-gcc $processor-gcc "$checks" "$only_checks" $together ;;
      esac ;;
  esac
done
for processor in ${thorough:+aarch64-linux armv7-linux}; do
  if [ "$processor" = "$host" ]; then continue; fi
  # shellcheck disable=SC2086
  configuration $processor-clang $processor-clang "$checks" "$only_checks" $together
done
for extension in dotprod i8mm; do
  preset=aarch64-$extension-linux-gcc
  # shellcheck disable=SC2086
  case $host-$extension in
    aarch64-$extension-linux-*) ;;
    aarch64-linux-* | aarch64-dotprod-linux-i8mm) compile $preset "this CPU has no $extension" ;;
    *) configuration $preset $preset "$checks" "$only_checks" $library $together ;;
  esac
done
# A RISC-V machine has one length of vectors, or none.
for bits in 128 256; do
  preset=riscv64-rvv$bits-linux-clang
  if [ "$host" = riscv64-linux ]; then
    skip $preset 'only in an emulator'
  elif ! command -v clang++-19 > /dev/null; then
    skip $preset 'there is no clang++-19'
  else
    # shellcheck disable=SC2086
    configuration $preset $preset firmware_check '-R ^firmware_check$' $together
  fi
done

if [ -n "$thorough" ]; then
  script coverage tests/coverage.sh
  script mcdc tests/mcdc.sh
fi

wait
processor_time "$root/build/tests/times"
echo "$((used / 60)) min $((used % 60)) s of processor time"
read -r passed failed skipped << SUM
$(awk '{ for (n = 1; n <= 3; ++n) sum[n] += $n } END { print sum[1] + 0, sum[2] + 0, sum[3] + 0 }' "$results")
SUM
if [ "$skipped" = 0 ]; then
  echo "$passed passed, $failed failed"
else
  echo "$passed passed, $failed failed, $skipped skipped"
fi
[ "$failed" = 0 ] && [ "$passed" != 0 ]
