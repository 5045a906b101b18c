#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_pack.sh <source folder> <heed> <libheed.a> <c++ compiler> [flag...]: README's way from trained weights to the
# first token. Its `heed pack` command packs a layer.safetensors made here, and its C++ program, compiled with the header
# that comes out, ends with 0.
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

header='{"q_proj_weight":{"dtype":"F32","shape":[32,32],"data_offsets":[0,4096]},'
header=$header'"k_proj_weight":{"dtype":"F32","shape":[16,32],"data_offsets":[4096,6144]},'
header=$header'"v_proj_weight":{"dtype":"F32","shape":[16,32],"data_offsets":[6144,8192]},'
header=$header'"out_proj.weight":{"dtype":"F32","shape":[32,32],"data_offsets":[8192,12288]}}'
header=$(printf '%-504s' "$header")
{
  printf '\370\001\000\000\000\000\000\000%s' "$header"
  floats 1024
  floats 1024
  floats 1024
} > "$work/layer.safetensors"

block=$(grep -l '^heed pack .*packed_weights\.h' "$work"/blocks/*.sh) || { echo 'README.md has no heed pack command' >&2; exit 1; }
(cd "$work" && PATH=$work/bin:$PATH sh -eu "$block")
ran "$block"
program=$(grep -l 'packed_weights\.h' "$work"/blocks/*.cpp)
"$compiler" "$@" -std=c++20 -Wall -Wextra -Werror -I "$source/include" -I "$work" "$program" "$archive" -o "$work/program"
"$work/program"
cat "$block"
