// SPDX-License-Identifier: MIT
//
// The C interface of the cache, by the rules of c_api_calls.hpp.
#include "c/c_api_kv_cache.hpp"

#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "heed/heed_kv_cache.h"
#include "heed/kv_cache.hpp"

using heed::KvCache;
using heed::detail::in_place;
using heed::detail::memory_of;
using heed::detail::storage_of;
using heed::detail::use;
using heed::detail::view_of;

heed_status heed_plan_kv_cache(const heed_kv_cache_config* config, heed_kv_cache_plan* plan) {
  return heed::detail::write_plan<heed::KvCachePlan>(config, plan);
}

heed_status heed_kv_cache_init(heed_kv_cache* cache, const heed_kv_cache_plan* plan, void* memory, size_t memory_bytes,
                               const heed_kv_storage* storage) {
  if (plan == nullptr) return HEED_NULL_POINTER;
  return use<KvCache>(cache, [&](KvCache& object) {
    return object.init(in_place<heed::KvCachePlan>(*plan), memory_of(memory, memory_bytes), storage_of(storage));
  });
}

heed_status heed_kv_cache_bind(heed_kv_cache* cache, const heed_kv_cache_plan* plan, void* memory, size_t memory_bytes,
                               const heed_kv_storage* storage) {
  if (plan == nullptr) return HEED_NULL_POINTER;
  return use<KvCache>(cache, [&](KvCache& object) {
    return object.bind(in_place<heed::KvCachePlan>(*plan), memory_of(memory, memory_bytes), storage_of(storage));
  });
}

heed_status heed_kv_cache_set_key_scales(heed_kv_cache* cache, const float* scales, size_t scale_count) {
  return use<KvCache>(cache, [&](KvCache& object) { return object.set_key_scales({scales, scale_count}); });
}

heed_status heed_kv_cache_append(heed_kv_cache* cache, uint32_t sequence, uint32_t tokens, heed_const_tensor key,
                                 heed_const_tensor value) {
  return use<KvCache>(cache,
                      [&](KvCache& object) { return object.append(sequence, tokens, view_of(key), view_of(value)); });
}

heed_status heed_kv_cache_truncate(heed_kv_cache* cache, uint32_t sequence, uint32_t length) {
  return use<KvCache>(cache, [&](KvCache& object) { return object.truncate(sequence, length); });
}

heed_status heed_kv_cache_reset(heed_kv_cache* cache, uint32_t sequence) {
  return heed_kv_cache_truncate(cache, sequence, 0);
}

uint32_t heed_kv_cache_length(const heed_kv_cache* cache, uint32_t sequence) {
  return cache == nullptr ? 0 : in_place<KvCache>(*cache).length(sequence);
}

uint32_t heed_kv_cache_tokens(const heed_kv_cache* cache, uint32_t sequence) {
  return cache == nullptr ? 0 : in_place<KvCache>(*cache).tokens(sequence);
}

uint32_t heed_kv_cache_position(const heed_kv_cache* cache, uint32_t sequence, uint32_t slot) {
  if (cache == nullptr) return 0;
  const auto& object = in_place<KvCache>(*cache);
  return slot < object.length(sequence) ? object.position(sequence, slot) : 0;
}
