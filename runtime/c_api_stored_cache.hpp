// SPDX-License-Identifier: MIT
//
// The structs of heed_stored_cache.h as those of stored_cache.hpp.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "c_api_calls.hpp"
#include "heed/heed_stored_cache.h"
#include "heed/stored_cache.hpp"

namespace heed::detail {

static_assert(same_size<heed_stored_cache_config, StoredCacheConfig>);
HEED_SAME_MEMBER(heed_stored_cache_config, StoredCacheConfig, sequences);
HEED_SAME_MEMBER(heed_stored_cache_config, StoredCacheConfig, kv_heads);
HEED_SAME_MEMBER(heed_stored_cache_config, StoredCacheConfig, head_dim);
HEED_SAME_MEMBER(heed_stored_cache_config, StoredCacheConfig, value_dim);
HEED_SAME_MEMBER(heed_stored_cache_config, StoredCacheConfig, max_keys);
HEED_SAME_MEMBER(heed_stored_cache_config, StoredCacheConfig, key_storage);
HEED_SAME_MEMBER(heed_stored_cache_config, StoredCacheConfig, value_storage);
HEED_SAME_MEMBER(heed_stored_cache_config, StoredCacheConfig, key_scales_per_channel);
HEED_SAME_MEMBER(heed_stored_cache_config, StoredCacheConfig, ring);
HEED_SAME_MEMBER(heed_stored_cache_config, StoredCacheConfig, kept_keys);

static_assert(same_size<heed_stored_cache_plan, StoredCachePlan>);
HEED_SAME_MEMBER(heed_stored_cache_plan, StoredCachePlan, config);
HEED_SAME_MEMBER(heed_stored_cache_plan, StoredCachePlan, key_panels);
HEED_SAME_MEMBER(heed_stored_cache_plan, StoredCachePlan, value_width);
HEED_SAME_MEMBER(heed_stored_cache_plan, StoredCachePlan, key_panel_bytes);
HEED_SAME_MEMBER(heed_stored_cache_plan, StoredCachePlan, value_row_bytes);
HEED_SAME_MEMBER(heed_stored_cache_plan, StoredCachePlan, key_scale_bytes);
HEED_SAME_MEMBER(heed_stored_cache_plan, StoredCachePlan, value_scale_bytes);
HEED_SAME_MEMBER(heed_stored_cache_plan, StoredCachePlan, states);
HEED_SAME_MEMBER(heed_stored_cache_plan, StoredCachePlan, keys);
HEED_SAME_MEMBER(heed_stored_cache_plan, StoredCachePlan, values);
HEED_SAME_MEMBER(heed_stored_cache_plan, StoredCachePlan, key_scales);
HEED_SAME_MEMBER(heed_stored_cache_plan, StoredCachePlan, value_scales);
HEED_SAME_MEMBER(heed_stored_cache_plan, StoredCachePlan, bytes);

static_assert(same_size<heed_stored_cache, StoredCache>);  // the members are private

static_assert(HEED_STORAGE_FLOAT32 == static_cast<int>(Storage::float32));
static_assert(HEED_STORAGE_FLOAT16 == static_cast<int>(Storage::float16));
static_assert(HEED_STORAGE_BFLOAT16 == static_cast<int>(Storage::bfloat16));
static_assert(HEED_STORAGE_INT8 == static_cast<int>(Storage::int8));
static_assert(HEED_STORAGE_INT4 == static_cast<int>(Storage::int4));
static_assert(HEED_INT4_GROUP == int4_group && HEED_MAX_TOKENS == max_tokens);

/// A bool of C++ is 0 or 1, and nothing else.
[[nodiscard]] inline heed_stored_cache_config adapted(heed_stored_cache_config config) noexcept {
  config.key_scales_per_channel = config.key_scales_per_channel != 0 ? 1 : 0;
  config.ring = config.ring != 0 ? 1 : 0;
  return config;
}

[[nodiscard]] inline StoredCachePlan twin_of(heed_stored_cache_plan plan) noexcept {
  plan.config = adapted(plan.config);
  return std::bit_cast<StoredCachePlan>(plan);
}

}  // namespace heed::detail
