#!/bin/sh
# SPDX-License-Identifier: MIT
#
# check_unused.sh <source folder> <libheed.a> <nm> <compiler> <flag>...: a feature that is not used costs no code. Links
# a program for each feature alone and reads in the linker's map which objects of the archive are left in it.
. "$(dirname "$0")/../support/begin.sh"
root=$1
archive=$2
nm=$3
shift 3
failed=0
offend() {
  failed=1
  echo "$*"
}

# Objects that a feature alone needs, and names of types that only its functions speak of.
objects_of() {
  case $1 in
    options)
      echo attend_with_options option_policy option_slice options_check score_terms bool_masks mean_over_heads
      echo multi_head_options
      ;;
    append_rotated) echo append_rotated ;;
    cache) echo cache_reader ;;
    stored) echo stored_keys ;;
    ring) echo ring ;;
    ring_positions) echo ring_policy ;;
    pages) echo pages ;;
    channels) echo channel_scales int8_channels ;;
    packing) echo quantize_groups ;;
    weights) echo quantized_linear ;;
    int8 | int4) echo "$1" ;;
    rotary) echo multi_head_rotary ;;
    rotation) echo rotary ;;
    sinusoids) echo positions ;;
    merge) echo merge ;;
    model)
      echo activation logits normalization block model mlp model_ends pack_model read_model model_file
      echo c_api_model
      ;;
    extension) echo extended_blocks extended_ends convolutions model_extension extended_layer ;;
    text) echo sampling tokenizer ;;
    text_file)
      echo token_file token_file_tries added_tokens decode_text encode_text
      ;;
    pairs) echo byte_pairs ;;
    characters) echo encode_characters ;;
    bytes) echo encode_bytes splitters composition unicode_composition unicode_letters ;;
    word_pieces) echo encode_word_pieces lower_case unicode_words ;;
    unigram) echo encode_unigram best_pieces changes graphemes unicode_graphemes ;;
  esac
}
names_of() {
  case $1 in
    # Calls without options hand on a null pointer to them.
    options) echo 'AttentionOptions const&|OptionPolicy|MultiHeadOptions|OptionHooks' ;;
    append_rotated) echo 'append_rotated' ;;
    cache) echo 'cache_reader|KvCache::init' ;;
    stored) echo 'stored_keys' ;;
    ring) echo '(heed_)?kv_ring|(slot|position)_in_ring|reorders_ring|check_ring(_layer)?_call' ;;
    ring_positions) echo '(heed_)?kv_ring_with_positions|RingPolicy|attend_in_ring' ;;
    pages) echo '(heed_)?kv_pages|KvPages' ;;
    channels) echo '(heed_)?int8_channel_keys|store_int8_channels|channel_scales|set_key_scales' ;;
    packing) echo 'pack_rounded|pack_rounded_weights' ;;
    weights) echo 'quantized_linear|(heed_)?(b?float16|int8|int8_group|int4_group)_weights|dequantize_lane' ;;
    caches)
      echo '(heed_)?(b?float16|int8|int4)_cache|store_(b?float16|int8|int4)|(clear|raise)_int[48]_scales?|quantize'
      ;;
    float16 | bfloat16) echo "(heed_)?$1_(weights|cache)|store_$1" ;;
    int8 | int4) echo "(heed_)?$1_(weights|cache)|store_$1|(clear|raise)_$1_scales?" ;;
    int8_groups | int4_groups) echo "(heed_)?${1%s}_weights" ;;
    rotary) echo 'Rotary' ;;
    rotation) echo 'PairBlock|make_rotary_table' ;;
    sinusoids) echo 'add_sinusoidal_positions' ;;
    merge) echo 'PartialAttention' ;;
    model) echo 'Activation|(layer|rms)_norm(_row)?|(activate|gate)_row|softmax|top_k|Transformer(Block|Model)|ModelEnds' ;;
    extension) echo '(heed_)?extended_model|Extended(Blocks|Ends|Pass|Hooks)|LayerExtras' ;;
    text) echo 'Tokenizer|RandomBits|sample_token' ;;
    text_file) echo 'TextTokenizer|TextDecoder' ;;
    pairs) echo 'merge_pairs' ;;
    characters) echo 'encode_characters' ;;
    bytes) echo 'encode_bytes' ;;
    word_pieces) echo 'encode_word_pieces' ;;
    unigram) echo 'encode_unigram' ;;
  esac
}

