// SPDX-License-Identifier: MIT
//
// The C interface of a cache.
#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "heed/cache.hpp"
#include "heed/heed_cache.h"

using heed::Status;
using heed::detail::memory_of;
using heed::detail::or_zeros;

static_assert(sizeof(heed::KvCache) == 7 * sizeof(void*));  // as C has it

heed_status heed_plan_kv_cache(const heed_kv_cache_config* config, heed_kv_cache_plan* plan) {
  return heed::detail::write_plan(config, plan);
}

heed_status heed_kv_cache_init(heed_kv_cache* cache, const heed_kv_cache_plan* plan, void* memory, size_t memory_bytes,
                               const heed_kv_storage* storage) {
  if (cache == nullptr || plan == nullptr) return Status::null_pointer;
  return cache->init(*plan, memory_of(memory, memory_bytes), or_zeros(storage));
}

heed_status heed_kv_cache_bind(heed_kv_cache* cache, const heed_kv_cache_plan* plan, void* memory, size_t memory_bytes,
                               const heed_kv_storage* storage) {
  if (cache == nullptr || plan == nullptr) return Status::null_pointer;
  return cache->bind(*plan, memory_of(memory, memory_bytes), or_zeros(storage));
}

heed_status heed_kv_cache_set_key_scales(heed_kv_cache* cache, const float* scales, size_t scale_count) {
  return cache == nullptr ? Status::null_pointer : cache->set_key_scales({scales, scale_count});
}

heed_status heed_kv_cache_append(heed_kv_cache* cache, uint32_t sequence, uint32_t tokens, heed_const_tensor key,
                                 heed_const_tensor value) {
  return cache == nullptr ? Status::null_pointer : cache->append(sequence, tokens, key, value);
}

heed_status heed_kv_cache_truncate(heed_kv_cache* cache, uint32_t sequence, uint32_t length) {
  return cache == nullptr ? Status::null_pointer : cache->truncate(sequence, length);
}

heed_status heed_kv_cache_reset(heed_kv_cache* cache, uint32_t sequence) {
  return heed_kv_cache_truncate(cache, sequence, 0);
}

uint32_t heed_kv_cache_length(const heed_kv_cache* cache, uint32_t sequence) {
  return cache == nullptr ? 0 : cache->length(sequence);
}

uint32_t heed_kv_cache_tokens(const heed_kv_cache* cache, uint32_t sequence) {
  return cache == nullptr ? 0 : cache->tokens(sequence);
}

uint32_t heed_kv_cache_position(const heed_kv_cache* cache, uint32_t sequence, uint32_t slot) {
  return cache != nullptr && slot < cache->length(sequence) ? cache->position(sequence, slot) : 0;
}
