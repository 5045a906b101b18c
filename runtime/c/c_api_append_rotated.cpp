// SPDX-License-Identifier: MIT
//
// The C interface of keys that are rotated on their way into a KvCache, by the rules of c_api_calls.hpp.
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "heed/heed_rotary.h"
#include "heed/kv_cache.hpp"
#include "heed/rotary.hpp"

heed_status heed_kv_cache_append_rotated(heed_kv_cache* cache, uint32_t sequence, uint32_t tokens,
                                         heed_const_tensor key, heed_const_tensor value, const heed_rotary* rotary,
                                         const uint32_t* positions) {
  if (rotary == nullptr) return HEED_NULL_POINTER;
  return heed::detail::use<heed::KvCache>(cache, [&](heed::KvCache& object) {
    return heed::append_rotated(object, sequence, tokens, heed::detail::view_of(key), heed::detail::view_of(value),
                                heed::detail::in_place<heed::Rotary>(*rotary), positions);
  });
}
