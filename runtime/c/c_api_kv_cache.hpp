// SPDX-License-Identifier: MIT
//
// The structs of heed_kv_cache.h as those of stored_cache.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "heed/heed_kv_cache.h"
#include "heed/kv_cache.hpp"

namespace heed::detail {

static_assert(same_size<heed_kv_cache_config, KvCacheConfig>);
HEED_SAME_MEMBER(heed_kv_cache_config, KvCacheConfig, max_sequences);
HEED_SAME_MEMBER(heed_kv_cache_config, KvCacheConfig, kv_heads);
HEED_SAME_MEMBER(heed_kv_cache_config, KvCacheConfig, head_dim);
HEED_SAME_MEMBER(heed_kv_cache_config, KvCacheConfig, value_dim);
HEED_SAME_MEMBER(heed_kv_cache_config, KvCacheConfig, max_keys);
HEED_SAME_MEMBER(heed_kv_cache_config, KvCacheConfig, key_type);
HEED_SAME_MEMBER(heed_kv_cache_config, KvCacheConfig, value_type);
HEED_SAME_MEMBER(heed_kv_cache_config, KvCacheConfig, key_scales_per_channel);
HEED_SAME_MEMBER(heed_kv_cache_config, KvCacheConfig, ring);
HEED_SAME_MEMBER(heed_kv_cache_config, KvCacheConfig, sink_tokens);

static_assert(same_size<heed_kv_cache_plan, KvCachePlan>);
HEED_SAME_MEMBER(heed_kv_cache_plan, KvCachePlan, config);
HEED_SAME_MEMBER(heed_kv_cache_plan, KvCachePlan, key_panels);
HEED_SAME_MEMBER(heed_kv_cache_plan, KvCachePlan, value_width);
HEED_SAME_MEMBER(heed_kv_cache_plan, KvCachePlan, key_panel_bytes);
HEED_SAME_MEMBER(heed_kv_cache_plan, KvCachePlan, value_row_bytes);
HEED_SAME_MEMBER(heed_kv_cache_plan, KvCachePlan, key_scale_bytes);
HEED_SAME_MEMBER(heed_kv_cache_plan, KvCachePlan, value_scale_bytes);
HEED_SAME_MEMBER(heed_kv_cache_plan, KvCachePlan, states);
HEED_SAME_MEMBER(heed_kv_cache_plan, KvCachePlan, keys);
HEED_SAME_MEMBER(heed_kv_cache_plan, KvCachePlan, values);
HEED_SAME_MEMBER(heed_kv_cache_plan, KvCachePlan, key_scales);
HEED_SAME_MEMBER(heed_kv_cache_plan, KvCachePlan, value_scales);
HEED_SAME_MEMBER(heed_kv_cache_plan, KvCachePlan, bytes);

static_assert(same_size<heed_kv_cache, KvCache>);  // the members are private

static_assert(HEED_DATA_TYPE_FLOAT32 == static_cast<int>(DataType::float32));
static_assert(HEED_DATA_TYPE_FLOAT16 == static_cast<int>(DataType::float16));
static_assert(HEED_DATA_TYPE_BFLOAT16 == static_cast<int>(DataType::bfloat16));
static_assert(HEED_DATA_TYPE_INT8 == static_cast<int>(DataType::int8));
static_assert(HEED_DATA_TYPE_INT4 == static_cast<int>(DataType::int4));
static_assert(HEED_INT4_GROUP_SIZE == int4_group_size && HEED_MAX_TOKENS == max_tokens);

/// A bool of C++ is 0 or 1, and nothing else.
[[nodiscard]] inline heed_kv_cache_config adapted(const heed_kv_cache_config& config) noexcept {
  heed_kv_cache_config made = config;
  made.key_scales_per_channel = config.key_scales_per_channel != 0 ? 1 : 0;
  made.ring = config.ring != 0 ? 1 : 0;
  return made;
}

/// A plan is used where it lies, and need not come from heed_plan_kv_cache(): it may have been in a file.
[[nodiscard]] inline bool has_bools(const heed_kv_cache_plan& plan) noexcept {
  return plan.config.key_scales_per_channel <= 1 && plan.config.ring <= 1;
}

}  // namespace heed::detail
