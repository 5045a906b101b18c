#!/bin/sh
# SPDX-License-Identifier: MIT
#
# models.sh [folder [build folder]]: makes on the desktop what the images firmware_keyword, firmware_story and
# firmware_two_models are built from, in <folder> (build/models): model files in 8 bits, their assembler stubs and
# headers, a clip, and what the images must print on every board. The weights are looked for in HEED_KWT1 and
# HEED_STORIES, or in ../shared/kwt1 and ../shared/stories260k, and the folders of two models in HEED_SORT and
# HEED_TALES, or in ../shared/nano_sort and ../shared/stories656k; what is absent is said, and left out.
# HEED_WEIGHT_TYPE=float32, for example, packs another type, HEED_ACTIVATIONS=int8 or int16 models in integers,
# attention among them.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
models=${1:-$root/build/models}
build=${2:-$root/build/models/desktop}
types="--weight-type ${HEED_WEIGHT_TYPE:-int8}"
keyword_keys=float32
story_keys=int8
tale_keys=float32
case ${HEED_ACTIVATIONS:-} in
  '') ;;
  int8 | int16)
    types="$types --activations $HEED_ACTIVATIONS"
    keyword_keys=int8_integer
    story_keys=int8_integer
    tale_keys=int8_integer
    ;;
  *)
    echo "models.sh: HEED_ACTIVATIONS=$HEED_ACTIVATIONS: int8 or int16, or nothing, is needed" >&2
    exit 2
    ;;
esac
mkdir -p "$models" "$build"
models=$(cd "$models" && pwd)
build=$(cd "$build" && pwd)
log=$build/models.log
kwt1=${HEED_KWT1:-$root/../shared/kwt1}
stories=${HEED_STORIES:-$root/../shared/stories260k}
sorter=${HEED_SORT:-$root/../shared/nano_sort}
tales=${HEED_TALES:-$root/../shared/stories656k}

# quietly <command...>, and show what it said only if it fails
quietly() { "$@" > "$log" 2>&1 || { cat "$log" >&2; exit 1; }; }

# pack <option...>: a model with the types that were asked for
# shellcheck disable=SC2086 # the types are meant to be split
pack() { quietly "$heed" pack $types "$@"; }

# The rows of a tensor of a safetensors file as .npy: float32, two dimensions.
# npy <file> <tensor> <rows> <columns> <out>
npy() {
  header=$(od -A n -t u8 -N 8 "$1" | tr -d ' ')
  begin=$(head -c $((8 + header)) "$1" | tail -c "$header" |
    sed -n "s/.*\"$2\": *{[^}]*\"data_offsets\": *\[\([0-9]*\),.*/\1/p")
  if [ -z "$begin" ]; then echo "models.sh: $1 has no tensor $2" >&2; exit 1; fi
  {
    printf '\223NUMPY\001\000v\000'
    printf '%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': ($3, $4), }"
    tail -c +$((8 + header + begin + 1)) "$1" | head -c $((4 * $3 * $4))
  } > "$5"
}

# incbin <name> <file>: a stub and a header for a file as it is.
incbin() {
  bytes=$(wc -c < "$models/$2" | tr -d ' ')
  printf '%s\n' "  .section .rodata.heed_model.$1, \"a\", %progbits" '  .balign 64' "  .global $1" \
    "  .type $1, %object" "  .size $1, $bytes" "$1:" "  .incbin \"$2\"" \
    '#if defined(__linux__) && defined(__ELF__)' '  .section .note.GNU-stack, "", %progbits' '#endif' > "$models/$1.S"
  printf '%s\n' '#pragma once' '#ifdef __cplusplus' 'extern "C"' '#else' 'extern' '#endif' \
    "const unsigned char $1[$bytes];" > "$models/$1.h"
}

rm -f "$models"/keyword* "$models"/story* "$models"/clip.* "$models"/sort_* "$models"/tale* "$models"/two_models*
present=
if [ -f "$kwt1/kwt1.safetensors" ]; then present="$present keyword"; else
  echo "models.sh: no keyword model: there is no $kwt1/kwt1.safetensors (HEED_KWT1)"
fi
if [ -f "$stories/stories260K.bin" ]; then present="$present story"; else
  echo "models.sh: no story model: there is no $stories/stories260K.bin (HEED_STORIES)"