# "<object> <bytes> <section>" of what is left of the archive, from the linker's map: a long section name has a line of
# its own. Functions of the port are in every object that calls one, and the linker keeps the first copy: they are no
# feature's.
left_of() {
  awk '
    /^Linker script and memory map/ { kept = 1 }
    !kept { next }
    $1 ~ /^\./ { section = $1 }
    match($0, /0x[0-9a-f]+ +0x[0-9a-f]+ [^ ].*libheed\.a\([^)]*\)/) && section ~ /^\.(text|rodata|data|bss)/ {
      split(substr($0, RSTART, RLENGTH), fields, / +/)
      object = $0
      sub(/.*libheed\.a\(/, "", object)
      sub(/\.cpp\.(o|obj)\).*/, "", object)
      if (fields[2] !~ /^0x0+$/ && section !~ /^\.text\._ZN4heed4port/) print object, fields[2], section
    }' "$1"
}

"$nm" -A -P "$archive" | sed 's/^[^[]*\[\([^]]*\)\]:.*/\1/; s/\.cpp\.o.*//' | sort -u > "$work/members"
features='options append_rotated cache stored ring ring_positions pages channels packing weights caches float16 bfloat16 int8 int4'
features="$features int8_groups int4_groups rotary rotation sinusoids merge model extension text text_file pairs characters bytes"
features="$features word_pieces unigram"
for feature in $features; do
  for object in $(objects_of $feature); do
    grep -qx "$object" "$work/members" || offend "$object, of the feature $feature, is not in the archive"
  done
  printf '%s\t%s\t%s\n' $feature "$(objects_of $feature | tr '\n' ' ')" "$(names_of $feature)" >> "$work/features"
done

# check <program> <needed object>[,<needed object>...] <feature that may be there>...; what the program calls
# HEED_STORAGE is $storage.
storage=
check() {
  source=$root/tests/$1.cpp
  needed=$2
  shift 2
  allowed=" $* "
  image=$work/image
  $link "-DHEED_STORAGE=$storage" "$source" -o "$image" "-Wl,-Map,$work/map" "$archive" -lgcc
  left_of "$work/map" > "$work/left"
  "$nm" -C --defined-only "$image" | cut -d ' ' -f 2- > "$work/names"
  for object in $(echo "$needed" | tr , ' '); do
    grep -q "^$object " "$work/left" || offend "$source: nothing of $object is in the image"
  done
  # What an object or a name gives away, feature by feature.
  awk -F '\t' -v source="$source" -v allowed="$allowed" '
    FILENAME ~ /features$/ {
      if (index(allowed, " " $1 " ")) next
      order[++features] = $1
      count = split($2, objects, " ")
      for (i = 1; i <= count; ++i) owner[objects[i]] = $1
      if ($3 != "") pattern[$1] = "(^|[^A-Za-z_])(" $3 ")([^A-Za-z_]|$)"
    }
    FILENAME ~ /left$/ {
      object = $0
      sub(/ .*/, "", object)
      if (object in owner) code[owner[object]] = code[owner[object]] "\n  " $0
    }
    FILENAME ~ /names$/ {
      for (i = 1; i <= features; ++i) {
        feature = order[i]
        if (feature in pattern && $0 ~ pattern[feature]) symbols[feature] = symbols[feature] "\n  " $0
      }
    }
    END {
      for (i = 1; i <= features; ++i) {
        feature = order[i]
        if (feature in code) print source ": has code of the feature " feature ":" code[feature]
        if (feature in symbols) print source ": has symbols of the feature " feature ":" symbols[feature]
      }
    }' "$work/features" "$work/left" "$work/names" > "$work/found"
  [ ! -s "$work/found" ] || offend "$(cat "$work/found")"
  count=$(cut -d ' ' -f 1 "$work/left" | sort -u | wc -l)
  echo "$(basename "$source" .cpp) $storage: $count objects of the archive,$allowed"
}

# The compiler's own functions come after the archive, where a CPU has no instruction for what it computes.
link="$* -std=c++20 -O2 -I$root/include -ffunction-sections -fdata-sections -fno-exceptions -fno-rtti
  -fno-asynchronous-unwind-tables -fno-pie -nostdlib -static -Wl,--gc-sections -Wl,--build-id=none -Wl,--entry=probe
  -Wl,--defsym=memcpy=probe -Wl,--defsym=memmove=probe -Wl,--defsym=memset=probe"
