// SPDX-License-Identifier: MIT
//
// heed_pack_rounded_weights() alone, because it links what rounds.
#include <cstddef>

#include "c/c_api_calls.hpp"
#include "heed/heed_layer.h"
#include "heed/layer.hpp"

heed_status heed_pack_rounded_weights(const heed_multi_head_plan* plan, const heed_multi_head_weights* weights,
                                      void* packed, size_t packed_bytes) {
  if (plan == nullptr || weights == nullptr) return heed::Status::null_pointer;
  return heed::pack_weights(*plan, *weights, heed::detail::memory_of(packed, packed_bytes));
}
