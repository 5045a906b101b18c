#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_pack.sh <source folder> <heed> <libheed.a> <c++ compiler> [flag...]: README's ways from weights to a board. Its
# commands run on a layer.safetensors as PyTorch's nn.MultiheadAttention(32, 4) is saved, a folder and a GGUF file, all
# made here. Its C++ program is examples/layer.cpp; compiled with the header that comes out it ends with 0, and on a
# Cortex-M4F it has the RAM that it states. Without numpy the layer's command alone is run, and the block is left.
. "$(dirname "$0")/../support/begin.sh"
source=$1
heed=$2
archive=$3
compiler=$4
shift 4
. "$source/tests/readme/blocks.sh"
mkdir "$work/blocks" "$work/bin"
awk -v folder="$work/blocks" -f "$source/tests/readme/extract.awk" "$source/README.md"
ln -s "$heed" "$work/bin/heed"
PATH=$work/bin:$PATH

# floats <count>: that many times 1/16; the count is a power of two.
floats() {
  printf '\000\000\200\075' > "$work/floats"
  size=1
  while [ $size -lt "$1" ]; do
    cat "$work/floats" "$work/floats" > "$work/twice"
    mv "$work/twice" "$work/floats"
    size=$((size * 2))
  done
  cat "$work/floats"
}

header='{"in_proj_weight":{"dtype":"F32","shape":[96,32],"data_offsets":[0,12288]},'
header=$header'"in_proj_bias":{"dtype":"F32","shape":[96],"data_offsets":[12288,12672]},'
header=$header'"out_proj.weight":{"dtype":"F32","shape":[32,32],"data_offsets":[12672,16768]},'
header=$header'"out_proj.bias":{"dtype":"F32","shape":[32],"data_offsets":[16768,16896]}}'
header=$(printf '%-504s' "$header")
{
  printf '\370\001\000\000\000\000\000\000%s' "$header"
  floats 4096
  floats 128
} > "$work/layer.safetensors"

cd "$work"
block=$(grep -l '^heed pack .*--c-array weights' blocks/*.sh) || fail 'README.md does not pack a layer'
for python in /usr/bin/python3 python3 none; do
  if $python -c 'import numpy' 2> /dev/null; then break; fi
done
if [ $python != none ]; then
  PYTHONPATH=$source/tests/architectures $python -B -c 'import pathlib, pack_memory
config = pack_memory.sizes_of(1, 4)
pack_memory.write_folder(pathlib.Path("my-folder"), config, "F32")
pack_memory.write_q8_0("my-model.gguf", config)'
  run sh -eu "$block"
  ran "$block"
  grep '^heed ' "$block"
else
  grep '^heed .*--c-array weights' "$block" > layer.sh
  run sh -eu layer.sh
  left "$block"
fi

program=$(grep -l '<weights\.h>' blocks/*.cpp)
tail -n "$(wc -l < "$program")" "$source/examples/layer.cpp" | diff "$program" - || fail 'examples/layer.cpp is another (>)'
"$compiler" "$@" -std=c++20 -Wall -Wextra -Werror -I "$source/include" -I . "$program" "$archive" -o program
./program
ran "$program"
if command -v arm-none-eabi-g++ > log; then
  stated=$(sed -n 's/^static_assert(sizeof arena == \([0-9]*\)).*/\1/p' "$program")
  run arm-none-eabi-g++ -std=c++20 -Os -mthumb -mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard -I "$source/include" \
    -I . -c "$program" -o program.o
  measured=$(arm-none-eabi-size program.o | awk 'NR == 2 { print $2 + $3 }')
  [ "$measured" = "${stated:-nothing}" ] || fail "README.md states ${stated:-nothing} bytes of RAM, not $measured"
  echo "$measured bytes of RAM on a Cortex-M4F"
fi
