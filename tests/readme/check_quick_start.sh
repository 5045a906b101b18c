#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_quick_start.sh <source folder> <firmware_layer of the desktop>: how the main job ends. README.md shows what is
# printed; another hash is found out; without a cross compiler the desktop's part is there and succeeds. Ends with 77
# (skipped) without a cross compiler, after the rest.
set -eu
source=$1
desktop=$2
compare=$source/examples/firmware/compare.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "$1"
  cat "$work/output"
  exit 1
}

mkdir "$work/bin"
for command in sh dirname mkdir sed cat; do ln -s "$(command -v $command)" "$work/bin/$command"; done
PATH=$work/bin sh "$compare" "$desktop" "$work/none" > "$work/output" 2>&1 || fail 'fails without a cross compiler'
grep -q '^  this machine  *[0-9A-F]\{16\}$' "$work/output" || fail 'no hash of the desktop without a cross compiler'
grep -q 'not run: there is no arm-none-eabi-g++' "$work/output" || fail 'does not say that nothing ran on the board'

printf '#!/bin/sh\nexit 0\n' > "$work/silent"
chmod +x "$work/silent"
if sh "$compare" "$work/silent" "$work/none" > "$work/output" 2>&1; then fail 'a program without a hash passes'; fi

for command in arm-none-eabi-g++ qemu-system-arm; do
  command -v $command > /dev/null || { echo "skipped: there is no $command"; exit 77; }
done
sh "$compare" "$desktop" "$work/board" > "$work/output" 2>&1 || fail 'fails'
while IFS= read -r line; do
  grep -qxF -e "$line" "$source/README.md" || fail "README.md does not show: $line"
done < "$work/output"

printf '#!/bin/sh\necho "ok; hash 0123456789ABCDEF; instructions"\n' > "$work/other"
chmod +x "$work/other"
if sh "$compare" "$work/other" "$work/board" > "$work/output" 2>&1; then fail 'two different hashes pass'; fi
grep -qx '  DIFFERENT' "$work/output" || fail 'does not say that the hashes differ'
