#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_quick_start.sh <source folder> <firmware_layer of the desktop>: how the main job ends. README.md shows what is
# printed, and docs/models.md what the image of the model in the tree prints; another hash is found out; without a cross
# compiler the desktop's part is there and succeeds. Ends with 77 (skipped) without a cross compiler, after the rest.
. "$(dirname "$0")/../support/begin.sh"
source=$1
desktop=$2
compare=$source/examples/firmware/compare.sh
. "$source/tests/readme/blocks.sh"
mkdir "$work/blocks"
awk -v folder="$work/blocks" -f "$source/tests/readme/extract.awk" "$source/README.md" "$source/docs/models.md"
shown=$(grep -l 'hash of all outputs' "$work"/blocks/README.md.*.text)
session=$(grep -l 'target run_firmware_sums' "$work"/blocks/models.md.*.text)

mkdir "$work/bin"
for command in sh dirname mkdir sed cat; do ln -s "$(command -v $command)" "$work/bin/$command"; done
PATH=$work/bin sh "$compare" "$desktop" "$work/none" > "$work/log" 2>&1 || fail 'fails without a cross compiler'
grep -q '^  this machine *\( [0-9A-F]\{16\}\)\{3\}$' "$work/log" || fail 'no hashes of the desktop without a cross compiler'
grep -q 'not run: there is no arm-none-eabi-g++' "$work/log" || fail 'does not say that nothing ran on the board'

printf '#!/bin/sh\necho "float32: ok; hash 0123456789ABCDEF;"\n' > "$work/other"
chmod +x "$work/other"
if sh "$compare" "$work/other" "$work/none" > "$work/log" 2>&1; then fail 'a program with one hash passes'; fi

for command in arm-none-eabi-g++ qemu-system-arm; do
  command -v $command > /dev/null || {
    left "$shown" "$session"
    skip "there is no $command"
  }
done
sh "$compare" "$desktop" "$work/board" > "$work/log" 2>&1 || fail 'fails'
diff "$shown" "$work/log" || fail 'README.md shows something else (<)'
ran "$shown"
# The image of the model in the tree. This build is the preset's, but without tests.
cmake --build "$work/board" --target firmware_sums > "$work/log" 2>&1 || fail 'firmware_sums does not build'
cmake --build "$work/board" --target run_firmware_sums > "$work/log" 2>&1 || fail 'firmware_sums does not run'
grep -v '^\$ ' "$session" > "$work/expected"
grep -v '^\[\|^ninja: ' "$work/log" > "$work/printed"
awk -f "$source/tests/readme/same_lines.awk" "$work/expected" "$work/printed" || fail 'docs/models.md shows something else'
ran "$session"

# Of integers alone, which the others hide.
printf '#!/bin/sh\n"%s" | sed "/^integers/s/hash [0-9A-F]*/hash 0123456789ABCDEF/"\n' "$desktop" > "$work/other"
if sh "$compare" "$work/other" "$work/board" > "$work/log" 2>&1; then fail 'two different hashes pass'; fi
grep -qx '  DIFFERENT' "$work/log" || fail 'does not say that the hashes differ'
