#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh [option of `heed demo`...]: the main job on a fresh Debian 12 machine. Installs what is missing and builds, then
# shows one layer on the desktop and, as firmware, on an emulated Cortex-M4F, with the hashes of what both computed;
# attention's speed on this machine; a trained model on both; and the worked examples. Says on standard error what it is
# doing.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/examples
log=$build/build.log
mkdir -p "$build"

# step <number> <what>
step() { echo "[$1/7] $2 ..." >&2; }

# quietly <command...>, and show what it said only if it fails
quietly() { "$@" > "$log" 2>&1 || { cat "$log" >&2; exit 1; }; }

# building <command...>: quietly, and on standard error how far it is, by the numbers that ninja gives its steps
building() {
  rm -f "$log" "$log.done"
  { "$@" 2>&1 && : > "$log.done"; } | {
    shown=0
    while IFS= read -r line; do
      echo "$line" >> "$log"
      numbers=${line#\[}
      numbers=${numbers%%]*}
      case $numbers in *[!0-9/]* | /* | */ | */*/*) continue ;; */*) ;; *) continue ;; esac
      percent=$((${numbers%/*} * 100 / ${numbers#*/}))
      if [ "$percent" -ge $((shown + 10)) ]; then
        shown=$((percent / 10 * 10))
        echo "      $shown %" >&2
      fi
    done
  }
  [ -f "$log.done" ] || { cat "$log" >&2; exit 1; }
}

step 1 'packages: a second, or a minute if some are missing'
sh "$root/toolchains/install.sh" desktop tools
sh "$root/toolchains/install.sh" cortex-m || echo 'examples/run.sh: going on without the emulated board' >&2
toolchain=$(sh "$root/toolchains/host.sh" gcc)
quietly cmake --fresh -S "$root" -B "$build" -G Ninja --toolchain "$toolchain" -DCMAKE_BUILD_TYPE=Release \
  -DHEED_BUILD_TESTS=OFF -DHEED_BUILD_EXAMPLES=ON

step 2 'building the library and the example firmware for this machine: a minute'
building cmake --build "$build" --target firmware_layer heed_speed

step 3 'building and running the same firmware for a Cortex-M4F: half a minute'
sh "$root/examples/firmware/compare.sh" "$build/examples/firmware/firmware_layer" "$build/cortex-m4f"
echo

step 4 'measuring the speed of attention: 8 seconds'
"$build/bench/heed_speed"
echo

step 5 'building the command heed: a minute and a half'
building cmake --build "$build" --target heed_command

step 6 'packing a trained model that adds, and running it on both: a few seconds'
sums=$root/examples/sums
quietly "$build/tools/heed" pack --model "$sums/sums.json" --weights "$sums/sums.safetensors" --weight-type int8 \
  --out "$build/sums.heed"
written=
for sum in 27+59= 8+64= 46+57= 58+99=; do
  written="$written $("$build/tools/heed" generate "$build/sums.heed" --tokenizer "$sums/sums_tokenizer.bin" \
    --temperature 0 --prompt "$sum" 2> "$log" || { cat "$log" >&2; exit 1; })"
done
echo 'A trained model of 17,864 parameters, which adds; weights in 8 bits:'
printf '  %-22s%s\n' 'this machine' "$written"
if [ -f "$build/cortex-m4f/CMakeCache.txt" ]; then
  quietly cmake --build "$build/cortex-m4f" --target run_firmware_sums
  printf '  %-22s%s\n' 'Cortex-M4F, in QEMU' "$(sed -n 's/^[0-9]*+[0-9]*=[0-9]*$/ &/p' "$log" | tr -d '\n')"
fi
echo

step 7 'worked examples'
"$build/tools/heed" demo "$@"