fi
if [ -f "$sorter/config.json" ] && [ -f "$tales/config.json" ]; then present="$present two_models"; else
  echo "models.sh: no two models: there is no $sorter/config.json (HEED_SORT), or no $tales/config.json (HEED_TALES)"
fi
[ -n "$present" ] || exit 0

if [ ! -f "$build/CMakeCache.txt" ]; then
  quietly cmake -S "$root" -B "$build" -G Ninja --toolchain "$(sh "$root/toolchains/host.sh" gcc)" \
    -DCMAKE_BUILD_TYPE=Release -DHEED_BUILD_TESTS=OFF -DHEED_BUILD_EXAMPLES=ON -DHEED_BUILD_BENCH=OFF
fi
quietly cmake --build "$build" --target heed_command
heed=$build/tools/heed
targets=
for model in $present; do
  case $model in
    keyword)
      npy "$kwt1/fixtures.safetensors" right__flite_slt_10.features 98 40 "$models/clip.npy"
      "$heed" array --input "$models/clip.npy" --c-array clip --out "$models/clip.h"
      pack --model "$root/examples/firmware/kwt1.json" --weights "$kwt1/kwt1.safetensors" \
        --out "$models/keyword_model.heed" --incbin keyword_model "$models/keyword_model.S"
      ;;
    story)
      cp "$stories/tok512.bin" "$models/story_tokenizer.bin"
      incbin story_tokenizer story_tokenizer.bin
      pack --llama2c "$stories/stories260K.bin" --out "$models/story_model.heed" \
        --incbin story_model "$models/story_model.S"
      ;;
    two_models)
      pack "$sorter" --out "$models/sort_model.heed" --incbin sort_model "$models/sort_model.S"
      pack "$tales" --out "$models/tale_model.heed" --incbin tale_model "$models/tale_model.S"
      ;;
  esac
  targets="$targets firmware_$model firmware_${model}_stages"
done
case $present in *story*) targets="$targets firmware_story_begin" ;; esac

# What the same programs print here, without the line of figures, which every processor has its own of.
quietly cmake -S "$root" -B "$build" "-DHEED_MODELS=$models"
# shellcheck disable=SC2086 # the targets are meant to be split
quietly cmake --build "$build" --target $targets
for target in $targets; do
  "$build/examples/firmware/$target" > "$log"
  grep -v '^instructions ' "$log" > "$models/${target#firmware_}.txt"
done

# The command must have the same bits, and the same text. It makes its last token without reading it, and the prompt is
# five tokens: of 16 tokens read, and of 256, the others are what it has made before. Likewise the tales: 32 tokens, of
# which the prompts have six and seven, from text and model file alone.
generate() {
  tokens=$1
  shift
  "$heed" generate "$models/story_model.heed" --tokenizer "$models/story_tokenizer.bin" --prompt 'Once upon a time' \
    --temperature 0 --rows 1 --kv-type $story_keys --tokens $((tokens - 4)) "$@" 2> "$log"
}
tell() {
  prompt=$1
  shift
  "$heed" generate "$models/tale_model.heed" --prompt "$prompt" --temperature 0 --rows 1 --kv-type $tale_keys "$@" \
    2> "$log"
}
for model in $present; do
  case $model in
    two_models)
      tell 'Once upon a time' --tokens 27 --stages "$models/two_models_stages.json" > "$models/tale.txt"
      tell 'And they all lived' --tokens 26 >> "$models/tale.txt"
      sed '1d;$d' "$models/two_models.txt" > "$models/tale_image.txt"
      cmp "$models/tale.txt" "$models/tale_image.txt"
      ;;
    keyword)
      "$heed" run "$models/keyword_model.heed" --input "$models/clip.npy" --kv-type $keyword_keys \
        --stages "$models/keyword_stages.json"
      ;;
    story)
      generate 16 --stages "$models/story_stages.json" > /dev/null
      { generate 256; tail -n 1 "$models/story.txt"; } > "$models/story_command.txt"
      cmp "$models/story_command.txt" "$models/story.txt"
      ;;
  esac
  quietly "$heed" compare "$models/${model}_stages.json" "$models/${model}_stages.txt"
done
echo "models.sh: made:$present"
