#!/bin/sh
# SPDX-License-Identifier: MIT
#
# refused_plan.sh <include folder> <compiler> [flag...]: a constexpr plan of a bad configuration does not compile, and
# the compiler's message names the status. A good configuration compiles with the same command.
. "$(dirname "$0")/../support/begin.sh"
include=$1
shift
failed=0

# check <configuration> <status> <compiler> [flag...]
check() {
  configuration=$1
  status=$2
  printf '#include <heed/heed.hpp>\nconstexpr auto made = heed::plan(heed::%s);\nstatic_assert(made.bytes > 0);\n' \
    "$configuration" > "$work/plan.cpp"
  shift 2
  if "$@" -std=c++20 -I "$include" -fsyntax-only "$work/plan.cpp" > "$work/message" 2>&1; then
    outcome=ok
  else
    outcome=refused
  fi
  if [ "$status" = ok ] && [ $outcome = ok ]; then return; fi
  if [ "$status" != ok ] && [ $outcome = refused ] && grep -q "refused::$status" "$work/message"; then return; fi
  failed=$((failed + 1))
  echo "$configuration: expected $status, and the compiler said ($outcome):"
  cat "$work/message"
}

check 'AttentionConfig{.heads = 4, .kv_heads = 2, .head_dim = 16}' ok "$@"
check 'AttentionConfig{}' zero_dimension "$@"
check 'AttentionConfig{.heads = 4, .kv_heads = 3, .head_dim = 16}' heads_not_divisible "$@"
check 'AttentionConfig{.head_dim = 65537}' too_large "$@"
check 'AttentionConfig{.head_dim = 16, .workers = 65}' bad_workers "$@"
check 'KvCacheConfig{.head_dim = 16, .max_keys = 64}' ok "$@"
check 'KvCacheConfig{.head_dim = 16}' zero_dimension "$@"
check 'KvCacheConfig{.max_sequences = 1u << 20, .head_dim = 64, .max_keys = 1024}' too_large "$@"
check 'KvCacheConfig{.head_dim = 16, .max_keys = 64, .sink_tokens = 4, .ring = true}' ok "$@"
check 'KvCacheConfig{.head_dim = 16, .max_keys = 64, .sink_tokens = 4}' bad_option "$@"
check 'KvCacheConfig{.head_dim = 16, .max_keys = 64, .key_type = heed::DataType::int8_groups}' bad_option "$@"
check 'KvCacheConfig{.head_dim = 16, .max_keys = 64, .value_type = heed::DataType::int8_channels}' bad_option "$@"
check 'MultiHeadConfig{.model_dim = 64, .heads = 4, .max_keys = 64}' ok "$@"
check 'MultiHeadConfig{.model_dim = 64, .heads = 4, .kv_heads = 3, .max_keys = 64}' heads_not_divisible "$@"
check 'MultiHeadConfig{.model_dim = 64, .heads = 4, .max_keys = 64, .workers = 65}' bad_workers "$@"
check 'MultiHeadConfig{.model_dim = 64, .heads = 4, .max_keys = 64, .weight_type = heed::DataType::int4}' bad_option "$@"
check 'MultiHeadConfig{.model_dim = 64, .heads = 4, .max_keys = 64, .sink_tokens = 4}' bad_option "$@"
check 'MultiHeadConfig{.model_dim = 64, .heads = 4, .max_keys = 60, .max_pages = 2}' bad_option "$@"
check 'RotaryConfig{.head_dim = 16, .max_position = 64}' ok "$@"
check 'RotaryConfig{.head_dim = 15, .max_position = 64}' bad_rotary "$@"
check 'RotaryConfig{.head_dim = 16, .base = 1, .max_position = 64}' bad_base "$@"
[ $failed = 0 ] && echo "5 good configurations compile, 16 bad ones are refused by name"
