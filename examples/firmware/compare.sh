#!/bin/sh
# SPDX-License-Identifier: MIT
#
# compare.sh <firmware_layer of the desktop> <folder>: runs the layer on the desktop, builds the same source in the
# folder for a Cortex-M4F, runs that image in QEMU, and prints the hashes of all outputs of both, one for each
# arithmetic. Ends with 0 if they are equal, or if there is no cross compiler or emulator, which it says.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
desktop=$1
build=$2

# shown <where> <file with what the program printed>: sets `hashes`, and prints a line of the table.
shown() {
  # shellcheck disable=SC2046 # a word for each
  set -- "$1" "$2" $(sed -n 's/.*; hash \([0-9A-F]\{16\}\);.*/\1/p' "$2")
  if [ $# != 5 ]; then
    cat "$2" >&2
    echo "compare.sh: $1 did not print three hashes" >&2
    exit 1
  fi
  hashes="$3 $4 $5"
  printf '  %-22s %s\n' "$1" "$hashes"
}

mkdir -p "$build"
log=$build/build.log
code=0
echo 'One layer, 64 tokens through its key-value cache; hash of all outputs in float32, in integers, in 4 bits:'
"$desktop" > "$log" 2>&1 || code=1
shown 'this machine' "$log"
on_desktop=$hashes

for command in arm-none-eabi-g++ qemu-system-arm; do
  if ! command -v $command > /dev/null; then
    echo "  Cortex-M4F             not run: there is no $command (sh toolchains/install.sh cortex-m)"
    exit $code
  fi
done
if ! { cmake -S "$root" -B "$build" -G Ninja --toolchain "$root/toolchains/cortex-m4f-gcc.cmake" \
         -DCMAKE_BUILD_TYPE=Release -DHEED_BUILD_TESTS=OFF -DHEED_BUILD_EXAMPLES=ON &&
       cmake --build "$build" --target firmware_layer; } > "$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
cmake --build "$build" --target run_firmware_layer > "$log" 2>&1 || code=1
shown 'Cortex-M4F, in QEMU' "$log"
if [ "$hashes" != "$on_desktop" ]; then
  echo '  DIFFERENT'
  exit 1
fi
echo '  equal, to the last bit'
exit $code
