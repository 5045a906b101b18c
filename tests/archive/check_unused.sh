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
      echo attend_with_options option_policy option_slice options_check score_terms mean_over_heads multi_head_options
      echo kv_multi_head_options
      ;;
    kv_cache)
      echo attend_kv_cache kv_cache kv_cache_keys ring_policy decoded_keys dequantize quantized_gemm append_rotated
      echo kv_multi_head kv_multi_head_options kv_packed_weights kv_sequences c_api_kv_layer_weights
      ;;
    rounding) echo quantize ;;
    packing) echo quantize_groups pack_rounded rounded_weights kv_rounded_weights ;;
    decoding) echo decoded_linear ;;
    float16) echo float16_weights ;;
    bfloat16) echo bfloat16_weights ;;
    int8) echo int8_weights ;;
    int8_groups) echo int8_group_weights ;;
    int4_groups) echo int4_group_weights ;;
    rotary) echo rotary append_rotated c_api_rotary ;;
    merge) echo merge ;;
    model)
      echo activation logits normalization block model mlp model_ends pack_model read_model file_header
      echo c_api_logits c_api_model c_api_read_model
      ;;
    kv_model) echo kv_block kv_model c_api_kv_model ;;
    text) echo sampling tokenizer c_api_sampling c_api_tokenizer ;;
  esac
}
names_of() {
  case $1 in
    options) echo 'AttentionOptions|OptionPolicy|MultiHeadOptions|OptionHooks' ;;
    kv_cache) echo 'KvCache|KvCacheKeys|KvSequences|RingPolicy' ;;
    rotary) echo 'Rotary|PairBlock' ;;
    merge) echo 'PartialAttention' ;;
    rounding) echo 'store_row' ;;
    packing) echo 'pack_rounded|pack_rounded_weights' ;;
    decoding) echo 'multiply_decoded' ;;
    float16) echo 'float16_weights' ;;
    bfloat16) echo 'bfloat16_weights' ;;
    int8) echo 'int8_weights' ;;
    int8_groups) echo 'int8_group_weights' ;;
    int4_groups) echo 'int4_group_weights' ;;
    model) echo 'Activation|(layer|rms)_norm(_row)?|(activate|gate)_row|softmax|top_k|Transformer(Block|Model)|ModelEnds' ;;
    kv_model) echo 'Transformer(Block|Model)<heed::KvCache>' ;;
    text) echo 'Tokenizer|RandomBits|sample_token' ;;
  esac
}

# "<object> <bytes> <section>" of what is left of the archive, from the linker's map: a long section name has a line of
# its own.
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
      if (fields[2] !~ /^0x0+$/) print object, fields[2], section
    }' "$1"
}

"$nm" -A -P "$archive" | sed 's/^[^[]*\[\([^]]*\)\]:.*/\1/; s/\.cpp\.o.*//' | sort -u > "$work/members"
features='options kv_cache rotary merge rounding packing decoding float16 bfloat16 int8 int8_groups int4_groups model'
features="$features kv_model text"
for feature in $features; do
  for object in $(objects_of $feature); do
    grep -qx "$object" "$work/members" || offend "$object, of the feature $feature, is not in the archive"
  done
done

# check <program> <needed object>[,<needed object>...] <feature that may be there>...
check() {
  source=$root/tests/$1.cpp
  needed=$2
  shift 2
  allowed=" $* "
  image=$work/image
  $link "$source" -o "$image" "-Wl,-Map,$work/map" "$archive"
  left_of "$work/map" > "$work/left"
  "$nm" -C "$image" | cut -d ' ' -f 2- > "$work/names"
  for object in $(echo "$needed" | tr , ' '); do
    grep -q "^$object " "$work/left" || offend "$source: nothing of $object is in the image"
  done
  for feature in $features; do
    case $allowed in *" $feature "*) continue ;; esac
    for object in $(objects_of $feature); do
      if grep "^$object " "$work/left" > "$work/found"; then
        offend "$source: has code of the feature $feature:"
        sed 's/^/  /' "$work/found"
      fi
    done
    if grep -E "(^|[^A-Za-z_])($(names_of $feature))([^A-Za-z_]|$)" "$work/names" > "$work/found"; then
      offend "$source: has symbols of the feature $feature:"
      sed 's/^/  /' "$work/found"
    fi
  done
  count=$(cut -d ' ' -f 1 "$work/left" | sort -u | wc -l)
  echo "$(basename "$source" .cpp): $count objects of the archive,$allowed"
}

link="$* -std=c++20 -O2 -I$root/include -ffunction-sections -fdata-sections -fno-exceptions -fno-rtti
  -fno-asynchronous-unwind-tables -fno-pie -nostdlib -static -Wl,--gc-sections -Wl,--build-id=none -Wl,--entry=probe
  -Wl,--defsym=memcpy=probe -Wl,--defsym=memmove=probe -Wl,--defsym=memset=probe"
check figures/probe_attention attention
check figures/probe_cache attention,float_kv_cache
check figures/probe_layer attention,float_kv_cache,multi_head
check archive/features/options attend_with_options,option_policy,options_check options
check archive/features/kv_cache attend_kv_cache,kv_cache,kv_cache_keys,ring_policy,quantize,dequantize \
  kv_cache options rounding
check archive/features/kv_cache_append kv_cache,quantize kv_cache rounding
check archive/features/rotary rotary rotary
check archive/features/rotary_float_kv_cache rotary,float_kv_cache rotary
check archive/features/rotary_kv_cache_append append_rotated,kv_cache,quantize kv_cache rotary rounding
check archive/features/merge merge merge
check archive/features/model activation,normalization,logits model
# Which options a layer has is known when it runs: rotary positions come with the others.
check archive/features/layer_options multi_head_options,option_policy,option_slice,rotary options rotary
# Attention over a KvCache has options, a layer over it without any has no rotary positions.
check archive/features/kv_layer kv_multi_head,kv_sequences,attend_kv_cache,kv_cache kv_cache options rounding
check archive/features/kv_layer_options kv_multi_head_options,kv_sequences,option_slice,rotary \
  kv_cache options rotary rounding
check archive/features/linear_float32 linear,linear_call,multiply
check archive/features/linear_int4 linear,linear_call,multiply,decoded_linear,int4_group_weights decoding int4_groups
# Where the plan is a constant, packing float32 weights links nothing that rounds.
check archive/features/layer_weights multi_head,packed_weights,pack_floats

# The C interface links what a program calls: one cache, the weights that it names.
check archive/features/c_layer_weights c_api_layer_weights,multi_head,int4_group_weights decoding int4_groups
check archive/features/c_model c_api_model,model,mlp,int8_weights model rotary decoding int8
check archive/features/c_kv_model c_api_kv_model,kv_model,kv_cache,sampling,tokenizer \
  model kv_model kv_cache options rotary rounding text

# The check itself: it sees options that were not announced, and misses an object that is not there.
for spoilt in 'archive/features/options attend_with_options rotary' 'figures/probe_attention rotary options rotary'; do
  if (failed=0; check $spoilt > "$work/spoilt"; exit $failed); then
    offend "the check found nothing wrong with: $spoilt"
  fi
done
exit $failed
