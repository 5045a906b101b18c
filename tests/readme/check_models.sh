#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_models.sh <source folder> <build folder> <heed> [<HEED_MODELS>]: the sessions of docs/models.md and
# docs/external_flash.md, with what they print, and the model files that it and docs/command.md show. Without KWT-1 its shapes are packed with zeros. What takes
# the real weights needs the folder that examples/models.sh has filled, or that of stories656K; what a board prints is compared there, by
# check_image.sh.
. "$(dirname "$0")/../support/begin.sh"
source=$1
build=$2
heed=$3
models=${4:-none}
. "$source/tests/readme/blocks.sh"
mkdir "$work/blocks"
awk -v folder="$work/blocks" -f "$source/tests/readme/extract.awk" "$source/docs/models.md" "$source/docs/command.md" \
  "$source/docs/external_flash.md"
sh "$source/tests/readme/stand_in.sh" make "$source" "$build" "$work"
ln -s "$heed" "$work/bin/heed"
PATH=$work/bin:$PATH
cd "$work/heed"

# tensors: the names of KWT-1's, each with its shape
tensors() {
  printf '%s\n' 'patch_proj.weight 64,40' 'patch_proj.bias 64' 'class_token 64' 'pos_embed 99,64'
  for block in 0 1 2 3 4 5 6 7 8 9 10 11; do
    for name in query key value output; do echo "blocks.$block.attention.$name.weight 64,64"; done
    echo "blocks.$block.attention.output.bias 64"
    for norm in norm1 norm2; do printf '%s 64\n' "blocks.$block.$norm.weight" "blocks.$block.$norm.bias"; done
    printf '%s\n' "blocks.$block.mlp.fc1.weight 256,64" "blocks.$block.mlp.fc1.bias 256" \
      "blocks.$block.mlp.fc2.weight 64,256" "blocks.$block.mlp.fc2.bias 64"
  done
  printf '%s\n' 'head.weight 12,64' 'head.bias 12'
}

# A safetensors file of zeros.
tensors | awk '
  { split($2, dims, ","); bytes = 4 * dims[1] * (2 in dims ? dims[2] : 1); delete dims[2]
    header = header (NR == 1 ? "{" : ",") "\"" $1 "\":{\"dtype\":\"F32\",\"shape\":[" $2 "],"
    header = header "\"data_offsets\":[" at "," at + bytes "]}"
    at += bytes }
  BEGIN { at = 0 }
  END { header = header "}"; while (length(header) % 8 != 0) header = header " "
    printf "%s", header > "header"; print at > "bytes"
    rest = length(header)
    for (i = 0; i < 8; ++i) { printf "\\%03o", rest % 256 > "prefix"; rest = int(rest / 256) } }'
{
  # shellcheck disable=SC2059 # the prefix is eight escapes
  printf "$(cat prefix)"
  cat header
  head -c "$(cat bytes)" /dev/zero
} > kwt1.safetensors
{
  printf '\223NUMPY\001\000v\000%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (98, 40), }"
  head -c $((4 * 98 * 40)) /dev/zero
} > clip.npy
printf '%s\n' silence unknown yes no up down left right on off stop go > labels.txt

# The architecture, which both pages show, in one without what is the default.
# pack <architecture> <model file>
pack() {
  heed pack --model "$1" --weights kwt1.safetensors --weight-type int8 --out "$2" > log || { cat log; exit 1; }
}
pack "$source/examples/firmware/kwt1.json" expected.heed
for block in $(grep -l '"input_dim"' "$work"/blocks/*.text); do
  pack "$block" shown.heed
  cmp expected.heed shown.heed
  ran "$block"
done
cp "$source/examples/firmware/kwt1.json" .

# What is taken for granted of the model in the tree.
heed pack --model "$source/examples/sums/sums.json" --weights "$source/examples/sums/sums.safetensors" \
  --weight-type int8 --out sums.heed > log || { cat log; exit 1; }
shown=$(grep -l '^sums\.heed: ' "$work"/blocks/command.md.*.text)
diff "$shown" log || { echo "docs/command.md shows something else (<)"; exit 1; }
ran "$shown"

# The section of a model's file, in the linker script of the boards under the name of their memory.
script=$(grep -l 'rodata\.heed_model' "$work"/blocks/external_flash.md.*.text)
sed 's/QSPI/MODELS/' "$script" > script
sed '/^\/\*/,/\*\//d' "$source/ports/boards/models.ld" | diff script - || { echo "the script is another one (>)"; exit 1; }
ran "$script"

# The two ways to write stages say the same.
stages=$(grep -l '"stages"' "$work"/blocks/command.md.*.text)
lines=$(grep -l '^stage 0' "$work"/blocks/command.md.*.text)
heed compare "$stages" "$lines" > log || { cat log; exit 1; }
grep -qx "$(wc -l < "$lines") stages are the same" log || { cat log; exit 1; }
ran "$stages" "$lines"

# session <block>: runs its commands, each with what stands below it up to the next
session() {
  rm -rf steps
  mkdir steps
  awk '/^\$ / { sub(/^\$ /, ""); ++step; command = 1; printf "" > ("steps/" step ".shown") }
       command { print > ("steps/" step ".sh"); command = /\\$/; next }
       { print > ("steps/" step ".shown") }
       END { print step > "steps/count" }' "$1"
  step=0
  while [ $step -lt "$(cat steps/count)" ]; do
    step=$((step + 1))
    rm -f "$work/not_run"
    sh -eu steps/$step.sh > steps/printed 2> steps/log || { cat steps/$step.sh steps/printed steps/log; exit 1; }
    count=$((count + 1))
    [ ! -f "$work/not_run" ] || continue
    diff steps/$step.shown steps/printed || { echo "$(basename "$1") shows something else (<)"; exit 1; }
  done
}

real=no
if [ -f "$models/keyword_model.heed" ] && [ -f "$models/story_model.heed" ]; then
  real=the
  ln -s "$models" build/models
  # The console of every board, as the tests firmware_* make sure.
  printf '#!/bin/sh\ncat "%s/keyword_stages.txt"\n' "$models" > "$work/bin/qemu-system-arm"
  chmod +x "$work/bin/qemu-system-arm"
fi
teller=${HEED_STORIES_656K:-$source/../shared/stories656k}
if [ -f "$teller/model.safetensors" ]; then ln -s "$(cd "$teller" && pwd)" stories656k; fi
count=0
find "$work/blocks" -name 'models.md.*.text' -o -name 'external_flash.md.*.text' | sed 's|.*/||' | sort -t. -k1,1 -k3n > order
while read -r name <&3; do
  block=$work/blocks/$name
  head -n 1 "$block" | grep -q '^\$ ' || continue
  if grep -q 'HEED_MODELS\|keyword_stages' "$block"; then
    if [ $real = no ]; then left "$block"; continue; fi
    cp "$models/keyword_model.heed" "$models/clip.npy" .
  fi
  if grep -q 'stories656k\|teller' "$block" && [ ! -d stories656k ]; then
    left "$block"
    continue
  fi
  session "$block"
  # What that image prints is compared by check_quick_start.sh, where there is a compiler for it.
  grep -q run_firmware_sums "$block" || ran "$block"
done 3< order
echo "$count commands, $real weights of KWT-1"
