// SPDX-License-Identifier: MIT
#include "heed/kv_multi_head.hpp"

extern "C" heed::Status probe(const heed::KvMultiHeadPlan& plan, std::byte* arena, const std::byte* weights,
                              heed::KvMultiHeadAttention& layer, const float* x, float* y) {
  const heed::Status status = layer.init(plan, {arena, plan.bytes}, {weights, plan.weights_bytes});
  return status != heed::Status::ok ? status : layer.decode(x, y);
}