check figures/probe_attention attention
check archive/features/options attend_with_options,option_policy,options_check options
check archive/features/rotary rotary rotary rotation
check archive/features/rotary_cache append_rotated,kv_cache,rotary rotary rotation append_rotated
check archive/features/merge merge merge
check archive/features/model activation,normalization,logits model
# Which options a layer has is known when it runs: rotary positions come with the others.
check archive/features/layer_options multi_head_options,option_policy,option_slice,rotary options rotary rotation
check archive/features/linear_float32 linear,multiply
check archive/features/linear_int4 linear,multiply,quantized_linear,group_weights weights int4_groups
# In integers, too, a layer has no activation: that comes with the MLP that calls it.
check figures/probe_integer_layer multi_head,integer_linear,integer_keys cache stored weights caches int8
! grep -E '^(multiply|key_block) ' "$work/left" || offend "a layer in integers has code that multiplies floats"
# Where the plan is a constant, packing float32 weights links nothing that rounds.
check archive/features/layer_weights multi_head,packed_weights,pack_linear cache

# Where the plan of a model is a constant, it links the positions that it has, and otherwise all. A model asks in any
# case whether it has rotary ones.
# check_positions <positions> <objects> <feature that may be there>...
check_positions() {
  storage=.positions=heed::Positions::$1
  objects=$2
  shift 2
  check archive/features/planned_model "block,model$objects" model cache rotary "$@"
  storage=
}
check_positions learned ''
check_positions rotary ,rotary rotation
check_positions sinusoidal ,positions sinusoids
check archive/features/made_plan block,model,rotary,positions model cache rotary rotation sinusoids

# A cache, a layer and a model link what they name to store with, and no options. These plans are no constants.
# check_stored <storage> <objects>[,<object>...] <feature that may be there>...
check_stored() {
  storage=$1
  objects=$2
  shift 2
  check archive/features/stored_cache "attention,kv_cache,$objects" cache "$@"
  check archive/features/stored_layer "attention,kv_cache,multi_head,$objects" cache "$@"
  check archive/features/stored_model "attention,kv_cache,block,model,$objects" cache "$@" model rotary rotation sinusoids
  storage=
}
check_stored '' store_token
for format in float16 bfloat16 int8 int4; do
  object=$format
  case $format in *float16) object=short_floats ;; esac
  check_stored ".formats={&heed::${format}_cache}" $object,stored_keys stored caches $format
done
check_stored '.formats={&heed::int8_channel_keys}' int8_channels,channel_scales,stored_keys stored channels caches
check_stored '.ring=&heed::kv_ring' ring ring
check_stored '.ring=&heed::kv_ring_with_positions' ring,ring_policy ring ring_positions options
check_stored '.pages=&heed::kv_pages' pages,stored_keys stored pages

# What runs extended models is linked where it is named.
check archive/features/extended_model model,extended_blocks,extended_ends,extended_layer,option_policy \
  cache model rotary rotation sinusoids options extension
# A program links the kind of tokenizer that it names.
storage=encode_characters
check archive/features/text_tokenizer token_file,encode_characters text_file pairs characters
storage=encode_bytes
check archive/features/text_tokenizer token_file,encode_bytes text_file pairs bytes
storage=encode_word_pieces
check archive/features/text_tokenizer token_file,encode_word_pieces text_file word_pieces
storage=encode_unigram
check archive/features/text_tokenizer token_file,encode_unigram text_file unigram
storage=

# The C interface links what a program calls.
check archive/features/c_layer_weights c_api_layer,multi_head,group_weights cache weights int4_groups
check archive/features/c_model c_api_model,model,mlp,int8 cache model rotary rotation sinusoids weights int8
check archive/features/c_kv_model c_api_model,model,kv_cache,sampling,tokenizer,int8 \
  cache stored model rotary rotation sinusoids caches int8 text

# The check itself: it sees options that were not announced, and misses an object that is not there.
storage='.formats={&heed::int8_cache}'
for spoilt in 'archive/features/options attend_with_options rotary' 'figures/probe_attention rotary options rotary' \
  'archive/features/stored_layer int8 cache stored caches int4' 'archive/features/stored_layer int8 cache stored int8'; do
  if (failed=0; check $spoilt > "$work/spoilt"; exit $failed); then
    offend "the check found nothing wrong with: $spoilt"
  fi
done
exit $failed
