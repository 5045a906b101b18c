#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_generate.sh <source folder> <heed> <bits_tests>: the way to a first text in docs/models.md. Its commands pack the
# model that is in the tree, which writes what stands behind the last of them. Another makes the files of the boards'
# image again, byte for byte; the page shows what the image prints and how often the model is right.
. "$(dirname "$0")/../support/begin.sh"
source=$1
heed=$2
tests=$3
. "$source/tests/readme/blocks.sh"
mkdir -p "$work/blocks" "$work/bin" "$work/examples/sums"
awk -v folder="$work/blocks" -f "$source/tests/readme/extract.awk" "$source/docs/models.md"
ln -s "$heed" "$work/bin/heed"
for file in sums.json sums.safetensors sums_tokenizer.bin; do
  cp "$source/examples/sums/$file" "$work/examples/sums"
done
PATH=$work/bin:$PATH
cd "$work"

block=$(grep -l '^heed generate ' blocks/models.md.*.sh) || fail 'docs/models.md has no heed generate command'
expected=$(sed -n 's/^heed generate .*  # //p' "$block")
written=$(sh -eu "$block" | tail -n 1)
echo "$written"
if [ -z "$expected" ] || [ "$written" != "$expected" ]; then echo "docs/models.md says: $expected"; exit 1; fi
ran "$block"

block=$(grep -l ' --incbin sums_model ' blocks/models.md.*.sh) || fail 'docs/models.md does not pack it'
sh -eu "$block"
ran "$block"
for file in sums_model.heed sums_model.S sums_model.h; do
  cmp "examples/sums/$file" "$source/examples/sums/$file"
done
HEED_TEST_DIVISOR=1 "$tests" sums_model_test | grep '^| ' > rows
cat "$source/examples/sums/sums.txt" rows > lines
while IFS= read -r line; do
  grep -qxF -e "$line" "$source/docs/models.md" || fail "docs/models.md does not show: $line"
done < lines
echo "$(wc -l < lines) lines compared"
