// SPDX-License-Identifier: MIT
#include "heed/layer.hpp"

extern "C" heed::Status probe(const heed::MultiHeadPlan& plan, std::byte* arena, const std::byte* weights,
                              heed::MultiHeadAttention& layer, const float* x, float* y) {
  const heed::Status status = layer.init(plan, {arena, plan.bytes}, {weights, plan.weights_bytes});
  return status != heed::Status::ok ? status : layer.decode(x, y);
}
