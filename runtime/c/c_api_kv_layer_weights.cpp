// SPDX-License-Identifier: MIT
//
// The C interface of a layer over a KvCache and weights in few bits, by the rules of c_api_calls.hpp.
#include <cstddef>

#include "c/c_api_calls.hpp"
#include "c/c_api_kv_layer.hpp"
#include "c/c_api_weights.hpp"
#include "heed/heed_layer_weights.h"
#include "heed/kv_multi_head.hpp"

namespace {

using heed::KvMultiHeadAttention;
using heed::detail::answer;
using heed::detail::in_place;
using heed::detail::memory_of;
using heed::detail::twin_of;
using heed::detail::use;

}  // namespace

heed_status heed_kv_pack_rounded_weights(const heed_kv_multi_head_plan* plan, const heed_multi_head_weights* weights,
                                         void* packed, size_t packed_bytes) {
  if (plan == nullptr || weights == nullptr) return HEED_NULL_POINTER;
  return answer(heed::pack_weights(in_place<heed::KvMultiHeadPlan>(*plan), in_place<heed::MultiHeadWeights>(*weights),
                                   memory_of(packed, packed_bytes)));
}

heed_status heed_kv_multi_head_init_packed(heed_kv_multi_head_attention* layer, const heed_kv_multi_head_plan* plan,
                                           void* state, size_t state_bytes, void* scratch, size_t scratch_bytes,
                                           const heed_packed_weights* weights) {
  if (plan == nullptr || weights == nullptr) return HEED_NULL_POINTER;
  return use<KvMultiHeadAttention>(layer, [&](KvMultiHeadAttention& object) {
    return object.init(in_place<heed::KvMultiHeadPlan>(*plan), memory_of(state, state_bytes),
                       memory_of(scratch, scratch_bytes), twin_of(*weights));
  });
}

heed_status heed_kv_multi_head_bind_packed(heed_kv_multi_head_attention* layer, const heed_kv_multi_head_plan* plan,
                                           void* state, size_t state_bytes, void* scratch, size_t scratch_bytes,
                                           const heed_packed_weights* weights) {
  if (plan == nullptr || weights == nullptr) return HEED_NULL_POINTER;
  return use<KvMultiHeadAttention>(layer, [&](KvMultiHeadAttention& object) {
    return object.bind(in_place<heed::KvMultiHeadPlan>(*plan), memory_of(state, state_bytes),
                       memory_of(scratch, scratch_bytes), twin_of(*weights));
  });
}
