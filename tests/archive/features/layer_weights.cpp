// SPDX-License-Identifier: MIT
#include "heed/layer.hpp"

namespace {

constexpr heed::MultiHeadPlan plan = heed::plan(heed::MultiHeadConfig{.model_dim = 64, .heads = 4, .max_keys = 64});

}  // namespace

/// Packs and runs float32 weights of a plan that is a constant: nothing that rounds may be left.
extern "C" heed::Status probe(std::byte* arena, const heed::MultiHeadWeights& weights, std::byte* packed,
                              heed::MultiHeadAttention& layer, const float* x, float* y) {
  heed::Status status = heed::pack_weights(plan, weights, {packed, plan.weights_bytes});
  if (status == heed::Status::ok) status = layer.init(plan, {arena, plan.bytes}, {packed, plan.weights_bytes});
  return status != heed::Status::ok ? status : layer.decode(x, y);
}
