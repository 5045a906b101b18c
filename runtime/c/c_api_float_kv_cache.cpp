// SPDX-License-Identifier: MIT
//
// The C interface of the cache of floats, by the rules of c_api_calls.hpp.
#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "heed/float_kv_cache.hpp"
#include "heed/heed_float_kv_cache.h"

namespace heed::detail {

static_assert(same_size<heed_float_kv_cache_config, FloatKvCacheConfig>);
HEED_SAME_MEMBER(heed_float_kv_cache_config, FloatKvCacheConfig, max_sequences);
HEED_SAME_MEMBER(heed_float_kv_cache_config, FloatKvCacheConfig, kv_heads);
HEED_SAME_MEMBER(heed_float_kv_cache_config, FloatKvCacheConfig, head_dim);
HEED_SAME_MEMBER(heed_float_kv_cache_config, FloatKvCacheConfig, value_dim);
HEED_SAME_MEMBER(heed_float_kv_cache_config, FloatKvCacheConfig, max_keys);

static_assert(same_size<heed_float_kv_cache_plan, FloatKvCachePlan>);
HEED_SAME_MEMBER(heed_float_kv_cache_plan, FloatKvCachePlan, config);
HEED_SAME_MEMBER(heed_float_kv_cache_plan, FloatKvCachePlan, key_panels);
HEED_SAME_MEMBER(heed_float_kv_cache_plan, FloatKvCachePlan, value_width);
HEED_SAME_MEMBER(heed_float_kv_cache_plan, FloatKvCachePlan, lengths);
HEED_SAME_MEMBER(heed_float_kv_cache_plan, FloatKvCachePlan, keys);
HEED_SAME_MEMBER(heed_float_kv_cache_plan, FloatKvCachePlan, values);
HEED_SAME_MEMBER(heed_float_kv_cache_plan, FloatKvCachePlan, bytes);

static_assert(same_size<heed_float_kv_cache, FloatKvCache>);  // the members are private

}  // namespace heed::detail

using heed::detail::in_place;
using heed::detail::memory_of;
using heed::detail::use;
using heed::detail::view_of;
using heed::detail::write_plan;

heed_status heed_plan_float_kv_cache(const heed_float_kv_cache_config* config, heed_float_kv_cache_plan* plan) {
  return write_plan<heed::FloatKvCachePlan>(config, plan);
}

heed_status heed_float_kv_cache_init(heed_float_kv_cache* cache, const heed_float_kv_cache_plan* plan, void* memory,
                                     size_t memory_bytes) {
  if (plan == nullptr) return HEED_NULL_POINTER;
  return use<heed::FloatKvCache>(cache, [&](heed::FloatKvCache& object) {
    return object.init(in_place<heed::FloatKvCachePlan>(*plan), memory_of(memory, memory_bytes));
  });
}

heed_status heed_float_kv_cache_bind(heed_float_kv_cache* cache, const heed_float_kv_cache_plan* plan, void* memory,
                                     size_t memory_bytes) {
  if (plan == nullptr) return HEED_NULL_POINTER;
  return use<heed::FloatKvCache>(cache, [&](heed::FloatKvCache& object) {
    return object.bind(in_place<heed::FloatKvCachePlan>(*plan), memory_of(memory, memory_bytes));
  });
}

heed_status heed_float_kv_cache_append(heed_float_kv_cache* cache, uint32_t sequence, uint32_t tokens,
                                       heed_const_tensor key, heed_const_tensor value) {
  return use<heed::FloatKvCache>(
      cache, [&](heed::FloatKvCache& object) { return object.append(sequence, tokens, view_of(key), view_of(value)); });
}

heed_status heed_float_kv_cache_truncate(heed_float_kv_cache* cache, uint32_t sequence, uint32_t length) {
  return use<heed::FloatKvCache>(cache, [&](heed::FloatKvCache& object) { return object.truncate(sequence, length); });
}

heed_status heed_float_kv_cache_reset(heed_float_kv_cache* cache, uint32_t sequence) {
  return use<heed::FloatKvCache>(cache, [&](heed::FloatKvCache& object) { return object.reset(sequence); });
}

uint32_t heed_float_kv_cache_length(const heed_float_kv_cache* cache, uint32_t sequence) {
  return cache == nullptr ? 0 : in_place<heed::FloatKvCache>(*cache).length(sequence);
}

uint32_t heed_float_kv_cache_tokens(const heed_float_kv_cache* cache, uint32_t sequence) {
  return cache == nullptr ? 0 : in_place<heed::FloatKvCache>(*cache).tokens(sequence);
}

uint32_t heed_float_kv_cache_position(const heed_float_kv_cache* cache, uint32_t sequence, uint32_t slot) {
  if (cache == nullptr) return 0;
  const auto& object = in_place<heed::FloatKvCache>(*cache);
  return slot < object.length(sequence) ? heed::FloatKvCache::position(sequence, slot) : 0;
}
