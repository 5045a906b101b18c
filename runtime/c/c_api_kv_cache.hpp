// SPDX-License-Identifier: MIT
//
// The structs of heed_kv_cache.h as those of kv_cache.hpp.
#pragma once

#include <bit>
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

static_assert(HEED_MAX_TOKENS == max_tokens);

static_assert(same_size<heed_kv_storage, KvStorage>);
HEED_SAME_MEMBER(heed_kv_storage, KvStorage, formats);
HEED_SAME_MEMBER(heed_kv_storage, KvStorage, ring);
HEED_SAME_MEMBER(heed_kv_storage, KvStorage, pages);

[[nodiscard]] inline KvStorage storage_of(const heed_kv_storage* storage) noexcept {
  return storage == nullptr ? KvStorage{} : std::bit_cast<KvStorage>(*storage);
}

}  // namespace heed::detail
